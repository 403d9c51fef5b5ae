import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clusterBootstrap } from '../../src/statistics/bootstrap.js';
import { invalidBounds } from '../../src/statistics/bounds.js';
import { mcnemarTest, signFlipTest, signTest } from '../../src/statistics/case-test.js';
import { censoredMedian } from '../../src/statistics/censored.js';
import { complierEffect } from '../../src/statistics/complier.js';
import { discordance } from '../../src/statistics/discordance.js';
import { equivalenceTest, equivalentWithinCases, sampleOf } from '../../src/statistics/equivalence.js';
import { fisherTest } from '../../src/statistics/fisher.js';
import { shiftOverCases, shiftWithinCases } from '../../src/statistics/hodges-lehmann.js';
import { adjustP, repeatsForMany } from '../../src/statistics/multiplicity.js';
import { passAtK, passHatK } from '../../src/statistics/pass-at-k.js';
import { wilsonInterval } from '../../src/statistics/wilson.js';
import { summarise } from '../../src/summary.js';

// "R" is R 4.2.2; the call that gave a value stands beside it.

/** Differences in eighths of an inch of 15 pairs of plants, crossed less self-fertilised (Darwin 1876; Fisher, The Design of Experiments, 1935). */
const darwin = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48];

describe('one rate', () => {
  test.each([
    [81, 263, 0.255288519878, 0.366209576983],
    [15, 148, 0.0623863995307, 0.1604872417233],
    [0, 20, 0, 0.161125158053],
    [1, 29, 0.00611321429276, 0.1717552187932],
  ])('Wilson of %i/%i, the four examples of Newcombe 1998 (R: prop.test, correct = FALSE)', (k, n, low, high) => {
    const interval = wilsonInterval(k, n);
    expect(interval?.low).toBeCloseTo(low, 10);
    expect(interval?.high).toBeCloseTo(high, 10);
  });

  test('it holds the rate, stays in 0 to 1, and mirrors; without a try there is none', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.double({ min: 0, max: 1, noNaN: true }), (n, share) => {
        const k = Math.round(share * n);
        const [one, other] = [wilsonInterval(k, n), wilsonInterval(n - k, n)];
        expect(one?.low).toBeLessThanOrEqual(k / n);
        expect(one?.high).toBeGreaterThanOrEqual(k / n);
        expect(one?.low).toBeCloseTo(1 - (other?.high as number), 12);
      }),
    );
    expect(wilsonInterval(0, 0)).toBeNull();
  });
});

describe('two rates', () => {
  test.each([
    ['the lady tasting tea', { k: 3, n: 4 }, { k: 1, n: 4 }, 0.485714285714],
    ['twins of convicts, Fisher 1935 (R: fisher.test)', { k: 2, n: 12 }, { k: 15, n: 18 }, 0.000536724119143],
    ['8 of 9 against 1 of 9 (R: fisher.test)', { k: 8, n: 9 }, { k: 1, n: 9 }, 0.00337309749074],
  ])('Fisher: %s', (_what, a, b, p) => {
    expect(fisherTest(a, b)).toBeCloseTo(p, 10);
    expect(fisherTest(b, a)).toBeCloseTo(p, 10);
  });

  test('equal rates and an empty arm', () => {
    expect(fisherTest({ k: 2, n: 4 }, { k: 2, n: 4 })).toBeCloseTo(1, 12);
    expect(fisherTest({ k: 0, n: 0 }, { k: 2, n: 4 })).toBeNull();
  });
});

describe('tests over cases', () => {
  test('Darwin’s plants: 1726 of 32 768 turnings (Fisher 1935), and 2 of 15 negative (R: binom.test)', () => {
    expect(signFlipTest(darwin)).toEqual({ p: 1726 / 32_768, smallestP: 2 / 32_768, cases: 15, method: 'exact' });
    expect(signTest(darwin).p).toBeCloseTo(0.00738525390625, 12);
  });

  test('sampled turnings agree with all of them, and repeat with the seed', () => {
    const sampled = signFlipTest(darwin, { limit: 1, seed: 5 });
    expect(sampled.method).toBe('monte-carlo');
    expect(Math.abs((sampled.p as number) - 1726 / 32_768)).toBeLessThan(4 * Math.sqrt((0.053 * 0.947) / 9999));
    expect(signFlipTest(darwin, { limit: 1, seed: 5 })).toEqual(sampled);
  });

  test('six cases of one direction reach .03125, five do not reach .05', () => {
    expect(signFlipTest([1, 2, 3, 4, 5, 6]).p).toBe(2 / 64);
    expect(signTest([1, 1, 1, 1, 1, 1]).p).toBeCloseTo(2 / 64, 12);
    expect(signTest([1, 1, 1, 1, 1]).smallestP).toBeCloseTo(2 / 32, 12);
  });

  test('McNemar exact: 86 against 150 discordant (R: binom.test(86, 236)), and 5 against 13', () => {
    expect(mcnemarTest(86, 150).p).toBeCloseTo(3.71593613957e-5, 14);
    expect(mcnemarTest(5, 13).p).toBeCloseTo(0.0962524414063, 12);
    expect(mcnemarTest(0, 0)).toMatchObject({ p: 1, cases: 0 });
  });

  test('zeros tell no direction; nulls are no cases; nothing is no test', () => {
    expect(signTest([0, 0, 5, null])).toMatchObject({ p: 1, cases: 1 });
    expect(signTest([0, 0])).toMatchObject({ p: 1, cases: 0 });
    expect(signFlipTest([0, 0, 0]).p).toBe(1);
    expect(signFlipTest([null])).toMatchObject({ p: null, smallestP: null, cases: 0 });
    expect(signTest([])).toMatchObject({ p: null });
  });
});

describe('the Hodges–Lehmann shift', () => {
  // Hollander and Wolfe, Nonparametric Statistical Methods, 1973, page 69: permeability of chorioamnion
  const a = [0.8, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46];
  const b = [1.15, 0.88, 0.9, 0.74, 1.21];
  // the same, page 29: depression factors of nine patients
  const before = [1.83, 0.5, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.3];
  const after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];

  test('two samples: −0.305, 95 % from −0.76 to 0.15 (R: wilcox.test(b, a, conf.int = TRUE))', () => {
    const { estimate, interval } = shiftWithinCases([{ a, b }]);
    expect(estimate).toBeCloseTo(-0.305, 10);
    expect(interval?.low).toBeCloseTo(-0.76, 10);
    expect(interval?.high).toBeCloseTo(0.15, 10);
    // R: pwilcox(8, 10, 5) is the largest below .025
    expect(interval?.attained).toBeGreaterThan(0.95);
  });

  test('over cases: −0.46, 95 % from −0.786 to −0.010 (R: wilcox.test(y − x, conf.int = TRUE))', () => {
    const { estimate, interval } = shiftOverCases(after.map((value, index) => value - (before[index] as number)));
    expect(estimate).toBeCloseTo(-0.46, 10);
    expect(interval?.low).toBeCloseTo(-0.786, 10);
    expect(interval?.high).toBeCloseTo(-0.01, 10);
  });

  test('with ties: Darwin’s plants, 95 % from 4.0 to 41.5 (R: wilcox.test(d, conf.int = TRUE, exact = TRUE))', () => {
    expect(shiftOverCases(darwin).interval).toMatchObject({ low: 4, high: 41.5 });
  });

  test('withheld where the design has no such level: 3 against 3 reaches 90 %, not 95 %; 5 cases do not, 6 do', () => {
    const three = [{ a: [1, 2, 3], b: [4, 5, 7] }];
    expect(shiftWithinCases(three)).toMatchObject({ estimate: 3, interval: null });
    expect(shiftWithinCases(three, 0.9).interval).toMatchObject({ low: 1, high: 6 });
    expect(shiftWithinCases(three, 0.9).interval?.attained).toBeCloseTo(0.9, 12);
    expect(shiftOverCases([1, 2, 3, 4, 5]).interval).toBeNull();
    expect(shiftOverCases([1, 2, 3, 4, 5, 6]).interval).toMatchObject({ low: 1, high: 6, attained: 1 - 2 / 64 });
  });

  test('strata: two cases of 2 against 2 have 36 labellings; the extreme one alone leaves 1 − 2/36', () => {
    const cases = [
      { a: [0, 1], b: [10, 12] },
      { a: [100, 103], b: [111, 115] },
    ];
    // differences 10, 9, 12, 11 and 11, 8, 15, 12: the least is 8, the largest 15, the middle 11
    const { estimate, interval } = shiftWithinCases(cases, 0.94);
    expect(estimate).toBe(11);
    expect(interval).toMatchObject({ low: 8, high: 15 });
    expect(interval?.attained).toBeCloseTo(1 - 2 / 36, 12);
  });

  test('moving an arm moves estimate and interval by as much; nulls are left out; an empty arm gives nothing', () => {
    const values = fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 4, maxLength: 7 });
    fc.assert(
      fc.property(values, values, fc.integer({ min: -9, max: 9 }), (x, y, by) => {
        const still = shiftWithinCases([{ a: x, b: y }]);
        const moved = shiftWithinCases([{ a: x, b: [...y.map((value) => value + by), null] }]);
        expect(moved.estimate).toBeCloseTo((still.estimate as number) + by, 9);
        expect(moved.interval?.low).toBeCloseTo((still.interval?.low as number) + by, 9);
      }),
    );
    expect(shiftWithinCases([{ a: [null], b: [1] }])).toEqual({ estimate: null, interval: null });
    expect(shiftOverCases([])).toEqual({ estimate: null, interval: null });
  });

  test('beyond 50 runs an arm the normal approximation says so, and is close to the exact interval', () => {
    const many = (count: number, by: number) => Array.from({ length: count }, (_, index) => ((index * 29) % 97) + by);
    const exact = shiftWithinCases([{ a: many(50, 0), b: many(50, 9) }]).interval;
    const normal = shiftWithinCases([{ a: many(51, 0), b: many(51, 9) }]).interval;
    expect([exact?.method, normal?.method]).toEqual(['hodges-lehmann', 'hodges-lehmann, normal approximation']);
    expect(Math.abs((exact?.low as number) - (normal?.low as number))).toBeLessThan(2);
  });
});

describe('many tests', () => {
  // Benjamini and Hochberg 1995, section 4.1: 15 end points of a trial of thrombolysis
  const published = [
    0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.324, 0.4262, 0.5719, 0.6528, 0.759, 1,
  ];

  test('the 15 published p values: four findings at 5 % by Benjamini and Hochberg, three by Holm (R: p.adjust)', () => {
    const [bh, holm] = [adjustP(published, 'bh'), adjustP(published, 'holm')] as [number[], number[]];
    expect(bh.slice(0, 4).map((p) => Math.round(p * 1e6) / 1e6)).toEqual([0.0015, 0.003, 0.0095, 0.035625]);
    expect(holm.slice(0, 5).map((p) => Math.round(p * 1e4) / 1e4)).toEqual([0.0015, 0.0056, 0.0247, 0.114, 0.2211]);
    expect([bh, holm].map((all) => all.filter((p) => p <= 0.05).length)).toEqual([4, 3]);
  });

  test('a null stays null and does not count (R: p.adjust(c(.01, .02, .03, .04, .05, NA), "holm"))', () => {
    expect(adjustP([0.01, null, 0.02, 0.03, 0.04, 0.05], 'holm').map((p) => p && Math.round(p * 100) / 100)).toEqual([
      0.05,
      null,
      0.08,
      0.09,
      0.09,
      0.09,
    ]);
    expect(adjustP([null], 'bh')).toEqual([null]);
    expect(adjustP([], 'bh')).toEqual([]);
  });

  test('Holm never lowers a p, never exceeds 1, and is at least Benjamini and Hochberg', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 30 }), (p) => {
        const [holm, bh] = [adjustP(p, 'holm') as number[], adjustP(p, 'bh') as number[]];
        for (const [index, one] of p.entries()) {
          expect(holm[index]).toBeGreaterThanOrEqual(one - 1e-12);
          expect(holm[index]).toBeLessThanOrEqual(1);
          expect(bh[index]).toBeLessThanOrEqual((holm[index] as number) + 1e-12);
        }
      }),
    );
  });

  test('49 skills need p < .00102, so at least 7 runs an arm; one skill needs 4', () => {
    expect(repeatsForMany(49).needed).toBeCloseTo(0.00102, 5);
    expect(repeatsForMany(49).repeats).toBe(7);
    expect(repeatsForMany(1).repeats).toBe(4);
  });
});

describe('equivalence', () => {
  test('Lakens 2017, example 1: 5.25 (0.95, n 95) and 5.22 (0.83, n 89) within 0.431, p = .0013', () => {
    const { p, degrees } = equivalenceTest({ n: 95, mean: 5.25, sd: 0.95 }, { n: 89, mean: 5.22, sd: 0.83 }, 0.43071);
    expect(p).toBeCloseTo(0.00130844706, 9);
    expect(degrees).toBeCloseTo(181.134367161, 6);
  });

  test('15 against 15, 4.55 (1.05) and 4.87 (1.11): not shown to be equivalent, p = .29 (R: pt)', () => {
    const margin = 0.5 * Math.sqrt((1.05 ** 2 + 1.11 ** 2) / 2);
    expect(equivalenceTest({ n: 15, mean: 4.55, sd: 1.05 }, { n: 15, mean: 4.87, sd: 1.11 }, margin).p).toBeCloseTo(
      0.2905862095,
      9,
    );
  });

  test('one value, or nothing that varies, has no t test', () => {
    expect(equivalenceTest(sampleOf([1]), sampleOf([1, 2]), 1)).toEqual({ p: null, degrees: null });
    expect(equivalenceTest(sampleOf([1, 1]), sampleOf([1, 1]), 1)).toEqual({ p: null, degrees: null });
    expect(sampleOf([2, null, 4])).toEqual({ n: 2, mean: 3, sd: Math.SQRT2 });
  });

  test('by the exact interval: 3 against 3 can show it, 2 against 2 cannot tell', () => {
    expect(equivalentWithinCases([{ a: [5, 5, 5], b: [5, 5, 5] }], 0.1)).toBe(true);
    expect(equivalentWithinCases([{ a: [1, 5, 9], b: [2, 5, 7] }], 0.1)).toBe(false);
    expect(equivalentWithinCases([{ a: [5, 5], b: [5, 5] }], 0.1)).toBeNull();
  });
});

describe('the cluster bootstrap', () => {
  const ten = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

  test('is withheld below 10 cases', () => {
    expect(clusterBootstrap(ten.slice(1))).toBeNull();
    expect(clusterBootstrap([...ten.slice(1), null])).toBeNull();
  });

  test('repeats with its seed, holds the mean, and is as wide as theory says: ± 1.96 · sd/√n', () => {
    const interval = clusterBootstrap(ten, { seed: 4 });
    expect(clusterBootstrap(ten, { seed: 4 })).toEqual(interval);
    const sd = Math.sqrt(ten.reduce((sum, value) => sum + (value - 5.5) ** 2, 0) / 10);
    expect(interval?.low).toBeCloseTo(5.5 - (1.96 * sd) / Math.sqrt(10), 0);
    expect(interval?.high).toBeCloseTo(5.5 + (1.96 * sd) / Math.sqrt(10), 0);
  });

  test('all cases equal: no width', () => {
    expect(clusterBootstrap(ten.map(() => 3))).toMatchObject({ low: 3, high: 3 });
  });
});

describe('runs that were cut off, left out, or not treated', () => {
  const sorted = (values: number[]) => Float64Array.from(values).sort();
  /** Values of runs that ended, and of those that the limit cut off. */
  const median = (whole: number[], cut: number[]) => censoredMedian(sorted([...whole, ...cut]), sorted(whole));

  test('a median below the cut is known, one among the cut values is not', () => {
    expect(median([10, 20], [120])).toEqual({ median: 20, atLeast: 20, censored: 1 });
    expect(median([10], [120, 120])).toEqual({ median: null, atLeast: 120, censored: 2 });
    // of an even number, the upper middle one is cut
    expect(median([10], [120])).toEqual({ median: null, atLeast: 65, censored: 1 });
    // cut early by another limit: it may have been the longest of all
    expect(median([10, 20], [5])).toEqual({ median: null, atLeast: 10, censored: 1 });
    expect(median([], [7])).toEqual({ median: null, atLeast: 7, censored: 1 });
    expect(median([], [])).toEqual({ median: null, atLeast: null, censored: 0 });
  });

  test('an invalid trial bounds the result by the ends of the scale', () => {
    const arm = (values: number[], invalid = 0) => ({ values: Float64Array.from(values).sort(), invalid });
    const scale = { worse: 0, better: 1 };
    expect(invalidBounds(arm([0.4, 0.6]), arm([0.8, 0.9], 1), scale, 'median')).toEqual({
      best: 0.4,
      worst: expect.closeTo(0.3, 12),
    });
    expect(invalidBounds(arm([1, 0], 1), arm([1, 1], 1), scale, 'share').worst).toBeCloseTo(2 / 3 - 2 / 3, 12);
    expect(invalidBounds(arm([10, 20]), arm([30, 40], 1), { worse: null, better: 0 }, 'median')).toEqual({
      best: 15,
      worst: null,
    });
    expect(invalidBounds(arm([1]), arm([3]), { worse: null, better: null }, 'median')).toEqual({ best: 2, worst: 2 });
  });

  test('bounds are the differences of arms that hold the invalid trials at an end', () => {
    const values = fc.array(
      fc.integer({ min: 0, max: 20 }).map((twentieths) => twentieths / 20),
      { minLength: 1, maxLength: 9 },
    );
    const aggregate = fc.constantFrom('median' as const, 'share' as const);
    fc.assert(
      fc.property(values, fc.nat(3), values, fc.nat(3), aggregate, (a, lostA, b, lostB, kind) => {
        const of = (own: number[], lost: number, end: number) => {
          const { median, mean } = summarise([...own, ...Array<number>(lost).fill(end)]);
          return kind === 'median' ? (median as number) : (mean as number);
        };
        const arm = (own: number[], invalid: number) => ({ values: Float64Array.from(own).sort(), invalid });
        expect(invalidBounds(arm(a, lostA), arm(b, lostB), { worse: 0, better: 1 }, kind)).toEqual({
          best: of(b, lostB, 1) - of(a, lostA, 0),
          worst: of(b, lostB, 0) - of(a, lostA, 1),
        });
      }),
    );
  });

  test('the complier estimate is the difference as assigned over the share that loaded a skill', () => {
    expect(complierEffect(0.2, 2, 4)).toMatchObject({ assigned: 0.2, activation: 0.5, estimate: 0.4 });
    expect(complierEffect(0.2, 0, 4)).toMatchObject({ activation: 0, estimate: null });
    expect(complierEffect(0.2, 0, 0)).toMatchObject({ activation: null, estimate: null });
    expect(complierEffect(null, 2, 4).estimate).toBeNull();
  });

  test('a net zero hides flips: one case gained, one lost, one unsteady, two that cannot tell', () => {
    const cases = [
      { name: 'up', a: [0, 0], b: [1, 1] },
      { name: 'down', a: [1, 1], b: [0, 0] },
      { name: 'flips', a: [0, 1], b: [1, 0] },
      { name: 'floor', a: [0], b: [0] },
      { name: 'ceiling', a: [1], b: [1, null] },
      { name: 'lost', a: [null], b: [1] },
    ];
    expect(discordance(cases, { floor: 0, ceiling: 1 })).toEqual({
      gained: ['up'],
      lost: ['down'],
      same: 3,
      unknown: 1,
      unsteady: ['flips'],
      atFloor: ['floor'],
      atCeiling: ['ceiling'],
    });
  });
});

describe('k runs of n', () => {
  test('Chen et al. 2021: n 5, c 2, k 2: 1 − C(3,2)/C(5,2) = .7; all of two: C(2,2)/C(5,2) = .1', () => {
    expect(passAtK(5, 2, 2)).toBeCloseTo(0.7, 12);
    expect(passHatK(5, 2, 2)).toBeCloseTo(0.1, 12);
  });

  test('k = 1 is the rate in both; too few failures for k pass for certain; k beyond n is unknown', () => {
    expect([passAtK(4, 3, 1), passHatK(4, 3, 1)]).toEqual([0.75, 0.75]);
    expect(passAtK(4, 3, 2)).toBe(1);
    expect(passHatK(4, 1, 2)).toBe(0);
    expect([passAtK(3, 3, 4), passHatK(3, 3, 4), passAtK(3, 1, 0)]).toEqual([null, null, null]);
  });

  test('both are the mean over all subsets of k runs', () => {
    const runs = [true, false, true, false, false];
    const pairs = runs.flatMap((x, i) => runs.slice(i + 1).map((y) => [x, y] as const));
    expect(passAtK(5, 2, 2)).toBeCloseTo(pairs.filter(([x, y]) => x || y).length / pairs.length, 12);
    expect(passHatK(5, 2, 2)).toBeCloseTo(pairs.filter(([x, y]) => x && y).length / pairs.length, 12);
  });
});
