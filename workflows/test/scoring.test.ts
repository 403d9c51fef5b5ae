import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Report } from '../skill-trial/src/report.js';
import type { Checkout, Done } from './checkout.js';
import { finishedRun } from './finished-run.js';

const desk = 'data/experiments/inventory/desk';
const sheets = 'data/experiments/inventory/sheets';
let checkout: Checkout;
let pair: string;
/** Content hashes, as the desk shows them. */
let contents: { x: string; y: string };

const scoring = (...words: string[]): Promise<Done> => checkout.node(['workflows/dist/scoring.js', 'inventory', ...words]);
const report = () => checkout.json<Report>('reports/inventory/report.json');

/** Everything that steps, notebooks and report made for people to read, in one text. */
async function shownText(): Promise<string> {
  const texts: string[] = [];
  for (const folder of ['reports/inventory', 'data/runs/inventory/published', 'data/runs/inventory/notebooks'])
    for (const entry of await readdir(checkout.path(folder), { recursive: true, withFileTypes: true }))
      if (entry.isFile()) texts.push(await readFile(join(entry.parentPath, entry.name), 'utf8'));
  return texts.join('\n');
}

/** All marks but the review rows, which go through the CSV. */
function otherMarks(points: number): string {
  const events = Object.values(contents).flatMap((content) => {
    const place = { case: 'inventory', content };
    const mark = (sheet: string, row: string, value: boolean | number) => ({
      kind: 'mark',
      ...place,
      sheet,
      row,
      value,
      evidence: [{ file: 'response.md', line: 1, quote: '' }],
      note: '',
    });
    return [
      ...['T1', 'T2', 'T3', 'T4', 'T5'].map((row) => mark('tests', row, row === 'T1' ? points : 0)),
      ...['D1', 'D2', 'D3', 'D4', 'D5', 'D6'].map((row) => mark('documentation', row, true)),
      { kind: 'claims', ...place, findings: [] },
    ];
  });
  return events.map((event) => `${JSON.stringify(event)}\n`).join('');
}

/** What a person types into the exported file: R1 found on both sides, nothing else. */
function filledIn(csv: string): string {
  return csv
    .split('\n')
    .map((line) =>
      line.replace(/^(R\d,\d),,,,$/, (_, row: string) => `${row},${row.startsWith('R1') ? 'yes,yes' : 'no,no'},=SUM(A1),`),
    )
    .join('\n');
}

beforeAll(async () => {
  checkout = await finishedRun('inventory');
});
afterAll(() => checkout?.[Symbol.asyncDispose]());

describe.sequential('scoring by two people, with public commands', () => {
  test('committed sheets for every variant count as locked: scores are shown by arm', async () => {
    expect((await report()).scoring).toMatchObject({ state: 'unblinded', by: 'sheets', agreement: [], guess: null });
  });

  test('without them nothing that is shown tells which variant is which arm', async () => {
    await rm(checkout.path(sheets), { recursive: true });
    const done = await checkout.nx('inventory:report');
    expect(done.code, done.text).toBe(0);
    const folder = 'data/runs/inventory/blind';
    pair = (await readdir(checkout.path(folder))).find((name) => name.startsWith('pair-')) as string;
    const content = async (side: string) =>
      (await checkout.json<{ content: string }>(folder, pair, `variant-${side}`, 'variant.json')).content;
    contents = { x: await content('x'), y: await content('y') };
    const { scoring: state, trials } = await report();
    expect(state).toMatchObject({ state: 'open', scored: 0 });
    expect(trials.map((trial) => [trial.content, trial.control, trial.scoring])).toEqual([
      [null, null, 'pending'],
      [null, null, 'pending'],
    ]);
    const text = await shownText();
    for (const one of Object.values(contents)) expect(text).not.toContain(one.slice(0, 12));
    // steps do name contents, in an order that says nothing
    const named = stripVTControlCharacters(done.text).match(/(?<=score: )[0-9a-f]{12}(?=: pending)/g);
    expect(named).toEqual(
      Object.values(contents)
        .map((one) => one.slice(0, 12))
        .sort(),
    );
  });

  test('a mark before the guess is refused', async () => {
    await checkout.write('marks.jsonl', otherMarks(1));
    const done = await scoring('mark', '--evaluator', 'ann', '--file', 'marks.jsonl');
    expect(done.code).toBe(1);
    expect(done.text).toContain('A guess comes before the marks');
  });

  test('the CSV of a pair is exported, filled in by hand, imported, and comes out the same', async () => {
    for (const [evaluator, points] of [
      ['ann', 1],
      ['bob', 0],
    ] as const) {
      await checkout.write('marks.jsonl', otherMarks(points));
      const file = `${evaluator}.csv`;
      const at = ['--evaluator', evaluator, '--pair', pair];
      for (const words of [
        ['guess', ...at, '--side', 'x'],
        ['mark', '--evaluator', evaluator, '--file', 'marks.jsonl'],
        ['export', ...at, '--file', file],
      ]) {
        const done = await scoring(...words);
        expect(done.code, done.text).toBe(0);
      }
      await checkout.write(file, filledIn(await checkout.read(file)));
      expect((await scoring('import', ...at, '--file', file)).text).toContain('12 changes');
      await scoring('export', ...at, '--file', 'again.csv');
      const again = await checkout.read('again.csv');
      expect(again).toContain('R1,3,yes,yes,# =SUM(A1),');
      await checkout.write(file, again);
      expect((await scoring('import', ...at, '--file', file)).text).toContain('0 changes');
    }
    expect((await scoring('status')).text).toMatch(/ann: 36 of 36 marks, 0 guesses open/);
  });

  test('nothing is opened before the lock, and the lock lists disputes', async () => {
    expect((await checkout.nx('inventory:unblind')).text).toContain('Scoring is not locked');
    const done = await checkout.nx('inventory:lock');
    expect(done.code, done.text).toBe(0);
    expect(done.text).toContain('4 sheets of 2 variants are locked, by ann, bob');
    expect((await checkout.nx('inventory:disputes')).text).toMatch(/2\. inventory [0-9a-f]{12} tests T1: ann: 1, bob: 0; open/);
    const refused = await scoring('mark', '--evaluator', 'ann', '--file', 'marks.jsonl');
    expect(refused.text).toContain('Scoring is locked');
    expect((await checkout.nx('inventory:unblind')).text).toContain('Disputes are open');
  });

  test('locked and still sealed, the report says how well they agree, and nothing by arm', async () => {
    const done = await checkout.nx('inventory:report');
    expect(done.code, done.text).toBe(0);
    const { scoring: state } = await report();
    expect(state).toMatchObject({ state: 'locked', by: 'desk', disputes: { settled: 0, open: 2 }, guess: null });
    const review = state.agreement.find((row) => row.part === 'review');
    expect(review).toMatchObject({ units: 12, percent: 1, alpha: [{ level: 'nominal', value: 1 }] });
    expect(state.agreement.find((row) => row.part === 'documentation')).toMatchObject({
      percent: 1,
      ac1: { value: 1 },
      alpha: [{ value: null, reason: expect.stringContaining('one and the same value') }],
    });
    const text = await shownText();
    for (const one of Object.values(contents)) expect(text).not.toContain(one.slice(0, 12));
  });

  test('disputes are settled with reasons, then the mapping is opened, recorded, and verified', async () => {
    for (const number of ['1', '2']) {
      const words = ['--dispute', number, '--value', '1', '--by', 'eve', '--reason', 'two SKUs are reserved'];
      const done = await scoring('adjudicate', ...words);
      expect(done.code, done.text).toBe(0);
    }
    const opened = await checkout.nx('inventory:unblind');
    expect(opened.text).toMatch(new RegExp(`${pair}: x is inventory\\.[AB]\\.1, y is inventory\\.[AB]\\.1; the arm is [xy]`));
    const arm = /the arm is ([xy])/.exec(opened.text)?.[1];
    const done = await checkout.nx('inventory:verify');
    expect(done.code, done.text).toBe(0);
    const { scoring: state, trials } = await report();
    expect(state).toMatchObject({
      state: 'unblinded',
      by: 'desk',
      scorers: ['adjudicated'],
      disputes: { settled: 2, open: 0 },
      guess: { guesses: 2, correct: arm === 'x' ? 2 : 0, pairs: 1 },
    });
    expect(trials.map((trial) => trial.content).sort()).toEqual(Object.values(contents).sort());
    const ledger = (await checkout.read('data/runs/inventory/ledger.jsonl')).trim().split('\n');
    expect(ledger.map((line) => JSON.parse(line).event.kind).slice(-4)).toEqual([
      'scoring-locked',
      'scored',
      'unblinded',
      'scored',
    ]);
  });

  test('a locked sheet that is changed afterwards is refused by score and named by verify', async () => {
    const name = (await readdir(checkout.path(sheets))).find((one) => one.endsWith('.bob.yaml')) as string;
    await checkout.write(join(sheets, name), (await checkout.read(sheets, name)).replace('points: 0', 'points: 1'));
    const scored = await checkout.nx('inventory:score');
    expect(scored.code).toBe(1);
    expect(scored.text).toContain(`${name} has changed since scoring was locked`);
    const verified = await checkout.node(['workflows/dist/8-verify.js', 'inventory']);
    expect(verified.code).toBe(1);
    expect(verified.text).toContain(`${name} has changed since scoring was locked`);
    expect(await readdir(checkout.path(desk))).toContain('unblinded.json');
  });
});
