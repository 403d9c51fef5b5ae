import { readFile, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** An npm package as it is installed: its version, and the node_modules folder that really holds it. */
export interface InstalledPackage {
  version: string;
  /** Links resolved: a sandbox mounts this folder, and a link would lead nowhere inside. */
  folder: string;
}

/** Looks for a package in some node_modules folders, in order; null where none has it. */
export async function findPackage(name: string, folders: string[]): Promise<InstalledPackage | null> {
  for (const folder of folders) {
    const file = join(folder, name, 'package.json');
    if ((await stat(file).catch(() => null)) === null) continue;
    const { version } = JSON.parse(await readFile(file, 'utf8')) as { version: string };
    return { version, folder: (await realpath(join(folder, name))).slice(0, -name.length - 1) };
  }
  return null;
}
