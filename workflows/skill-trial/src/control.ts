import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import picomatch from 'picomatch';
import { applyPatch } from './base.js';
import type { Behaviour } from './behaviour.js';
import { hasTests, testedCase } from './case.js';
import { type Discovery, discoveryPath } from './discovery.js';
import { hashOf, listTree } from './hash.js';
import { baseOf, caseOf, type Lab } from './lab.js';
import { appendLedger, readLedger } from './ledger.js';
import { Lock } from './lock.js';
import { changedFiles, newTests } from './new-tests.js';
import { frozenPlace, placeKey } from './place.js';
import { hasRecord, prettyJson, readJson, recordHash, sealRecord, writeWhole } from './record.js';
import { runTestCheck, TestCheck, type TestCheckPlan } from './test-check.js';
import { testReader } from './test-framework.js';
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
import type { Verdicts } from './verdict-run.js';

const timeoutMs = 120_000;
/** Which target of the graph a check belongs to: Nx replaces a target's outputs as a whole. */
export type CheckFolder = 'checks' | 'stability' | 'behaviour';
type OnStep = (text: string) => void;
/** How a check is obtained: run and recorded, or (by verify) read again from what was recorded. */
export type Obtain = (content: string, plan: TestCheckPlan, folder: CheckFolder, copies?: Copies) => Promise<DoneCheck>;
/** Files of a variant's tree that are to be laid over the clean base. */
interface Copies {
  trial: SavedTrial;
  paths: string[];
}

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

/**
 * Where the record of a check lies: its conditions are part of the name, so that another sandbox, command or reader of reports never
 * takes an old one.
 */
export function checkFolder(
  lab: Lab,
  content: string,
  plan: TestCheckPlan,
  folder: CheckFolder,
  reader: number = testReader,
): string {
  const { suite, tests } = plan.case;
  const conditions = hashOf({
    base: plan.base.commit,
    suite,
    framework: tests.framework,
    ...placeKey(plan),
    files: plan.files,
    overlay: plan.overlayKey,
    // the first had no number
    ...(reader === 1 ? {} : { reader }),
  });
  return lab.run.check(folder, content, join(plan.name, conditions.slice(0, 16)));
}

/** Runs a check, or reads the record that is there: it is written once, and its hash goes into the ledger. */
export function recordedBy(lab: Lab): Obtain {
  return async (content, plan, folder, copies) => {
    const target = checkFolder(lab, content, plan, folder);
    if (!(await hasRecord(target))) {
      await mkdir(lab.run.scratch, { recursive: true });
      const draft = await mkdtemp(join(lab.run.scratch, 'check-'));
      try {
        if (copies === undefined) await runTestCheck(plan, draft);
        else await withCopies(lab, copies, (overlay) => runTestCheck({ ...plan, overlay: [...plan.overlay, ...overlay] }, draft));
        await sealRecord(draft, target);
      } finally {
        await rm(draft, { recursive: true, force: true });
      }
    }
    return readCheck(lab, target);
  };
}

/** A check's record where the present reader of reports put it, or else an earlier one; a RecordError where neither did. */
export async function findCheck(lab: Lab, content: string, plan: TestCheckPlan, folder: CheckFolder): Promise<DoneCheck> {
  for (let reader = testReader; reader > 0; reader--) {
    const earlier = checkFolder(lab, content, plan, folder, reader);
    if (await hasRecord(earlier)) return readCheck(lab, earlier);
  }
  return readCheck(lab, checkFolder(lab, content, plan, folder));
}

/** A check's record as it was saved. */
export async function readCheck(lab: Lab, folder: string): Promise<DoneCheck> {
  return {
    check: await readJson(join(folder, 'check.json'), TestCheck),
    record: { path: relative(lab.run.run, folder), sha256: await recordHash(folder) },
  };
}

/** Puts into the ledger every check and discovery record that it does not know yet, one line each. */
export async function noteChecks(
  lab: Lab,
  control: Control,
  stability: Stability,
  discovery: Discovery,
  behaviour: Behaviour | null,
  verdicts: Verdicts | null,
): Promise<void> {
  const known = new Set(
    (await readLedger(lab.run.ledger)).flatMap((line) =>
      line.event.kind === 'check' ? [`${line.event.check} ${line.event.record}`] : [],
    ),
  );
  const found = [
    ...control.variants,
    ...stability.variants,
    ...(behaviour?.variants ?? []),
    ...(verdicts?.variants ?? []),
  ].flatMap(({ content, records }) => Object.values(records).map(({ path, sha256 }) => ({ content, path, sha256 })));
  const asked = discovery.arms.flatMap(({ spec, records }) =>
    Object.entries(records).map(([kind, sha256]) => ({ content: spec, path: discoveryPath(spec, kind), sha256 })),
  );
  for (const { content, path, sha256 } of [...found, ...asked]) {
    if (known.has(`${path} ${sha256}`)) continue;
    known.add(`${path} ${sha256}`);
    await appendLedger(lab.run.ledger, { kind: 'check', content, check: path, record: sha256 }, lab.now);
  }
}

/** The variant's test files, laid out for copying to a clean base. */
async function withCopies<T>(
  lab: Lab,
  { trial, paths }: Copies,
  action: (overlay: [string, string][]) => Promise<T>,
): Promise<T> {
  await mkdir(lab.run.scratch, { recursive: true });
  const tree = await mkdtemp(join(lab.run.scratch, 'variant-'));
  try {
    const base = await baseOf(lab, trial.record.case, trial.record.baseCommit);
    await applyPatch(base, join(trial.folder, 'patch.diff'), join(tree, 'workspace'));
    return await action(paths.map((path) => [join(tree, 'workspace', path), path]));
  } finally {
    await rm(tree, { recursive: true, force: true });
  }
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
