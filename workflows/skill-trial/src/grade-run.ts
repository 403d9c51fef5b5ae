import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { z } from 'zod';
import { applyPatch } from './base.js';
import { redact, unnamedIn } from './blinding.js';
import { requireConsent } from './consent.js';
import { differentVariants } from './control.js';
import { offeredSkills } from './delivery.js';
import type { Assertion, EvalSettings } from './eval.js';
import { type CheckOutcome, needsTree, type RunOutput, runCheck } from './eval-check.js';
import type { AssertionGrade, Grading, TrialGrade } from './grade.js';
import { hashOf, listTree } from './hash.js';
import type { Artifact, JudgeMark, JudgeRow } from './judge.js';
import { askJudge, judgeName, readJudgement } from './judge-run.js';
import { baseOf, caseOf, type Lab } from './lab.js';
import { Lock } from './lock.js';
import { frozenPlace, placeKey } from './place.js';
import { hasRecord, prettyJson, readJson, recordHash, sealRecord, writeWhole } from './record.js';
import { runInTree } from './tree-run.js';
import { readTrajectory, type SavedTrial } from './trial-record.js';
import { inTurn } from './turn.js';

/** command.json: how the command of a check ended; exitCode is null where a signal ended it. */
const CommandRun = z.strictObject({ schemaVersion: z.literal(1), exitCode: z.int().nullable(), timedOut: z.boolean() });
type CommandRun = z.infer<typeof CommandRun>;

export interface GradeOptions {
  /** A real judge costs money: the person (or script) said yes. */
  consent: boolean;
  /** Variants that the judge is asked about at once; two where absent. */
  workers?: number;
  onStep?: (text: string) => void;
}

/**
 * Grades every run of an eval: assertions with a check by that check, the others by the judge, all of a variant in one question.
 * Answers and command runs are recorded once for equal inputs. Writes grading.json; null, and no file, without an eval.
 */
export async function runGrading(lab: Lab, trials: SavedTrial[], options: GradeOptions): Promise<Grading | null> {
  if ([...lab.cases.values()].every((one) => one.eval === undefined)) return null;
  const { judge } = lab.experiment;
  if (judge !== undefined && judge.model.scripted === undefined)
    requireConsent(
      { experiment: { ...lab.experiment, model: judge.model, limits: { ...lab.experiment.limits, cost_usd: judge.cost_usd } } },
      options.consent,
    );
  const ensure: Ensure = async (target, make) => {
    if (await hasRecord(target)) return;
    await mkdir(lab.run.scratch, { recursive: true });
    const draft = await mkdtemp(join(lab.run.scratch, 'grade-'));
    try {
      options.onStep?.(relative(lab.run.run, target));
      await make(draft);
      await sealRecord(draft, target);
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  };
  const grading = await gatherGrading(lab, trials, ensure, options.workers);
  await writeWhole(lab.run.grading, prettyJson(grading));
  return grading;
}

/** Makes a record where it is missing; verify gives one that makes none. */
type Ensure = (target: string, make: (draft: string) => Promise<void>) => Promise<void>;

/** grading.json from records: answers are read again from the raw bodies, checks made again on the saved run. */
export async function gatherGrading(
  lab: Lab,
  trials: SavedTrial[],
  ensure: Ensure = async () => undefined,
  workers?: number,
): Promise<Grading> {
  const { judge } = lab.experiment;
  const concerned = trials.filter((trial) => caseOf(lab, trial.record.case).eval !== undefined);
  const judged = new Map<string, { marks: JudgeMark[]; record: { path: string; sha256: string } }>();
  const put = async (trial: SavedTrial) => {
    const one = caseOf(lab, trial.record.case);
    const own = one.eval as EvalSettings;
    const rows = judgeRowsOf(own);
    if (judge === undefined || rows.length === 0 || trial.record.status === 'timed-out') return;
    const told = [one.taskBytes.toString('utf8'), ...own.follow_ups, ...rows.map(({ requirement }) => requirement)].join('\n');
    const hidden = unnamedIn(told, lab.skills.values());
    const read = async (file: string) => redact(await readFile(join(trial.folder, file), 'utf8'), hidden).text;
    const artifact: Artifact = { response: await read('response.md'), patch: await read('patch.diff') };
    const { key_env: _key, prices: _prices, ...model } = judge.model;
    const target = lab.run.grade(trial.record.content, hashOf({ version: 1, model, tries: judge.tries, rows, artifact }));
    const variant = { content: trial.record.content, case: trial.record.case };
    await ensure(target, (draft) => askJudge(judge, rows, variant, artifact, draft));
    const { marks } = await readJudgement(target, rows, artifact);
    judged.set(variantKey(trial), { marks, record: { path: relative(lab.run.run, target), sha256: await recordHash(target) } });
  };
  await inTurn(differentVariants(concerned), put, workers);
  const rows = await inTurn(concerned, (trial) => gradeTrial(lab, trial, judged.get(variantKey(trial)) ?? null, ensure));
  const scripted = judge?.model.scripted !== undefined;
  return { schemaVersion: 1, judge: judge === undefined ? null : judgeName(judge), judgeScripted: scripted, trials: rows };
}

function variantKey({ record }: SavedTrial): string {
  return `${record.case}/${record.content}`;
}

/** The assertions that are put to a judge. */
function judgeRowsOf({ assertions }: EvalSettings): JudgeRow[] {
  return assertions
    .filter(({ check }) => check === undefined)
    .map(({ id, text }) => ({
      sheet: 'assertion',
      id,
      requirement: text,
      evidence_rule: 'words of the response or the patch',
      weight: 1,
    }));
}

async function gradeTrial(
  lab: Lab,
  trial: SavedTrial,
  judged: { marks: JudgeMark[]; record: { path: string; sha256: string } } | null,
  ensure: Ensure,
): Promise<TrialGrade> {
  const { record, folder } = trial;
  const one = caseOf(lab, record.case);
  const own = one.eval as EvalSettings;
  const checks = own.assertions.flatMap(({ check }) => (check === undefined ? [] : [check]));
  const records = judged === null ? [] : [judged.record];
  const base = await baseOf(lab, record.case, record.baseCommit);
  const scratch = await mkdtemp(join(lab.run.run, 'tree-'));
  try {
    let tree: RunOutput['tree'] = null;
    if (checks.some(needsTree)) {
      const workspace = join(scratch, 'tree');
      await applyPatch(base, join(folder, 'patch.diff'), workspace);
      // a link could lead out of the tree
      const files = (await listTree(workspace)).filter(({ mode }) => mode !== '120000');
      tree = { folder: workspace, paths: files.map(({ path }) => path) };
    }
    const output: RunOutput = {
      response: await readFile(join(folder, 'response.md'), 'utf8'),
      status: record.status,
      trajectory: await readTrajectory(folder),
      tree,
      run: async (check) => {
        const { conditions } = await readJson(lab.run.lock, Lock);
        const place = frozenPlace(lab, conditions, one.name);
        const { sandbox: kind, ...more } = placeKey(place);
        const target = lab.run.grade(
          record.content,
          hashOf({ version: 1, check, case: record.case, base: record.baseCommit, kind, ...more }),
        );
        const plan = {
          case: one,
          base,
          patch: join(folder, 'patch.diff'),
          overlay: check.files === undefined ? [] : ([[join(one.folder, check.files), check.files]] as [string, string][]),
          ...place,
          timeoutMs: check.timeout_seconds * 1000,
        };
        await ensure(target, async (draft) => {
          const { outcome } = await runInTree(plan, draft, () => ({ argv: ['bash', '-c', check.command], env: {} }));
          const saved: CommandRun = { schemaVersion: 1, exitCode: outcome.exitCode, timedOut: outcome.timedOut };
          await writeFile(join(draft, 'command.json'), prettyJson(saved));
        });
        const { exitCode, timedOut } = await readJson(join(target, 'command.json'), CommandRun);
        const stdout = await readFile(join(target, 'stdout.txt'), 'utf8');
        const tail = stdout.trim().split('\n').at(-1)?.slice(0, 200) ?? '';
        records.push({ path: relative(lab.run.run, target), sha256: await recordHash(target) });
        return { exitCode, timedOut, stdout, tail };
      },
    };
    const assertions: AssertionGrade[] = [];
    for (const assertion of own.assertions) assertions.push(await gradeAssertion(lab, assertion, output, judged?.marks ?? null));
    const given = offeredSkills(lab, record.arm, record.case).includes(own.skill);
    return {
      trial: record.id,
      case: record.case,
      arm: record.arm,
      repeat: record.repeat,
      content: record.content,
      skill: own.skill,
      timedOut: record.status === 'timed-out',
      assertions,
      trigger: own.should_trigger === undefined || !given ? null : activated(own.skill, own.should_trigger, trial),
      records,
    };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Whether a run loaded the skill: by its event stream, all of it, or by the skill's text in a request. */
function activated(skill: string, should: boolean, { trajectory, attestation }: SavedTrial): NonNullable<TrialGrade['trigger']> {
  const event = trajectory.loaded.find((load) => load.skill === skill);
  const body = attestation.bodies.find((row) => row.skill === skill);
  const evidence =
    event !== undefined
      ? `events.jsonl:${event.line}`
      : body !== undefined
        ? `calls.jsonl, request ${body.call}`
        : 'in no event and no request';
  return { should, did: event !== undefined || body !== undefined, evidence };
}

async function gradeAssertion(
  lab: Lab,
  { id, text, kind, check }: Assertion,
  output: RunOutput,
  marks: JudgeMark[] | null,
): Promise<AssertionGrade> {
  const by = check === undefined ? 'judge' : 'check';
  const graded = ({ passed, evidence }: CheckOutcome): AssertionGrade => ({ id, text, kind, by, passed, evidence });
  if (output.status === 'timed-out') return graded({ passed: null, evidence: 'the run timed out' });
  if (check !== undefined) return graded(await runCheck(check, output));
  if (lab.experiment.judge === undefined) return graded({ passed: null, evidence: 'no judge is set in experiment.yaml' });
  const mark = marks?.find((row) => row.row === id);
  if (mark === undefined || mark.value === null)
    return graded({ passed: null, evidence: mark?.why ?? 'the judge was not asked' });
  return graded({
    passed: mark.value === true,
    evidence: mark.value === true ? `“${mark.quote}”` : 'the judge found no evidence',
  });
}
