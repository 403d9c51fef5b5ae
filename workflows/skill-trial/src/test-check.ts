import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { applyPatch, type Base } from './base.js';
import type { TestedCase } from './case.js';
import { keptOutOfReach } from './paths.js';
import { runProcess } from './process.js';
import { prettyJson } from './record.js';
import { type SandboxKind, type SandboxPlan, sandboxCommand, sandboxView } from './sandbox.js';
import { findFramework, TestFrameworkName, TestResult } from './test-framework.js';

/** One run of tests as it is stored: the command, its exit, every test. stdout.txt, stderr.txt and tests.jsonl lie beside it. */
export const TestCheck = z.strictObject({
  schemaVersion: z.literal(1),
  check: z.string(),
  /** Whose report was read; records from before 0.2 name none, and both frameworks of that time wrote the same lines. */
  framework: TestFrameworkName.default('node-test'),
  argv: z.array(z.string()),
  files: z.array(z.string()).nullable(),
  sandbox: z.string(),
  /** Where the tree lay; cut from the paths of the test files. */
  workspace: z.string(),
  exitCode: z.int().nullable(),
  signal: z.string().nullable(),
  timedOut: z.boolean(),
  startedAt: z.iso.datetime(),
  elapsedSeconds: z.number().nonnegative(),
  tests: z.array(TestResult),
});
export type TestCheck = z.infer<typeof TestCheck>;

export interface TestCheckPlan {
  name: string;
  case: TestedCase;
  base: Pick<Base, 'folder' | 'commit'>;
  /** The variant's patch; null: the clean base. */
  patch: string | null;
  /** Files to lay over the tree: [host file, path in the workspace]. */
  overlay: [string, string][];
  /** Test files to run; null: the complete suite. */
  files: string[] | null;
  sandbox: SandboxKind;
  timeoutMs: number;
}

export const reportersFolder = join(dirname(fileURLToPath(import.meta.url)), '..', 'reporters');

/**
 * Runs tests of a variant (base + patch + overlay) in a sandbox without any network, and writes the outcome into `target`. The code
 * that runs is the agent's: it is held as tightly as the agent was. A failing run is an outcome; only a missing program throws.
 */
export async function runTestCheck(plan: TestCheckPlan, target: string): Promise<TestCheck> {
  const scratch = await mkdtemp(join(tmpdir(), 'skill-trial-check-'));
  try {
    const [workspace, home, tmp] = [join(scratch, 'workspace'), join(scratch, 'home'), join(scratch, 'tmp')];
    await Promise.all([mkdir(home), mkdir(tmp), mkdir(target, { recursive: true })]);
    const patch = join(scratch, 'patch.diff');
    await (plan.patch === null ? writeFile(patch, '') : cp(plan.patch, patch));
    await applyPatch(plan.base, patch, workspace);
    for (const [from, to] of plan.overlay) await cp(from, join(workspace, to), { recursive: true });
    const inside = plan.sandbox === 'bubblewrap';
    const reporters = inside ? '/lab/reporters' : reportersFolder;
    const sandbox: SandboxPlan = {
      kind: plan.sandbox,
      workspace,
      home,
      tmp,
      skills: null,
      readOnly: [[reportersFolder, reporters]],
      hide: keptOutOfReach(plan.case.folder),
      gateway: null,
    };
    const view = sandboxView(sandbox, '');
    const out = `${view.tmp}/tests.jsonl`;
    const framework = findFramework(plan.case.tests.framework);
    const argv = framework.argv(plan.case.suite, plan.files, reporters, out, plan.timeoutMs);
    const path = inside ? '/usr/local/bin:/usr/bin:/bin' : (process.env.PATH ?? '/usr/bin:/bin');
    const env = {
      PATH: `${dirname(process.execPath)}:${path}`,
      HOME: view.home,
      TMPDIR: view.tmp,
      LANG: 'C.UTF-8',
      CI: 'true',
      ...framework.env(reporters, out),
    };
    const outcome = await runProcess({
      ...sandboxCommand(sandbox, argv, env),
      stdinFile: null,
      stdoutFile: join(target, 'stdout.txt'),
      stderrFile: join(target, 'stderr.txt'),
      timeoutMs: plan.timeoutMs,
    });
    const lines = await readFile(join(tmp, 'tests.jsonl'), 'utf8').catch(() => '');
    await writeFile(join(target, 'tests.jsonl'), lines);
    const record: TestCheck = {
      schemaVersion: 1,
      check: plan.name,
      framework: framework.name,
      argv,
      files: plan.files,
      sandbox: plan.sandbox,
      workspace: view.workspace,
      exitCode: outcome.exitCode,
      signal: outcome.signal,
      timedOut: outcome.timedOut,
      startedAt: outcome.startedAt,
      elapsedSeconds: outcome.elapsedSeconds,
      tests: framework.read({ text: lines, exitCode: outcome.exitCode, workspace: view.workspace, where: plan.name }),
    };
    await writeFile(join(target, 'check.json'), prettyJson(record));
    return record;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Whether a run of tests is evidence of success: exit status 0, not timed out, at least one test passed and none failed. */
export function isGreen(run: Pick<TestCheck, 'exitCode' | 'timedOut' | 'tests'>): boolean {
  const failed = run.tests.some((test) => test.outcome !== 'passed' && test.outcome !== 'skipped' && test.outcome !== 'todo');
  return run.exitCode === 0 && !run.timedOut && !failed && run.tests.some((test) => test.outcome === 'passed');
}
