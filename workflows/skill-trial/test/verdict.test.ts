import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TestOutcome, TestResult } from '../src/test-framework.js';
import { type ExpectedTest, expectTests, judgeRuns } from '../src/verdict.js';
import { verdictRows } from '../src/verdict-row.js';

/** Results written as `name: outcome`, all of one file. */
const run = (outcomes: Record<string, TestOutcome>): TestResult[] =>
  Object.entries(outcomes).map(([name, outcome]) => ({ file: 't.py', name, outcome, message: null }));
const id = (name: string) => `t.py::${name}`;

const floor = run({ old: 'passed', feature: 'assertion', edge: 'crash', never: 'assertion' });
const ceiling = run({ old: 'passed', feature: 'passed', edge: 'passed', never: 'assertion' });
const expected = expectTests([floor, floor], [ceiling, ceiling]);

const judgeRun = (tests: ExpectedTest[], results: TestResult[]) => judgeRuns(tests, [results]);

describe('what a test can tell', () => {
  it('is measured on the untouched repository and on the reference', () => {
    expect(Object.fromEntries(expected.map((test) => [test.id, test.role]))).toEqual({
      [id('edge')]: 'fail-to-pass',
      [id('feature')]: 'fail-to-pass',
      [id('never')]: 'out-of-reach',
      [id('old')]: 'pass-to-pass',
    });
  });

  it('is nothing where runs of one tree differ', () => {
    const unsteady = expectTests([floor, floor], [ceiling, run({ old: 'passed', feature: 'crash', edge: 'passed' })]);
    expect(unsteady.find((test) => test.id === id('feature'))?.role).toBe('unsteady');
    // another way to fail is still a failure
    const another = expectTests([floor, run({ old: 'passed', feature: 'crash', edge: 'timeout' })], [ceiling, ceiling]);
    expect(another.find((test) => test.id === id('feature'))?.role).toBe('fail-to-pass');
  });

  it('is fixed by the reference: a collection error on the untouched repository loses no test', () => {
    const broken: TestResult[] = [{ file: 't.py', name: 't.py', outcome: 'collection', message: 'no module named shop' }];
    const union = expectTests([broken], [ceiling]);
    expect(union.map((test) => test.id)).toEqual(['edge', 'feature', 'never', 'old'].map(id));
    expect(union.find((test) => test.id === id('old'))).toEqual({
      id: id('old'),
      role: 'fail-to-pass',
      floor: 'missing',
      ceiling: 'passed',
    });
  });

  it('is unknown without a reference', () => {
    expect(new Set(expectTests([floor], null).map((test) => test.role))).toEqual(new Set(['unknown']));
  });
});

describe('the verdict on a variant', () => {
  it('is success when every fail-to-pass test passes and every pass-to-pass test holds', () => {
    const verdict = judgeRun(expected, ceiling);
    expect(verdict).toMatchObject({
      success: true,
      partial: 1,
      failToPass: { passed: 2, total: 2 },
      passToPass: { passed: 1, total: 1 },
      raw: { passed: 3, total: 4 },
    });
  });

  it('is no success when a test that passed before is broken', () => {
    expect(judgeRun(expected, run({ old: 'assertion', feature: 'passed', edge: 'passed' }))).toMatchObject({
      success: false,
      partial: 1,
      passToPass: { passed: 0, total: 1 },
    });
  });

  it('counts the untouched repository as a failure although some of its tests pass', () => {
    expect(judgeRun(expected, floor)).toMatchObject({ success: false, partial: 0, raw: { passed: 1, total: 4 } });
  });

  it('counts missing, skipped and expected-to-fail tests as not passed, each under its own name', () => {
    const verdict = judgeRun(expected, run({ old: 'passed', feature: 'skipped', never: 'todo' }));
    expect(verdict).toMatchObject({ success: false, failToPass: { passed: 0, total: 2 } });
    expect(verdict.tests.map((test) => test.outcome)).toEqual(['missing', 'skipped', 'todo', 'passed']);
  });

  it('keeps its denominator when nothing could be collected', () => {
    const verdict = judgeRun(expected, [{ file: 't.py', name: 't.py', outcome: 'collection', message: null }]);
    expect(verdict).toMatchObject({ success: false, raw: { passed: 0, total: 4 }, unexpected: [] });
  });

  it('counts a test that the reference does not know nowhere', () => {
    expect(judgeRun(expected, [...ceiling, ...run({ extra: 'passed' })])).toMatchObject({
      raw: { passed: 3, total: 4 },
      unexpected: [id('extra')],
    });
  });

  it('is unknown where no test can tell the untouched repository from the reference', () => {
    expect(judgeRun(expectTests([ceiling], [ceiling]), ceiling)).toMatchObject({ success: null, partial: null });
    expect(judgeRun(expectTests([floor], null), ceiling).success).toBeNull();
    expect(judgeRun([], [])).toMatchObject({ success: null, partial: null, raw: { passed: 0, total: 0 } });
  });

  it('takes the worse of two results under one id', () => {
    expect(judgeRun(expected, [...ceiling, ...run({ feature: 'assertion' })]).success).toBe(false);
    expect(judgeRun(expected, [...run({ feature: 'assertion' }), ...ceiling]).success).toBe(false);
  });

  it('never improves when a result is taken away, and keeps its denominators', () => {
    const names = ['old', 'feature', 'edge', 'never'];
    fc.assert(
      fc.property(
        fc.subarray(names),
        fc.constantFrom<TestOutcome>('passed', 'assertion', 'crash', 'skipped'),
        (kept, outcome) => {
          const results = run(Object.fromEntries(kept.map((name) => [name, outcome])));
          const whole = judgeRun(expected, results);
          const less = judgeRun(expected, results.slice(1));
          expect(less.raw.total).toBe(4);
          expect(less.raw.passed).toBeLessThanOrEqual(whole.raw.passed);
          if (less.success) expect(whole.success).toBe(true);
        },
      ),
    );
  });
});

describe('several runs of one tree', () => {
  it('name a test that differs between them as flaky, and count it as not passed', () => {
    const once = run({ old: 'passed', feature: 'assertion', edge: 'passed' });
    const verdict = judgeRuns(expected, [ceiling, once, ceiling]);
    expect(verdict).toMatchObject({ success: false, runs: 3, flaky: [id('feature')], failToPass: { passed: 1, total: 2 } });
    expect(judgeRuns(expected, [once, ceiling]).flaky).toEqual([id('feature')]);
  });

  it('are steady where they agree, however a test fails', () => {
    const verdict = judgeRuns(expected, [run({ old: 'passed', feature: 'crash' }), run({ old: 'passed', feature: 'assertion' })]);
    expect(verdict).toMatchObject({ flaky: [], runs: 2, success: false });
    expect(judgeRuns(expected, [ceiling, ceiling])).toMatchObject({ flaky: [], success: true });
  });

  it('find a test that did not run in one of them, and what the reference does not know in any', () => {
    const verdict = judgeRuns(expected, [ceiling, [...run({ old: 'passed', feature: 'passed' }), ...run({ extra: 'passed' })]]);
    expect(verdict).toMatchObject({ flaky: [id('edge')], unexpected: [id('extra')] });
  });

  it('are none where nothing ran at all', () => {
    expect(judgeRuns(expected, [])).toMatchObject({ success: false, flaky: [], raw: { passed: 0, total: 4 } });
  });
});

it('a row of the report tells of runs whose report could not be read, and of none where there was none', () => {
  const verdict = judgeRun(expected, []);
  const rows = verdictRows([
    { content: 'c', case: 'one', verdict, records: [], unreadable: 2 },
    { content: 'd', case: 'one', verdict, records: [] },
  ]);
  expect(rows.map((row) => row.unreadable)).toEqual([2, undefined]);
});

it('a row of the report keeps skipped, expected to fail, missing and failed apart, and they add up', () => {
  const verdict = judgeRun(expected, run({ old: 'skipped', feature: 'todo', never: 'timeout' }));
  const [row] = verdictRows([{ content: 'c', case: 'one', verdict, records: [] }]);
  expect(row).toMatchObject({
    total: 4,
    passed: 0,
    failed: 1,
    skipped: 1,
    expectedToFail: 1,
    missing: 1,
    success: false,
    flaky: [],
  });
});
