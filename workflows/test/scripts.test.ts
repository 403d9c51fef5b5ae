import type { Report } from 'skill-trial';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Checkout, startedTrials } from './checkout.js';
import { finishedRun } from './finished-run.js';

// The scripts only replace the model: the same code must give each the report that fits what happened.
let checkout: Checkout;

beforeAll(async () => {
  checkout = await finishedRun('inventory');
});

afterAll(() => checkout[Symbol.asyncDispose]());

async function reportOf(script: string, edit: Record<string, unknown> = {}): Promise<Report> {
  await checkout.configure('inventory', { 'model.scripted': script, ...edit });
  const done = await checkout.start(['inventory']);
  expect(done.code, done.text).toBe(0);
  return checkout.json<Report>('reports/inventory/report.json');
}

const row = (report: Report, metric: string) => report.rows.find((one) => one.metric === metric) as Report['rows'][number];
const criterion = (report: Report, text: string) =>
  report.decision.contrasts[0]?.criteria.find((one) => one.criterion.includes(text));

describe('whatever the script', () => {
  test('B better: the difference is stated, and every decision is withheld', async () => {
    const report = await reportOf('b-better');
    expect(row(report, 'review_completeness')).toMatchObject({ a: 2 / 11, b: 1 });
    expect(criterion(report, 'improves')?.met).toBe(true);
    expect(report.decision).toMatchObject({ descriptive: 'withheld', inferential: 'withheld' });
    expect(report.scripted).toBe(true);
    expect((await checkout.read('reports/inventory/report.md')).slice(0, 400)).toContain('SCRIPTED MODEL');
  });

  test('B worse: the loss and the false findings are stated', async () => {
    const report = await reportOf('b-worse');
    expect(row(report, 'review_completeness').delta).toBeLessThan(0);
    expect(row(report, 'new_tests_fail_on_original')).toMatchObject({ a: 1, b: 0 });
    expect(criterion(report, 'improves')?.met).toBe(false);
    expect(criterion(report, 'false-finding')?.met).toBe(false);
    expect(report.conclusions[0]?.observation.join(' ')).toContain('Weighted review completeness: 63.6 % in A, 18.2 % in B');
  });

  test('B equal: no difference is a result, printed with its four usual explanations', async () => {
    const report = await reportOf('equal');
    expect(row(report, 'review_completeness').delta).toBe(0);
    const text = report.conclusions[0]?.interpretation.join(' ') ?? '';
    expect(text).toContain('That is a result');
    for (const word of ['in detail', 'too simple', 'not activated', 'already works that way']) expect(text).toContain(word);
  });

  test('B never activates: the detector says so', async () => {
    const report = await reportOf('never-activates');
    expect(report.detectors.find((one) => one.failure === 'skills never activate')?.detected).toBe(true);
    expect(
      report.trials
        .filter((one) => one.arm === 'B')
        .every((one) => one.activation.every((skill) => skill.listed && !skill.loaded)),
    ).toBe(true);
    expect(report.verification.find((one) => one.point === 5)?.holds).toBe(true);
  });

  test('B times out: it is recorded, stays in the figures, and is named', async () => {
    const report = await reportOf('times-out', { 'limits.wall_seconds': 12 });
    const b = report.trials.find((one) => one.arm === 'B');
    expect(b).toMatchObject({ status: 'timed-out', valid: true });
    // every run of B was cut off: its median is at least the limit, and no more is known
    expect(row(report, 'elapsed_seconds').b).toBeNull();
    expect(row(report, 'elapsed_seconds').censoredB).toMatchObject({ runs: 1 });
    expect(row(report, 'elapsed_seconds').censoredB?.atLeast).toBeGreaterThan(11);
    expect(row(report, 'review_completeness').b).toBe(0);
    expect(report.conclusions[0]?.observation.join(' ')).toContain('was ended by the wall limit');
    expect(report.attempts.filter((one) => one.current && one.trial === 'inventory.B.1')).toMatchObject([
      { outcome: 'recorded', attempt: 1 },
    ]);
    // the agent's failure is data, and cached as such: nothing runs again
    const before = await startedTrials(checkout, 'inventory');
    expect((await checkout.nxMany('inventory', ['run-A', 'run-B'])).code).toBe(0);
    expect(await startedTrials(checkout, 'inventory')).toEqual(before);
  });

  test('without a sandbox the run goes on, and the report says what was not stopped', async () => {
    const report = await reportOf('b-better', { sandbox: 'none', 'limits.wall_seconds': 120 });
    expect(report.trials.every((one) => one.valid && one.status === 'completed')).toBe(true);
    expect(report.conditions.sandbox.kind).toBe('private-home');
    expect(report.limitations.join(' ')).toContain('reading any file that the user who runs the lab can read');
    expect(report.verification.find((one) => one.point === 4)?.holds).toBe(null);
    await checkout.configure('inventory', { sandbox: 'auto' });
  });

  test('no score sheet: quality is pending, cost is still measured', async () => {
    await checkout.configure('inventory', { 'limits.wall_seconds': 120 });
    const plan = 'data/cases/inventory/scripts/plans/quick/response.md';
    await checkout.write(plan, `${await checkout.read(plan)}\nOne more sentence.\n`);
    const report = await reportOf('b-better');
    expect(report.trials.find((one) => one.arm === 'A')?.scoring).toBe('pending');
    expect(row(report, 'review_completeness')).toMatchObject({ a: null, delta: null, nA: { used: 0, total: 1 } });
    expect(row(report, 'elapsed_seconds').a).toBeGreaterThan(0);
    expect(await checkout.read('reports/inventory/report.md')).toContain('not available');
    expect(report.verification.find((one) => one.point === 11)?.holds).toBe(null);
  });
});
