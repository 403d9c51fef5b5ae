import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { delta, quantile, quantileWithCopies, ratio, summarise } from '../src/summary.js';

const values = fc.array(fc.option(fc.double({ noNaN: true, min: -1e6, max: 1e6 })));

describe('summaries', () => {
  test.each<[string, (number | null)[], ReturnType<typeof summarise>]>([
    [
      'an odd number of values: the middle one',
      [9, 1, 5],
      { nUsed: 3, nTotal: 3, median: 5, q1: 3, q3: 7, min: 1, max: 9, mean: 5 },
    ],
    [
      'an even number: half-way between the middle two',
      [8, 1, 2, 3],
      { nUsed: 4, nTotal: 4, median: 2.5, q1: 1.75, q3: 4.25, min: 1, max: 8, mean: 3.5 },
    ],
    [
      'numbers are sorted as numbers',
      [10, 9, 100],
      { nUsed: 3, nTotal: 3, median: 10, q1: 9.5, q3: 55, min: 9, max: 100, mean: 119 / 3 },
    ],
    ['ties', [2, 2, 2, 7], { nUsed: 4, nTotal: 4, median: 2, q1: 2, q3: 3.25, min: 2, max: 7, mean: 3.25 }],
    ['0 is a value and null is none', [0, null, 4], { nUsed: 2, nTotal: 3, median: 2, q1: 1, q3: 3, min: 0, max: 4, mean: 2 }],
    ['one value', [null, 3], { nUsed: 1, nTotal: 2, median: 3, q1: 3, q3: 3, min: 3, max: 3, mean: 3 }],
    [
      'all null: every statistic is null',
      [null, null],
      { nUsed: 0, nTotal: 2, median: null, q1: null, q3: null, min: null, max: null, mean: null },
    ],
    ['none', [], { nUsed: 0, nTotal: 0, median: null, q1: null, q3: null, min: null, max: null, mean: null }],
  ])('%s', (_claim, given, expected) => {
    expect(summarise(given)).toEqual(expected);
  });

  test('order is irrelevant, nulls only count, and the median lies in the range', () => {
    fc.assert(
      fc.property(values, (given) => {
        const summary = summarise(given);
        expect(summarise(given.toReversed()).median).toBe(summary.median);
        expect(summarise([...given, null])).toEqual({ ...summary, nTotal: summary.nTotal + 1 });
        if (summary.median !== null) {
          expect(summary.median).toBeGreaterThanOrEqual(summary.min as number);
          expect(summary.median).toBeLessThanOrEqual(summary.max as number);
        }
      }),
    );
  });

  test('the values given are left as they are', () => {
    const given = [3, null, 1];
    summarise(given);
    expect(given).toEqual([3, null, 1]);
  });
});

describe('deltas and ratios', () => {
  test('there is no delta where one side is unknown, and 0 is known', () => {
    expect(delta(null, 5)).toBeNull();
    expect(delta(5, null)).toBeNull();
    expect(delta(0, 5)).toBe(5);
    expect(delta(5, 0)).toBe(-5);
  });

  test('there is no ratio to 0 or to the unknown', () => {
    expect(ratio(0, 5)).toBeNull();
    expect(ratio(null, 5)).toBeNull();
    expect(ratio(5, null)).toBeNull();
    expect(ratio(4, 0)).toBe(0);
    expect(ratio(4, 6)).toBe(1.5);
  });
});

describe('quantiles of type 7', () => {
  test('as R 4.2 gives them: quantile(c(1, 2, 3, 4, 10, 20), c(.25, .5, .75)) is 2.25, 3.5, 8.5', () => {
    expect([0.25, 0.5, 0.75].map((p) => quantile([1, 2, 3, 4, 10, 20], p))).toEqual([2.25, 3.5, 8.5]);
  });

  test('both ends are the least and the largest value, and an infinite end stays apart from the rest', () => {
    expect([quantile([3, 5, 9], 0), quantile([3, 5, 9], 1)]).toEqual([3, 9]);
    expect(quantile([1, 2, Number.POSITIVE_INFINITY], 0.25)).toBe(1.5);
    expect(() => quantile([], 0.5)).toThrow(RangeError);
  });

  test('with copies of a value that are only counted they are those of the list that holds them', () => {
    const few = fc.array(fc.integer({ min: -3, max: 3 }));
    fc.assert(
      fc.property(
        few,
        fc.nat(9),
        fc.integer({ min: -4, max: 4 }),
        fc.constantFrom(0, 0.25, 0.5, 1),
        (given, copies, value, p) => {
          fc.pre(given.length + copies > 0);
          const sorted = given.toSorted((a, b) => a - b);
          const all = [...given, ...Array<number>(copies).fill(value)].toSorted((a, b) => a - b);
          expect(quantileWithCopies(sorted, copies, value, p)).toBe(quantile(all, p));
        },
      ),
    );
  });
});
