import { availableParallelism } from 'node:os';

/** Results in the order of the items, as many under way at once as the machine has processors, two at most. */
export async function inTurn<T, R>(items: T[], action: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const index = next++;
      results[index] = await action(items[index] as T);
    }
  };
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, worker));
  return results;
}
