import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

const everyMs = 500;

/** What some folders hold: allocated bytes (a hole in a file takes none), and the size of the largest file. */
export async function diskUse(folders: string[]): Promise<{ bytes: number; largest: number }> {
  const total = { bytes: 0, largest: 0 };
  const open = [...folders];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) open.push(path);
      const file = await lstat(path).catch(() => null); // it may be gone meanwhile
      if (file === null) continue;
      total.bytes += file.blocks * 512;
      if (file.isFile()) total.largest = Math.max(total.largest, file.size);
    }
  }
  return total;
}

/** What is watched, and the most bytes that it may hold: folders together, each file of what is printed. */
export interface Watched {
  folders: string[];
  folderBytes: number;
  outputs: string[];
  outputBytes: number;
}

/**
 * Looks at folders and outputs again and again, and calls `onFull` once when there is more than may be. The pause grows with the time
 * that a look takes, so that looking costs at most a twentieth of it. `close` looks a last time and returns the most that was seen in the
 * folders.
 */
export function watchDisk(
  { folders, folderBytes, outputs, outputBytes }: Watched,
  onFull: (what: 'disk' | 'output') => void,
): { close: () => Promise<{ bytes: number; largest: number }> } {
  const most = { bytes: 0, largest: 0 };
  let closed = false;
  let told = false;
  let timer: NodeJS.Timeout | undefined;
  const look = async () => {
    const from = performance.now();
    const now = await diskUse(folders);
    most.bytes = Math.max(most.bytes, now.bytes);
    most.largest = Math.max(most.largest, now.largest);
    const printed = await Promise.all(outputs.map((path) => lstat(path).catch(() => null))); // not begun yet
    const loud = printed.some((file) => file !== null && file.size > outputBytes);
    if ((now.bytes > folderBytes || loud) && !told) {
      told = true;
      onFull(loud ? 'output' : 'disk');
    }
    if (!closed) timer = setTimeout(again, Math.max(everyMs, 20 * (performance.now() - from)));
  };
  let looking = look();
  const again = () => {
    looking = look();
  };
  return {
    close: async () => {
      closed = true;
      await looking;
      clearTimeout(timer);
      await look();
      return most;
    },
  };
}
