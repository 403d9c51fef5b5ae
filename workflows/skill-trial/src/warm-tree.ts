import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { appendFile, lstat, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { FrozenError, SettingsError } from './errors.js';
import { hashOf, listTree, type TreeFile } from './hash.js';
import { readJson } from './record.js';

const run = promisify(execFile);
const Sha = z.string().regex(/^[0-9a-f]{64}$/);

/** The record of a set-up's outcome: where it lies, and the hash of what it made. */
export interface Warm {
  folder: string;
  content: string;
}

/** What a set-up left, to be laid into every workspace and HOME of its case. */
export const WarmTree = z.strictObject({
  /** Files and folders of the workspace that the base has not, each named once, the folder for all that is in it. Sorted. */
  made: z.array(z.string()),
  files: z.int().nonnegative(),
  bytes: z.int().nonnegative(),
  /** Of paths, modes and contents: equal outcomes have equal hashes, whenever they were made. */
  content: Sha,
  archives: z.strictObject({ workspace: Sha, home: Sha }),
});
export type WarmTree = z.infer<typeof WarmTree>;

export const warmFile = 'warm-tree.json';
const archive = (name: keyof WarmTree['archives']) => `${name}.tar`;

/**
 * Packs what a set-up made of a workspace (all that the base has not) and of HOME into two archives in `target`. A file of the base that
 * it changed or removed is refused: the agent's change is told by the base alone.
 */
export async function packWarm(base: string, folders: { workspace: string; home: string }, target: string): Promise<WarmTree> {
  const before = new Map((await listTree(base)).map((file) => [file.path, file]));
  const after = await listTree(folders.workspace);
  const found = new Map(after.map((file) => [file.path, file]));
  const touched = [...before.values()].filter(({ path, mode, sha256 }) => {
    const now = found.get(path);
    return now?.sha256 !== sha256 || now.mode !== mode;
  });
  if (touched.length > 0) {
    throw new SettingsError('The set-up changes files of the repository', {
      expected: 'a set-up that only adds files (npm ci rather than npm install)',
      found: touched
        .slice(0, 5)
        .map(({ path }) => `${path}${found.has(path) ? '' : ' (removed)'}`)
        .join(', '),
      next: 'correct setup.command in case.yaml, or commit what it changes',
    });
  }
  const own = after.filter(({ path }) => !before.has(path));
  const home = await listTree(folders.home);
  const made = topmost(
    own.map(({ path }) => path),
    [...before.keys()],
  );
  await writeFile(join(target, 'made.txt'), made.map((path) => `./${path}\0`).join(''));
  const pack = (from: string, name: keyof WarmTree['archives'], what: string[]) =>
    run('tar', ['-C', from, '-c', '-f', join(target, archive(name)), ...what]);
  await pack(folders.workspace, 'workspace', ['--null', '-T', join(target, 'made.txt')]);
  await pack(folders.home, 'home', ['.']);
  await rm(join(target, 'made.txt'));
  const rows = (files: TreeFile[]) => files.map(({ path, mode, sha256 }) => [path, mode, sha256]);
  return {
    made,
    files: own.length + home.length,
    bytes: [...own, ...home].reduce((sum, { size }) => sum + size, 0),
    content: hashOf({ workspace: rows(own), home: rows(home) }),
    archives: {
      workspace: await hashFile(join(target, archive('workspace'))),
      home: await hashFile(join(target, archive('home'))),
    },
  };
}

/** The shortest paths that hold all of `paths` and nothing of `base`, sorted. */
export function topmost(paths: string[], base: string[]): string[] {
  const folders = new Set<string>();
  for (const path of base) for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) folders.add(folder);
  const tops = paths.map((path) => {
    const parts = path.split('/');
    const depth = parts.findIndex((_, index) => !folders.has(parts.slice(0, index + 1).join('/')));
    return parts.slice(0, depth + 1).join('/');
  });
  return [...new Set(tops)].sort();
}

/** What a set-up made of the workspace, by path; [] without one. */
export async function madeBy(warm: Warm | null): Promise<string[]> {
  return warm === null ? [] : (await readWarm(warm)).made;
}

/** A set-up's outcome as it was frozen; an altered or missing one is a FrozenError. */
async function readWarm({ folder, content }: Warm): Promise<WarmTree> {
  const tree = await readJson(join(folder, warmFile), WarmTree).catch(() => null);
  const same = async (name: keyof WarmTree['archives']) =>
    (await hashFile(join(folder, archive(name))).catch(() => null)) === tree?.archives[name];
  if (tree?.content === content && (await same('workspace')) && (await same('home'))) return tree;
  throw new FrozenError('What the set-up made is not what was frozen', {
    expected: `${folder} as it was sealed`,
    found: tree === null ? 'no such record' : 'another content',
    next: 'freeze again: the set-up then runs anew',
  });
}

/**
 * Lays what a set-up made into a fresh workspace and HOME, and hides it from the workspace's git. Where a variant has put a file or a
 * link in the place of a folder, what would lie below it is left out: through a link one would write elsewhere.
 */
export async function layWarm(warm: Warm | null, workspace: string, home: string): Promise<void> {
  if (warm === null) return;
  const { made } = await readWarm(warm);
  const list = `${workspace}.made`;
  const free: string[] = [];
  for (const path of made) if (await isFree(workspace, path)) free.push(path);
  const unpack = (name: keyof WarmTree['archives'], to: string, what: string[]) =>
    run('tar', ['-C', to, '-x', '-p', '--no-same-owner', '-f', join(warm.folder, archive(name)), ...what]);
  if (free.length > 0) {
    await writeFile(list, free.map((path) => `./${path}\0`).join(''));
    await unpack('workspace', workspace, ['--null', '-T', list]);
    await rm(list);
  }
  await unpack('home', home, []);
  await mkdir(join(workspace, '.git', 'info'), { recursive: true });
  await appendFile(join(workspace, '.git', 'info', 'exclude'), made.map(ignoreLine).join(''));
}

/** Whether every folder above a path is a folder, and nothing stands at the path itself. */
async function isFree(workspace: string, path: string): Promise<boolean> {
  const parts = path.split('/');
  for (let depth = 1; depth < parts.length; depth++) {
    const found = await lstat(join(workspace, ...parts.slice(0, depth))).catch(() => null);
    if (found !== null && !found.isDirectory()) return false;
  }
  return (await lstat(join(workspace, path)).catch(() => null)) === null;
}

/** A line of a gitignore file that names one path and nothing else. */
export function ignoreLine(path: string): string {
  return `/${path.replace(/[\\*?[\]!#]/g, '\\$&').replace(/ $/, '\\ ')}\n`;
}

async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
