import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Checkout } from './checkout.js';

interface Rows {
  rows: { metric: string; a: number | null; b: number | null }[];
  skills: { rows: { skill: string; met: Record<'without' | 'with', { passed: number; total: number }> }[] }[];
  trials: { id: string; valid: boolean; scoring: string; activation: { skill: string; given: boolean; listed: boolean }[] }[];
}

interface Verified extends Record<string, unknown> {
  points: { point: number; holds: boolean | null }[];
  failures: string[];
}

const skillOf: Record<string, string> = {
  'req-feature-window': 'boundary-first',
  'req-fix-slots': 'boundary-first',
  'req-repair-events': 'follow-the-callers',
  'req-refactor-durations': 'follow-the-callers',
  'req-test-basket': 'behavior-test-design',
};

describe('experiment requirements as it comes: a feature, a fix, a repair, a refactoring and tests, in Node and Python', () => {
  let checkout: Checkout;
  beforeAll(async () => {
    checkout = await Checkout.make();
    const { code, text } = await checkout.nx('requirements:verify');
    expect(code, text.slice(-4000)).toBe(0);
  });
  afterAll(() => checkout?.[Symbol.asyncDispose]());

  test('what each test can tell is settled before any trial, by the untouched repository and the reference', async () => {
    const lock = await checkout.json<{
      conditions: { cases: Record<string, { reference: { failToPass: number; passToPass: number; outOfReach: string[] } }> };
    }>('data/runs/requirements/lock.json');
    const told = Object.entries(lock.conditions.cases).map(([name, { reference }]) => [
      name,
      `${reference.failToPass} + ${reference.passToPass}`,
    ]);
    expect(Object.fromEntries(told)).toEqual({
      'req-feature-window': '5 + 2',
      'req-fix-slots': '6 + 5',
      'req-repair-events': '3 + 2',
      'req-refactor-durations': '9 + 19',
      'req-test-basket': '5 + 1',
    });
    for (const { reference } of Object.values(lock.conditions.cases))
      expect(reference).toMatchObject({ outOfReach: [], hasSolution: true });
  });

  test('the SCRIPTED runs with the skill meet all five requirements, those without meet none; every point that can be told holds', async () => {
    const report = await checkout.json<Rows & Record<string, unknown>>('reports/requirements/report.json');
    expect(report.rows.find((row) => row.metric === 'requirement_met')).toMatchObject({ a: 0, b: 1 });
    expect(report.rows.map((row) => row.metric)).not.toContain('review_completeness');
    expect(report.trials.map((trial) => [trial.valid, trial.scoring])).toEqual(
      Array.from({ length: 10 }, () => [true, 'not-applicable']),
    );
    const { points, failures } = await checkout.json<Verified>('reports/requirements/verification.json');
    expect(points.filter((row) => row.holds === false)).toEqual([]);
    expect([points.length, failures]).toEqual([12, []]);
  });

  test('each case gets the one skill it is paired with, and the report counts each skill on its own cases', async () => {
    const report = await checkout.json<Rows & Record<string, unknown>>('reports/requirements/report.json');
    for (const trial of report.trials) {
      const [name, arm] = trial.id.split('.') as [string, string];
      const given = arm === 'B' ? [skillOf[name]] : [];
      expect(
        trial.activation.filter((row) => row.given).map((row) => row.skill),
        trial.id,
      ).toEqual(given);
      expect(
        trial.activation.filter((row) => row.listed).map((row) => row.skill),
        trial.id,
      ).toEqual(given);
    }
    expect(report.skills[0]?.rows.map(({ skill, met }) => [skill, met.without.passed, met.with.passed])).toEqual([
      ['behavior-test-design', 0, 1],
      ['boundary-first', 0, 2],
      ['follow-the-callers', 0, 2],
    ]);
  });
});
