import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { applyPatch } from './base.js';
import { regularFile } from './blind-artifact.js';
import { baseOf, type Lab } from './lab.js';
import { changedFiles } from './new-tests.js';
import type { SavedTrial } from './trial-record.js';

/** The most of one file that goes into a benchmark, in bytes: a larger one is named only. */
const largest = 1 << 20;

/** A file that a run left in its workspace other than it was, as it read at the end. */
export const MadeFile = z.strictObject({
  path: z.string(),
  kind: z.enum(['added', 'modified', 'deleted']),
  /** null: no longer there, no regular file, larger than 1 MiB, or not UTF-8. */
  text: z.string().nullable(),
  /** Base64 of what is not UTF-8; null otherwise. */
  binary: z.string().nullable(),
});
export type MadeFile = z.infer<typeof MadeFile>;

/** What a recorded run left behind, from its patch on its base; sorted by path, [] where it changed nothing. */
export async function madeFiles(lab: Lab, { folder, record }: Pick<SavedTrial, 'folder' | 'record'>): Promise<MadeFile[]> {
  const patch = join(folder, 'patch.diff');
  const changed = changedFiles(await readFile(patch, 'utf8'));
  if (changed.length === 0) return [];
  const scratch = await mkdtemp(join(tmpdir(), 'skill-trial-made-'));
  try {
    const tree = join(scratch, 'tree');
    await applyPatch(await baseOf(lab, record.case, record.baseCommit), patch, tree);
    const inside = await realpath(tree);
    const files: MadeFile[] = [];
    for (const { path, kind } of changed) {
      const bytes = kind === 'deleted' ? null : await regularFile(inside, path);
      const kept = bytes === null || bytes.length > largest ? null : bytes;
      const text = kept?.toString('utf8') ?? null;
      const isText = kept !== null && Buffer.from(text as string, 'utf8').equals(kept);
      files.push({ path, kind, text: isText ? text : null, binary: kept === null || isText ? null : kept.toString('base64') });
    }
    return files;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
