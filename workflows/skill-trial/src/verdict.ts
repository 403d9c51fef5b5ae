import { z } from 'zod';
import { TestOutcome, type TestResult } from './test-framework.js';

/**
 * What a test of the verifier can tell, measured before any trial.
 * fail-to-pass: fails on the untouched repository (the no-op floor), passes on the reference solution.
 * pass-to-pass: passes on both; an agent may not break it.
 * out-of-reach: fails even on the reference: it caps every score, and counts in no success.
 * unsteady: differs between runs of the same tree; named, and in no success.
 * unknown: there is no reference solution.
 */
export const TestRole = z.enum(['fail-to-pass', 'pass-to-pass', 'out-of-reach', 'unsteady', 'unknown']);
export type TestRole = z.infer<typeof TestRole>;

const Outcome = z.union([TestOutcome, z.literal('missing')]);

/** One expected test with what it did on the untouched repository and on the reference, the first run of each. */
export const ExpectedTest = z.strictObject({
  id: z.string(),
  role: TestRole,
  floor: Outcome,
  /** Null: there is no reference solution. */
  ceiling: Outcome.nullable(),
});
export type ExpectedTest = z.infer<typeof ExpectedTest>;

/** A verdict on one variant. Every count has the expected tests as its denominator: a test that did not run has failed. */
export const Verdict = z.strictObject({
  /** Every fail-to-pass test passes and every pass-to-pass test holds; null without a reference, or without a test that can tell. */
  success: z.boolean().nullable(),
  failToPass: z.strictObject({ passed: z.int(), total: z.int() }),
  passToPass: z.strictObject({ passed: z.int(), total: z.int() }),
  /** All expected tests, those that tell nothing among them: the pass rate as the benchmark's paper counts it. */
  raw: z.strictObject({ passed: z.int(), total: z.int() }),
  /** fail-to-pass tests that pass / fail-to-pass tests; null where there is none. */
  partial: z.number().min(0).max(1).nullable(),
  tests: z.array(z.strictObject({ id: z.string(), role: TestRole, outcome: Outcome })),
  /** Tests that ran and that the reference does not know: counted nowhere. */
  unexpected: z.array(z.string()),
  /** Runs of the verifier on the variant's tree; 1 in records made before there were several. */
  runs: z.int().positive().default(1),
  /** Expected tests that passed in some of these runs and not in others. */
  flaky: z.array(z.string()).default([]),
});
export type Verdict = z.infer<typeof Verdict>;

/** A test's id: the same on every tree. Two tests of one name in one file are one id, which passes when both do. */
export function testId({ file, name }: Pick<TestResult, 'file' | 'name'>): string {
  return `${file}::${name}`;
}

/** Outcomes by id. Of two results under one id the worse counts. */
function outcomes(results: TestResult[]): Map<string, z.infer<typeof Outcome>> {
  const byId = new Map<string, z.infer<typeof Outcome>>();
  for (const result of results) {
    // a file that cannot be collected names no test: its tests are missing
    if (result.outcome === 'collection') continue;
    const id = testId(result);
    const before = byId.get(id);
    if (before === undefined || before === 'passed') byId.set(id, result.outcome);
  }
  return byId;
}

/**
 * The expected tests with their roles, sorted by id: the union of what the reference's runs hold (of the untouched repository's where
 * there is no reference). `floor` and `ceiling` hold one list of results for each run of that tree; ceiling null: no reference.
 */
export function expectTests(floor: TestResult[][], ceiling: TestResult[][] | null): ExpectedTest[] {
  const floorRuns = floor.map(outcomes);
  const ceilingRuns = ceiling?.map(outcomes) ?? null;
  const ids = new Set((ceilingRuns ?? floorRuns).flatMap((run) => [...run.keys()]));
  return [...ids].sort().map((id) => {
    const low = floorRuns.map((run) => run.get(id) ?? 'missing');
    const high = ceilingRuns?.map((run) => run.get(id) ?? 'missing') ?? null;
    return { id, role: roleOf(low, high), floor: low[0] ?? 'missing', ceiling: high === null ? null : (high[0] ?? 'missing') };
  });
}

function roleOf(floor: string[], ceiling: string[] | null): TestRole {
  const differs = (runs: string[]) => new Set(runs.map((outcome) => outcome === 'passed')).size > 1;
  if (differs(floor) || (ceiling !== null && differs(ceiling))) return 'unsteady';
  if (ceiling === null) return 'unknown';
  if (ceiling[0] !== 'passed') return 'out-of-reach';
  return floor[0] === 'passed' ? 'pass-to-pass' : 'fail-to-pass';
}

/**
 * Judges the runs of the verifier on a variant's tree. A test has passed when it passed in every run: one that did so in some is flaky. No
 * result at all (a crash, a collection error) fails every expected test.
 */
export function judgeRuns(expected: ExpectedTest[], runs: TestResult[][]): Verdict {
  const ran = runs.map(outcomes);
  const flaky: string[] = [];
  const tests = expected.map(({ id, role }) => {
    const seen = ran.map((run) => run.get(id) ?? ('missing' as const));
    const bad = seen.find((outcome) => outcome !== 'passed');
    if (bad !== undefined && seen.includes('passed')) flaky.push(id);
    return { id, role, outcome: bad ?? (seen.length === 0 ? ('missing' as const) : ('passed' as const)) };
  });
  const count = (of: typeof tests) => ({ passed: of.filter((test) => test.outcome === 'passed').length, total: of.length });
  const failToPass = count(tests.filter((test) => test.role === 'fail-to-pass'));
  const passToPass = count(tests.filter((test) => test.role === 'pass-to-pass'));
  const all = (counted: { passed: number; total: number }) => counted.passed === counted.total;
  const known = new Set(expected.map(({ id }) => id));
  return {
    // without a fail-to-pass test the untouched repository would succeed: nothing can be told
    success: failToPass.total === 0 ? null : all(failToPass) && all(passToPass),
    failToPass,
    passToPass,
    raw: count(tests),
    partial: failToPass.total === 0 ? null : failToPass.passed / failToPass.total,
    tests,
    unexpected: [...new Set(ran.flatMap((run) => [...run.keys()]))].filter((id) => !known.has(id)).sort(),
    runs: Math.max(1, runs.length),
    flaky,
  };
}
