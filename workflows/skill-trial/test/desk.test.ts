import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { mark, readMarks } from '../src/desk.js';
import { RecordError, SettingsError } from '../src/errors.js';
import type { MarkEvent } from '../src/mark.js';
import { variantKey } from '../src/mark.js';
import { a, b, markAll, openDesk, pairName, tinyLab } from './desk-fixture.js';
import { failure } from './fixture.js';

const guess: MarkEvent = { kind: 'guess', pair: pairName, side: 'x' };
const row = (over: Partial<Extract<MarkEvent, { kind: 'mark' }>> = {}): MarkEvent => ({
  kind: 'mark',
  case: 'tiny',
  content: a,
  sheet: 'review',
  row: 'R1',
  value: true,
  evidence: [],
  note: '',
  ...over,
});

describe('marks are kept', () => {
  test('each change is on the disk when it returns, and comes back after a restart', async () => {
    const lab = await tinyLab();
    const desk = await openDesk(lab);
    await mark(desk, 'ann', guess);
    const after = await mark(desk, 'ann', row());
    expect((await readFile(lab.run.journal('ann'), 'utf8')).trim().split('\n')).toHaveLength(2);
    expect(await readMarks(await openDesk(lab), 'ann')).toEqual(after);
    expect(after.marks.variants[variantKey({ case: 'tiny', content: a })]?.review.R1?.value).toBe(true);
  });

  test('a last line cut short by a crash is dropped, nothing before it is, and the next change goes on', async () => {
    const lab = await tinyLab();
    const desk = await openDesk(lab);
    await mark(desk, 'ann', guess);
    await mark(desk, 'ann', row());
    const whole = await readFile(lab.run.journal('ann'), 'utf8');
    const last = whole.trimEnd().split('\n').at(-1) as string;
    for (const length of [1, 20, last.length - 1]) {
      await writeFile(lab.run.journal('ann'), whole + last.slice(0, length));
      expect((await readMarks(desk, 'ann')).seq).toBe(2);
    }
    const after = await mark(desk, 'ann', row({ row: 'R2' }));
    expect(after.seq).toBe(3);
    expect(await readFile(lab.run.journal('ann'), 'utf8')).toMatch(/"row":"R2".*\n$/);
  });

  test('a last line that lacks only its line break is whole', async () => {
    const lab = await tinyLab();
    const desk = await openDesk(lab);
    await mark(desk, 'ann', guess);
    await writeFile(lab.run.journal('ann'), (await readFile(lab.run.journal('ann'), 'utf8')).trimEnd());
    expect((await mark(desk, 'ann', row())).seq).toBe(2);
    expect((await readMarks(desk, 'ann')).seq).toBe(2);
  });

  test('a line altered in the middle is an error, not a loss', async () => {
    const lab = await tinyLab();
    const desk = await openDesk(lab);
    await mark(desk, 'ann', guess);
    const line = await readFile(lab.run.journal('ann'), 'utf8');
    await writeFile(lab.run.journal('ann'), `torn\n${line}`);
    expect((await failure(RecordError, () => readMarks(desk, 'ann'))).message).toMatch(/ann\.jsonl:1: the journal was altered/);
    await writeFile(lab.run.journal('ann'), line);
    await appendFile(lab.run.journal('ann'), line);
    expect((await failure(RecordError, () => readMarks(desk, 'ann'))).found).toBe('line number 0');
  });

  test('two evaluators at once keep their own marks, and neither touches the other’s', async () => {
    const lab = await tinyLab();
    const [one, two] = [await openDesk(lab), await openDesk(lab)];
    await Promise.all([markAll(one, 'ann', [{ R1: true }]), markAll(two, 'bob', [{ R1: false }])]);
    const said = async (name: string) =>
      (await readMarks(one, name)).marks.variants[variantKey({ case: 'tiny', content: a })]?.review.R1?.value;
    expect([await said('ann'), await said('bob')]).toEqual([true, false]);
    expect((await readdir(lab.run.desk)).sort()).toEqual(['ann.jsonl', 'bob.jsonl']);
  });

  test('many changes of one evaluator at once are all kept, in some order', async () => {
    const lab = await tinyLab();
    const desk = await openDesk(lab);
    await mark(desk, 'ann', guess);
    await Promise.all(Array.from({ length: 12 }, (_, index) => mark(desk, 'ann', row({ note: `note ${index}` }))));
    const lines = (await readFile(lab.run.journal('ann'), 'utf8')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).seq)).toEqual(Array.from({ length: 13 }, (_, index) => index));
  });

  test('a window that does not know the latest change is refused', async () => {
    const desk = await openDesk(await tinyLab());
    await mark(desk, 'ann', guess, 0);
    expect((await failure(SettingsError, () => mark(desk, 'ann', row(), 0))).message).toMatch(/changed elsewhere/);
    expect((await mark(desk, 'ann', row(), 1)).seq).toBe(2);
  });
});

describe('what may not be marked is refused, and nothing is written', () => {
  test.each<[string, MarkEvent[], MarkEvent, RegExp]>([
    ['a mark before the guess', [], row(), /guess comes before the marks/],
    ['a second guess', [guess], { ...guess, side: 'y' }, /guess of this pair is given/],
    ['a guess of no pair', [], { ...guess, pair: 'pair-aaaaaaaaaa' }, /No such pair/],
    ['a row of no rubric', [guess], row({ row: 'R9' }), /No such row in review/],
    ['the row that the negative control fills', [guess], row({ sheet: 'tests', row: 'T2', value: 1 }), /No such row in tests/],
    ['points for a review row', [guess], row({ value: 1 }), /no such value/],
    ['more points than the weight', [guess], row({ sheet: 'tests', row: 'T1', value: 3 }), /no such value/],
    ['found for a test row', [guess], row({ sheet: 'tests', row: 'T1', value: true }), /no such value/],
    ['a variant of no pair', [guess], row({ content: 'c'.repeat(64) }), /No such variant/],
    ['an undo of nothing', [guess], { kind: 'undo' }, /nothing to undo/],
    ['a redo of nothing', [guess], { kind: 'redo' }, /nothing to redo/],
    ['a removal of no finding', [guess], { kind: 'remove-finding', case: 'tiny', content: a, id: 'claim-1' }, /No such finding/],
    [
      'a proposal that no check made',
      [guess],
      { kind: 'accept', case: 'tiny', content: a, sheet: 'review', row: 'R1', value: true, evidence: [], reason: 'made up' },
      /No such proposal/,
    ],
  ])('%s', async (_, before, event, message) => {
    const desk = await openDesk(await tinyLab());
    for (const one of before) await mark(desk, 'ann', one);
    expect((await failure(SettingsError, () => mark(desk, 'ann', event))).message).toMatch(message);
    expect((await readMarks(desk, 'ann')).seq).toBe(before.length);
  });

  test.each(['adjudicated', 'adjudications', 'nothing-delivered', '../ann', 'Ann', ''])(
    'the evaluator’s name "%s"',
    async (name) => {
      const desk = await openDesk(await tinyLab());
      await failure(SettingsError, () => mark(desk, name, guess));
    },
  );

  test('two findings of one variant under one key', async () => {
    const desk = await openDesk(await tinyLab());
    await markAll(desk, 'ann');
    const finding = (await readMarks(desk, 'ann')).marks.variants[variantKey({ case: 'tiny', content: a })]?.findings[0];
    if (finding === undefined) throw new Error('no finding');
    const linked: MarkEvent = { kind: 'finding', case: 'tiny', content: b, finding: { ...finding, key: 'units-stay-taken' } };
    await mark(desk, 'ann', linked);
    await mark(desk, 'ann', { ...linked, content: a }); // the same finding in two variants
    const twin: MarkEvent = { ...linked, content: a, finding: { ...linked.finding, id: 'claim-2' } };
    expect((await failure(SettingsError, () => mark(desk, 'ann', twin))).next).toBe('merge it with claim-1');
  });
});

describe('guesses', () => {
  test('a variant in two pairs waits for both guesses; a pair of equal sides needs none', async () => {
    const pairs: Record<string, [string, string]> = { [pairName]: [a, b], 'pair-1111111111': [b, a], 'pair-2222222222': [a, a] };
    const desk = await openDesk(await tinyLab(pairs));
    expect(desk.variants.map(({ content }) => content)).toEqual([a, b]);
    await mark(desk, 'ann', guess);
    expect((await failure(SettingsError, () => mark(desk, 'ann', row()))).expected).toBe('a guess for pair-1111111111');
    const cannotTell = await mark(desk, 'ann', { ...guess, pair: 'pair-1111111111', side: null });
    expect(cannotTell.progress.guesses).toEqual([]);
    await mark(desk, 'ann', row());
  });
});

describe('progress', () => {
  test('counts rows, the list of claims and findings; a row that does not apply leaves it', async () => {
    const desk = await openDesk(await tinyLab());
    await mark(desk, 'ann', guess);
    // R1, R2, T1, D1 and the list of claims, for each of two variants
    expect((await readMarks(desk, 'ann')).progress).toMatchObject({ done: 0, total: 10 });
    const without = await mark(desk, 'ann', { kind: 'applicability', case: 'tiny', row: 'R2', applicable: false, note: '' });
    expect(without.progress).toMatchObject({ done: 0, total: 8 });
    expect((await mark(desk, 'ann', row())).progress.variants[0]).toMatchObject({
      done: 1,
      total: 4,
      open: ['tests T1', 'documentation D1', 'the list of claims'],
    });
  });

  test('everything marked is everything done', async () => {
    const desk = await openDesk(await tinyLab());
    await markAll(desk, 'ann');
    expect((await readMarks(desk, 'ann')).progress).toMatchObject({ done: 14, total: 14, guesses: [] });
  });
});
