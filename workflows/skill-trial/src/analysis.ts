import { z } from 'zod';
import { ComparisonRow, compareArms } from './comparison.js';
import { consistency } from './consistency.js';
import { CriticalRisk, criticalRisks } from './critical-risk.js';
import { contrasts } from './experiment.js';
import { evalMetrics, MetricId, metrics, requirementMetrics } from './metric.js';
import { pooledPrecision } from './precision.js';
import { ScoringStatus } from './score.js';
import { Statistic, testArms } from './statistic.js';
import type { Study } from './study.js';
import { TrialStatus } from './trial-record.js';

export const qualityMetrics = metrics.slice(0, 6).map(({ id }) => id);
export const costMetrics = metrics.slice(6).map(({ id }) => id);

/** One trial as the report lists it; values null where unknown or where the trial is invalid. */
export const TrialRow = z.strictObject({
  id: z.string(),
  case: z.string(),
  arm: z.string(),
  repeat: z.int().positive(),
  position: z.int().positive(),
  status: TrialStatus,
  reason: z.string(),
  valid: z.boolean(),
  problems: z.array(z.string()),
  concurrent: z.boolean(),
  attempt: z.int().positive(),
  scoring: ScoringStatus,
  /** Null while scoring is not unblinded. */
  content: z.string().nullable(),
  record: z.string(),
  setupSeconds: z.number(),
  values: z.record(MetricId, z.number().nullable()),
  activation: z.array(
    z.strictObject({
      skill: z.string(),
      listed: z.boolean(),
      loaded: z.boolean(),
      given: z.boolean(),
      claimedOnly: z.boolean(),
      evidence: z.string().nullable(),
    }),
  ),
  control: z.record(z.string(), z.int()).nullable(),
  usageMismatches: z.array(z.string()),
  warnings: z.array(z.string()).default([]),
  /** Limits that the agent ran into, and connections refused or let through; absent in reports made before this was recorded. */
  held: z.array(z.string()).optional(),
});
export type TrialRow = z.infer<typeof TrialRow>;

const count = z.int().nonnegative();
const fraction = z.number().nullable();
export const ConsistencyRow = z.strictObject({
  key: z.string(),
  arm: z.string(),
  confirmed: count,
  unconfirmed: count,
  contradicted: count,
  style: count,
  absent: count,
  unscored: count,
  runs: count,
  completeRuns: count,
  overAll: fraction,
  overComplete: fraction,
});
export const PooledPrecision = z.strictObject({
  arm: z.string(),
  confirmed: count,
  contradicted: count,
  checkable: count,
  value: fraction,
  runs: count,
});

/** Everything that notebooks publish and the report is assembled from, by its published name. */
export const Published = z.strictObject({
  trials: z.array(TrialRow),
  'rows-quality': z.array(ComparisonRow),
  'rows-cost': z.array(ComparisonRow),
  'statistics-quality': z.array(Statistic),
  'statistics-cost': z.array(Statistic),
  'precision-pooled': z.array(PooledPrecision),
  'critical-risks': z.array(CriticalRisk),
  consistency: z.array(ConsistencyRow),
});
export type Published = z.infer<typeof Published>;

/** Each published value as a function of the study: notebooks call these and no formula of their own, and verify calls them again. */
export const analysis: { [Name in keyof Published]: (study: Study) => Published[Name] } = {
  trials: trialRows,
  'rows-quality': (study) =>
    compareArms(study.results, contrasts(study.lab.experiment), qualityOf(study), study.planned, study.lab.experiment.decision),
  'rows-cost': (study) =>
    compareArms(study.results, contrasts(study.lab.experiment), costMetrics, study.planned, study.lab.experiment.decision),
  'statistics-quality': (study) =>
    testArms(study.results, contrasts(study.lab.experiment), qualityOf(study), study.lab.experiment.decision),
  'statistics-cost': (study) =>
    testArms(study.results, contrasts(study.lab.experiment), costMetrics, study.lab.experiment.decision),
  'precision-pooled': precisionByArm,
  'critical-risks': (study) => criticalRisks(study.results),
  consistency: (study) =>
    consistency(
      study.results
        .filter((result) => result.valid)
        .map((result) => ({ arm: result.arm, complete: result.status === 'completed', findings: result.findings })),
    ),
};

/** The quality metrics that a study's cases can have: of rubrics, of a verifier, or of both. */
function qualityOf({ lab }: Study): MetricId[] {
  const cases = [...lab.cases.values()];
  return [
    ...(cases.some((one) => one.verifier !== undefined) ? requirementMetrics.map(({ id }) => id) : []),
    ...(cases.some((one) => (one.eval?.assertions.length ?? 0) > 0) ? evalMetrics.map(({ id }) => id) : []),
    ...(cases.some((one) => one.rubrics !== undefined) ? qualityMetrics : []),
  ];
}

/** Every published value at once. */
export function analyseStudy(study: Study): Published {
  return Object.fromEntries(Object.entries(analysis).map(([name, make]) => [name, make(study)])) as Published;
}

function trialRows(study: Study): TrialRow[] {
  return study.results.map((result) => ({
    id: result.id,
    case: result.case,
    arm: result.arm,
    repeat: result.repeat,
    position: result.position,
    status: result.status,
    reason: result.reason,
    valid: result.valid,
    problems: result.problems,
    concurrent: result.concurrent,
    attempt: result.attempt,
    scoring: result.scoring,
    content: result.content,
    record: result.evidence.elapsed_seconds.replace(/\/usage\.json$/, ''),
    setupSeconds: result.setupSeconds,
    values: result.values,
    activation: result.activation,
    control: result.checks?.control ?? null,
    usageMismatches: result.usageMismatches,
    warnings: result.warnings,
    held: result.held,
  }));
}

/** Precision pooled over an arm's valid, scored runs; the comparison rows hold the median of the per-run figures. */
function precisionByArm(study: Study) {
  return Object.keys(study.lab.experiment.arms).map((arm) => {
    const scored = study.results.filter((result) => result.valid && result.arm === arm && result.precision !== null);
    return { arm, ...pooledPrecision(scored.map((result) => result.precision as never)), runs: scored.length };
  });
}
