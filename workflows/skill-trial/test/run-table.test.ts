import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ComparisonRow, compareArms } from '../src/comparison.js';
import { RecordError } from '../src/errors.js';
import { MetricId } from '../src/metric.js';
import { readRuns, runLines } from '../src/run-file.js';
import { RunTable, runOf } from '../src/run-table.js';
import { testArms } from '../src/statistic.js';
import { failure, tempFolder, trialResult } from './fixture.js';

const contrast = [{ arm: 'B', control: 'A' }];
const rule = { primary: 'review_completeness', equivalence_margin: 0.1 } as const;
const value = fc.option(fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1e7, noNaN: true })), { nil: null });
const results = fc.array(
  fc
    .record({
      arm: fc.constantFrom('A', 'B', 'C'),
      case: fc.constantFrom('one', 'two', 'three'),
      valid: fc.boolean(),
      status: fc.constantFrom('completed' as const, 'timed-out' as const, 'limit' as const),
      loaded: fc.boolean(),
      values: fc.tuple(...MetricId.options.map(() => value)),
    })
    .map(({ loaded, values, ...rest }) =>
      trialResult({
        ...rest,
        values: Object.fromEntries(MetricId.options.map((id, at) => [id, values[at] ?? null])) as never,
        activation: [{ skill: 'one', given: true, listed: true, loaded, claimedOnly: false, evidence: null }],
      }),
    ),
  { maxLength: 12 },
);

/** A file names itself as the evidence of its rows; everything else must be the same. */
const withoutEvidence = (rows: ComparisonRow[]) => rows.map((row) => ({ ...row, evidence: 0, evidenceA: 0, evidenceB: 0 }));

test('a file that is read line by line gives the rows and the tests that the results themselves give', async () => {
  const file = join(await tempFolder(), 'runs.jsonl');
  await fc.assert(
    fc.asyncProperty(results, async (all) => {
      // two runs a line
      await writeFile(file, Readable.from(runLines(all.map(runOf), 2)));
      const table = await readRuns(file);
      expect(table.length).toBe(all.length);
      const rows = compareArms(table, contrast, MetricId.options, { A: 4 }, rule);
      expect(withoutEvidence(rows)).toEqual(withoutEvidence(compareArms(all, contrast, MetricId.options, { A: 4 }, rule)));
      expect(testArms(table, contrast, MetricId.options, rule)).toEqual(testArms(all, contrast, MetricId.options, rule));
    }),
    { numRuns: 15 },
  );
});

test('rows come back by arm and case, in the order of adding, with null where nothing is known', () => {
  const table = RunTable.of([
    trialResult({ arm: 'B', case: 'two', values: { tool_calls: 5 } as never }),
    trialResult({ arm: 'A', case: 'one', values: { tool_calls: 0 } as never }),
    trialResult({ arm: 'B', case: 'one', values: { tool_calls: 7 } as never, status: 'limit' }),
    trialResult({ arm: 'B', case: 'two', values: { tool_calls: null } as never, valid: false }),
  ]);
  const values = (arm: string, one?: string) => table.values('tool_calls', table.rowsOf(arm, one));
  expect(values('B', 'two')).toEqual([5, null]);
  expect(values('B')).toEqual([5, null, 7]);
  expect(values('A')).toEqual([0]);
  expect([values('C'), values('A', 'two'), values('A', 'none')]).toEqual([[], [], []]);
  const byCase = (arm: string) => [...table.byCase('tool_calls', arm)].map(([name, known]) => [name, [...known]]);
  expect([byCase('A'), byCase('B'), byCase('C')]).toEqual([
    [['one', [0]]],
    [
      ['two', [5]],
      ['one', [7]],
    ],
    [],
  ]);
  expect([...table.marked('valid', table.rowsOf('B'))]).toEqual([0, 2]);
  expect([...table.told('tool_calls', table.rowsOf('B'))]).toEqual([0, 2]);
  expect(table.has('cutOff', 2)).toBe(true);
  expect([...table.unmarked('cutOff', table.rowsOf('B'))]).toEqual([0, 3]);
});

test('a table grows beyond any first size', () => {
  const table = new RunTable(() => 'file');
  for (let row = 0; row < 1000; row++)
    table.add({ ...runOf(trialResult({ arm: row % 2 === 0 ? 'A' : 'B' })), values: { tool_calls: row } as never });
  expect(table.values('tool_calls', table.rowsOf('B')).slice(-2)).toEqual([997, 999]);
  expect(table.evidence('tool_calls', table.rowsOf('B'))).toEqual(['file']);
});

test('lines longer than a piece of the file, and a last one without its end, are read whole', async () => {
  const runs = Array.from({ length: 30_000 }, (_, at) => ({ ...runOf(trialResult({})), values: { tool_calls: at } as never }));
  const folder = await tempFolder({ 'runs.jsonl': [...runLines(runs, 20_000)].join('').trimEnd() });
  const table = await readRuns(join(folder, 'runs.jsonl'));
  expect(table.values('tool_calls', table.rowsOf('A'))).toEqual(runs.map((_, at) => at));
});

test('a broken line is named', async () => {
  const [line] = [...runLines([runOf(trialResult({}))])];
  const folder = await tempFolder({ 'runs.jsonl': `${line}no JSON\n` });
  expect((await failure(RecordError, () => readRuns(join(folder, 'runs.jsonl')))).message).toContain('runs.jsonl:2 is not JSON');
});
