import { readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { z } from 'zod';
import { Slug } from './case.js';
import { hashOf, sha256 } from './hash.js';
import type { Lab } from './lab.js';
import { appendLedger, readLedger } from './ledger.js';
import { variantKey } from './mark.js';
import { runPaths } from './paths.js';
import { readJson } from './record.js';
import type { SavedSheet } from './sheet.js';

const Sha = z.string().regex(/^[0-9a-f]{64}$/);

/** One lock of scoring: who scored which variants, and the hashes of what they wrote. Never changed; a later round comes after it. */
export const LockRound = z.strictObject({
  lockedAt: z.iso.datetime(),
  evaluators: z.array(Slug).min(1),
  /** Evaluators with a journal whose marks were left out of this round, by choice. */
  leftOut: z.array(Slug),
  variants: z.array(z.strictObject({ case: Slug, content: Sha })),
  /** Each evaluator's journal as it was: its number of lines, and the hash of these lines. */
  journals: z.record(Slug, z.strictObject({ lines: z.int().nonnegative(), sha256: Sha })),
  /** Hash of each sheet by its name in the folder of sheets. */
  sheets: z.record(z.string(), Sha),
});
export type LockRound = z.infer<typeof LockRound>;

/** data/experiments/<name>/desk/lock.json. A second round is for variants that came after the first. */
export const DeskLock = z.strictObject({ schemaVersion: z.literal(1), rounds: z.array(LockRound).min(1) });
export type DeskLock = z.infer<typeof DeskLock>;

/** The lock of an experiment's desk; null where scoring was never locked at a desk. */
export async function readDeskLock(root: string, experiment: string): Promise<DeskLock | null> {
  const file = runPaths(root, experiment).deskLock;
  return (await stat(file).catch(() => null)) === null ? null : readJson(file, DeskLock);
}

/** Whether a round holds this variant: then no mark of it is taken any more. */
export function isLocked(lock: DeskLock | null, variant: { case: string; content: string }): boolean {
  return (lock?.rounds ?? []).some((round) => round.variants.some((one) => variantKey(one) === variantKey(variant)));
}

/** Puts the lock into the ledger, where it is new: the ledger is the run's own, the lock is committed with the sheets. */
export async function noteDeskLock(lab: Lab, lock: DeskLock): Promise<void> {
  const hash = hashOf(lock);
  const ledger = await readLedger(lab.run.ledger);
  const last = ledger.findLast((line) => line.event.kind === 'scoring-locked')?.event;
  if (last?.kind === 'scoring-locked' && last.deskLock === hash) return;
  const evaluators = [...new Set(lock.rounds.flatMap((round) => round.evaluators))].sort();
  await appendLedger(lab.run.ledger, { kind: 'scoring-locked', deskLock: hash, rounds: lock.rounds.length, evaluators }, lab.now);
}

/**
 * What no longer is as it was locked: sheets changed, gone or come in for a locked variant, journals changed. [] when all is whole.
 * Adjudicated sheets are held against the adjudications elsewhere.
 */
export async function deskLockChanges(
  root: string,
  experiment: string,
  lock: DeskLock,
  sheets: Pick<SavedSheet, 'file' | 'sha256' | 'scorer' | 'case' | 'content'>[],
): Promise<string[]> {
  const run = runPaths(root, experiment);
  const folder = relative(root, run.sheets);
  const changes: string[] = [];
  for (const round of lock.rounds) {
    for (const [name, hash] of Object.entries(round.sheets)) {
      const found = sheets.find(({ file }) => file === join(folder, name));
      if (found?.sha256 !== hash)
        changes.push(`${join(folder, name)} ${found === undefined ? 'is missing' : 'has changed'} since scoring was locked`);
    }
    for (const [evaluator, { lines, sha256: hash }] of Object.entries(round.journals)) {
      const bytes = await readFile(run.journal(evaluator)).catch(() => Buffer.alloc(0));
      if (journalHash(bytes, lines) !== hash)
        changes.push(`${relative(root, run.journal(evaluator))} has changed since scoring was locked`);
    }
  }
  const locked = new Set(lock.rounds.flatMap((round) => Object.keys(round.sheets).map((name) => join(folder, name))));
  for (const sheet of sheets)
    if (sheet.scorer !== 'adjudicated' && sheet.file.startsWith(`${folder}/`) && isLocked(lock, sheet) && !locked.has(sheet.file))
      changes.push(`${sheet.file} came in after scoring was locked`);
  return changes;
}

/** The hash of a journal's first lines: what a later round appends does not change it. */
export function journalHash(bytes: Buffer, lines: number): string {
  const text = bytes
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '');
  return sha256(
    text
      .slice(0, lines)
      .map((line) => `${line}\n`)
      .join(''),
  );
}
