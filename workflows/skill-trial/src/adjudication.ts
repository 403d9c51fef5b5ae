import { mkdir, open, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { Case } from './case.js';
import { Adjudication, type CellValue, type Dispute, disputesOf, sameCell } from './dispute.js';
import { check, shown } from './document.js';
import { RecordError, SettingsError } from './errors.js';
import { sha256 } from './hash.js';
import { caseOf, type Lab } from './lab.js';
import { sheetText } from './locking.js';
import { runPaths } from './paths.js';
import { writeWhole } from './record.js';
import { type DeskLock, isLocked, readDeskLock } from './scoring-lock.js';
import { type Finding, readSheets, type SavedSheet, type Sheet, sheetName } from './sheet.js';
import { isUnblinded, readUnblinding } from './unblinding.js';

/** Every decision of an experiment's desk, in order; [] where there is none. A last line cut short by a crash is left out. */
export async function readAdjudications(root: string, experiment: string): Promise<Adjudication[]> {
  const file = runPaths(root, experiment).adjudications;
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .flatMap((line, index) =>
      line === '' ? [] : [check(JSON.parse(line), Adjudication, `${shown(file)}:${index + 1}`, RecordError)],
    );
}

/** The cells on which the locked sheets of an experiment's desk differ, settled ones too. [] before the lock: nobody may see them. */
export async function listDisputes(lab: Lab): Promise<Dispute[]> {
  const lock = await readDeskLock(lab.root, lab.experiment.name);
  if (lock === null) return [];
  return disputesOf(await lockedSheets(lab), await readAdjudications(lab.root, lab.experiment.name));
}

/** What an adjudicator decides about one dispute. `row` is a finding's rubric row; absent: the first scorer's who lists it. */
export interface Verdict {
  case: string;
  content: string | null;
  part: Dispute['part'];
  id: string;
  value: CellValue;
  row?: string | null;
  reason: string;
  by: string;
}

/**
 * Settles one dispute: appends the decision with its reason, and writes the adjudicated sheet of every variant whose disputes are all
 * settled. A later decision about the same cell takes the place of the earlier one; both stay in the file. Returns the disputes as
 * they are then. A SettingsError before the lock, after the unblinding, without a reason, and where nothing is disputed.
 */
export async function adjudicate(lab: Lab, verdict: Verdict): Promise<Dispute[]> {
  const refuse = (what: string, expected: string, found: string, next: string): never => {
    throw new SettingsError(what, { expected, found, next });
  };
  const name = lab.experiment.name;
  const lock = await readDeskLock(lab.root, name);
  if (lock === null) return refuse('Scoring is not locked', 'a lock before any adjudication', 'none', `npx nx run ${name}:lock`);
  if (isUnblinded(lock, await readUnblinding(lab.root, name)))
    refuse(
      'The mapping is open',
      'adjudication before the unblinding',
      'an unblinded experiment',
      'what was left open stays open',
    );
  if (verdict.reason.trim() === '') refuse('A decision needs a reason', 'a sentence', 'none', 'say why');
  const disputes = await listDisputes(lab);
  const dispute =
    disputes.find((one) => sameCell(one, verdict)) ??
    refuse('No such dispute', `one of ${disputes.length} disputed cells`, `${verdict.part} ${verdict.id}`, 'list the disputes');
  const one = caseOf(lab, verdict.case);
  checkValue(one, verdict, refuse);
  const listed = dispute.values.find(({ value }) => value !== 'absent');
  const adjudication: Adjudication = {
    schemaVersion: 1,
    at: lab.now().toISOString(),
    by: verdict.by,
    case: verdict.case,
    content: verdict.content,
    part: verdict.part,
    id: verdict.id,
    value: verdict.value,
    row: verdict.part === 'finding' ? (verdict.row === undefined ? (listed?.row ?? null) : verdict.row) : null,
    reason: verdict.reason.trim(),
  };
  const file = lab.run.adjudications;
  await appendLine(file, check(adjudication, Adjudication, shown(file)));
  const after = disputesOf(await lockedSheets(lab), await readAdjudications(lab.root, name));
  for (const sheet of adjudicatedSheets(await lockedSheets(lab), after))
    await writeWhole(join(lab.run.sheets, sheetName(sheet)), sheetText(sheet, caseOf(lab, sheet.case)));
  return after;
}

/**
 * The sheets that settled disputes give: one for each variant that has a dispute (its own, or one about applicability in its case)
 * and none that is open. What nobody disputes is taken from the first scorer's sheet. Pure.
 */
export function adjudicatedSheets(sheets: SavedSheet[], disputes: Dispute[]): Sheet[] {
  const scored = sheets.filter((sheet) => sheet.scorer !== 'adjudicated');
  const firsts = [...new Map([...scored].reverse().map((sheet) => [`${sheet.case}/${sheet.content}`, sheet])).values()].reverse();
  return firsts.flatMap((first) => {
    const own = disputes.filter((one) => one.case === first.case && (one.content === null || one.content === first.content));
    if (own.length === 0 || own.some(({ settled }) => settled === null)) return [];
    const decided = (part: Dispute['part'], id: string) => own.find((one) => one.part === part && one.id === id)?.settled ?? null;
    const { file: _file, sha256: _sha256, ...sheet } = first;
    const mine = scored.filter((one) => one.case === first.case && one.content === first.content);
    // whoever took a row for not applicable said nothing about it
    const reviewed = Object.fromEntries(
      Object.entries(sheet.rows).map(([id, cell]) => [
        id,
        mine.find((one) => !one.not_applicable.includes(id))?.rows[id] ?? cell,
      ]),
    );
    const settle = <T extends { evidence: string }>(
      part: 'review' | 'documentation' | 'tests',
      cells: Record<string, T>,
      set: (cell: T, value: CellValue) => T,
    ) =>
      Object.fromEntries(
        Object.entries(cells).map(([id, cell]) => {
          const decision = decided(part, id);
          return [
            id,
            decision === null ? cell : { ...set(cell, decision.value), evidence: `${decision.by}: ${decision.reason}` },
          ];
        }),
      );
    const all = mine.flatMap((one) => one.findings);
    const keys = [...new Set(all.map(({ key }) => key))];
    return [
      {
        ...sheet,
        scorer: 'adjudicated',
        rows: settle('review', reviewed, (cell, value) => ({ ...cell, found: value === true })),
        tests: settle('tests', sheet.tests, (cell, value) => ({ ...cell, points: Number(value) })),
        documentation: settle('documentation', sheet.documentation, (cell, value) => ({ ...cell, found: value === true })),
        findings: keys.flatMap((key) => settledFinding(all.find((one) => one.key === key) as Finding, decided('finding', key))),
        not_applicable: Object.keys(sheet.rows).filter((id) => {
          const decision = decided('applicability', id);
          return decision === null ? sheet.not_applicable.includes(id) : decision.value === false;
        }),
      },
    ];
  });
}

function settledFinding(finding: Finding, decision: Adjudication | null): Finding[] {
  if (decision === null) return [finding];
  if (typeof decision.value !== 'string' || decision.value === 'absent') return [];
  return [{ ...finding, status: decision.value, row: decision.row, evidence: `${decision.by}: ${decision.reason}` }];
}

/**
 * Adjudicated sheets of locked variants that are not what the decisions give, and those that lack; [] when all fit. One that was
 * there before the lock, and is in it, is left to the lock.
 */
export function adjudicationChanges(
  lab: Pick<Lab, 'root' | 'cases'>,
  experiment: string,
  lock: DeskLock,
  sheets: SavedSheet[],
  adjudications: Adjudication[],
): string[] {
  const folder = relative(lab.root, runPaths(lab.root, experiment).sheets);
  const own = sheets.filter((sheet) => sheet.file.startsWith(`${folder}/`) && isLocked(lock, sheet));
  const before = new Set(lock.rounds.flatMap((round) => Object.keys(round.sheets).map((name) => join(folder, name))));
  const due = new Map(
    adjudicatedSheets(own, disputesOf(own, adjudications)).map((sheet) => [
      join(folder, sheetName(sheet)),
      sha256(sheetText(sheet, caseOf(lab, sheet.case))),
    ]),
  );
  const found = own.filter(({ scorer, file }) => scorer === 'adjudicated' && !before.has(file));
  return [
    ...found.flatMap(({ file, sha256: hash }) => (due.get(file) === hash ? [] : [`${file} is not what the adjudications give`])),
    ...[...due.keys()]
      .filter((file) => !before.has(file) && !found.some((sheet) => sheet.file === file))
      .map((file) => `${file} is missing, although its disputes are settled`),
  ];
}

/** The sheets of the locked variants, in this experiment's own folder. */
async function lockedSheets(lab: Lab): Promise<SavedSheet[]> {
  const lock = await readDeskLock(lab.root, lab.experiment.name);
  return (await readSheets(lab.root, lab.run.sheets, lab.cases)).filter((sheet) => isLocked(lock, sheet));
}

function checkValue(
  one: Case,
  { part, id, value, row }: Verdict,
  refuse: (what: string, expected: string, found: string, next: string) => never,
) {
  const weight = one.rubricRows.tests.find((test) => test.id === id)?.weight ?? 0;
  const [fits, expected] =
    part === 'tests'
      ? [typeof value === 'number' && value <= weight, `0 to ${weight}`]
      : part === 'finding'
        ? [typeof value === 'string', 'confirmed, unconfirmed, contradicted, style or absent']
        : [typeof value === 'boolean', 'true or false'];
  if (!fits) refuse(`${part} ${id}: no such value`, expected as string, String(value), 'correct it');
  if (row !== undefined && row !== null && !one.rubricRows.review.some((review) => review.id === row))
    refuse(`finding ${id}: no such row`, one.rubricRows.review.map((review) => review.id).join(', '), row, 'correct it');
}

async function appendLine(file: string, line: Adjudication): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const bytes = await readFile(file).catch(() => Buffer.alloc(0));
  const handle = await open(file, 'a');
  try {
    // a last line cut short by a crash was never a decision: it is dropped
    const whole = bytes.lastIndexOf(10) + 1;
    if (whole < bytes.length) await handle.truncate(whole);
    await handle.appendFile(`${JSON.stringify(line)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
