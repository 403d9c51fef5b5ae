import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import { withFileLock } from '../skill-trial/src/file-lock.js';
import { hashOf } from '../skill-trial/src/hash.js';
import { Checkout } from './checkout.js';

/** Changes that keep a run short. Tests that ask for the same changes share one run. */
export const shortRun = { repeats: 1, stability_runs: 1 };

/**
 * A checkout of one's own in which `npm start -- <experiment>` has come to its end, with the changed settings that
 * {@link Checkout.configure} takes. The run itself is made once for all test files of a test run, by the first that asks.
 */
export async function finishedRun(experiment: string, edit: Record<string, unknown> = shortRun): Promise<Checkout> {
  const made = join(inject('runStore'), hashOf({ experiment, edit }).slice(0, 16));
  // as long as a test file waits for its hooks
  return withFileLock(
    `${made}.lock`,
    async () => {
      const kept = await Checkout.copy(made);
      if (kept !== null) return kept;
      await using checkout = await Checkout.make();
      await checkout.configure(experiment, edit);
      const done = await checkout.start([experiment]);
      if (done.code !== 0) throw new Error(`npm start -- ${experiment} failed:\n${done.text}`);
      await rename(checkout.root, made);
      return (await Checkout.copy(made)) as Checkout;
    },
    1_800_000,
  );
}
