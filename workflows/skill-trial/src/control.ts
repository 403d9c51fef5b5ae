import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import picomatch from 'picomatch';
import { hasTests, testedCase } from './case.js';
import { listTree } from './hash.js';
import { baseOf, caseOf, type Lab } from './lab.js';
import { Lock } from './lock.js';
import { changedFiles, newTests } from './new-tests.js';
import { frozenPlace } from './place.js';
import { prettyJson, readJson, writeWhole } from './record.js';
import { type Obtain, recordedBy } from './saved-check.js';
import type { SavedTrial } from './trial-record.js';
import { inTurn } from './turn.js';
import {
  type Control,
  type DoneCheck,
  deriveVariant,
  type Stability,
  stabilityOf,
  type VariantChecks,
} from './variant-checks.js';

const timeoutMs = 120_000;
type OnStep = (text: string) => void;
/** Runs each different variant's tests: new ones, the module's, the whole suite, and the new ones on a clean base. */
export async function runControl(lab: Lab, trials: SavedTrial[], onStep: OnStep = () => undefined): Promise<Control> {
  const control = await gatherControl(lab, trials, recordedBy(lab), onStep);
  await writeWhole(lab.run.controlIndex, prettyJson(control));
  return control;
}

/** Runs each variant's new tests several times on its own tree. */
export async function runStability(lab: Lab, trials: SavedTrial[], onStep: OnStep = () => undefined): Promise<Stability> {
  const stability = await gatherStability(lab, trials, recordedBy(lab), onStep);
  await writeWhole(lab.run.stabilityIndex, prettyJson(stability));
  return stability;
}

/** control.json from checks obtained in any way; variants in the order of their content. */
export async function gatherControl(
  lab: Lab,
  trials: SavedTrial[],
  obtain: Obtain,
  onStep: OnStep = () => undefined,
): Promise<Control> {
  const variants = await inTurn(testedVariants(lab, trials), async (trial) => {
    onStep(`negative control of variant ${trial.record.content.slice(0, 12)}`);
    return checkVariant(lab, trial, obtain);
  });
  return { schemaVersion: 1, variants };
}

/** stability.json likewise. */
export async function gatherStability(
  lab: Lab,
  trials: SavedTrial[],
  obtain: Obtain,
  onStep: OnStep = () => undefined,
): Promise<Stability> {
  const runs = lab.experiment.stability_runs;
  const variants = await inTurn(testedVariants(lab, trials), async (trial) => {
    const { content } = trial.record;
    onStep(`stability of variant ${content.slice(0, 12)}: ${runs} runs`);
    const plan = await variantPlan(lab, trial);
    const done: [string, DoneCheck][] = [];
    for (let index = 1; plan.tests.files.length > 0 && index <= runs; index++) {
      const name = `run-${index}`;
      done.push([name, await obtain(content, { ...plan.common, name, patch: plan.patch, files: plan.tests.files }, 'stability')]);
    }
    const records = Object.fromEntries(done.map(([name, { record }]) => [name, record]));
    return { content, case: trial.record.case, ...stabilityOf(done.map(([, { check }]) => check)), records };
  });
  return { schemaVersion: 1, runs, variants };
}

async function checkVariant(lab: Lab, trial: SavedTrial, obtain: Obtain): Promise<VariantChecks> {
  const { content } = trial.record;
  const { common, tests, patch, moduleFiles } = await variantPlan(lab, trial);
  const suite = await obtain(content, { ...common, name: 'suite', patch, files: null }, 'checks');
  const module = await obtain(content, { ...common, name: 'module', patch, files: moduleFiles }, 'checks');
  const variant = { content, case: trial.record.case, tests };
  if (tests.files.length === 0) return deriveVariant(variant, { suite, module });
  const fresh = await obtain(content, { ...common, name: 'new', patch, files: tests.files }, 'checks');
  const control = await obtain(content, { ...common, name: 'control', patch: null, files: tests.files }, 'checks', {
    trial,
    paths: tests.copied,
  });
  return deriveVariant(variant, { suite, module, new: fresh, control });
}

/** The different variants of the cases whose repository has tests. */
export function testedVariants(lab: Lab, trials: SavedTrial[]): SavedTrial[] {
  return differentVariants(trials).filter((trial) => hasTests(caseOf(lab, trial.record.case)));
}

/** What every check of a variant shares: its patch, its new tests, the test files of the module, those of the base. */
export async function variantPlan(lab: Lab, trial: SavedTrial) {
  const one = testedCase(caseOf(lab, trial.record.case));
  const lock = await readJson(lab.run.lock, Lock);
  const patch = join(trial.folder, 'patch.diff');
  const changed = changedFiles(await readFile(patch, 'utf8'));
  const tests = newTests(changed, one.tests);
  const base = await baseOf(lab, trial.record.case, trial.record.baseCommit);
  const deleted = new Set(changed.filter((file) => file.kind === 'deleted').map((file) => file.path));
  const present = [...(await listTree(base.folder)).map((file) => file.path), ...tests.files].filter(
    (path) => !deleted.has(path),
  );
  const moduleFiles = [...new Set(present.filter((path) => picomatch.isMatch(path, one.tests.include, { dot: true })))].sort();
  const common = {
    case: one,
    base,
    overlay: [] as [string, string][],
    ...frozenPlace(lab, lock.conditions, one.name),
    timeoutMs,
  };
  // the base's own: what the case shipped before anybody changed it
  const isTest = picomatch(one.tests.include, { dot: true });
  const startingFiles = (await listTree(base.folder)).map((file) => file.path).filter((path) => isTest(path));
  return { patch, tests, common, moduleFiles, startingFiles };
}

/** One trial for each different content of a case, by content: the order of the trials would tell a scorer the arms. */
export function differentVariants(trials: SavedTrial[]): SavedTrial[] {
  const first = new Map<string, SavedTrial>();
  for (const trial of trials) {
    const key = `${trial.record.case}/${trial.record.content}`;
    if (!first.has(key)) first.set(key, trial);
  }
  return [...first.values()].sort((a, b) => (a.record.content < b.record.content ? -1 : 1));
}
