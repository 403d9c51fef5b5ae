import { mkdir } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { tryFileLock } from './file-lock.js';

/**
 * Waits for a turn to start, and returns what ends it: as many processes start at once as the machine has processors, and one that
 * is killed loses its turn. Eight runners that load the library side by side on two processors are all ready when the last one is; in
 * turn, the first ones wait for their model while the next ones start. Taken before anything else is loaded: loading is most of a
 * start (decision 0039).
 */
export async function takeStartTurn(
  folder = join(tmpdir(), `skill-trial-starts-${process.getuid?.() ?? 'user'}`),
  places = availableParallelism(),
): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true });
  for (;;) {
    for (let place = 1; place <= places; place++) {
      const lock = await tryFileLock(join(folder, `place-${place}`));
      if (!('release' in lock)) continue;
      let ended: Promise<void> | null = null;
      // once: the place is another's as soon as it is free
      return () => {
        ended ??= lock.release();
        return ended;
      };
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
