import { beforeAll, describe, expect, test } from 'vitest';
import { findRoot, rootPaths } from '../src/paths.js';
import { type BenchmarkRow, readBenchmarkTable } from '../src/published-tables.js';
import { skillEffectsOf } from '../src/report-skills.js';
import { type SkillRun, skillEffects } from '../src/skill-effect.js';
import type { Study } from '../src/study.js';
import { trialResult } from './fixture.js';

const run = (skill: string, withSkill: boolean, parts: Partial<SkillRun> = {}): SkillRun => ({
  skill,
  category: null,
  case: 'one',
  withSkill,
  met: true,
  items: { passed: 4, total: 4 },
  tokens: 100,
  ...parts,
});

describe('what a skill changed', () => {
  test('is counted over its runs: rates, tokens, cases better and worse', () => {
    const { rows } = skillEffects('B-A', [
      run('edges', false, { met: false, items: { passed: 2, total: 4 }, tokens: 100 }),
      run('edges', true, { met: true, items: { passed: 4, total: 4 }, tokens: 150 }),
      run('edges', false, { case: 'two', met: true, tokens: 300 }),
      run('edges', true, { case: 'two', met: false, items: { passed: 3, total: 4 }, tokens: 350 }),
    ]);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      skill: 'edges',
      cases: 2,
      met: { without: { passed: 1, total: 2 }, with: { passed: 1, total: 2 } },
      deltaMet: 0,
      items: { without: { passed: 6, total: 8 }, with: { passed: 7, total: 8 } },
      deltaItems: 12.5,
      tokens: { without: 200, with: 250 },
      rho: 0.25,
      efficiency: { label: 'costs more for more', guarded: 0.5, bare: 0.5 },
      // the net change is zero, and two cases changed
      gained: ['one'],
      lost: ['two'],
    });
  });

  test('is unknown where nothing can be told: no verdict, no tokens, no run on one side', () => {
    const { rows } = skillEffects('B-A', [
      run('silent', false, { met: null, tokens: null, items: { passed: 0, total: 0 } }),
      run('silent', true, { met: null, items: { passed: 0, total: 0 } }),
      run('alone', true),
    ]);
    expect(rows.map(({ deltaMet, deltaItems, rho, p, efficiency }) => [deltaMet, deltaItems, rho, p, efficiency.label])).toEqual([
      [null, null, null, null, 'unknown'],
      [null, null, null, null, 'unknown'],
    ]);
    expect(skillEffects('B-A', []).rows).toEqual([]);
    expect(skillEffects('B-A', []).averages[0]).toMatchObject({ of: 'all', skills: 0, macro: { without: null, with: null } });
  });

  test('is tested within cases, and corrected for the number of skills', () => {
    const three = (skill: string, better: boolean) =>
      [1, 2, 3].flatMap(() => [run(skill, false, { met: false }), run(skill, true, { met: better })]);
    const { rows, needed } = skillEffects('B-A', [...three('a', true), ...three('b', true), ...three('c', false)]);
    expect(rows.map(({ p, pHolm, smallestP }) => [p, pHolm, smallestP].map((value) => Number(value?.toFixed(3))))).toEqual([
      [0.1, 0.3, 0.1],
      [0.1, 0.3, 0.1],
      [1, 1, 0.1],
    ]);
    expect(rows.map(({ pBh }) => Number(pBh?.toFixed(3)))).toEqual([0.15, 0.15, 1]);
    expect(needed).toEqual({ p: 0.05 / 3, repeats: 5 });
  });

  test('comes with the chance of k runs: any of them, all of them, a mean over the cases that have k', () => {
    const { chances } = skillEffects('B-A', [
      ...[true, true, false].map((met) => run('a', true, { met })),
      ...[false, false, true].map((met) => run('a', false, { met })),
      run('b', true, { case: 'two' }),
      run('b', false, { case: 'two', met: false }),
    ]);
    // C(3,k) by hand: 2 of 3 passes: any of 2 = 1, all of 2 = 1/3; 1 of 3: any of 2 = 2/3, all of 2 = 0
    expect(chances).toEqual([
      {
        k: 1,
        cases: 2,
        without: { any: expect.closeTo(1 / 6), all: expect.closeTo(1 / 6) },
        with: { any: expect.closeTo(5 / 6), all: expect.closeTo(5 / 6) },
      },
      { k: 2, cases: 1, without: { any: expect.closeTo(2 / 3), all: 0 }, with: { any: 1, all: expect.closeTo(1 / 3) } },
      { k: 3, cases: 1, without: { any: 1, all: 0 }, with: { any: 1, all: 0 } },
    ]);
  });

  test('is averaged over all skills and by category', () => {
    const { averages } = skillEffects('B-A', [
      run('a', false, { category: 'X', items: { passed: 1, total: 2 } }),
      run('a', true, { category: 'X', items: { passed: 2, total: 2 } }),
      run('b', false, { category: 'Y', items: { passed: 6, total: 8 } }),
      run('b', true, { category: 'Y', items: { passed: 6, total: 8 }, tokens: 300 }),
    ]);
    expect(averages.map(({ of, skills }) => [of, skills])).toEqual([
      ['all', 2],
      ['X', 1],
      ['Y', 1],
    ]);
    expect(averages[0]).toMatchObject({
      macro: { without: 0.625, with: 0.875 },
      micro: { without: 0.7, with: 0.8 },
      rho: { ratioOfSums: 1, weightedRatioOfSums: 1.6, meanOfRatios: 1, medianOfRatios: 1 },
    });
  });
});

test('only a control with none of the arm’s skills is "without": no table against a larger set, a placebo, a version, a model', () => {
  const skills = ['edges', 'tests'];
  const arms = {
    A: { skills: [] },
    B: { skills, control: ['A', 'P'] },
    P: { skills, placebo: 'B', control: 'A' },
    'B-without-edges': { skills: ['tests'], control: 'B' },
    'B-only-edges': { skills: ['edges'], control: 'A' },
    old: { skills, skills_from: 'v1', control: 'B' },
    model: { skills, model: {}, control: 'B' },
    bare: { skills: [], model: {}, control: 'A' },
  };
  const study = {
    lab: { experiment: { arms }, cases: new Map([['one', { name: 'one', verifier: {} }]]) },
    scores: { scoring: { state: 'unblinded' } },
    results: ['A', 'B'].map((arm) =>
      trialResult({ case: 'one', arm, verdict: { success: arm === 'B', raw: { passed: 1, total: 1 } } as never }),
    ),
  } as unknown as Study;
  const tables = skillEffectsOf(study);
  expect(tables.map(({ contrast }) => contrast)).toEqual(['B-A', 'P-A', 'B-only-edges-A']);
  expect(tables[0]?.rows).toMatchObject([
    { skill: 'edges + tests', met: { without: { passed: 0, total: 1 }, with: { passed: 1, total: 1 } } },
  ]);
});

describe('the published table of 49 skills, by the code that scores trials', () => {
  let published: BenchmarkRow[];
  beforeAll(async () => {
    published = await readBenchmarkTable(rootPaths(findRoot()).published('swe-skills-bench.csv'));
  });

  test('every ΔP, every bare CE and the averages come out of the counts', () => {
    const runs = published.flatMap((row): SkillRun[] => [
      run(row.skill, false, { met: null, items: { passed: row.passedWithout, total: row.n }, tokens: row.tokensWithout }),
      run(row.skill, true, { met: null, items: { passed: row.passedWith, total: row.n }, tokens: row.tokensWith }),
    ]);
    const { rows, averages, needed } = skillEffects('with-without', runs);
    expect(rows).toHaveLength(49);
    for (const row of rows) {
      const printed = published.find(({ skill }) => skill === row.skill) as BenchmarkRow;
      expect(row.deltaItems, row.skill).toBeCloseTo((100 * (printed.passedWith - printed.passedWithout)) / printed.n, 9);
      const bare = row.rho === null || row.rho === 0 ? null : (row.deltaItems as number) / 100 / row.rho;
      expect(row.efficiency.bare, row.skill).toEqual(bare);
      // a saving is named and never ranked by the ratio
      if ((row.rho as number) < 0) expect(row.efficiency.guarded, row.skill).toBeNull();
    }
    const best = rows.find(({ skill }) => skill === 'risk-metrics-calculation');
    expect(best?.efficiency).toMatchObject({ label: 'dominates', guarded: null });
    expect(best?.efficiency.bare).toBeCloseTo(-0.86, 2);
    expect(averages[0]?.micro).toEqual({ without: 506 / 565, with: 513 / 565 });
    expect(((averages[0]?.macro.with as number) - (averages[0]?.macro.without as number)) * 100).toBeCloseTo(1.185, 3);
    expect(needed).toEqual({ p: 0.05 / 49, repeats: 7 });
  });
});
