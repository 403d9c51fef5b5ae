import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ComparisonRow, compareArms, contrastName, testArms } from '../src/comparison.js';
import { allMetrics, MetricId, metrics, requirementMetrics } from '../src/metric.js';
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
        const { evidence: _, ...row } = compare('tool_calls', a, b);
        const { evidence: __, ...turned } = compare('tool_calls', a.toReversed(), b.toSorted());
        expect(turned).toEqual(row);
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

  test('a design too large to enumerate keeps its estimate and says why there is no p', () => {
    const ten = Array.from({ length: 12 }, (_, index) => index);
    expect(
      test3(
        ten,
        ten.map((value) => value + 1),
      ),
    ).toMatchObject({ p: null, estimate: 1, note: expect.stringContaining('arrangements') });
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
      expect(metric.pick({ usage, score: null, checks: null, verdict: null }), metric.id).toBeNull();
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
