import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { z } from 'zod';
import { Behaviour } from './behaviour.js';
import { offeredSkills } from './delivery.js';
import { Discovery } from './discovery.js';
import { check } from './document.js';
import { Grading } from './grade.js';
import { Judgement } from './judge-run.js';
import { caseOf, type Lab, openLab, skillNames } from './lab.js';
import { type LedgerLine, readLedger } from './ledger.js';
import { Lock } from './lock.js';
import { lockHistory } from './lock-history.js';
import { hasRecord, readJson } from './record.js';
import { collectResults, type TrialResult } from './result.js';
import { ScheduleLine } from './schedule.js';
import { Scores } from './score.js';
import { TrialSpec } from './spec.js';
import { readTrial, type SavedTrial } from './trial-record.js';
import { Control, Stability } from './variant-checks.js';
import { Verdicts } from './verdict-run.js';

/** Everything that one experiment's run has left on the disk, read and joined. What a step has not made yet is null. */
export interface Study {
  lab: Lab;
  lock: Lock;
  /** Every lock in the order in which the ledger has it put in force, the present one last. One that was taken up again stands again, `frozenAt` then being the time of that. */
  locks: Lock[];
  ledger: LedgerLine[];
  schedule: ScheduleLine[];
  discovery: Discovery | null;
  trials: SavedTrial[];
  /** Scheduled trials without a record. */
  missing: string[];
  control: Control | null;
  stability: Stability | null;
  /** Null where the step has not run, or no case has a verifier. */
  verdicts: Verdicts | null;
  /** Null where the step has not run, or no case is an eval. */
  grading: Grading | null;
  /** Null where the step has not run: requirements, caught defects, documentation, size. */
  behaviour: Behaviour | null;
  scores: Scores | null;
  /** Null where no judge has scored. */
  judgement: Judgement | null;
  results: TrialResult[];
  /** Scheduled trials by arm. */
  planned: Record<string, number>;
}

/** Opens the study of an experiment in the checkout around the current folder; for notebooks. SKILL_TRIAL_EXPERIMENT names it. */
export async function openStudy(root: string, name: string): Promise<Study> {
  return readStudy(await openLab(root, name));
}

/** Reads a study. `load` reads one trial; verify gives one that works everything out again from the raw bodies. */
export async function readStudy(lab: Lab, load: (folder: string) => Promise<SavedTrial> = readTrial): Promise<Study> {
  const { run } = lab;
  const lock = await readJson(run.lock, Lock);
  const ledger = await readLedger(run.ledger);
  const schedule = await readSchedule(run.schedule);
  const trials: SavedTrial[] = [];
  const missing: string[] = [];
  for (const line of schedule) {
    const spec = await readJson(run.spec(line.trial), TrialSpec);
    const folder = run.trial(spec.hash, spec.repeat);
    if (await hasRecord(folder)) trials.push(await load(folder));
    else missing.push(line.trial);
  }
  const control = await ifMade(run.controlIndex, Control);
  const verdicts = await ifMade(run.verdicts, Verdicts);
  const grading = await ifMade(run.grading, Grading);
  const scores = await ifMade(run.scores, Scores);
  const planned: Record<string, number> = {};
  for (const line of schedule) planned[line.arm] = (planned[line.arm] ?? 0) + 1;
  const results = collectResults({
    root: lab.root,
    lock,
    schedule,
    trials,
    checks: control?.variants ?? [],
    verdicts: verdicts?.variants ?? [],
    grades: grading?.trials ?? [],
    scores: scores?.variants ?? [],
    withheld: scores?.scoring.state !== 'unblinded',
    skills: skillNames(lab),
    given: (arm, one) => offeredSkills(lab, arm, one),
  });
  return {
    lab,
    lock,
    locks: await readLocks(lab, ledger, lock),
    ledger,
    schedule,
    discovery: await ifMade(run.discoveryIndex, Discovery),
    trials,
    missing,
    control,
    stability: await ifMade(run.stabilityIndex, Stability),
    verdicts,
    grading,
    behaviour: await ifMade(run.behaviourIndex, Behaviour),
    scores,
    // a judge that the settings no longer name has no place in the report; its records stay
    judgement: lab.experiment.judge === undefined ? null : await ifMade(run.judgeIndex, Judgement),
    results,
    planned,
  };
}

/** A step's index, or null where the step has not run. One that is there and cannot be read is an error, never "not made yet". */
async function ifMade<S extends z.ZodType>(file: string, schema: S): Promise<z.output<S> | null> {
  return (await stat(file).catch(() => null)) === null ? null : readJson(file, schema);
}

/** The variants of a study, one for each trial's content and case. */
export function variantsOf(study: Pick<Study, 'lab' | 'trials'>) {
  const keyed = new Map(study.trials.map((trial) => [`${trial.record.case}/${trial.record.content}`, trial.record]));
  // by content: the order of the trials would tell the arms
  return [...keyed.values()]
    .sort((a, b) => (a.content < b.content ? -1 : 1))
    .map((record) => ({ content: record.content, case: caseOf(study.lab, record.case) }));
}

async function readSchedule(file: string): Promise<ScheduleLine[]> {
  const text = await readFile(file, 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line, index) => check(JSON.parse(line), ScheduleLine, `${file}:${index + 1}`));
}

async function readLocks(lab: Lab, ledger: LedgerLine[], present: Lock): Promise<Lock[]> {
  const files = (await readdir(lab.run.locks).catch(() => [] as string[])).filter((name) => name.endsWith('.json'));
  const locks = await Promise.all(files.map((name) => readJson(join(lab.run.locks, name), Lock)));
  return lockHistory(locks, ledger, present);
}
