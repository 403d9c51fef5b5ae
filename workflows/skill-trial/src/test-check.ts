import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { TestedCase } from './case.js';
import { LimitHit } from './containment.js';
import { prettyJson } from './record.js';
import { findFramework, TestFrameworkName, TestResult, testReader } from './test-framework.js';
import { runInTree, type TreePlan } from './tree-run.js';

/** One run of tests as it is stored: the command, its exit, every test. stdout.txt, stderr.txt and tests.jsonl lie beside it. */
export const TestCheck = z.strictObject({
  schemaVersion: z.literal(1),
  check: z.string(),
  /** Whose report was read; records from before 0.2 name none, and both frameworks of that time wrote the same lines. */
  framework: TestFrameworkName.default('node-test'),
  /** What made `tests` of the report: testReader of that time; 1 in records that name none. */
  reader: z.int().positive().default(1),
  argv: z.array(z.string()),
  files: z.array(z.string()).nullable(),
  sandbox: z.string(),
  /** Where the tree lay; cut from the paths of the test files. */
  workspace: z.string(),
  exitCode: z.int().nullable(),
  signal: z.string().nullable(),
  timedOut: z.boolean(),
  /** The limits that the run came up against: what it says of the tests is what it knew by then. */
  limits: z.array(LimitHit).default([]),
  startedAt: z.iso.datetime(),
  elapsedSeconds: z.number().nonnegative(),
  tests: z.array(TestResult),
});
export type TestCheck = z.infer<typeof TestCheck>;

export interface TestCheckPlan extends TreePlan {
  name: string;
  case: TestedCase;
  /** What names the overlay in the check's conditions, where one check differs from another by it alone. */
  overlayKey?: string;
  /** Test files to run; null: the complete suite. */
  files: string[] | null;
}

/**
 * Runs tests of a variant (base + patch + overlay) in a sandbox without any network, and writes the outcome into `target`. The code
 * that runs is the agent's: it is held as tightly as the agent was. A failing run is an outcome; only a missing program throws.
 */
export async function runTestCheck(plan: TestCheckPlan, target: string): Promise<TestCheck> {
  const framework = findFramework(plan.case.tests.framework);
  const run = await runInTree(plan, target, ({ out, reporters }) => ({
    argv: framework.argv(plan.case.suite, plan.files, reporters, out, plan.timeoutMs),
    env: framework.env(reporters, out),
  }));
  await writeFile(join(target, 'tests.jsonl'), run.lines);
  const { outcome } = run;
  const record: TestCheck = {
    schemaVersion: 1,
    check: plan.name,
    framework: framework.name,
    reader: testReader,
    argv: run.argv,
    files: plan.files,
    sandbox: plan.sandbox,
    workspace: run.workspace,
    exitCode: outcome.exitCode,
    signal: outcome.signal,
    timedOut: outcome.timedOut,
    limits: run.hits,
    startedAt: outcome.startedAt,
    elapsedSeconds: outcome.elapsedSeconds,
    tests: await framework.read({ text: run.lines, exitCode: outcome.exitCode, workspace: run.workspace, where: plan.name }),
  };
  await writeFile(join(target, 'check.json'), prettyJson(record));
  return record;
}

/** The tests of a saved check as the present reader makes them of the raw report in its folder. */
export async function testsAgain({ framework, exitCode, workspace }: TestCheck, folder: string): Promise<TestResult[]> {
  const text = await readFile(join(folder, 'tests.jsonl'), 'utf8');
  return findFramework(framework).read({ text, exitCode, workspace, where: folder });
}

/** Whether a run of tests is evidence of success: exit status 0, not timed out, at least one test passed and none failed. */
export function isGreen(run: Pick<TestCheck, 'exitCode' | 'timedOut' | 'tests'>): boolean {
  const failed = run.tests.some((test) => test.outcome !== 'passed' && test.outcome !== 'skipped' && test.outcome !== 'todo');
  return run.exitCode === 0 && !run.timedOut && !failed && run.tests.some((test) => test.outcome === 'passed');
}
