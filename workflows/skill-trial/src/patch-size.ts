import parseDiff from 'parse-diff';
import picomatch from 'picomatch';
import { z } from 'zod';
import { patchedFiles } from './new-tests.js';

const Lines = z.strictObject({
  files: z.int().nonnegative(),
  hunks: z.int().nonnegative(),
  added: z.int().nonnegative(),
  removed: z.int().nonnegative(),
});

/** How much a patch touches. Reported apart: no score takes size as its input. */
export const PatchSize = z.strictObject({
  ...Lines.shape,
  /** Of these, what lies outside the globs that case.yaml calls the task's area. */
  outside: z.strictObject({ ...Lines.shape, paths: z.array(z.string()) }),
});
export type PatchSize = z.infer<typeof PatchSize>;

/** Counts a git patch: a binary file is a file without hunks and lines; a changed line is one removed and one added. */
export function patchSize(patch: string, area: string[]): PatchSize {
  const isInside = picomatch(area, { dot: true });
  // one block each, in the same order; the paths are read by the lab, as git quotes unusual ones
  const paths = patchedFiles(patch).map((file) => file.path);
  const blocks = parseDiff(patch).map((file, index) => ({
    path: paths[index] ?? file.to ?? file.from ?? '',
    hunks: file.chunks.length,
    added: file.additions,
    removed: file.deletions,
  }));
  const sum = (list: typeof blocks) => ({
    files: list.length,
    hunks: list.reduce((total, file) => total + file.hunks, 0),
    added: list.reduce((total, file) => total + file.added, 0),
    removed: list.reduce((total, file) => total + file.removed, 0),
  });
  const outside = blocks.filter((file) => !isInside(file.path));
  return { ...sum(blocks), outside: { ...sum(outside), paths: outside.map((file) => file.path).sort() } };
}
