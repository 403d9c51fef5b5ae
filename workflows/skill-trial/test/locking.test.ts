import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { adjudicate, listDisputes, type Verdict } from '../src/adjudication.js';
import { mark } from '../src/desk.js';
import { SettingsError } from '../src/errors.js';
import type { Lab } from '../src/lab.js';
import { readLedger } from '../src/ledger.js';
import { lockScoring } from '../src/locking.js';
import type { MarkEvent } from '../src/mark.js';
import { scoreVariants } from '../src/score.js';
import { scoringState, sheetsOf } from '../src/scoring-state.js';
import { readSheets } from '../src/sheet.js';
import { a, b, type Choice, markAll, openDesk, tinyCase, tinyLab } from './desk-fixture.js';
import { failure, writeFiles } from './fixture.js';

const variants = [
  { case: 'tiny', content: a },
  { case: 'tiny', content: b },
];
const stateOf = async (lab: Lab) => scoringState(lab, variants, await sheetsOf(lab));
const scoresOf = async (lab: Lab) =>
  scoreVariants(
    variants.map(({ content }) => ({ content, case: tinyCase })),
    await sheetsOf(lab),
    [],
  ).variants;

/** A lab that two evaluators have marked and locked. */
async function lockedLab(ann: Choice[] = [], bob: Choice[] = []): Promise<Lab> {
  const lab = await tinyLab();
  const desk = await openDesk(lab);
  await markAll(desk, 'ann', ann);
  await markAll(desk, 'bob', bob);
  await lockScoring(lab);
  return lab;
}

describe('the lock', () => {
  test('writes one sheet a variant and evaluator, their hashes, and a line of the ledger', async () => {
    const lab = await lockedLab();
    expect((await readdir(lab.run.sheets)).sort()).toEqual([
      'aaaaaaaaaaaa.ann.yaml',
      'aaaaaaaaaaaa.bob.yaml',
      'bbbbbbbbbbbb.ann.yaml',
      'bbbbbbbbbbbb.bob.yaml',
    ]);
    const [sheet] = await readSheets(lab.root, lab.run.sheets, lab.cases);
    expect(sheet).toMatchObject({
      scorer: 'ann',
      rows: { R1: { found: true, evidence: 'response.md:1 "Units"' }, R2: { found: false } },
      tests: { T1: { points: 2 } },
      findings: [
        { key: 'aaaaaaaa-claim-1', status: 'confirmed' },
        { key: 'aaaaaaaa-claim-2', status: 'style' },
      ],
      not_applicable: [],
    });
    expect((await readLedger(lab.run.ledger)).map(({ event }) => event)).toMatchObject([
      { kind: 'scoring-locked', rounds: 1, evaluators: ['ann', 'bob'] },
    ]);
    expect(await stateOf(lab)).toMatchObject({
      changes: [],
      scoring: { state: 'locked', by: 'desk', evaluators: ['ann', 'bob'] },
    });
  });

  test('is refused while anything is open, and then nothing is written', async () => {
    const lab = await tinyLab();
    const desk = await openDesk(lab);
    await failure(SettingsError, () => lockScoring(lab));
    await markAll(desk, 'ann');
    await mark(desk, 'ann', { kind: 'undo' });
    const error = await failure(SettingsError, () => lockScoring(lab));
    expect(error.message).toMatch(/ann has not finished/);
    expect(error.found).toMatch(/^11; open: bbbbbbbbbbbb: the list of claims/);
    expect(await readdir(lab.run.sheets).catch(() => 'none')).toBe('none');
    expect((await stateOf(lab)).scoring.state).toBe('open');
  });

  test('an evaluator who has not finished can be left out, and that is recorded', async () => {
    const lab = await tinyLab();
    const desk = await openDesk(lab);
    await markAll(desk, 'ann');
    await mark(desk, 'bob', { kind: 'guess', pair: desk.pairs[0]?.pair as string, side: null });
    expect((await lockScoring(lab, ['ann'])).rounds).toMatchObject([{ evaluators: ['ann'], leftOut: ['bob'] }]);
  });

  test('no mark is taken after it, an undo neither; a second lock has nothing to hold', async () => {
    const lab = await lockedLab();
    const desk = await openDesk(lab);
    expect(desk.locked).toBe(true);
    const event: MarkEvent = {
      kind: 'mark',
      case: 'tiny',
      content: a,
      sheet: 'review',
      row: 'R1',
      value: false,
      evidence: [],
      note: '',
    } as const;
    const changes: MarkEvent[] = [
      event,
      { ...event, value: true },
      { kind: 'undo' },
      { kind: 'applicability', case: 'tiny', row: 'R1', applicable: false, note: '' },
    ];
    for (const change of changes)
      expect((await failure(SettingsError, () => mark(desk, 'ann', change))).message).toMatch(/Scoring is locked/);
    expect((await failure(SettingsError, () => lockScoring(lab))).message).toMatch(/locked already/);
  });

  test.each<[string, (lab: Lab) => Promise<void>, RegExp]>([
    [
      'a changed sheet',
      async (lab) => {
        const file = join(lab.run.sheets, 'aaaaaaaaaaaa.ann.yaml');
        await writeFile(file, (await readFile(file, 'utf8')).replace('points: 2', 'points: 1'));
      },
      /aaaaaaaaaaaa\.ann\.yaml has changed since scoring was locked/,
    ],
    [
      'a further sheet',
      async (lab) => {
        const text = await readFile(join(lab.run.sheets, 'aaaaaaaaaaaa.ann.yaml'), 'utf8');
        await writeFile(join(lab.run.sheets, 'aaaaaaaaaaaa.eve.yaml'), text.replace('scorer: ann', 'scorer: eve'));
      },
      /aaaaaaaaaaaa\.eve\.yaml came in after/,
    ],
    [
      'an adjudicated sheet out of nowhere',
      async (lab) => {
        const text = await readFile(join(lab.run.sheets, 'aaaaaaaaaaaa.ann.yaml'), 'utf8');
        await writeFile(
          join(lab.run.sheets, 'aaaaaaaaaaaa.adjudicated.yaml'),
          text.replace('scorer: ann', 'scorer: adjudicated'),
        );
      },
      /adjudicated\.yaml is not what the adjudications give/,
    ],
    [
      'a changed journal',
      async (lab) => {
        const file = lab.run.journal('bob');
        await writeFile(file, (await readFile(file, 'utf8')).replace('"side":"x"', '"side":"y"'));
      },
      /bob\.jsonl has changed/,
    ],
  ])('%s is found afterwards', async (_, change, words) => {
    const lab = await lockedLab();
    await change(lab);
    expect((await stateOf(lab)).changes).toEqual([expect.stringMatching(words)]);
  });

  test('without a desk, sheets for every variant count as locked and unblinded', async () => {
    const lab = await lockedLab();
    const other = await tinyLab();
    for (const name of await readdir(lab.run.sheets)) {
      if (!name.endsWith('.ann.yaml')) continue;
      const text = await readFile(join(lab.run.sheets, name), 'utf8');
      expect((await stateOf(other)).scoring).toMatchObject({ state: 'open', by: 'sheets' });
      await writeFiles(other.run.sheets, { [name]: text });
    }
    expect((await stateOf(other)).scoring).toMatchObject({ state: 'unblinded', by: 'sheets', lockedAt: null });
  });
});

describe('disputes', () => {
  const reason = 'the compensation is described in item 1';
  const verdict = (over: Partial<Verdict>): Verdict => ({
    case: 'tiny',
    content: a,
    part: 'review',
    id: 'R1',
    value: true,
    reason,
    by: 'eve',
    ...over,
  });

  test('nobody sees one before the lock', async () => {
    const lab = await tinyLab();
    const desk = await openDesk(lab);
    await markAll(desk, 'ann');
    await markAll(desk, 'bob', [{ R1: false }]);
    expect(await listDisputes(lab)).toEqual([]);
    expect((await failure(SettingsError, () => adjudicate(lab, verdict({})))).message).toMatch(/not locked/);
  });

  test('rows, points and findings that differ are listed with what each said', async () => {
    const lab = await lockedLab([{}], [{ R1: false, T1: 1, D1: false, finding: 'contradicted' }]);
    const all = await listDisputes(lab);
    expect(all.map(({ content, part, id, values }) => [content === a, part, id, ...values.map(({ value }) => value)])).toEqual([
      [true, 'review', 'R1', true, false],
      [true, 'tests', 'T1', 2, 1],
      [true, 'documentation', 'D1', true, false],
      [true, 'finding', 'aaaaaaaa-claim-1', 'confirmed', 'contradicted'],
    ]);
    expect((await scoresOf(lab))[0]?.status).toBe('disputed');
  });

  test('a settled variant gets an adjudicated sheet, which the scores take', async () => {
    const lab = await lockedLab([{}], [{ R1: false, T1: 1 }]);
    await adjudicate(lab, verdict({}));
    expect((await readdir(lab.run.sheets)).filter((name) => name.includes('adjudicated'))).toEqual([]);
    const left = await adjudicate(lab, verdict({ part: 'tests', id: 'T1', value: 1.5 }));
    expect(left.map(({ settled }) => settled?.by)).toEqual(['eve', 'eve']);
    const [score] = await scoresOf(lab);
    expect(score).toMatchObject({ scorers: ['adjudicated'], completeness: 3 / 5 });
    expect(score?.tests.rows[0]).toMatchObject({ points: 1.5, evidence: `eve: ${reason}` });
    expect((await stateOf(lab)).changes).toEqual([]);
    // a later decision takes its place; both stay in the file
    await adjudicate(lab, verdict({ value: false }));
    expect((await scoresOf(lab))[0]?.completeness).toBe(0);
    expect((await readFile(lab.run.adjudications, 'utf8')).trim().split('\n')).toHaveLength(3);
  });

  test('a finding can be settled as absent', async () => {
    const lab = await lockedLab([{}], [{ finding: 'contradicted' }]);
    await adjudicate(lab, verdict({ part: 'finding', id: 'aaaaaaaa-claim-1', value: 'absent' }));
    expect((await scoresOf(lab))[0]?.findings?.map(({ key }) => key)).toEqual(['aaaaaaaa-claim-2']);
  });

  test('applicability is disputed once for the case, and settled for all its variants', async () => {
    const without = { without: ['R2'] };
    const lab = await lockedLab([{}, {}], [without, without]);
    const all = await listDisputes(lab);
    expect(all.map(({ content, part, id }) => [content, part, id])).toEqual([[null, 'applicability', 'R2']]);
    expect((await scoresOf(lab)).map(({ status, completeness }) => [status, completeness])).toEqual([
      ['disputed', null],
      ['disputed', null],
    ]);
    await adjudicate(lab, verdict({ content: null, part: 'applicability', id: 'R2', value: false }));
    expect((await scoresOf(lab)).map(({ status, completeness }) => [status, completeness])).toEqual([
      ['scored', 1],
      ['scored', 1],
    ]);
    expect((await stateOf(lab)).changes).toEqual([]);
  });

  test.each<[string, Partial<Verdict>, RegExp]>([
    ['no reason', { reason: ' ' }, /needs a reason/],
    ['a cell that nobody disputes', { id: 'R2' }, /No such dispute/],
    ['a value of another kind', { value: 1 }, /no such value/],
  ])('%s is refused', async (_, over, message) => {
    const lab = await lockedLab([{}], [{ R1: false }]);
    expect((await failure(SettingsError, () => adjudicate(lab, verdict(over)))).message).toMatch(message);
  });

  test('the same links under two names are no dispute; other links are', async () => {
    const lab = await tinyLab();
    const desk = await openDesk(lab);
    const link = async (evaluator: string, key: string, contents: string[]) => {
      for (const content of contents)
        await mark(desk, evaluator, {
          kind: 'finding',
          case: 'tiny',
          content,
          finding: { id: 'claim-1', key, claim: 'Units stay taken.', status: 'confirmed', row: 'R1', evidence: [], note: '' },
        });
    };
    await markAll(desk, 'ann');
    await markAll(desk, 'bob');
    await link('ann', 'units-stay-taken', [a, b]);
    await link('bob', 'no-compensation', [a, b]);
    await lockScoring(lab);
    expect(await listDisputes(lab)).toEqual([]);
    const sheets = await readSheets(lab.root, lab.run.sheets, lab.cases);
    expect(new Set(sheets.map(({ findings }) => findings[0]?.key))).toEqual(new Set(['units-stay-taken']));
  });
});

test('a sheet of another scorer that was there before the lock is locked with the others', async () => {
  const lab = await tinyLab();
  await markAll(await openDesk(lab), 'ann');
  const sheet = {
    schema_version: 1,
    case: 'tiny',
    content: a,
    scorer: 'zoe',
    rows: { R1: { found: true, evidence: '' }, R2: { found: false, evidence: '' } },
    findings: [],
    tests: { T1: { points: 2, evidence: '' } },
    documentation: { D1: { found: true, evidence: '' } },
    not_applicable: [],
    notes: '',
  };
  await writeFiles(lab.run.sheets, { 'aaaaaaaaaaaa.zoe.yaml': stringify(sheet) });
  const lock = await lockScoring(lab);
  expect(Object.keys(lock.rounds[0]?.sheets ?? {})).toContain('aaaaaaaaaaaa.zoe.yaml');
  expect((await listDisputes(lab)).map(({ part, id }) => [part, id])).toEqual([
    ['finding', 'aaaaaaaa-claim-1'],
    ['finding', 'aaaaaaaa-claim-2'],
  ]);
});
