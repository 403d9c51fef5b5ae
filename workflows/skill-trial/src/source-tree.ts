import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { SettingsError } from './errors.js';

/** Files that an importer may read, by path below one root with forward slashes. */
export interface SourceTree {
  /** Null: no file there. */
  read: (path: string) => Promise<Buffer | null>;
  /** Every file below a folder ('' for all), without .git and node_modules. */
  list: (folder: string) => Promise<string[]>;
  /** The root's own name, where it is the folder of a skill and no repository. */
  skill?: string;
}

/**
 * The files around a path that evals are imported from: below the repository that holds it, else below the folder of its skill (or
 * itself). `from` is the path below the tree's root.
 */
export async function openSourceTree(path: string): Promise<{ tree: SourceTree; root: string; from: string }> {
  const start = resolve(path);
  const found = await stat(start).catch(() => null);
  if (found === null) {
    throw new SettingsError(`Nothing at ${path}`, { expected: 'a file or folder', found: 'nothing', next: 'correct --from' });
  }
  const folder = found.isDirectory() ? start : dirname(start);
  const repository = await above(folder, '.git');
  const skill = repository === null ? await above(folder, 'SKILL.md') : null;
  const root = repository ?? skill ?? folder;
  const has = async (file: string) => (await stat(join(root, file)).catch(() => null))?.isFile() === true;
  return {
    root,
    from: relative(root, start).replaceAll('\\', '/'),
    tree: {
      ...(skill === null ? {} : { skill: basename(skill) }),
      read: async (file) => ((await has(file)) ? readFile(join(root, file)) : null),
      list: async (below) => (await filesBelow(join(root, below))).map((file) => (below === '' ? file : `${below}/${file}`)),
    },
  };
}

/** The nearest folder from here upwards that holds a name; null: none. */
async function above(folder: string, name: string): Promise<string | null> {
  for (let at = folder; ; at = dirname(at)) {
    if ((await stat(join(at, name)).catch(() => null)) !== null) return at;
    if (dirname(at) === at) return null;
  }
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found = await Promise.all(
    entries
      .filter(({ name }) => name !== '.git' && name !== 'node_modules')
      .map(async (entry) =>
        entry.isDirectory()
          ? (await filesBelow(join(folder, entry.name))).map((file) => `${entry.name}/${file}`)
          : entry.isFile()
            ? [entry.name]
            : [],
      ),
  );
  return found.flat().sort();
}
