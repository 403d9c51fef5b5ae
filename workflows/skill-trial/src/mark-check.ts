import type { Case } from './case.js';
import type { Desk, DeskPair } from './desk.js';
import { SettingsError } from './errors.js';
import { canonicalJson } from './hash.js';
import { caseOf } from './lab.js';
import { foldMarks, type MarkEvent, type Marks, marksOf } from './mark.js';
import { type DeskLock, isLocked } from './scoring-lock.js';

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

/** Refuses a change that the rubrics, the pairs, the guesses or the lock do not allow: a SettingsError says why. */
export function checkMark(desk: Desk, before: MarkEvent[], event: MarkEvent, lock: DeskLock | null): void {
  const marks = foldMarks(before);
  checkLocked(marks, foldMarks([...before, event]), lock);
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
  // the same value marked again would change nothing, and still be a mark after the lock
  if (isLocked(lock, variant))
    refuse('Scoring is locked', 'a variant that no lock holds', event.content, 'settle a dispute by adjudication instead');
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
  const { findings } = marksOf(marks, event);
  if (event.kind === 'finding') {
    const twin = findings.find(({ id, key }) => key === event.finding.key && id !== event.finding.id);
    if (twin !== undefined)
      refuse('The key is taken in this variant', 'a key of its own', event.finding.key, `merge it with ${twin.id}`);
  }
  const ids = new Set(findings.map(({ id }) => id));
  const named = event.kind === 'remove-finding' ? [event.id] : event.kind === 'merge-findings' ? [event.into, ...event.from] : [];
  for (const id of named)
    if (!ids.has(id)) refuse('No such finding', [...ids].join(', ') || 'none yet', id, 'read the marks again');
}

/** No event may change what a lock holds, an undo of an old change neither. */
function checkLocked(marks: Marks, after: Marks, lock: DeskLock | null): void {
  const held = (state: Marks) =>
    (lock?.rounds ?? []).flatMap((round) =>
      round.variants.map((variant) => [marksOf(state, variant), state.notApplicable[variant.case] ?? {}]),
    );
  if (canonicalJson(held(marks)) !== canonicalJson(held(after)))
    refuse('Scoring is locked', 'no change of a locked variant', 'a change', 'settle a dispute by adjudication instead');
}

function caseNamed(desk: Desk, name: string): Case {
  return desk.lab.cases.has(name)
    ? caseOf(desk.lab, name)
    : refuse('No such case', [...desk.lab.cases.keys()].join(', '), name, 'choose one of them');
}

/** The rubric row that a person marks; the row that the negative control fills is none. */
function rowOf(one: Case, sheet: 'review' | 'tests' | 'documentation', id: string) {
  const rows = one.rubricRows[sheet].filter((row) => sheet !== 'tests' || row.id !== one.rubrics?.control_row);
  return (
    rows.find((row) => row.id === id) ??
    refuse(`No such row in ${sheet}`, rows.map((row) => row.id).join(', '), id, 'choose one of them')
  );
}

function refuse(what: string, expected: string, found: string, next: string): never {
  throw new SettingsError(what, { expected, found, next });
}
