import { mkdir } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { tryFileLock } from './file-lock.js';

interface Turns {
  folder?: string;
  /** How many may start at once. */
  places?: number;
  /** After so long a runner starts all the same. */
  waitMs?: number;
}

/**
 * Waits for a turn to start, and returns what ends it: as many processes start at once as the machine has processors, and one that
 * is killed loses its turn. Eight runners that load the library side by side on two processors are all ready when the last one is; in
 * turn, the first ones wait for their model while the next ones start. Taken before anything else is loaded: loading is most of a
 * start (decision 0039). It only makes starts cheaper: who gets no turn in time, or cannot make a lock, starts without one.
 */
export async function takeStartTurn({
  folder = join(tmpdir(), `skill-trial-starts-${process.getuid?.() ?? 'user'}`),
  places = availableParallelism(),
  waitMs = 60_000,
}: Turns = {}): Promise<() => Promise<void>> {
  const deadline = Date.now() + waitMs;
  try {
    await mkdir(folder, { recursive: true });
    do {
      for (let place = 1; place <= places; place++) {
        const lock = await tryFileLock(join(folder, `place-${place}`));
        if ('release' in lock) return once(lock.release);
      }
      await new Promise((resolve) => setTimeout(resolve, 100 + 100 * Math.random()));
    } while (Date.now() < deadline);
  } catch {
    // a full disk, a folder that is another user's: the run itself will say what matters
  }
  return async () => undefined;
}

/** The place is another's as soon as it is free: it must not be freed twice. */
function once(release: () => Promise<void>): () => Promise<void> {
  let ended: Promise<void> | null = null;
  return () => {
    ended ??= release();
    return ended;
  };
}
