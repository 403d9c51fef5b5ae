import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import pMap from 'p-map';
import { rootPaths } from './paths.js';

/** Results in the order of the items, `workers` under way at once: as many as the machine has processors, two at most, where absent. */
export function inTurn<T, R>(
  items: readonly T[],
  action: (item: T) => Promise<R>,
  workers = Math.min(2, availableParallelism()),
): Promise<R[]> {
  return pMap(items, action, { concurrency: workers });
}

/** How many trials may be under way at once where an experiment gives them no order: NX_PARALLEL, else `parallel` of nx.json. */
export async function readWorkers(root: string): Promise<number> {
  const { parallel = 1 } = JSON.parse(await readFile(rootPaths(root).graph, 'utf8')) as { parallel?: number };
  const asked = Number(process.env.NX_PARALLEL);
  return Number.isInteger(asked) && asked > 0 ? asked : parallel;
}
