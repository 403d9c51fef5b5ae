import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readAnalysis } from './analyse.js';
import { analyseStudy } from './analysis.js';
import { gatherBehaviour, programFolder, readProgram } from './behaviour-run.js';
import { readSecret } from './blinding.js';
import { gatherControl, gatherStability } from './control.js';
import { offeredSkills } from './delivery.js';
import type { ObtainProgram } from './documentation-check.js';
import { LabError } from './errors.js';
import { checkFrozenInputs } from './frozen-inputs.js';
import { gatherGrading } from './grade-run.js';
import { canonicalJson } from './hash.js';
import { gatherJudge } from './judge-run.js';
import { type Lab, skillNames } from './lab.js';
import { readProposals } from './proposal.js';
import { prettyJson, writeWhole } from './record.js';
import { checkRecords } from './record-check.js';
import { rederiveTrial } from './rederivation.js';
import { renderReport } from './report-files.js';
import { collectResults } from './result.js';
import { type CheckFolder, findCheck } from './saved-check.js';
import { gatherScores } from './score-run.js';
import { readStudy, type Study } from './study.js';
import { testsAgain } from './test-check.js';
import { testReader } from './test-framework.js';
import type { DoneCheck } from './variant-checks.js';
import { gatherVerdicts } from './verdict-run.js';
import type { VerificationPoint } from './verification.js';

export interface Verification {
  points: VerificationPoint[];
  /** What does not hold, each naming its file; [] when every record is whole and every number was derived again. */
  failures: string[];
}

/**
 * Verifies a report from raw records alone: the ledger's chain, what the lock froze, every record's bytes, then every derivation
 * (usage and attestation from raw bodies, test outcomes from reporter lines, scores from sheets, statistics, and the report's own
 * files, byte for byte). No boolean that an earlier step wrote is believed.
 */
export async function verify(lab: Lab): Promise<Verification> {
  const failures: string[] = [];
  const saved = await readStudy(lab);
  failures.push(...(await checkFrozenInputs(lab, saved.lock)));
  await readSecret(lab, saved.lock).catch(() => failures.push('secret.txt is missing or is not the one the lock committed to'));
  failures.push(...(await checkRecords(saved)));
  // An altered record can keep the derivation from being made at all: then that is named beside the record, and no point can be told.
  const points = await rederive(lab, saved, failures).catch((error) => {
    if (!(error instanceof LabError)) throw error;
    failures.push(`the numbers cannot be derived again: ${error.message.split('\n')[0]}`);
    return [];
  });
  const ledgerHead = saved.ledger.at(-1)?.hash ?? '';
  await writeWhole(lab.run.verification, prettyJson({ schemaVersion: 1, lock: saved.lock.id, ledgerHead, points, failures }));
  return { points, failures };
}

/** Every derivation made again from the raw records, and held against what was published and printed; returns the twelve points. */
async function rederive(lab: Lab, saved: Study, failures: string[]): Promise<VerificationPoint[]> {
  const study = await rederiveStudy(saved, failures);
  const { published: read, figures } = await readAnalysis(lab);
  const published = analyseStudy(study);
  for (const [name, value] of Object.entries(published)) {
    if (canonicalJson(value) !== canonicalJson(read[name as keyof typeof read]))
      failures.push(`published/${name}.json differs from what the records give`);
  }
  const { report, files } = await renderReport(study, published, figures);
  for (const [path, text] of files) {
    const found = await readFile(join(lab.run.report, path), 'utf8').catch(() => null);
    if (found !== text)
      failures.push(
        `reports/${lab.experiment.name}/${path} ${found === null ? 'is missing' : 'differs from what the records give'}`,
      );
  }
  return report.verification;
}

/** A program's record of the documentation checks, read again. */
function rereadProgram(lab: Lab): ObtainProgram {
  return (content, plan) => readProgram(lab, programFolder(lab, content, plan));
}

/** The target that made a check's record, by the folder in which it lies. */
const targetOf = (path: string) => (path.startsWith('checks/') ? 'negative-control' : (path.split('/')[0] as string));

/** A check with its tests read again from the raw report, and what is to be said where they are not those that were saved. */
export async function rereadCheck(
  lab: Pick<Lab, 'run' | 'experiment'>,
  done: DoneCheck,
): Promise<{ done: DoneCheck; difference: string | null }> {
  const { path } = done.record;
  const tests = await testsAgain(done.check, join(lab.run.run, path));
  const again = { ...done, check: { ...done.check, tests } };
  if (canonicalJson(done.check.tests) === canonicalJson(tests)) return { done: again, difference: null };
  const { reader } = done.check;
  if (reader === testReader) return { done: again, difference: `${path}/check.json differs from what the raw records give` };
  // what it made stands in every number that follows: one failure names the cause, in place of one for each of them
  const step = `npx nx run ${lab.experiment.name}:${targetOf(path)}`;
  const difference = `${path}/check.json was made by an earlier reader of test reports (${reader}, now ${testReader}), which read other outcomes: run it again (${step}), and every step after it`;
  return { done, difference };
}

/** The study with every derivation made again; where a saved one differs, the failure names it. */
async function rederiveStudy(saved: Study, failures: string[]): Promise<Study> {
  const { lab } = saved;
  const trials: Study['trials'] = [];
  for (const { folder } of saved.trials) {
    const { trial, differences } = await rederiveTrial(lab, folder);
    failures.push(...differences);
    trials.push(trial);
  }
  const differs = (what: string, before: unknown, now: unknown) => {
    if (canonicalJson(before) !== canonicalJson(now)) failures.push(`${what} differs from what the raw records give`);
  };
  const reread = async (content: string, plan: Parameters<typeof findCheck>[2], folder: CheckFolder): Promise<DoneCheck> => {
    const { done, difference } = await rereadCheck(lab, await findCheck(lab, content, plan, folder));
    if (difference !== null) failures.push(difference);
    return done;
  };
  const control = await gatherControl(lab, trials, reread);
  const stability = await gatherStability(lab, trials, reread);
  differs('control.json', saved.control, control);
  differs('stability.json', saved.stability, stability);
  const verdicts = await gatherVerdicts(lab, trials, reread);
  if (saved.verdicts !== null || verdicts.variants.length > 0) differs('verdicts.json', saved.verdicts, verdicts);
  const { test, program } = { test: reread, program: rereadProgram(lab) };
  const found = saved.behaviour === null ? null : await gatherBehaviour(lab, trials, control, { test, program });
  const behaviour = found?.behaviour ?? null;
  differs('behaviour.json', saved.behaviour, behaviour);
  if (found !== null) differs('proposals.json', await readProposals(lab.run.proposals), found.proposals);
  const { judge } = lab.experiment;
  const judgement = saved.judgement === null || judge === undefined ? null : await gatherJudge(lab, judge, trials);
  differs('judge.json', saved.judgement, judgement);
  const grading = saved.grading === null ? null : await gatherGrading(lab, trials);
  differs('grading.json', saved.grading, grading);
  const partial: Study = { ...saved, trials, control, stability, verdicts, behaviour, judgement, grading };
  const { scores, changes } = await gatherScores(partial);
  failures.push(...changes);
  differs('scores.json', saved.scores, scores);
  const scored = saved.ledger.findLast((line) => line.event.kind === 'scored')?.event;
  for (const { file, sha256: hash } of scores.variants.flatMap((variant) => variant.sheets)) {
    if (scored?.kind === 'scored' && scored.sheets[file] !== hash) failures.push(`${file} has changed since it was scored`);
  }
  const results = collectResults({
    root: lab.root,
    lock: saved.lock,
    schedule: saved.schedule,
    trials,
    checks: control.variants,
    verdicts: verdicts.variants,
    grades: grading?.trials ?? [],
    scores: scores.variants,
    withheld: scores.scoring.state !== 'unblinded',
    skills: skillNames(lab),
    given: (arm, one) => offeredSkills(lab, arm, one),
  });
  return { ...partial, scores, results };
}
