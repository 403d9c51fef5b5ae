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

describe('experiment requirements: one case in Node, one in Python', () => {
  let checkout: Checkout;
  beforeAll(async () => {
    checkout = await Checkout.make();
    await checkout.configure('requirements', { cases: ['req-feature-window', 'req-test-basket'] });
    const { code, text } = await checkout.nx('requirements:verify');
    expect(code, text.slice(-4000)).toBe(0);
  }, 900_000);
  afterAll(() => checkout?.[Symbol.asyncDispose]());

  test('what each test can tell is settled before any trial, by the untouched repository and the reference', async () => {
    const lock = await checkout.json<{
      conditions: { cases: Record<string, { reference: { failToPass: number; passToPass: number; outOfReach: string[] } }> };
    }>('data/runs/requirements/lock.json');
    const reference = (name: string) => lock.conditions.cases[name]?.reference;
    expect(reference('req-feature-window')).toMatchObject({ failToPass: 5, passToPass: 2, outOfReach: [], hasSolution: true });
    expect(reference('req-test-basket')).toMatchObject({ failToPass: 5, passToPass: 1, outOfReach: [] });
  });

  test('the SCRIPTED runs with the skill meet both requirements, those without meet neither; every point that can be told holds', async () => {
    const report = await checkout.json<Rows & Record<string, unknown>>('reports/requirements/report.json');
    expect(report.rows.find((row) => row.metric === 'requirement_met')).toMatchObject({ a: 0, b: 1 });
    expect(report.rows.map((row) => row.metric)).not.toContain('review_completeness');
    expect(report.trials.map((trial) => [trial.valid, trial.scoring])).toEqual(
      Array.from({ length: 4 }, () => [true, 'not-applicable']),
    );
    const { points, failures } = await checkout.json<Verified>('reports/requirements/verification.json');
    expect(points.filter((row) => row.holds === false)).toEqual([]);
    expect([points.length, failures]).toEqual([12, []]);
  });

  test('each case gets the one skill it is paired with, and the report counts each skill on its own cases', async () => {
    const report = await checkout.json<Rows & Record<string, unknown>>('reports/requirements/report.json');
    for (const trial of report.trials) {
      const own = trial.id.startsWith('req-feature-window') ? 'boundary-first' : 'behavior-test-design';
      const given = trial.id.includes('.B.') ? [own] : [];
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
      ['boundary-first', 0, 1],
    ]);
  });
});
