import { beforeAll, describe, expect, test } from 'vitest';
import { findRoot, rootPaths } from '../src/paths.js';
import { type BenchmarkRow, type EvalRow, readBenchmarkTable, readEvalTable } from '../src/published-tables.js';
import { costEfficiency, costIncrease, costIncreases, passDifference } from '../src/statistics/efficiency.js';
import { fisherTest } from '../src/statistics/fisher.js';
import { adjustP, repeatsForMany } from '../src/statistics/multiplicity.js';
import { summarise } from '../src/summary.js';

const sum = <Row>(rows: Row[], pick: (row: Row) => number) => rows.reduce((all, row) => all + pick(row), 0);
const fisher = (row: { n: number; passedWith: number; passedWithout: number }) =>
  fisherTest({ k: row.passedWithout, n: row.n }, { k: row.passedWith, n: row.n }) as number;

describe('SWE-Skills-Bench, 49 skills', () => {
  let rows: BenchmarkRow[];
  beforeAll(async () => {
    rows = await readBenchmarkTable(rootPaths(findRoot()).published('swe-skills-bench.csv'));
  });
  const skill = (name: string) => rows.find((row) => row.skill === name) as BenchmarkRow;

  test('49 rows, 565 items, 506 passed without and 513 with: +1.239 pp', () => {
    expect(rows).toHaveLength(49);
    const all = {
      n: sum(rows, (row) => row.n),
      passedWithout: sum(rows, (row) => row.passedWithout),
      passedWith: sum(rows, (row) => row.passedWith),
    };
    expect(all).toEqual({ n: 565, passedWithout: 506, passedWith: 513 });
    expect(passDifference(all)).toBeCloseTo(1.239, 3);
  });

  test('the mean over skills goes from 89.8 % to 91.0 %, +1.185 pp unrounded', () => {
    const mean = (pick: (row: BenchmarkRow) => number) => summarise(rows.map((row) => (100 * pick(row)) / row.n)).mean as number;
    expect(mean((row) => row.passedWithout).toFixed(1)).toBe('89.8');
    expect(mean((row) => row.passedWith).toFixed(1)).toBe('91.0');
    expect(summarise(rows.map(passDifference)).mean).toBeCloseTo(1.185, 3);
  });

  test('+10.5 % tokens is the reading weighted by test items, and no other', () => {
    const fromRho = costIncreases(rows.map((row) => ({ ...row, tokensWith: (row.tokensWithout as number) * (1 + row.rho) })));
    const fromTokens = costIncreases(rows);
    const percent = (value: number | null, digits = 2) => (100 * (value as number)).toFixed(digits);
    expect([percent(fromRho.weightedRatioOfSums), percent(fromTokens.weightedRatioOfSums)]).toEqual(['10.53', '10.44']);
    expect([percent(fromRho.ratioOfSums), percent(fromTokens.ratioOfSums)]).toEqual(['8.95', '8.82']);
    expect([percent(fromRho.meanOfRatios, 1), percent(fromRho.medianOfRatios, 1)]).toEqual(['39.5', '18.8']);
  });

  test('7 up, 39 unchanged, 3 down; 24 unchanged at 100 %, 8 of them cheaper and 16 dearer', () => {
    const change = rows.map((row) => Math.sign(row.passedWith - row.passedWithout));
    expect([1, 0, -1].map((sign) => change.filter((one) => one === sign).length)).toEqual([7, 39, 3]);
    const full = rows.filter((row) => row.passedWith === row.n && row.passedWithout === row.n);
    const labels = full.map((row) => costEfficiency(passDifference(row), row.rho).label);
    expect(full).toHaveLength(24);
    expect(labels.filter((label) => label === 'same and cheaper')).toHaveLength(8);
    expect(labels.filter((label) => label === 'same and dearer')).toHaveLength(16);
  });

  test('no skill is significant alone: the smallest two-sided Fisher p is 0.21, and Holm makes all of them 1', () => {
    const p = rows.map(fisher);
    expect(Math.min(...p).toFixed(2)).toBe('0.21');
    expect(p.filter((one) => one < 0.05)).toEqual([]);
    expect(new Set(adjustP(p, 'holm'))).toEqual(new Set([1]));
    expect(repeatsForMany(49).repeats).toBe(7);
  });

  test('with ρ < 0 the bare ratio ranks the best skill last and a regression above zero; the guarded one names both', () => {
    const of = (name: string) => costEfficiency(passDifference(skill(name)), costIncrease(skill(name)));
    const best = rows.reduce((most, row) => ((passDifference(row) as number) > (passDifference(most) as number) ? row : most));
    expect(best.skill).toBe('risk-metrics-calculation');
    expect(of('risk-metrics-calculation')).toMatchObject({ label: 'dominates', guarded: null });
    expect(of('risk-metrics-calculation').bare?.toFixed(2)).toBe('-0.86');
    expect(of('springboot-tdd')).toMatchObject({ label: 'trade-off', guarded: null });
    expect(of('springboot-tdd').bare?.toFixed(2)).toBe('0.27');
    const printed = rows.filter((row) => row.printedEfficiency !== null);
    expect(
      printed.reduce((least, row) => ((row.printedEfficiency as number) < (least.printedEfficiency as number) ? row : least))
        .skill,
    ).toBe('risk-metrics-calculation');
  });

  test('every printed efficiency is the bare ratio of ΔP and the printed ρ, to 0.01', () => {
    const printed = rows.filter((row) => row.printedEfficiency !== null);
    expect(printed).toHaveLength(7);
    for (const row of printed)
      expect(
        Math.abs((costEfficiency(passDifference(row), row.rho).bare as number) - (row.printedEfficiency as number)),
      ).toBeLessThan(0.01);
  });
});

describe('the runtime evals with pi, 25 skills', () => {
  let rows: EvalRow[];
  beforeAll(async () => {
    rows = await readEvalTable(rootPaths(findRoot()).published('pi-skill-evals.csv'));
  });

  test('150 of 254 assertions without, 206 with', () => {
    expect([
      rows.length,
      sum(rows, (row) => row.n),
      sum(rows, (row) => row.passedWithout),
      sum(rows, (row) => row.passedWith),
    ]).toEqual([25, 254, 150, 206]);
  });

  test('Fisher p < .05 before correction: three up and one down', () => {
    const found = rows.filter((row) => fisher(row) < 0.05);
    expect(found.map((row) => row.skill).sort()).toEqual([
      'design-md-style-audit',
      'domain-modeling',
      'governance-fanout',
      'show-first',
    ]);
    expect(found.filter((row) => row.passedWith < row.passedWithout).map((row) => row.skill)).toEqual(['domain-modeling']);
  });

  test('four printed differences are not the difference of the printed percentages', () => {
    const off = rows.filter((row) => row.withPercent - row.withoutPercent !== row.printedDifference);
    expect(off.map((row) => [row.skill, row.printedDifference, row.withPercent - row.withoutPercent]).sort()).toEqual([
      ['design', 44, 45],
      ['design-md-style-apply', 17, 16],
      ['research', 17, 16],
      ['show-first', 69, 70],
    ]);
    for (const row of off) expect(Math.round(passDifference(row) as number)).toBe(row.printedDifference);
  });
});

describe('cost efficiency', () => {
  test.each([
    [10, 0.5, 'costs more for more', 0.2],
    [10, -0.5, 'dominates', null],
    [10, 0, 'dominates', null],
    [0, -0.5, 'same and cheaper', null],
    [0, 0.5, 'same and dearer', null],
    [0, 0, 'same', null],
    [-10, 0.5, 'dominated', null],
    [-10, 0, 'dominated', null],
    [-10, -0.5, 'trade-off', null],
    [null, 0.5, 'unknown', null],
    [10, null, 'unknown', null],
  ])('ΔP %s pp at ρ %s: %s', (deltaP, rho, label, guarded) => {
    expect(costEfficiency(deltaP, rho)).toMatchObject({ label, guarded });
  });

  test('unknown costs and no items are unknown, never 0', () => {
    expect(passDifference({ n: 0, passedWith: 0, passedWithout: 0 })).toBeNull();
    expect(costIncrease({ tokensWith: 5, tokensWithout: 0 })).toBeNull();
    expect(costIncreases([{ n: 1, passedWith: 1, passedWithout: 1, tokensWith: null, tokensWithout: 3 }])).toEqual({
      ratioOfSums: null,
      weightedRatioOfSums: null,
      meanOfRatios: null,
      medianOfRatios: null,
    });
  });
});
