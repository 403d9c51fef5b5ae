import { expect, test } from 'vitest';
import { Experiment } from '../src/experiment.js';
import type { LedgerLine } from '../src/ledger.js';
import { planDeviations } from '../src/limitation.js';
import type { Lock } from '../src/lock.js';
import { lockHistory } from '../src/lock-history.js';
import { makePlan, planLines } from '../src/plan.js';
import { runsOf, trialResult } from './fixture.js';

const experiment = (parts: Record<string, unknown> = {}) =>
  Experiment.parse({
    schema_version: 1,
    name: 'e',
    title: 't',
    question: 'q',
    cases: ['c'],
    arms: { A: { skills: [] }, B: { skills: ['s'] } },
    repeats: 3,
    seed: 1,
    agent: { name: 'pi' },
    model: { id: 'm', api: 'openai-completions', base_url: 'https://example.org/v1' },
    limits: { wall_seconds: 60, model_calls: 10 },
    decision: { tested_class: 'a', untested_class: 'b' },
    ...parts,
  });

test('one case three times says that it cannot conclude, and that time and cost are unknown', () => {
  const plan = makePlan(experiment(), []);
  expect(plan).toMatchObject({
    smallestP: expect.closeTo(0.1, 12),
    detectable: null,
    seconds: null,
    costUsd: null,
    cannotTell: null,
  });
  expect(planLines(plan).join('\n')).toContain('it can describe, not conclude');
});

test('time and cost come from earlier runs: median times trials; a case at the ceiling in both arms cannot tell', () => {
  const prices = { input: 1, cached: 0, cache_write: 0, output: 0 };
  const priced = experiment({ model: { id: 'm', api: 'openai-completions', base_url: 'https://example.org/v1', prices } });
  const runs = ['A', 'B'].flatMap((arm) =>
    runsOf(arm, 'elapsed_seconds', [10, 20, 30]).map((run) => ({
      ...run,
      values: { ...run.values, review_completeness: 1, input_tokens_uncached: 1e6, input_tokens_cached: 5, output_tokens: 7 },
    })),
  );
  expect(makePlan(priced, runs)).toMatchObject({ trials: 6, seconds: 120, costUsd: 6, cannotTell: ['c'], earlierRuns: 6 });
  // without a price no cost is known, and one unknown part makes a run's cost unknown
  expect(makePlan(experiment(), runs).costUsd).toBeNull();
});

test('cost is each arm’s own median at the prices of its own model, and unknown while one arm has no run', () => {
  const source = { api: 'openai-completions', base_url: 'https://example.org/v1' };
  const prices = (input: number) => ({ input, cached: 0, cache_write: 0, output: 0 });
  const two = experiment({
    model: { ...source, id: 'm', prices: prices(1) },
    arms: { A: {}, B: { skills: ['s'] }, C: { skills: ['s'], control: 'B', model: { ...source, id: 'n', prices: prices(10) } } },
  });
  const run = (arm: string, tokens: number) =>
    trialResult({ arm, values: { input_tokens_uncached: tokens, input_tokens_cached: 0, output_tokens: 0 } });
  const runs = [run('A', 1e6), run('B', 2e6), run('C', 2e6)];
  // three runs each: 3 × 1 + 3 × 2 + 3 × 20
  expect(makePlan(two, runs).costUsd).toBeCloseTo(69, 9);
  expect(makePlan(two, runs.slice(0, 2)).costUsd).toBeNull();
});

test('two contrasts halve alpha', () => {
  const three = makePlan(experiment({ cases: ['c', 'd'], arms: { A: {}, B: { skills: ['s'] }, C: { skills: ['r'] } } }), []);
  expect(three.smallestHolm).toBeCloseTo(2 * (2 / 400), 12);
});

test('a threshold changed after the first run is a deviation; changed before, it is not', () => {
  const lock = (id: string, least: number) =>
    ({
      id,
      frozenAt: `2026-01-0${id}T00:00:00.000Z`,
      conditions: { settings: experiment({ decision: { min_improvement: least, tested_class: 'a', untested_class: 'b' } }) },
    }) as never;
  const line = (event: unknown) => ({ event }) as never;
  const locked = (id: string) => line({ kind: 'lock', lock: id });
  const locks = [lock('1', 0.1), lock('2', 0.05)];
  expect(planDeviations({ locks, ledger: [locked('1'), locked('2'), line({ kind: 'started' })] })).toEqual([]);
  const late = planDeviations({ locks, ledger: [locked('1'), line({ kind: 'started' }), locked('2')] });
  expect(late).toHaveLength(1);
  expect(late[0]).toContain('min_improvement was 0.1 and became 0.05');
});

test('a plan that was frozen before the first run and taken up again after it is a deviation as well', () => {
  const lock = (id: string, least: number) =>
    ({
      id,
      frozenAt: `2026-01-0${id}T00:00:00.000Z`,
      conditions: { settings: experiment({ decision: { min_improvement: least, tested_class: 'a', untested_class: 'b' } }) },
    }) as unknown as Lock;
  const at = '2026-02-02T00:00:00.000Z';
  const line = (event: unknown) => ({ event, at }) as LedgerLine;
  const [one, two] = [lock('1', 0.1), lock('2', 0.05)];
  const ledger = [line({ kind: 'lock', lock: '1' }), line({ kind: 'lock', lock: '2' }), line({ kind: 'started' })];
  // with its ledger line, and where a cache restored it and no line was written
  for (const after of [[...ledger, line({ kind: 'lock', lock: '1' })], ledger]) {
    const locks = lockHistory([two, one], after, one);
    expect(locks.map(({ id }) => id)).toEqual(['1', '2', '1']);
    expect(planDeviations({ locks, ledger: after })).toEqual([
      expect.stringContaining('min_improvement was 0.05 and became 0.1'),
    ]);
  }
  expect(lockHistory([two, one], ledger, two).map(({ id }) => id)).toEqual(['1', '2']);
});

test('an effect is named with its unit and the power that is wanted', () => {
  expect(planLines(makePlan(experiment(), [])).join('\n')).toMatch(
    /for an effect of 2 standard deviations between runs, 80 % power: \d+ repeats/,
  );
});
