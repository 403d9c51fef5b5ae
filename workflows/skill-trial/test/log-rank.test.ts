import { describe, expect, test } from 'vitest';
import { logRankScores, logRankTest, type RunTimes, restrictedMean } from '../src/statistics/log-rank.js';

const runs = (text: string): RunTimes => {
  const each = text.split(' ').filter((run) => run !== '');
  return {
    seconds: Float64Array.from(each, (run) => Number.parseFloat(run)),
    ended: Uint8Array.from(each, (run) => (run.endsWith('+') ? 0 : 1)),
  };
};
const sum = (scores: Float64Array) => scores.reduce((all, score) => all + score, 0);
// Freireich et al. 1963, weeks in remission, as printed in Kleinbaum and Klein, Survival Analysis, table 1.1
const mercaptopurine = runs('6 6 6 6+ 7 9+ 10 10+ 11+ 13 16 17+ 19+ 20+ 22 23 25+ 32+ 32+ 34+ 35+');
const placebo = runs('1 1 2 2 3 4 4 5 5 8 8 8 8 11 11 12 12 15 17 22 23');
// R's survival::ovarian, by rx
const rx1 = runs('59 115 156 431 448+ 477+ 638 803+ 855+ 1040+ 1106+ 268 329');
const rx2 = runs('421+ 464 475 563 744+ 769+ 770+ 1129+ 1206+ 1227+ 353 365 377+');

describe('observed − expected', () => {
  // R 4.2, survival 3.5-3: survdiff(Surv(t, s) ~ g)$exp
  test.each([
    ['the remissions, as survdiff has them (21 observed, 10.749499 expected)', mercaptopurine, placebo, 21 - 10.749499],
    ['ovarian, as survdiff has them (5 observed, 6.766469 expected)', rx1, rx2, 5 - 6.766469],
  ])('%s', (_name, a, b, excess) => {
    const scores = logRankScores(a, b);
    expect(sum(scores.b)).toBeCloseTo(excess, 5);
    expect(sum(scores.a) + sum(scores.b)).toBeCloseTo(0, 10);
  });
});

describe('the exact p', () => {
  test('two strata of three against three, some cut off: 22 of 400 labellings, as survdiff with strata() gives for each of them in R', () => {
    const result = logRankTest([
      { a: runs('3 5 8'), b: runs('4 10+ 10+') },
      { a: runs('2 6 7+'), b: runs('9 12+ 12+') },
    ]);
    expect(result).toMatchObject({ arrangements: 400, method: 'exact' });
    expect(result.excess).toBeCloseTo(-2.366667, 5);
    expect(result.p).toBeCloseTo(22 / 400, 10);
  });

  test('three against three cannot go below 0.1, however far the arms lie apart', () => {
    const result = logRankTest([{ a: runs('1 2 3'), b: runs('120+ 120+ 120+') }]);
    expect(result.p).toBeCloseTo(0.1, 10);
    expect(result.smallestP).toBeCloseTo(0.1, 10);
  });

  test('all cut off at one limit tells nothing: p is 1', () => {
    expect(logRankTest([{ a: runs('120+ 120+'), b: runs('120+ 120+') }])).toMatchObject({ p: 1, excess: 0 });
  });

  test('without a run in one arm there is no p', () => {
    expect(logRankTest([{ a: runs('1 2'), b: runs('') }]).p).toBeNull();
    expect(logRankTest([]).p).toBeNull();
  });
});

describe('the restricted mean', () => {
  // R: summary(survfit(Surv(t, s) ~ g), rmean = 23)$table
  test('the remissions up to week 23, as survfit has them', () => {
    expect(restrictedMean(mercaptopurine, 23)).toBeCloseTo(17.9092437, 6);
    expect(restrictedMean(placebo, 23)).toBeCloseTo(8.6666667, 6);
  });

  test('cut off at the horizon only: the mean with those runs at the limit', () => {
    expect(restrictedMean(runs('30 90 120+ 120+'), 120)).toBe(90);
  });

  test('nothing is known beyond the last run that was cut off, nor without a run', () => {
    expect(restrictedMean(runs('30 50+'), 60)).toBeNull();
    expect(restrictedMean(runs('30 50'), 60)).toBe(40);
    expect(restrictedMean(runs(''), 60)).toBeNull();
  });
});
