import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { stringify } from 'yaml';
import type { Case } from './case.js';
import { type Desk, listEvaluators, openDesk } from './desk.js';
import { SettingsError } from './errors.js';
import { withFileLock } from './file-lock.js';
import { readJournal } from './journal.js';
import { caseOf, type Lab } from './lab.js';
import { foldMarks, variantKey } from './mark.js';
import { progressOf } from './mark-progress.js';
import { alignKeys, markedSheets } from './marked-sheet.js';
import { prettyJson, writeWhole } from './record.js';
import { type DeskLock, isLocked, journalHash, type LockRound, noteDeskLock, readDeskLock } from './scoring-lock.js';
import { checkSheet, readSheets, type Sheet, sheetName } from './sheet.js';

/**
 * Locks scoring: writes every evaluator's sheets, one a variant, then desk/lock.json with their hashes, and a line of the ledger.
 * Every named evaluator (without names: each that has a journal) must have marked everything; a SettingsError says what is open.
 * Variants locked before stay as they are. Nothing is written when anything is missing.
 */
export async function lockScoring(lab: Lab, names?: string[]): Promise<DeskLock> {
  const desk = await openDesk(lab);
  const before = await readDeskLock(lab.root, lab.experiment.name);
  const present = await listEvaluators(lab);
  const evaluators = [...(names ?? present)].sort();
  const unknown = evaluators.find((name) => !present.includes(name));
  if (evaluators.length === 0 || unknown !== undefined)
    throw new SettingsError('Nobody to lock the marks of', {
      expected: present.length === 0 ? 'an evaluator with marks' : `some of ${present.join(', ')}`,
      found: unknown ?? 'none',
      next: `npx nx run ${lab.experiment.name}:desk`,
    });
  const variants = desk.variants.filter((variant) => !isLocked(before, variant));
  if (variants.length === 0)
    throw new SettingsError('Scoring is locked already', {
      expected: 'a variant that no lock holds',
      found: 'none',
      next: `settle disputes, then npx nx run ${lab.experiment.name}:unblind`,
    });
  // No mark may come in between what is read here and the lock: each journal is held until the lock is written.
  const held = (index: number, action: () => Promise<DeskLock>): Promise<DeskLock> => {
    const name = evaluators[index];
    return name === undefined ? action() : withFileLock(`${lab.run.journal(name)}.lock`, () => held(index + 1, action));
  };
  const lock = await held(0, () => writeLock(lab, { ...desk, variants }, before, evaluators, present));
  await noteDeskLock(lab, lock);
  return lock;
}

async function writeLock(
  lab: Lab,
  desk: Desk,
  before: DeskLock | null,
  evaluators: string[],
  present: string[],
): Promise<DeskLock> {
  const all = await Promise.all(
    evaluators.map(async (evaluator) => {
      const file = lab.run.journal(evaluator);
      const lines = await readJournal(file);
      const marks = foldMarks(lines.map(({ event }) => event));
      const progress = progressOf(desk, marks);
      const open = progress.variants.flatMap((one) => one.open.map((what) => `${one.content.slice(0, 12)}: ${what}`));
      if (open.length > 0)
        throw new SettingsError(`${evaluator} has not finished`, {
          expected: `${progress.total} marks`,
          found: `${progress.done}; open: ${open.slice(0, 5).join('; ')}${open.length > 5 ? `; and ${open.length - 5} more` : ''}`,
          next: 'finish at the desk, or name the evaluators to lock',
        });
      return { evaluator, marks, lines: lines.length, sha256: journalHash(await readFile(file), lines.length) };
    }),
  );
  const aligned = alignKeys(all);
  const sheets = all.flatMap(({ evaluator, marks }) =>
    markedSheets(desk, desk.variants, evaluator, marks, aligned.get(evaluator) ?? new Map()),
  );
  const files = sheets.map((sheet) => ({ name: sheetName(sheet), text: sheetText(sheet, caseOf(lab, sheet.case)) }));
  for (const { name, text } of files) {
    const found = await readFile(join(lab.run.sheets, name), 'utf8').catch(() => null);
    if (found !== null && found !== text)
      throw new SettingsError(`${name} is there already`, {
        expected: 'no sheet of this evaluator for this variant',
        found: 'another sheet',
        next: 'move it away, or score under another name',
      });
  }
  for (const { name, text } of files) await writeWhole(join(lab.run.sheets, name), text);
  // sheets that were there before, of other scorers, are locked with them
  const inRound = (await readSheets(lab.root, lab.run.sheets, lab.cases)).filter((sheet) =>
    desk.variants.some((variant) => variantKey(variant) === variantKey(sheet)),
  );
  const round: LockRound = {
    lockedAt: lab.now().toISOString(),
    evaluators,
    leftOut: present.filter((name) => !evaluators.includes(name)),
    variants: desk.variants.map(({ case: name, content }) => ({ case: name, content })),
    journals: Object.fromEntries(all.map(({ evaluator, lines, sha256: hash }) => [evaluator, { lines, sha256: hash }])),
    sheets: Object.fromEntries(inRound.map(({ file, sha256: hash }) => [basename(file), hash])),
  };
  const lock: DeskLock = { schemaVersion: 1, rounds: [...(before?.rounds ?? []), round] };
  await writeWhole(lab.run.deskLock, prettyJson(lock));
  return lock;
}

/** A sheet as its file: checked against the rubrics, the same bytes for the same sheet. */
export function sheetText(sheet: Sheet, one: Case): string {
  checkSheet(sheet, one, sheetName(sheet));
  return stringify(sheet, { lineWidth: 0 });
}
