import { isUtf8 } from 'node:buffer';
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { applyPatch } from './base.js';
import { regularSize } from './blind-artifact.js';
import { baseOf, type Lab } from './lab.js';
import { changedFiles } from './new-tests.js';
import type { SavedTrial } from './trial-record.js';

/** The largest file that goes into a benchmark, in bytes; a larger one is named with its size. */
const largest = 2 ** 20;

/** The most files of one run that are named; of the others only the number is. */
const mostFiles = 1000;

/**
 * What the files of one run, and those of all runs of a benchmark, may take as JSON in bytes. results.json is one text, as is the page
 * made of it: with the answers (at most 96 MiB as JSON) they stay well below the 512 Mi characters that a text in memory can have.
 */
const mostOfRun = 8 * 2 ** 20;
export const mostOfAll = 48 * 2 ** 20;

/** A file that a run left in its workspace other than it was, as it read at the end. */
export const MadeFile = z.strictObject({
  path: z.string(),
  kind: z.enum(['added', 'modified', 'deleted']),
  /** null: no longer there, no regular file, too large, or not UTF-8. */
  text: z.string().nullable(),
  /** Base64 of what is not UTF-8; null otherwise. */
  binary: z.string().nullable(),
  /** Bytes of a regular file that is left out because it, or its run's files, or those of all runs together, are too large. */
  bytesLeftOut: z.int().nonnegative().optional(),
});
export type MadeFile = z.infer<typeof MadeFile>;

/** What a run left: its files sorted by path, and how many more there are that are not even named. */
export interface MadeFiles {
  files: MadeFile[];
  more: number;
}

/** What a recorded run left behind, from its patch on its base; `room` is what its files may take as JSON in bytes. */
export async function madeFiles(
  lab: Lab,
  { folder, record }: Pick<SavedTrial, 'folder' | 'record'>,
  room = mostOfAll,
): Promise<MadeFiles> {
  const patch = join(folder, 'patch.diff');
  const changed = changedFiles(await readFile(patch, 'utf8'));
  if (changed.length === 0) return { files: [], more: 0 };
  const scratch = await mkdtemp(join(tmpdir(), 'skill-trial-made-'));
  try {
    const tree = join(scratch, 'tree');
    await applyPatch(await baseOf(lab, record.case, record.baseCommit), patch, tree);
    return await readMade(tree, changed, room);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** The changed files of a tree as far as there is room: one that finds none is named with its size, and a smaller one may still fit. */
export async function readMade(tree: string, changed: Pick<MadeFile, 'path' | 'kind'>[], room = mostOfAll): Promise<MadeFiles> {
  const inside = await realpath(tree);
  const files: MadeFile[] = [];
  let left = Math.min(room, mostOfRun);
  for (const { path, kind } of changed.slice(0, mostFiles)) {
    const size = kind === 'deleted' ? null : await regularSize(inside, path);
    const named = { path, kind, text: null, binary: null, ...(size === null ? {} : { bytesLeftOut: size }) };
    const whole = size === null || size > largest ? named : { path, kind, ...contentOf(await readFile(join(inside, path))) };
    const file = [whole, named].find((one) => jsonBytes([one]) <= left);
    if (file === undefined) break;
    left -= jsonBytes([file]);
    files.push(file);
  }
  return { files, more: changed.length - files.length };
}

/** What files take as JSON, in bytes. */
export function jsonBytes(files: MadeFile[]): number {
  return files.reduce((sum, file) => sum + Buffer.byteLength(JSON.stringify(file)), 0);
}

function contentOf(bytes: Buffer): Pick<MadeFile, 'text' | 'binary'> {
  return isUtf8(bytes) ? { text: bytes.toString('utf8'), binary: null } : { text: null, binary: bytes.toString('base64') };
}
