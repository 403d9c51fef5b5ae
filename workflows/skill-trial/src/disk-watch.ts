import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Pauses between two looks: at folders, which is a walk, and at the few files of what is printed, which costs nothing. */
const [everyMs, outputMs] = [500, 250];

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
 * Looks at folders and outputs again and again, and calls `onFull` once when there is more than may be. The pause between two walks
 * through the folders grows with the time that one takes, so that looking costs at most a twentieth of it; outputs wait for no walk.
 * `close` looks a last time and returns the most that was seen in the folders.
 */
export function watchDisk(
  { folders, folderBytes, outputs, outputBytes }: Watched,
  onFull: (what: 'disk' | 'output') => void,
  walk = diskUse,
): { close: () => Promise<{ bytes: number; largest: number }> } {
  const most = { bytes: 0, largest: 0 };
  let closed = false;
  let told = false;
  const tell = (what: 'disk' | 'output') => {
    if (told) return;
    told = true;
    onFull(what);
  };
  const lookAtFolders = async () => {
    const from = performance.now();
    const now = await walk(folders);
    most.bytes = Math.max(most.bytes, now.bytes);
    most.largest = Math.max(most.largest, now.largest);
    if (now.bytes > folderBytes) tell('disk');
    return Math.max(everyMs, 20 * (performance.now() - from));
  };
  const lookAtOutputs = async () => {
    const printed = await Promise.all(outputs.map((path) => lstat(path).catch(() => null))); // not begun yet
    if (printed.some((file) => file !== null && file.size > outputBytes)) tell('output');
    return outputMs;
  };
  const watches = [lookAtOutputs, lookAtFolders].map((look) => {
    let timer: NodeJS.Timeout | undefined;
    let looking: Promise<void>;
    const again = () => {
      looking = look().then((pause) => {
        if (!closed) timer = setTimeout(again, pause);
      });
    };
    again();
    return async () => {
      await looking;
      clearTimeout(timer);
      await look();
    };
  });
  return {
    close: async () => {
      closed = true;
      for (const last of watches) await last();
      return most;
    },
  };
}
