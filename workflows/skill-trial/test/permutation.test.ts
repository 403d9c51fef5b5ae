import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { meanDifference, permutationTest } from '../src/permutation.js';
import { summarise } from '../src/summary.js';

const shiftOf = (cases: { a: (number | null)[]; b: (number | null)[] }[]) =>
  meanDifference(cases.map(({ a, b }) => ({ a: summarise(a), b: summarise(b) })));

describe('exact permutation test', () => {
  test('three against three, fully separated, reaches 2/20 = 0.10 and no less', () => {
    expect(permutationTest([{ a: [1, 2, 3], b: [4, 5, 6] }])).toEqual({
      p: 0.1,
      smallestP: 0.1,
      arrangements: 20,
      method: 'exact',
    });
  });

  test('hand-counted: a = 1, 2 and b = 2, 4 has 4 of 6 arrangements as extreme', () => {
    // means of b − a over the six choices of b: {2,4} 1.5, {1,4} .5, {1,2} −1.5, {2',4} 1.5, {2,2'} −.5, {1,2'} −1.5
    expect(permutationTest([{ a: [1, 2], b: [2, 4] }])).toEqual({ p: 4 / 6, smallestP: 2 / 6, arrangements: 6, method: 'exact' });
  });

  test('all values equal: every arrangement is as extreme, p = 1', () => {
    expect(permutationTest([{ a: [5, 5, 5], b: [5, 5, 5] }]).p).toBe(1);
    expect(permutationTest([{ a: [0, 0], b: [0, 0] }]).p).toBe(1);
  });

  test('unequal groups have no mirror image: two against one reaches 1/3', () => {
    expect(permutationTest([{ a: [1, 2], b: [9] }])).toEqual({ p: 1 / 3, smallestP: 1 / 3, arrangements: 3, method: 'exact' });
  });

  test('labels are exchanged within a case only: two cases of 2 v 2 have 36 arrangements', () => {
    const cases = [
      { a: [0, 0], b: [1, 1] },
      { a: [100, 100], b: [101, 101] },
    ];
    expect(permutationTest(cases)).toEqual({ p: 2 / 36, smallestP: 2 / 36, arrangements: 36, method: 'exact' });
  });

  test('six cases of one pair each reach 2/64, below .05', () => {
    expect(permutationTest(Array.from({ length: 6 }, () => ({ a: [0], b: [1] }))).p).toBe(2 / 64);
  });

  test('nulls are left out, not taken for 0', () => {
    expect(permutationTest([{ a: [1, null, 2, 3], b: [null, 4, 5, 6] }])).toEqual(
      permutationTest([{ a: [1, 2, 3], b: [4, 5, 6] }]),
    );
  });

  test.each([
    ['no case', []],
    ['an empty arm', [{ a: [], b: [1, 2] }]],
    ['an arm that is all null', [{ a: [1], b: [null] }]],
    [
      'one of two cases without a value',
      [
        { a: [1], b: [2] },
        { a: [null], b: [2] },
      ],
    ],
  ])('p is null with %s', (_what, cases) => {
    expect(permutationTest(cases)).toEqual({ p: null, smallestP: null, arrangements: 0, method: 'exact' });
    expect(shiftOf(cases)).toBeNull();
  });

  test('too many arrangements are sampled from the seed, and say so: the same seed gives the same p', () => {
    const many = Array.from({ length: 20 }, (_, index) => index);
    const shifted = many.map((value) => value + 3);
    const first = permutationTest([{ a: many, b: shifted }], { seed: 7 });
    expect(first).toMatchObject({ method: 'monte-carlo', arrangements: 9999, smallestP: 1 / 10_000 });
    expect(permutationTest([{ a: many, b: shifted }], { seed: 7 })).toEqual(first);
  });

  test('sampled and enumerated p agree within four standard errors', () => {
    const cases = [
      { a: [1, 4, 2, 8], b: [5, 7, 1, 9] },
      { a: [3, 3, 6, 2], b: [8, 4, 4, 7] },
    ];
    const exact = permutationTest(cases);
    const sampled = permutationTest(cases, { limit: 1, seed: 3 });
    expect([exact.method, sampled.method]).toEqual(['exact', 'monte-carlo']);
    const error = Math.sqrt(((exact.p as number) * (1 - (exact.p as number))) / 9999);
    expect(Math.abs((sampled.p as number) - (exact.p as number))).toBeLessThan(4 * error);
  });

  test('sampling never gives 0: one more than the extreme ones, of one more than all', () => {
    const low = Array.from({ length: 20 }, (_, index) => index);
    expect(permutationTest([{ a: low, b: low.map((value) => value + 1000) }], { samples: 99 }).p).toBe(1 / 100);
  });

  test('above thousands of runs the normal limit is used, close to what sampling gives', () => {
    const a = Array.from({ length: 300 }, (_, index) => (index * 37) % 101);
    const b = a.map((value, index) => value + (index % 3 === 0 ? 12 : 0));
    const limit = permutationTest([{ a, b }], { most: 100 });
    const sampled = permutationTest([{ a, b }], { samples: 9999 });
    expect([limit.method, sampled.method]).toEqual(['normal-limit', 'monte-carlo']);
    expect(Math.abs((limit.p as number) - (sampled.p as number))).toBeLessThan(0.015);
    expect(permutationTest([{ a: a.map(() => 5), b: b.map(() => 5) }], { most: 100 }).p).toBe(1);
  });

  const value = fc.integer({ min: 0, max: 50_000_000 }).map((number) => number / 7);
  const group = fc.array(value, { minLength: 1, maxLength: 4 });
  const cases = fc.array(fc.record({ a: group, b: group }), { minLength: 1, maxLength: 2 });

  test('p is at least the smallest p, and at most 1, for token counts in the millions too', () => {
    fc.assert(
      fc.property(cases, (given) => {
        const { p, smallestP } = permutationTest(given);
        expect(p as number).toBeGreaterThanOrEqual((smallestP as number) - 1e-12);
        expect(p).toBeLessThanOrEqual(1);
      }),
    );
  });

  test('the order of repeats within an arm changes nothing', () => {
    fc.assert(
      fc.property(cases, (given) => {
        const turned = given.map(({ a, b }) => ({ a: a.toReversed(), b: b.toSorted((x, y) => x - y) }));
        expect(permutationTest(turned)).toEqual(permutationTest(given));
        expect(shiftOf(turned)).toBeCloseTo(shiftOf(given) as number, 6);
      }),
    );
  });

  test('swapping the arms keeps p and turns the sign of the estimate', () => {
    fc.assert(
      fc.property(cases, (given) => {
        const swapped = given.map(({ a, b }) => ({ a: b, b: a }));
        expect(permutationTest(swapped)).toEqual(permutationTest(given));
        expect(shiftOf(swapped)).toBeCloseTo(-(shiftOf(given) as number), 6);
      }),
    );
  });

  test('the unit of the values changes nothing: p of metres is p of kilometres', () => {
    fc.assert(
      fc.property(cases, fc.constantFrom(1e-12, 1e-3, 1e9), (given, factor) => {
        const scaled = given.map(({ a, b }) => ({ a: a.map((x) => x * factor), b: b.map((x) => x * factor) }));
        expect(permutationTest(scaled).p).toBe(permutationTest(given).p);
      }),
    );
  });

  test('the estimate weighs cases alike, as the test does', () => {
    // pooled means would say −5/2: the second case has more runs of A at a high level
    expect(
      shiftOf([
        { a: [0], b: [1, 1, 1] },
        { a: [10, 10, 10], b: [11] },
      ]),
    ).toBe(1);
  });
});
