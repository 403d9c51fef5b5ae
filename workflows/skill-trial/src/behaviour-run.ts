import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { applyPatch } from './base.js';
import type { Behaviour, VariantBehaviour } from './behaviour.js';
import type { Case } from './case.js';
import { testedVariants, variantPlan } from './control.js';
import { type DefectMatrix, defectMatrix, type MutantRun } from './defect-matrix.js';
import { checkDocumentation, type ObtainProgram, type ProgramPlan, ProgramRun, readDocs } from './documentation-check.js';
import { hashOf, hashTree, sha256 } from './hash.js';
import { caseOf, type Lab } from './lab.js';
import { patchSize } from './patch-size.js';
import type { Proposals } from './proposal.js';
import { proposalsOf } from './proposing.js';
import { hasRecord, prettyJson, readJson, recordHash, sealRecord, writeWhole } from './record.js';
import { requirementsOf } from './requirement-result.js';
import { type Obtain, recordedBy } from './saved-check.js';
import type { SavedTrial } from './trial-record.js';
import { inTurn } from './turn.js';
import type { CheckRecord, Control, DoneCheck } from './variant-checks.js';

type Plan = Awaited<ReturnType<typeof variantPlan>>;
/** How the runs are obtained: made and recorded, or (by verify) read again. */
export interface BehaviourSource {
  test: Obtain;
  program: ObtainProgram;
}

/** Finds out what each different variant's code and tests do, and writes behaviour.json and proposals.json. */
export async function runBehaviour(
  lab: Lab,
  trials: SavedTrial[],
  control: Control | null,
  onStep: (text: string) => void = () => undefined,
): Promise<{ behaviour: Behaviour; proposals: Proposals }> {
  const found = await gatherBehaviour(lab, trials, control, { test: recordedBy(lab), program: programBy(lab) }, onStep);
  await writeWhole(lab.run.behaviourIndex, prettyJson(found.behaviour));
  await writeWhole(lab.run.proposals, prettyJson(found.proposals));
  return found;
}

/** behaviour.json and proposals.json from runs obtained in any way; variants in the order of their first trial. */
export async function gatherBehaviour(
  lab: Lab,
  trials: SavedTrial[],
  control: Control | null,
  source: BehaviourSource,
  onStep: (text: string) => void = () => undefined,
): Promise<{ behaviour: Behaviour; proposals: Proposals }> {
  await mkdir(lab.run.scratch, { recursive: true });
  // one after the other where several variants share them: the starting suite on each mutant is the case's, not the variant's
  const starting = new Map<string, Promise<DoneCheck[]>>();
  const variants = await inTurn(testedVariants(lab, trials), async (trial) => {
    const { content } = trial.record;
    onStep(`behaviour of variant ${content.slice(0, 12)}`);
    const one = caseOf(lab, trial.record.case);
    const plan = await variantPlan(lab, trial);
    if (!starting.has(one.name)) {
      const suites = startingSuites(one, plan, source);
      suites.catch(() => undefined); // it may fail before a variant waits for it; whoever does gets the error
      starting.set(one.name, suites);
    }
    const scratch = await mkdtemp(join(lab.run.scratch, 'behaviour-'));
    try {
      const workspace = join(scratch, 'workspace');
      await applyPatch(plan.common.base, plan.patch, workspace);
      const files = new Map<string, string>();
      for (const file of plan.tests.files) files.set(file, await readFile(join(workspace, file), 'utf8').catch(() => ''));
      const own = plan.tests.copied.map((path): [string, string] => [join(workspace, path), path]);
      const variant = await behaviourOf(content, one, plan, own, (await starting.get(one.name)) as DoneCheck[], source, scratch);
      const checks = control?.variants.find((row) => row.content === content && row.case === one.name) ?? null;
      return { variant, proposals: proposalsOf(one, variant, checks, files) };
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  });
  return {
    behaviour: { schemaVersion: 1, variants: variants.map(({ variant }) => variant) },
    proposals: {
      schemaVersion: 1,
      variants: variants.map(({ variant: { content, case: one }, proposals }) => ({ content, case: one, proposals })),
    },
  };
}

async function behaviourOf(
  content: string,
  one: Case,
  plan: Plan,
  own: [string, string][],
  starting: DoneCheck[],
  source: BehaviourSource,
  scratch: string,
): Promise<VariantBehaviour> {
  const records: Record<string, CheckRecord> = {};
  const keep = (name: string, done: DoneCheck) => {
    records[name] = done.record;
    return done.check;
  };
  const hidden = Object.values(one.hidden);
  const requirements =
    hidden.length === 0
      ? []
      : requirementsOf(keep('hidden', await source.test(content, await hiddenPlan(one, plan), 'behaviour')), one.hidden);
  let defects: DefectMatrix | null = null;
  if (one.solution !== undefined && one.matrix.length > 0) {
    const files = plan.tests.files;
    const run = async (name: string, mutant: string | null) =>
      keep(
        name,
        await source.test(
          content,
          { ...plan.common, name, patch: null, files, ...(await referenceTree(one, mutant, own)) },
          'behaviour',
        ),
      );
    const reference = files.length === 0 ? null : await run('reference', null);
    const comparable = reference?.tests.some((test) => test.outcome === 'passed') ?? false;
    const runs: MutantRun[] = [];
    for (const [index, { mutant, mustFail }] of one.matrix.entries())
      runs.push({
        mutant,
        breaks: mustFail,
        own: comparable ? await run(mutant, mutant) : null,
        starting: keep(`starting-${mutant}`, starting[index] as DoneCheck),
      });
    defects = defectMatrix(reference, runs);
  }
  const tree = { ...plan.common, patch: plan.patch };
  const docs = await readDocs(tree, one, scratch);
  const told = await checkDocumentation(content, one, tree, docs, source.program);
  return {
    content,
    case: one.name,
    requirements,
    holds: requirements.filter((row) => row.outcome === 'holds').length,
    of: requirements.length,
    defects,
    documentation: told.documentation,
    patch: patchSize(await readFile(plan.patch, 'utf8'), one.area),
    records: { ...records, ...told.records },
  };
}

/** The hidden tests laid over the variant's tree, after the trial: no agent ever sees them. */
async function hiddenPlan(one: Case, { common, patch }: Plan) {
  const files = Object.values(one.hidden);
  const overlay = files.map((file): [string, string] => [join(one.folder, file), file]);
  const texts = await Promise.all(files.map((file) => readFile(join(one.folder, file))));
  return { ...common, name: 'hidden', patch, files, overlay, overlayKey: hashOf(texts.map((text) => sha256(text))) };
}

/** The reference solution, a mutant over it, and files over both. */
async function referenceTree(one: Case, mutant: string | null, own: [string, string][]) {
  const folders = [join(one.folder, one.solution as string)];
  if (mutant !== null) folders.push(join(one.folder, one.mutants as string, mutant));
  const overlay: [string, string][] = [...folders.map((folder): [string, string] => [folder, '.']), ...own];
  return { overlay, overlayKey: hashOf([mutant, ...(await Promise.all(folders.map((folder) => hashTree(folder))))]) };
}

/** The starting suite of a case on each of its mutants, in the order of the matrix. */
async function startingSuites(one: Case, { common, startingFiles }: Plan, source: BehaviourSource): Promise<DoneCheck[]> {
  if (one.solution === undefined) return [];
  const owner = sha256(`case ${one.name}`);
  const own = startingFiles.map((path): [string, string] => [join(common.base.folder, path), path]);
  return inTurn(one.matrix, async ({ mutant }) =>
    source.test(
      owner,
      { ...common, name: `starting-${mutant}`, patch: null, files: startingFiles, ...(await referenceTree(one, mutant, own)) },
      'behaviour',
    ),
  );
}

/** Where a program's record lies: what it follows from is part of the name. */
export function programFolder(lab: Lab, content: string, { name, key }: Pick<ProgramPlan, 'name' | 'key'>): string {
  return lab.run.check('behaviour', content, join(name, key.slice(0, 16)));
}

/** A program's record as it was saved. */
export async function readProgram(lab: Lab, folder: string): ReturnType<ObtainProgram> {
  return {
    run: await readJson(join(folder, 'program.json'), ProgramRun),
    notes: await readFile(join(folder, 'notes.jsonl'), 'utf8'),
    record: { path: relative(lab.run.run, folder), sha256: await recordHash(folder) },
  };
}

function programBy(lab: Lab): ObtainProgram {
  return async (content, plan) => {
    const target = programFolder(lab, content, plan);
    if (!(await hasRecord(target))) {
      const draft = await mkdtemp(join(lab.run.scratch, 'program-'));
      try {
        await plan.run(draft);
        await sealRecord(draft, target);
      } finally {
        await rm(draft, { recursive: true, force: true });
      }
    }
    return readProgram(lab, target);
  };
}
