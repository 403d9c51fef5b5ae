import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { Slug } from './case.js';
import { claimFindings, extractClaims } from './claim.js';
import { SettingsError } from './errors.js';
import { appendJournal, type JournalLine, readJournal } from './journal.js';
import type { Lab } from './lab.js';
import { foldMarks, type MarkEvent, type Marks, variantKey } from './mark.js';
import { checkMark } from './mark-check.js';
import { type Progress, progressOf } from './mark-progress.js';
import { type Proposal, readProposals } from './proposal.js';
import { readJson } from './record.js';
import { isLocked, readDeskLock } from './scoring-lock.js';
import { nothingDelivered } from './variant-content.js';

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
  /** Whether scoring of this variant was locked when the desk was opened. */
  locked: boolean;
}

/** What the desk shows and keeps: nothing in it tells the arm. */
export interface Desk {
  lab: Lab;
  pairs: DeskPair[];
  variants: DeskVariant[];
  /** Whether every variant was locked when the desk was opened: then no mark is taken any more. */
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
  const lock = await readDeskLock(lab.root, lab.experiment.name);
  const pairs: DeskPair[] = [];
  const variants = new Map<string, DeskVariant>();
  for (const pair of names) {
    const side = async (name: 'x' | 'y') => {
      const folder = join(lab.run.blind, pair, `variant-${name}`);
      const { case: ofCase, content } = await readJson(join(folder, 'variant.json'), BlindVariant);
      const key = variantKey({ case: ofCase, content });
      const own = proposals.variants.filter((row) => row.case === ofCase && row.content === content);
      const known = variants.get(key) ?? {
        case: ofCase,
        content,
        folders: [],
        proposals: own.flatMap((row) => row.proposals),
        locked: isLocked(lock, { case: ofCase, content }),
      };
      // a run that delivered nothing needs no scorer
      if (content !== nothingDelivered) variants.set(key, { ...known, folders: [...known.folders, folder] });
      return { case: ofCase, content };
    };
    const x = await side('x');
    const y = await side('y');
    // without a rubric there is nothing for a person to score
    if (lab.cases.get(x.case)?.rubrics === undefined) {
      for (const one of [x, y]) variants.delete(variantKey(one));
      continue;
    }
    pairs.push({ pair, case: x.case, x: x.content, y: y.content });
  }
  const own = [...variants.values()];
  return { lab, pairs, variants: own, locked: own.length > 0 && own.every((variant) => variant.locked) };
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
    async (before) => {
      if (seq !== undefined && seq !== before.length)
        refuse('The marks were changed elsewhere', `change number ${seq}`, `${before.length} changes`, 'read the marks again');
      checkMark(
        desk,
        before.map((line) => line.event),
        event,
        await readDeskLock(desk.lab.root, desk.lab.experiment.name),
      );
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
    name || 'nothing',
    `choose another (not ${reserved.join(', ')})`,
  );
}

function refuse(what: string, expected: string, found: string, next: string): never {
  throw new SettingsError(what, { expected, found, next });
}
