import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ComparisonRow, compareArms, contrastName } from '../src/comparison.js';
import { allMetrics, MetricId, metrics, requirementMetrics } from '../src/metric.js';
import { testArms } from '../src/statistic.js';
import { runsOf, trialResult } from './fixture.js';

const contrast = [{ arm: 'B', control: 'A' }];
const compare = (metric: MetricId, a: (number | null)[], b: (number | null)[], planned = { A: a.length, B: b.length }) =>
  compareArms([...runsOf('A', metric, a), ...runsOf('B', metric, b)], contrast, [metric], planned)[0] as ComparisonRow;

describe('a comparison row', () => {
  test('medians with their delta and ranges', () => {
    expect(compare('review_completeness', [0.5, 0.2, 0.9], [0.75, 1, 0.25])).toMatchObject({
      contrast: 'B-A',
      a: 0.5,
      b: 0.75,
      delta: 0.25,
      rangeA: { min: 0.2, max: 0.9 },
      rangeB: { min: 0.25, max: 1 },
      nA: { used: 3, total: 3 },
    });
  });

  test('nulls are left out of the median and counted in n', () => {
    expect(compare('elapsed_seconds', [10, null, 30], [5, 5, 5])).toMatchObject({ a: 20, nA: { used: 2, total: 3 }, delta: -15 });
  });

  test('there is no delta where one side is all null', () => {
    expect(compare('output_tokens', [null, null], [7, 9])).toMatchObject({
      a: null,
      b: 8,
      delta: null,
      nA: { used: 0, total: 2 },
    });
  });

  test('0 is not null', () => {
    expect(compare('input_tokens_cached', [0, 0, 0], [5, 5, 5])).toMatchObject({ a: 0, delta: 5, nA: { used: 3, total: 3 } });
  });

  test('a share is the mean of zeros and ones, not their median', () => {
    expect(compare('suite_passes', [1, 0, 0], [1, 1, 0])).toMatchObject({ aggregate: 'share', a: 1 / 3, b: 2 / 3 });
  });

  test('a trial that was never recorded counts in the total', () => {
    expect(compare('elapsed_seconds', [10, 20], [1], { A: 3, B: 3 })).toMatchObject({
      nA: { used: 2, total: 3 },
      nB: { used: 1, total: 3 },
    });
  });

  test('one run a side', () => {
    expect(compare('tool_calls', [4], [4])).toMatchObject({ a: 4, b: 4, delta: 0 });
  });

  test('no run at all: every figure is null', () => {
    expect(compare('tool_calls', [], [])).toMatchObject({ a: null, b: null, delta: null, evidence: [] });
  });

  test('evidence names the record of every value that was used, and of no other', () => {
    expect(compare('tool_calls', [4, null], [5]).evidence).toEqual(['trials/c.A.1/tool_calls', 'trials/c.B.1/tool_calls']);
  });

  test('each contrast has rows of its own', () => {
    const results = [...runsOf('A', 'tool_calls', [1]), ...runsOf('B', 'tool_calls', [2]), ...runsOf('C', 'tool_calls', [5])];
    const rows = compareArms(
      results,
      [
        { arm: 'B', control: 'A' },
        { arm: 'C', control: 'B' },
      ],
      ['tool_calls'],
      {},
    );
    expect(rows.map((row) => [row.contrast, row.delta])).toEqual([
      ['B-A', 1],
      ['C-B', 3],
    ]);
  });

  const side = fc.array(fc.option(fc.integer({ min: 0, max: 100 })), { minLength: 1, maxLength: 6 });

  test('permuting repeats within an arm changes no figure', () => {
    fc.assert(
      fc.property(side, side, (a, b) => {
        const figures = (row: ComparisonRow) => ({ ...row, evidence: [], evidenceA: [], evidenceB: [] });
        const turned = compare('tool_calls', a.toReversed(), b.toSorted());
        expect(figures(turned)).toEqual(figures(compare('tool_calls', a, b)));
      }),
    );
  });

  test('swapping the arms turns the sign of delta', () => {
    fc.assert(
      fc.property(side, side, (a, b) => {
        const [row, swapped] = [compare('tool_calls', a, b), compare('tool_calls', b, a)];
        if (row.delta === null) expect(swapped.delta).toBeNull();
        else expect((swapped.delta as number) + row.delta).toBe(0);
      }),
    );
  });
});

describe('runs that were cut off or left out', () => {
  test('a median among timed-out runs is unknown, and at least what was seen', () => {
    const results = [
      ...runsOf('A', 'elapsed_seconds', [10, 20, 30]),
      ...runsOf('B', 'elapsed_seconds', [40, 120, 120]).map((run, index) =>
        index === 0 ? run : { ...run, status: 'timed-out' as const },
      ),
    ];
    expect(compareArms(results, contrast, ['elapsed_seconds'], {})[0]).toMatchObject({
      a: 20,
      b: null,
      delta: null,
      censoredA: { runs: 0, atLeast: 20 },
      censoredB: { runs: 2, atLeast: 120 },
    });
  });

  test('invalid trials bound the difference at both ends of the scale', () => {
    const results = [
      ...runsOf('A', 'review_completeness', [0.5, 0.5]),
      ...runsOf('B', 'review_completeness', [0.8, null]).map((run, index) => ({ ...run, valid: index === 0 })),
    ];
    expect(compareArms(results, contrast, ['review_completeness'], {})[0]?.bounds).toEqual({
      invalidA: 0,
      invalidB: 1,
      best: expect.closeTo(0.4, 12),
      worst: expect.closeTo(-0.1, 12),
    });
    expect(compareArms(results.slice(0, 3), contrast, ['review_completeness'], {})[0]?.bounds).toBeNull();
  });

  test('what was planned is told from what was looked at', () => {
    const rule = { primary: 'documentation' } as const;
    const roles = compareArms([], contrast, ['documentation', 'elapsed_seconds', 'test_quality'], {}, rule).map(
      (row) => row.role,
    );
    expect(roles).toEqual(['primary', 'criterion', 'exploratory']);
  });
});

describe('tests of a metric', () => {
  const test3 = (a: (number | null)[], b: (number | null)[]) =>
    testArms([...runsOf('A', 'tool_calls', a), ...runsOf('B', 'tool_calls', b)], contrast, ['tool_calls'])[0];

  test('three against three says that p < .05 cannot be reached', () => {
    expect(test3([1, 2, 3], [7, 8, 9])).toMatchObject({
      p: 0.1,
      smallestP: 0.1,
      estimate: 6,
      note: expect.stringContaining('cannot reach'),
    });
  });

  test('where an arm has no value there is no p and no estimate, with the reason', () => {
    expect(test3([null, null], [1])).toMatchObject({ p: null, estimate: null, note: expect.stringContaining('no value') });
  });

  test('a design too large to enumerate is sampled, and says so', () => {
    const many = Array.from({ length: 12 }, (_, index) => index);
    const sampled = test3(
      many,
      many.map((value) => value + 1),
    );
    expect(sampled).toMatchObject({ estimate: 1, method: 'monte-carlo', arrangements: 9999, shift: { estimate: 1 } });
    expect(sampled?.p).toBeGreaterThan(0.3);
  });

  test('Holm counts the contrasts that test a metric', () => {
    const six = ['one', 'two', 'three'];
    const results = six.flatMap((one) => [
      ...runsOf('A', 'tool_calls', [1, 2, 1], one),
      ...runsOf('B', 'tool_calls', [8, 9, 9], one),
      ...runsOf('C', 'tool_calls', [1, 2, 2], one),
    ]);
    const both = [
      { arm: 'B', control: 'A' },
      { arm: 'C', control: 'A' },
    ];
    const [b, c] = testArms(results, both, ['tool_calls']);
    expect(b?.pHolm).toBeCloseTo(2 * (b?.p as number), 12);
    expect(c?.pHolm).toBe(c?.p);
  });

  test('cases as the units: six of one direction reach .03125; a pass or fail has McNemar, and one case Fisher', () => {
    const cases = ['1', '2', '3', '4', '5', '6'];
    const results = cases.flatMap((one) => [...runsOf('A', 'suite_passes', [0], one), ...runsOf('B', 'suite_passes', [1], one)]);
    const over = testArms(results, contrast, ['suite_passes'])[0];
    expect(over?.overCases).toMatchObject({ cases: 6, estimate: 1, p: 2 / 64, mcnemar: { gained: 6, lost: 0 } });
    expect(over?.fisherP).toBeNull();
    const single = testArms([...runsOf('A', 'suite_passes', [0, 0, 0]), ...runsOf('B', 'suite_passes', [1, 1, 1])], contrast, [
      'suite_passes',
    ])[0];
    expect(single?.fisherP).toBeCloseTo(0.1, 12);
    expect(single?.overCases.p).toBe(1);
  });

  test('the share that loaded a skill divides the difference as assigned', () => {
    const loaded = (row: boolean) => [{ skill: 's', given: true, listed: true, loaded: row, claimedOnly: false, evidence: null }];
    const results = [
      ...runsOf('A', 'documentation', [2, 2]),
      ...runsOf('B', 'documentation', [4, 2]).map((run, index) => ({ ...run, activation: loaded(index === 0) })),
    ];
    expect(testArms(results, contrast, ['documentation'])[0]).toMatchObject({
      loadedRuns: { runs: 1, of: 2, median: 4 },
      complier: { assigned: 1, activation: 0.5, estimate: 2 },
    });
  });

  test('more cases than one can reach p < .05, and then no note says otherwise', () => {
    const results = ['one', 'two'].flatMap((one) => [
      ...runsOf('A', 'tool_calls', [1, 1, 2], one),
      ...runsOf('B', 'tool_calls', [8, 9, 9], one),
    ]);
    expect(testArms(results, contrast, ['tool_calls'])[0]).toMatchObject({
      p: 2 / 400,
      smallestP: 2 / 400,
      arrangements: 400,
      note: '',
    });
  });
});

describe('the twelve metrics', () => {
  test('they are the rows of the protocol, in its order', () => {
    expect(metrics.map((metric) => metric.id)).toEqual(MetricId.options.slice(0, 12));
    expect(allMetrics.map((metric) => metric.id)).toEqual(MetricId.options);
  });

  test('without score and checks every quality metric is null, never 0', () => {
    const usage = { elapsed_seconds: 1 } as never;
    for (const metric of [...metrics.slice(0, 6), ...requirementMetrics])
      expect(metric.pick({ usage, score: null, checks: null, verdict: null, grade: null }), metric.id).toBeNull();
  });

  test('a contrast is named arm, then control', () => {
    expect(contrastName({ arm: 'B', control: 'A' })).toBe('B-A');
  });

  test('an invalid trial has no value to compare', () => {
    expect(compareArms([trialResult({ valid: false })], contrast, ['tool_calls'], { A: 1 })[0]).toMatchObject({
      a: null,
      nA: { used: 0, total: 1 },
    });
  });
});
