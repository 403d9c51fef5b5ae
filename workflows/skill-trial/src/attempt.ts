import type { Lab } from './lab.js';
import { readLedger } from './ledger.js';

/** Attempts of a trial so far: the highest number, and those that began and never ended. */
export async function openAttempts(lab: Lab, name: string, spec: string): Promise<{ last: number; open: number[] }> {
  const open = new Set<number>();
  let last = 0;
  for (const { event } of await readLedger(lab.run.ledger)) {
    if ((event.kind !== 'started' && event.kind !== 'ended') || event.trial !== name || event.spec !== spec) continue;
    last = Math.max(last, event.attempt);
    if (event.kind === 'started') open.add(event.attempt);
    else open.delete(event.attempt);
  }
  return { last, open: [...open] };
}
