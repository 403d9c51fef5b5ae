import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import picomatch from 'picomatch';
import { z } from 'zod';
import { applyPatch } from './base.js';
import { hashOf, listTree } from './hash.js';
import { caseOf, type Lab } from './lab.js';
import { appendLedger } from './ledger.js';
import { Lock } from './lock.js';
import { changedFiles, newTests } from './new-tests.js';
import { hasRecord, prettyJson, readJson, recordHash, sealRecord, writeWhole } from './record.js';
import { isGreen, runTestCheck, TestCheck, type TestCheckPlan } from './test-check.js';
import type { TestOutcome, TestResult } from './test-framework.js';
import type { SavedTrial } from './trial-record.js';

const Sha = z.string().regex(/^[0-9a-f]{64}$/);

/** What the checks of one variant show. Every field is derived from check records; `records` names them. */
export const VariantChecks = z.strictObject({
  content: Sha,
  case: z.string(),
  newTestFiles: z.array(z.string()),
  /** The complete suite of the variant's tree is green. */
  suiteGreen: z.boolean(),
  /** The new or changed test files alone are green there; null: there are none. */
  newGreen: z.boolean().nullable(),
  /** The test files of the module (the case's test globs) are green there. */
  moduleGreen: z.boolean(),
  /** Outcomes of the new tests on the clean base, counted; null: there are none. */
  control: z.record(z.string(), z.int().positive()).nullable(),
  /** At least one new test fails on the clean base by assertion; null: there are no new tests. */
  exposesDefect: z.boolean().nullable(),
  records: z.record(z.string(), Sha),
});
export type VariantChecks = z.infer<typeof VariantChecks>;

export const Control = z.strictObject({ schemaVersion: z.literal(1), variants: z.array(VariantChecks) });
export type Control = z.infer<typeof Control>;

export const Stability = z.strictObject({
  schemaVersion: z.literal(1),
  runs: z.int().positive(),
  variants: z.array(
    z.strictObject({
      content: Sha,
      /** Green runs of the new tests; null: there are none. Five green runs do not prove that flakiness is absent. */
      green: z.int().nonnegative().nullable(),
      /** Tests whose outcome differed between the runs. */
      unsteady: z.array(z.string()),
      records: z.record(z.string(), Sha),
    }),
  ),
});
export type Stability = z.infer<typeof Stability>;

const timeoutMs = 120_000;

/** Runs each different variant's tests: new ones, the module's, the whole suite, and the new ones on a clean base. */
export async function runControl(
  lab: Lab,
  trials: SavedTrial[],
  onStep: (text: string) => void = () => undefined,
): Promise<Control> {
  const variants: VariantChecks[] = [];
  for (const trial of differentVariants(trials)) {
    onStep(`negative control of ${trial.record.content.slice(0, 12)}`);
    variants.push(await checkVariant(lab, trial));
  }
  const control: Control = { schemaVersion: 1, variants };
  await writeWhole(lab.run.controlIndex, prettyJson(control));
  return control;
}

/** Runs each variant's new tests several times on its own tree. */
export async function runStability(
  lab: Lab,
  trials: SavedTrial[],
  onStep: (text: string) => void = () => undefined,
): Promise<Stability> {
  const runs = lab.experiment.stability_runs;
  const variants: Stability['variants'] = [];
  for (const trial of differentVariants(trials)) {
    onStep(`stability of ${trial.record.content.slice(0, 12)}, ${runs} runs`);
    const plan = await variantPlan(lab, trial);
    const records: Record<string, string> = {};
    const outcomes: TestCheck[] = [];
    if (plan.tests.files.length > 0) {
      for (let index = 1; index <= runs; index++) {
        const name = `stability-${index}`;
        const done = await recordedCheck(lab, trial.record.content, {
          ...plan.common,
          name,
          patch: plan.patch,
          files: plan.tests.files,
        });
        outcomes.push(done.check);
        records[name] = done.record;
      }
    }
    variants.push({ content: trial.record.content, ...stabilityOf(outcomes), records });
  }
  const stability: Stability = { schemaVersion: 1, runs, variants };
  await writeWhole(lab.run.stabilityIndex, prettyJson(stability));
  return stability;
}

/** Green runs and unsteady tests over repeated runs; null and none where there was no run. */
export function stabilityOf(runs: TestCheck[]): { green: number | null; unsteady: string[] } {
  const seen = new Map<string, Set<TestOutcome>>();
  for (const run of runs)
    for (const test of run.tests)
      seen.set(`${test.file}: ${test.name}`, (seen.get(`${test.file}: ${test.name}`) ?? new Set()).add(test.outcome));
  const missing = (id: string) => runs.some((run) => !run.tests.some((test) => `${test.file}: ${test.name}` === id));
  const unsteady = [...seen].filter(([id, outcomes]) => outcomes.size > 1 || missing(id)).map(([id]) => id);
  return { green: runs.length === 0 ? null : runs.filter(isGreen).length, unsteady: unsteady.sort() };
}

/** The outcomes of new tests on the clean base, counted by kind; null where there are no tests at all. */
export function countOutcomes(tests: TestResult[]): Record<string, number> | null {
  if (tests.length === 0) return null;
  const counts: Record<string, number> = {};
  for (const test of tests) counts[test.outcome] = (counts[test.outcome] ?? 0) + 1;
  return counts;
}

async function checkVariant(lab: Lab, trial: SavedTrial): Promise<VariantChecks> {
  const { content } = trial.record;
  const plan = await variantPlan(lab, trial);
  const suite = await recordedCheck(lab, content, { ...plan.common, name: 'suite', patch: plan.patch, files: null });
  const module = await recordedCheck(lab, content, {
    ...plan.common,
    name: 'module',
    patch: plan.patch,
    files: plan.moduleFiles,
  });
  const records: Record<string, string> = { suite: suite.record, module: module.record };
  let fresh: TestCheck | null = null;
  let base: TestCheck | null = null;
  if (plan.tests.files.length > 0) {
    const newRun = await recordedCheck(lab, content, { ...plan.common, name: 'new', patch: plan.patch, files: plan.tests.files });
    const controlRun = await withCopies(lab, trial, plan.tests.copied, (overlay) =>
      recordedCheck(lab, content, { ...plan.common, name: 'control', patch: null, overlay, files: plan.tests.files }),
    );
    fresh = newRun.check;
    base = controlRun.check;
    Object.assign(records, { new: newRun.record, control: controlRun.record });
  }
  return {
    content,
    case: trial.record.case,
    newTestFiles: plan.tests.files,
    suiteGreen: isGreen(suite.check),
    newGreen: fresh === null ? null : isGreen(fresh),
    moduleGreen: isGreen(module.check),
    control: base === null ? null : countOutcomes(base.tests),
    exposesDefect: base === null ? null : base.tests.some((test) => test.outcome === 'assertion'),
    records,
  };
}

async function variantPlan(lab: Lab, trial: SavedTrial) {
  const one = caseOf(lab, trial.record.case);
  const lock = await readJson(lab.run.lock, Lock);
  const patch = join(trial.folder, 'patch.diff');
  const changed = changedFiles(await readFile(patch, 'utf8'));
  const tests = newTests(changed, one.tests);
  const base = { commit: trial.record.baseCommit, folder: lab.run.base(trial.record.baseCommit) };
  const deleted = new Set(changed.filter((file) => file.kind === 'deleted').map((file) => file.path));
  const present = [...(await listTree(base.folder)).map((file) => file.path), ...tests.files].filter(
    (path) => !deleted.has(path),
  );
  const moduleFiles = [...new Set(present.filter((path) => picomatch.isMatch(path, one.tests.include, { dot: true })))].sort();
  const common = { case: one, base, overlay: [] as [string, string][], sandbox: lock.conditions.sandbox.kind, timeoutMs };
  return { patch, tests, common, moduleFiles };
}

/** Runs one check of a variant, or reads the record that is there: it is written once, and its hash goes into the ledger. */
async function recordedCheck(lab: Lab, content: string, plan: TestCheckPlan): Promise<{ check: TestCheck; record: string }> {
  const { suite, tests } = plan.case;
  const conditions = hashOf({
    base: plan.base.commit,
    suite,
    framework: tests.framework,
    sandbox: plan.sandbox,
    files: plan.files,
  });
  const target = lab.run.check(content, join(plan.name, conditions.slice(0, 16)));
  if (!(await hasRecord(target))) {
    await mkdir(lab.run.scratch, { recursive: true });
    const draft = await mkdtemp(join(lab.run.scratch, 'check-'));
    try {
      await runTestCheck(plan, draft);
      const record = await sealRecord(draft, target);
      await appendLedger(lab.run.ledger, { kind: 'check', content, check: plan.name, record }, lab.now);
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  }
  return { check: await readJson(join(target, 'check.json'), TestCheck), record: await recordHash(target) };
}

/** The variant's test files, laid out for copying to a clean base. */
async function withCopies<T>(
  lab: Lab,
  trial: SavedTrial,
  copied: string[],
  action: (overlay: [string, string][]) => Promise<T>,
): Promise<T> {
  const tree = await mkdtemp(join(lab.run.scratch, 'variant-'));
  try {
    const base = { commit: trial.record.baseCommit, folder: lab.run.base(trial.record.baseCommit) };
    await applyPatch(base, join(trial.folder, 'patch.diff'), join(tree, 'workspace'));
    return await action(copied.map((path) => [join(tree, 'workspace', path), path]));
  } finally {
    await rm(tree, { recursive: true, force: true });
  }
}

/** One trial for each different content. */
function differentVariants(trials: SavedTrial[]): SavedTrial[] {
  return [...new Map(trials.map((trial) => [trial.record.content, trial])).values()];
}
