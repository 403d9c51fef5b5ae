import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type FindingMark, foldMarks, type MarkEvent, marksOf } from '../src/mark.js';

const content = 'a'.repeat(64);
const variant = { case: 'c', content };
const row = (id: string, value: boolean | null): MarkEvent => ({
  kind: 'mark',
  ...variant,
  sheet: 'review',
  row: id,
  value,
  evidence: [],
  note: '',
});
const finding = (id: string, over: Partial<FindingMark> = {}): FindingMark => ({
  id,
  key: id,
  claim: `claim of ${id}`,
  status: null,
  row: null,
  evidence: [{ file: 'response.md', line: 1, quote: id }],
  note: '',
  ...over,
});
const values = (events: MarkEvent[]) =>
  Object.fromEntries(Object.entries(marksOf(foldMarks(events), variant).review).map(([id, mark]) => [id, mark.value]));

describe('the fold of events', () => {
  test('the last mark of a row counts, and null takes it away', () => {
    expect(values([row('R1', true), row('R2', false), row('R1', false)])).toEqual({ R1: false, R2: false });
    expect(values([row('R1', true), row('R1', null)])).toEqual({});
  });

  test('undo and redo step back and forth; a new change forgets what was undone', () => {
    const events = [row('R1', true), row('R2', true)];
    expect(values([...events, { kind: 'undo' }])).toEqual({ R1: true });
    expect(values([...events, { kind: 'undo' }, { kind: 'redo' }])).toEqual({ R1: true, R2: true });
    expect(values([...events, { kind: 'undo' }, row('R3', true), { kind: 'redo' }])).toEqual({ R1: true, R3: true });
  });

  test('undo of everything, however often, leaves nothing; as many redos bring all back', () => {
    const change = fc.record({ id: fc.constantFrom('R1', 'R2', 'R3'), value: fc.constantFrom(true, false, null) });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 12 }), fc.nat(5), (changes, more) => {
        const events = changes.map(({ id, value }) => row(id, value));
        const undos: MarkEvent[] = events.map(() => ({ kind: 'undo' }));
        const further: MarkEvent[] = Array.from({ length: more }, () => ({ kind: 'undo' }));
        const redos: MarkEvent[] = events.map(() => ({ kind: 'redo' }));
        expect(values([...events, ...undos, ...further])).toEqual({});
        expect(values([...events, ...undos, ...further, ...redos])).toEqual(values(events));
      }),
    );
  });

  test('a guess is never undone and never replaced, and does not disturb undo and redo', () => {
    const guess: MarkEvent = { kind: 'guess', pair: 'pair-0123456789', side: 'x' };
    const marks = foldMarks([row('R1', true), { kind: 'undo' }, guess, { kind: 'redo' }, { ...guess, side: 'y' }]);
    expect(marks.guesses).toEqual({ 'pair-0123456789': 'x' });
    expect(Object.keys(marksOf(marks, variant).review)).toEqual(['R1']);
    expect(foldMarks([guess, { kind: 'undo' }]).guesses).toEqual({ 'pair-0123456789': 'x' });
  });

  test('applicability is said once for the case, and can be taken back', () => {
    const says = (applicable: boolean): MarkEvent => ({
      kind: 'applicability',
      case: 'c',
      row: 'R4',
      applicable,
      note: 'no orders',
    });
    expect(foldMarks([says(false)]).notApplicable).toEqual({ c: { R4: 'no orders' } });
    expect(foldMarks([says(false), says(true)]).notApplicable).toEqual({ c: {} });
    expect(foldMarks([says(false), { kind: 'undo' }]).notApplicable).toEqual({});
  });

  test('a starting list leaves findings alone that are there', () => {
    const own = finding('claim-1', { claim: 'edited', status: 'confirmed' });
    const marks = foldMarks([
      { kind: 'finding', ...variant, finding: own },
      { kind: 'claims', ...variant, findings: [finding('claim-1'), finding('claim-2')] },
    ]);
    expect(marksOf(marks, variant).findings).toEqual([own, finding('claim-2')]);
    expect(marksOf(marks, variant).claimsListed).toBe(true);
  });

  test('a merged finding keeps its words and gains the evidence of the others', () => {
    const [a, b, c] = [finding('a'), finding('b'), finding('c')] as [FindingMark, FindingMark, FindingMark];
    const marks = foldMarks([
      { kind: 'claims', ...variant, findings: [a, b, c] },
      { kind: 'merge-findings', ...variant, into: 'b', from: ['a', 'b'] },
    ]);
    expect(marksOf(marks, variant).findings).toEqual([{ ...b, evidence: [...b.evidence, ...a.evidence] }, c]);
  });

  test('an accepted proposal is a mark that says so', () => {
    const marks = foldMarks([
      { kind: 'accept', ...variant, sheet: 'tests', row: 'T1', value: 2, evidence: [], reason: 'mutant M1 is caught' },
    ]);
    expect(marksOf(marks, variant).tests.T1).toEqual({ value: 2, evidence: [], note: 'mutant M1 is caught', accepted: true });
  });
});
