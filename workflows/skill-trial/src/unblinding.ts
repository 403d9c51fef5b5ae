import { stat } from 'node:fs/promises';
import { z } from 'zod';
import { hashOf } from './hash.js';
import { runPaths } from './paths.js';
import { readJson } from './record.js';
import type { DeskLock } from './scoring-lock.js';

/** data/experiments/<name>/desk/unblinded.json: the mapping was opened for what the desk's lock held then. */
export const Unblinding = z.strictObject({
  schemaVersion: z.literal(1),
  at: z.iso.datetime(),
  /** Hash of desk/lock.json as a value: a further round seals the mapping again. */
  deskLock: z.string().regex(/^[0-9a-f]{64}$/),
  /** Disputes left open on purpose: these cells stay without a value. */
  openDisputes: z.array(z.strictObject({ case: z.string(), content: z.string().nullable(), part: z.string(), id: z.string() })),
});
export type Unblinding = z.infer<typeof Unblinding>;

/** The unblinding of an experiment's desk; null while the mapping is sealed. */
export async function readUnblinding(root: string, experiment: string): Promise<Unblinding | null> {
  const file = runPaths(root, experiment).unblinded;
  return (await stat(file).catch(() => null)) === null ? null : readJson(file, Unblinding);
}

/** Whether the mapping was opened for this lock, and not for an earlier round of it. */
export function isUnblinded(lock: DeskLock | null, unblinding: Unblinding | null): boolean {
  return lock !== null && unblinding !== null && unblinding.deskLock === hashOf(lock);
}
