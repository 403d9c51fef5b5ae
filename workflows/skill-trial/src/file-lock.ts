import { randomUUID } from 'node:crypto';
import { readFile, readlink, rm, symlink } from 'node:fs/promises';
import { InfrastructureError } from './errors.js';

/**
 * Runs one action while holding a lock: a symbolic link, made in one step with its owner in it, so that no lock is ever without one.
 * Throws an InfrastructureError when a process that lives holds it for longer than `waitMs`.
 */
export async function withFileLock<T>(file: string, action: () => Promise<T>, waitMs = 30_000): Promise<T> {
  const deadline = Date.now() + waitMs;
  for (;;) {
    const lock = await tryFileLock(file);
    if ('release' in lock) {
      try {
        return await action();
      } finally {
        await lock.release();
      }
    }
    if (lock.heldBy === null) continue; // released meanwhile, or taken from a dead owner
    if (Date.now() > deadline) {
      // loaded here: what takes its turn before it loads the library needs this file alone
      const { shown } = await import('./document.js');
      throw new InfrastructureError(`${shown(file)} is held`, {
        expected: 'a lock that is free',
        found: `process ${lock.heldBy} holds it`,
        next: 'wait for that process, or remove the file if it is gone',
      });
    }
    await new Promise((resolve) => setTimeout(resolve, waitMs > 30_000 ? 200 : 5));
  }
}

/**
 * Takes a lock if it is free, without waiting. Else says which process holds it; null: it has just become free. A lock whose owner has
 * ended is taken over, by one process alone: only who holds `<file>.takeover` may remove a dead owner's lock, and looks at it again
 * before. (Removing it after a look from afar could remove the lock of whoever was faster.)
 */
export async function tryFileLock(file: string): Promise<{ release: () => Promise<void> } | { heldBy: string | null }> {
  const token = `${process.pid}.${await startOf(process.pid)}.${randomUUID()}`;
  if (await tryLink(token, file)) return { release: () => rm(file, { force: true }) };
  const held = await readlink(file).catch((error: NodeJS.ErrnoException) =>
    error.code === 'ENOENT' ? null : 'no lock of the lab',
  );
  if (held === null) return { heldBy: null };
  const [pid = '', start] = held.split('.');
  if (!/^\d+$/.test(pid) || (await startOf(Number(pid))) === start) return { heldBy: pid };
  await withFileLock(`${file}.takeover`, async () => {
    if ((await readlink(file).catch(() => null)) === held) await rm(file, { force: true });
  });
  return { heldBy: null };
}

/** Makes the lock; false when there is one. */
async function tryLink(token: string, file: string): Promise<boolean> {
  try {
    await symlink(token, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * When a running process started, in clock ticks: a number used again by another process differs. 0 without /proc, '' when it is gone;
 * one that has ended and that nobody has asked about yet (a zombie) is gone.
 */
async function startOf(pid: number): Promise<string> {
  if (!isAlive(pid)) return '';
  const text = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => null);
  if (text === null) return '0';
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? '' : (fields[19] ?? '0');
}

/** Whether a process of this machine is running. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
