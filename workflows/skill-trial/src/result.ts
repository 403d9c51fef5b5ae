import { relative } from 'node:path';
import { modelOf } from './arm.js';
import { heldNotes } from './containment.js';
import type { TrialGrade } from './grade.js';
import { canonicalJson } from './hash.js';
import type { Lock } from './lock.js';
import { allMetrics, type Metric, type MetricId } from './metric.js';
import type { Precision } from './precision.js';
import { describeFailures } from './provider-failures.js';
import type { ScheduleLine } from './schedule.js';
import type { VariantScore } from './score.js';
import type { Finding } from './sheet.js';
import type { SavedTrial, TrialStatus } from './trial-record.js';
import type { VariantChecks } from './variant-checks.js';
import type { Verdict } from './verdict.js';
import type { VariantVerdict } from './verdict-run.js';

/** How far a skill got in one trial: named in the requests, read, or only mentioned in the answer. */
export interface Activation {
  skill: string;
  /** Whether this trial's arm gives it on this case. */
  given: boolean;
  listed: boolean;
  loaded: boolean;
  /** The answer names it although nothing shows that it was read. */
  claimedOnly: boolean;
  /** `events.jsonl:<line>` or `calls.jsonl, request <n>`; null where it was not loaded. */
  evidence: string | null;
}

/** One trial with everything that is computed from it: the rows of the analysis. */
export interface TrialResult {
  id: string;
  case: string;
  arm: string;
  repeat: number;
  position: number;
  block: string | null;
  scripted: boolean;
  status: TrialStatus;
  reason: string;
  attempt: number;
  /** False: the attestation or the comparison of the arms failed. Shown apart, never scored. */
  valid: boolean;
  problems: string[];
  /** Whether all trials of its block ran under one lock. */
  concurrent: boolean;
  lock: string;
  spec: string;
  /** Null while scoring is not unblinded: a scorer knows the content, and would know the arm. */
  content: string | null;
  scoring: VariantScore['status'];
  /** Every metric of the report; null where unknown, and for an invalid trial. */
  values: Record<MetricId, number | null>;
  /** Path of the saved record that each value comes from, below the checkout. */
  evidence: Record<MetricId, string>;
  rows: VariantScore['rows'];
  findings: Finding[] | null;
  precision: Precision | null;
  checks: VariantChecks | null;
  verdict: Verdict | null;
  /** How each assertion of an eval came out; null where the case is none, or nothing is graded yet. */
  grade: TrialGrade | null;
  modelCalls: number | null;
  setupSeconds: number;
  startedAt: string;
  activation: Activation[];
  usageMismatches: string[];
  /** What the record warns of and does not judge: calls that failed at the provider, secrets in it. */
  warnings: string[];
  /** What the agent ran into: limits, and connections that were refused or let through. */
  held: string[];
}

export interface ResultInput {
  root: string;
  lock: Lock;
  schedule: ScheduleLine[];
  trials: SavedTrial[];
  checks: VariantChecks[];
  verdicts: VariantVerdict[];
  grades: TrialGrade[];
  scores: VariantScore[];
  /** Whether everything that a scorer could recognise a variant by is left out: its content, scores and checks. */
  withheld: boolean;
  skills: string[];
  /** The skills of an arm on a case. */
  given: (arm: string, name: string) => string[];
}

/** In the place of a path that would name the variant. */
const withheldWords = 'withheld until scoring is locked and unblinded';

/** One result for each recorded trial, in schedule order. Trials without a record are left out: the caller counts them. */
export function collectResults(input: ResultInput): TrialResult[] {
  const byName = new Map(input.trials.map((trial) => [trial.record.id, trial]));
  const recorded = input.schedule.flatMap((line) => {
    const trial = byName.get(line.trial);
    return trial === undefined ? [] : [{ line, trial }];
  });
  // looked up and not sought for each: an experiment has thousands of trials
  const differences = differencesAmong(
    recorded.map(({ trial }) => trial),
    input.lock,
  );
  const locks = new Map<string, Set<string>>();
  for (const { line, trial } of recorded) gather(locks, `${line.case}.${line.repeat}`, trial.record.lock);
  const [scores, checks, verdicts] = [firstOf(input.scores), firstOf(input.checks), firstOf(input.verdicts)];
  const grades = firstBy(input.grades, (row) => `${row.trial}/${row.content}`);
  return recorded.map(({ line, trial }) => {
    const { record } = trial;
    const problems = [...trial.attestation.problems, ...differences(trial)];
    const valid = problems.length === 0;
    const own = <Row>(rows: Map<string, Row>, key: string) => (input.withheld ? null : (rows.get(key) ?? null));
    const variant = `${record.case}/${record.content}`;
    const score = own(scores, variant);
    const check = own(checks, variant);
    const folder = relative(input.root, trial.folder);
    const verdict = own(verdicts, variant);
    const grade = own(grades, `${record.id}/${record.content}`);
    const sources = { usage: trial.usage, score, checks: check, verdict: verdict?.verdict ?? null, grade };
    const pairs = allMetrics.map((metric) => [metric.id, valid ? metric.pick(sources) : null] as const);
    return {
      id: record.id,
      case: record.case,
      arm: record.arm,
      repeat: record.repeat,
      position: line.position,
      block: line.block,
      scripted: record.scripted,
      status: record.status,
      reason: record.reason,
      attempt: record.attempt,
      valid,
      problems,
      concurrent: locks.get(`${line.case}.${line.repeat}`)?.size === 1,
      lock: record.lock,
      spec: record.spec,
      content: input.withheld ? null : record.content,
      scoring: score?.status ?? 'pending',
      values: Object.fromEntries(pairs) as Record<MetricId, number | null>,
      evidence: Object.fromEntries(
        allMetrics.map((metric) => [
          metric.id,
          input.withheld && metric.from !== 'usage'
            ? withheldWords
            : evidenceOf(metric.from, folder, score, check, verdict, grade),
        ]),
      ) as Record<MetricId, string>,
      rows: score?.rows ?? [],
      findings: score?.findings ?? null,
      precision: score?.precision ?? null,
      checks: check,
      verdict: verdict?.verdict ?? null,
      grade,
      modelCalls: trial.usage.model_calls,
      setupSeconds: record.setupSeconds,
      startedAt: record.startedAt,
      activation: input.skills.map((skill) => activationOf(skill, trial, input.given(record.arm, record.case))),
      usageMismatches: record.usageMismatches,
      warnings: warningsOf(record),
      held: heldNotes(trial.attestation.held ?? null),
    };
  });
}

function warningsOf({ providerFailures, secretWarnings, redacted }: SavedTrial['record']): string[] {
  const failures = describeFailures(providerFailures);
  return [
    ...(failures === null ? [] : [failures]),
    ...secretWarnings.map((what) => `a secret may be in the record: ${what}`),
    ...Object.entries(redacted).map(([file, count]) => `the model's key stood in ${file} and was taken out (${count} times)`),
  ];
}

/** What must be equal in all trials of a case, or in those of them whose arms have one model. */
const equalParts: { what: string; among: 'case' | 'model'; pick: (trial: SavedTrial) => string | null }[] = [
  { what: 'the delivered task', among: 'case', pick: ({ attestation }) => attestation.deliveredTask },
  { what: 'the set of tools offered', among: 'model', pick: ({ attestation }) => attestation.tools },
  { what: 'the set of generation parameters', among: 'model', pick: ({ attestation }) => attestation.parameters },
  { what: 'the base commit', among: 'case', pick: ({ record }) => record.baseCommit },
];

/** For each trial: where it is known and its case's trials are not all the same. */
function differencesAmong(trials: SavedTrial[], lock: Lock): (trial: SavedTrial) => string[] {
  const models = new Map<string, string>();
  for (const { record } of trials)
    if (!models.has(record.arm)) models.set(record.arm, canonicalJson(modelOf(lock.conditions.settings, record.arm)));
  const group = (part: (typeof equalParts)[number], { record }: SavedTrial) =>
    `${part.what}/${record.case}/${part.among === 'case' ? '' : models.get(record.arm)}`;
  const values = new Map<string, Set<string>>();
  for (const trial of trials)
    for (const part of equalParts) {
      const value = part.pick(trial);
      if (value !== null) gather(values, group(part, trial), value);
    }
  return (trial) =>
    equalParts
      .filter((part) => part.pick(trial) !== null && (values.get(group(part, trial))?.size ?? 0) > 1)
      .map(({ what }) => `${what} differs between the trials of case ${trial.record.case}`);
}

function gather(values: Map<string, Set<string>>, key: string, value: string): void {
  const known = values.get(key);
  if (known === undefined) values.set(key, new Set([value]));
  else known.add(value);
}

function firstBy<Row>(rows: Row[], key: (row: Row) => string): Map<string, Row> {
  // the last of a key wins in a map
  return new Map(rows.toReversed().map((row) => [key(row), row]));
}

function firstOf<Row extends { content: string; case: string }>(rows: Row[]): Map<string, Row> {
  return firstBy(rows, (row) => `${row.case}/${row.content}`);
}

function evidenceOf(
  from: Metric['from'],
  folder: string,
  score: VariantScore | null,
  checks: VariantChecks | null,
  verdict: VariantVerdict | null,
  grade: TrialGrade | null,
): string {
  const run = folder.replace(/\/trials\/.*$/, '');
  if (from === 'verdict') return verdict?.records[0] === undefined ? 'no verifier' : `${run}/${verdict.records.at(-1)?.path}`;
  if (from === 'grade') return grade === null ? 'not graded' : `${run}/${grade.records[0]?.path ?? 'grading.json'}`;
  if (from === 'usage') return `${folder}/usage.json`;
  if (from === 'sheet')
    return score?.sheets[0]?.file ?? (score?.status === 'scored' ? `${folder}/response.md (empty)` : 'no score sheet yet');
  return checks === null ? 'no check has run yet' : `${run}/checks/${checks.content.slice(0, 16)}`;
}

function activationOf(skill: string, trial: SavedTrial, given: string[]): Activation {
  const event = trial.trajectory.loaded.find((load) => load.skill === skill);
  const body = trial.attestation.bodies.find((row) => row.skill === skill);
  const loaded = event !== undefined || body !== undefined;
  return {
    skill,
    given: given.includes(skill),
    listed: trial.attestation.listed.includes(skill),
    loaded,
    claimedOnly: !loaded && trial.trajectory.response.includes(skill),
    evidence:
      event !== undefined ? `events.jsonl:${event.line}` : body !== undefined ? `calls.jsonl, request ${body.call}` : null,
  };
}
