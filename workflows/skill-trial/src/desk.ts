import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type Case, Slug } from './case.js';
import { claimFindings, extractClaims } from './claim.js';
import { SettingsError } from './errors.js';
import { appendJournal, type JournalLine, readJournal } from './journal.js';
import { caseOf, type Lab } from './lab.js';
import { foldMarks, type MarkEvent, type Marks, variantKey } from './mark.js';
import { type Progress, progressOf } from './mark-progress.js';
import { type Proposal, readProposals } from './proposal.js';
import { readJson } from './record.js';
import { nothingDelivered } from './score.js';

const BlindVariant = z.strictObject({
  schemaVersion: z.literal(1),
  variant: z.string(),
  case: Slug,
  content: z.string().regex(/^[0-9a-f]{64}$/),
});

/** A blinded pair; x and y are content hashes. */
export interface DeskPair {
  pair: string;
  case: string;
  x: string;
  y: string;
}

/** A variant to be scored: each content of a case once, however many pairs hold it. */
export interface DeskVariant {
  case: string;
  content: string;
  /** The blinded folders that hold it: response.md, patch.diff. All show the same. */
  folders: string[];
  proposals: Proposal[];
}

/** What the desk shows and keeps: nothing in it tells the arm. */
export interface Desk {
  lab: Lab;
  pairs: DeskPair[];
  variants: DeskVariant[];
  /** Whether scoring was locked when the desk was opened: then no mark is taken any more. */
  locked: boolean;
}

/** One evaluator's marks with their progress; `seq` counts the journal's lines. */
export interface EvaluatorMarks {
  evaluator: string;
  seq: number;
  marks: Marks;
  progress: Progress;
}

/** Opens the desk over the blinded folders that `score` laid out. A SettingsError where there are none. */
export async function openDesk(lab: Lab): Promise<Desk> {
  const names = (await readdir(lab.run.blind).catch(() => [] as string[])).filter((name) => name.startsWith('pair-')).sort();
  if (names.length === 0)
    throw new SettingsError('There is nothing to score yet', {
      expected: `blinded pairs below data/runs/${lab.experiment.name}/blind`,
      found: 'none',
      next: `npx nx run ${lab.experiment.name}:score`,
    });
  const proposals = await readProposals(lab.run.proposals);
  const pairs: DeskPair[] = [];
  const variants = new Map<string, DeskVariant>();
  for (const pair of names) {
    const side = async (name: 'x' | 'y') => {
      const folder = join(lab.run.blind, pair, `variant-${name}`);
      const { case: ofCase, content } = await readJson(join(folder, 'variant.json'), BlindVariant);
      const key = variantKey({ case: ofCase, content });
      const own = proposals.variants.filter((row) => row.case === ofCase && row.content === content);
      const known = variants.get(key) ?? { case: ofCase, content, folders: [], proposals: own.flatMap((row) => row.proposals) };
      // a run that delivered nothing needs no scorer
      if (content !== nothingDelivered) variants.set(key, { ...known, folders: [...known.folders, folder] });
      return { case: ofCase, content };
    };
    const x = await side('x');
    const y = await side('y');
    pairs.push({ pair, case: x.case, x: x.content, y: y.content });
  }
  const locked = existsSync(lab.run.deskLock);
  return { lab, pairs, variants: [...variants.values()], locked };
}

/** An evaluator's marks as they stand; empty ones for a new name. */
export async function readMarks(desk: Desk, evaluator: string): Promise<EvaluatorMarks> {
  return evaluatorMarks(desk, evaluator, await readJournal(desk.lab.run.journal(evaluatorName(evaluator))));
}

/** Every evaluator that has a journal, sorted. */
export async function listEvaluators(lab: Pick<Lab, 'run'>): Promise<string[]> {
  const names = await readdir(lab.run.desk).catch(() => [] as string[]);
  return names
    .flatMap((name) => (/^[a-z0-9-]+\.jsonl$/.test(name) && name !== 'adjudications.jsonl' ? [name.slice(0, -6)] : []))
    .sort();
}

/** The starting list of findings of a variant, from its redacted response; `cut` where that was too long to be read whole. */
export async function proposeFindings(variant: DeskVariant) {
  const response = await readFile(join(variant.folders[0] as string, 'response.md'), 'utf8');
  const { claims, cut } = extractClaims(response);
  return { findings: claimFindings(variant.content, claims), cut };
}

/**
 * Takes one change of an evaluator's marks: checks it against rubric, pairs, guesses and lock, appends it to the evaluator's journal
 * and gives the marks as they are then. With `seq`, the change is refused when the journal has another length: another window wrote.
 * A SettingsError says what is wrong; nothing is written then.
 */
export async function mark(desk: Desk, evaluator: string, event: MarkEvent, seq?: number): Promise<EvaluatorMarks> {
  const { run, now } = desk.lab;
  const file = run.journal(evaluatorName(evaluator));
  const lines = await appendJournal(
    file,
    (before) => {
      if (seq !== undefined && seq !== before.length)
        refuse('The marks were changed elsewhere', `change number ${seq}`, `${before.length} changes`, 'read the marks again');
      if (existsSync(run.deskLock))
        refuse('Scoring is locked', 'no change after the lock', event.kind, 'settle a dispute by adjudication instead');
      checkEvent(desk, foldMarks(before.map((line) => line.event)), event);
      return event;
    },
    now,
  );
  return evaluatorMarks(desk, evaluator, lines);
}

function evaluatorMarks(desk: Desk, evaluator: string, lines: JournalLine[]): EvaluatorMarks {
  const marks = foldMarks(lines.map((line) => line.event));
  return { evaluator, seq: lines.length, marks, progress: progressOf(desk, marks) };
}

const reserved = ['adjudicated', 'adjudications', 'nothing-delivered'];

/** The name itself when an evaluator may have it. */
export function evaluatorName(name: string): string {
  if (Slug.safeParse(name).success && !reserved.includes(name)) return name;
  return refuse(
    'No name for an evaluator',
    'small letters, digits and hyphens',
    name,
    `choose another (not ${reserved.join(', ')})`,
  );
}

/** Pairs whose guess is open and that hold this variant: they come before its marks. Where both sides are the same there is nothing to guess. */
export function openGuesses(desk: Pick<Desk, 'pairs'>, marks: Marks, variant: { case: string; content: string }): DeskPair[] {
  return desk.pairs.filter(
    (pair) =>
      pair.case === variant.case &&
      pair.x !== pair.y &&
      (pair.x === variant.content || pair.y === variant.content) &&
      !(pair.pair in marks.guesses),
  );
}

function checkEvent(desk: Desk, marks: Marks, event: MarkEvent): void {
  switch (event.kind) {
    case 'undo':
      if (!marks.canUndo) refuse('There is nothing to undo', 'a change before', 'none', 'go on');
      return;
    case 'redo':
      if (!marks.canRedo) refuse('There is nothing to redo', 'an undone change', 'none', 'go on');
      return;
    case 'guess':
      if (!desk.pairs.some(({ pair }) => pair === event.pair))
        refuse('No such pair', desk.pairs.map(({ pair }) => pair).join(', '), event.pair, 'choose one of them');
      if (event.pair in marks.guesses)
        refuse('The guess of this pair is given', 'one guess a pair', event.pair, 'go on: it stays as it is');
      return;
    case 'applicability':
      rowOf(caseNamed(desk, event.case), 'review', event.row);
      return;
    default:
  }
  const variant =
    desk.variants.find((one) => one.case === event.case && one.content === event.content) ??
    refuse('No such variant', 'a content hash of a blinded pair', event.content, 'read the desk again');
  const open = openGuesses(desk, marks, event);
  if (open.length > 0)
    refuse(
      'A guess comes before the marks',
      `a guess for ${open.map(({ pair }) => pair).join(', ')}`,
      'none',
      'say which side you take for the one with skills, or that you cannot tell',
    );
  const one = caseNamed(desk, event.case);
  if (event.kind === 'mark' || event.kind === 'accept') {
    const row = rowOf(one, event.sheet, event.row);
    const { value } = event;
    const fits =
      value === null || (event.sheet === 'tests' ? typeof value === 'number' && value <= row.weight : typeof value === 'boolean');
    if (!fits)
      refuse(
        `${event.sheet} ${event.row}: no such value`,
        event.sheet === 'tests' ? `0 to ${row.weight}` : 'true or false',
        String(value),
        'correct it',
      );
  }
  if (event.kind === 'accept') {
    const same = variant.proposals.some(
      (proposal) =>
        proposal.sheet === event.sheet &&
        proposal.row === event.row &&
        proposal.value === event.value &&
        proposal.reason === event.reason &&
        JSON.stringify(proposal.evidence) === JSON.stringify(event.evidence),
    );
    if (!same || event.value === null)
      refuse(
        'No such proposal',
        'a proposal of proposals.json, with a value',
        `${event.sheet} ${event.row}`,
        'mark the row yourself',
      );
  }
  const rows =
    event.kind === 'finding' ? [event.finding.row] : event.kind === 'claims' ? event.findings.map(({ row }) => row) : [];
  for (const row of rows) if (row !== null) rowOf(one, 'review', row);
  const ids = new Set((marks.variants[variantKey(event)]?.findings ?? []).map(({ id }) => id));
  const named = event.kind === 'remove-finding' ? [event.id] : event.kind === 'merge-findings' ? [event.into, ...event.from] : [];
  for (const id of named)
    if (!ids.has(id)) refuse('No such finding', [...ids].join(', ') || 'none yet', id, 'read the marks again');
}

function caseNamed(desk: Desk, name: string): Case {
  return desk.lab.cases.has(name)
    ? caseOf(desk.lab, name)
    : refuse('No such case', [...desk.lab.cases.keys()].join(', '), name, 'choose one of them');
}

/** The rubric row that a person marks; the row that the negative control fills is none. */
function rowOf(one: Case, sheet: 'review' | 'tests' | 'documentation', id: string) {
  const rows = one.rubricRows[sheet].filter((row) => sheet !== 'tests' || row.id !== one.rubrics.control_row);
  return (
    rows.find((row) => row.id === id) ??
    refuse(`No such row in ${sheet}`, rows.map((row) => row.id).join(', '), id, 'choose one of them')
  );
}

function refuse(what: string, expected: string, found: string, next: string): never {
  throw new SettingsError(what, { expected, found, next });
}
