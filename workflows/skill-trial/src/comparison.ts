import { z } from 'zod';
import type { DecisionRule } from './decision-rule.js';
import { type Metric, type MetricId, MetricId as MetricIdSchema, metricOf } from './metric.js';
import type { TrialResult } from './result.js';
import { RunTable } from './run-table.js';
import { ascending } from './statistics/ascending.js';
import { invalidBounds } from './statistics/bounds.js';
import { censoredMedian } from './statistics/censored.js';
import { discordance } from './statistics/discordance.js';
import { Interval } from './statistics/interval.js';
import { wilsonInterval } from './statistics/wilson.js';
import { delta, summariseSorted } from './summary.js';

const number = z.number().nullable();
const Counts = z.strictObject({ used: z.int().nonnegative(), total: z.int().nonnegative() });
const Range = z.strictObject({ min: number, max: number });
const Quartiles = z.strictObject({ q1: number, q3: number });
const Censored = z.strictObject({ runs: z.int().nonnegative(), atLeast: number });

/** primary: the test that was planned. criterion: named in the acceptance rule. exploratory: looked at, and no more. */
export const Role = z.enum(['primary', 'criterion', 'exploratory']);
export type Role = z.infer<typeof Role>;

/** One row of the comparison: a metric of two arms. `a` is the control. */
export const ComparisonRow = z.strictObject({
  contrast: z.string(),
  metric: MetricIdSchema,
  title: z.string(),
  unit: z.string(),
  role: Role,
  aggregate: z.enum(['median', 'share']),
  /** Null where nothing is known, and where the median falls among runs that the limit cut off. */
  a: number,
  b: number,
  /** b − a in the row's unit; null where one side is all unknown. */
  delta: number,
  nA: Counts,
  nB: Counts,
  rangeA: Range,
  rangeB: Range,
  /** Type 7. */
  quartilesA: Quartiles,
  quartilesB: Quartiles,
  meanA: number,
  meanB: number,
  /** The end of the metric's scale, which begins at 0; null where it has none. */
  scaleMax: number,
  /** Runs of unknown length beyond their limit, and what the median is at least; null for a metric that is not cut off. */
  censoredA: Censored.nullable(),
  censoredB: Censored.nullable(),
  /** Wilson's interval of a share; null for a median. */
  rateA: Interval.nullable(),
  rateB: Interval.nullable(),
  /** The delta with invalid trials at the best and the worst end; null where no trial is invalid or no end is better. */
  bounds: z.strictObject({ invalidA: z.int(), invalidB: z.int(), best: number, worst: number }).nullable(),
  /** Cases whose mean rose, fell or stayed: a net zero can hide flips. Cases whose runs disagree; cases at an end of the scale in both arms. */
  cases: z.strictObject({
    gained: z.array(z.string()),
    lost: z.array(z.string()),
    same: z.int().nonnegative(),
    unknown: z.int().nonnegative(),
    unsteady: z.array(z.string()),
    atFloor: z.array(z.string()),
    atCeiling: z.array(z.string()),
  }),
  formula: z.string(),
  /** Paths of the saved records, below the checkout; the arms apart and together. */
  evidenceA: z.array(z.string()),
  evidenceB: z.array(z.string()),
  evidence: z.array(z.string()),
});
export type ComparisonRow = z.infer<typeof ComparisonRow>;

export interface Contrast {
  arm: string;
  control: string;
}

/** A contrast's name in rows and statistics: `B-A` for arm B against its control A. */
export function contrastName({ arm, control }: Contrast): string {
  return `${arm}-${control}`;
}

/** One metric's known values of a contrast by case: every case that either arm has a run of. */
export function valuesByCase(runs: RunTable, { arm, control }: Contrast, id: MetricId) {
  const [a, b, none] = [runs.byCase(id, control), runs.byCase(id, arm), new Float64Array()];
  const names = new Set([...a.keys(), ...b.keys()]);
  return [...names].map((name) => ({ name, a: a.get(name) ?? none, b: b.get(name) ?? none }));
}

/**
 * The comparison rows of the wanted metrics for every contrast. `planned` is how many trials each arm has in the schedule; the rule says
 * which metrics were planned (without one all are exploratory). Results and a table of them give the same rows.
 */
export function compareArms(
  results: TrialResult[] | RunTable,
  contrasts: Contrast[],
  wanted: readonly MetricId[],
  planned: Record<string, number>,
  rule: Pick<DecisionRule, 'primary'> | null = null,
): ComparisonRow[] {
  const runs = tableOf(results);
  return contrasts.flatMap((contrast) => wanted.map((id) => compareOne(runs, contrast, id, planned, rule)));
}

function compareOne(
  runs: RunTable,
  contrast: Contrast,
  id: MetricId,
  planned: Record<string, number>,
  rule: Pick<DecisionRule, 'primary'> | null,
): ComparisonRow {
  const metric = metricOf(id);
  const [a, b] = [sideOf(runs, contrast.control, metric, planned), sideOf(runs, contrast.arm, metric, planned)];
  return {
    contrast: contrastName(contrast),
    metric: id,
    title: metric.title,
    unit: metric.unit,
    role: roleOf(id, rule),
    aggregate: metric.aggregate,
    a: a.value,
    b: b.value,
    delta: delta(a.value, b.value),
    nA: a.n,
    nB: b.n,
    rangeA: a.range,
    rangeB: b.range,
    quartilesA: a.quartiles,
    quartilesB: b.quartiles,
    meanA: a.mean,
    meanB: b.mean,
    scaleMax: metric.max,
    censoredA: a.censored,
    censoredB: b.censored,
    rateA: a.rate,
    rateB: b.rate,
    bounds: boundsOf(metric, a, b),
    cases: discordance(valuesByCase(runs, contrast, id), { floor: metric.max === null ? null : 0, ceiling: metric.max }),
    formula: metric.formula,
    evidenceA: a.evidence,
    evidenceB: b.evidence,
    evidence: [...new Set([...a.evidence, ...b.evidence])],
  };
}

type Side = ReturnType<typeof sideOf>;

function sideOf(runs: RunTable, arm: string, metric: Metric, planned: Record<string, number>) {
  const own = runs.rowsOf(arm);
  const sorted = ascending(runs.known(metric.id, own));
  const known = summariseSorted(sorted, own.length);
  // the clock of a run that a limit ended stopped too early, and only that is known
  const censored =
    metric.id === 'elapsed_seconds'
      ? censoredMedian(sorted, ascending(runs.known(metric.id, runs.unmarked('cutOff', own))))
      : null;
  const share = metric.aggregate === 'share';
  return {
    sorted,
    invalid: own.length - runs.count('valid', own),
    value: share ? known.mean : censored === null ? known.median : censored.median,
    n: { used: known.nUsed, total: planned[arm] ?? own.length },
    range: { min: known.min, max: known.max },
    quartiles: { q1: known.q1, q3: known.q3 },
    mean: known.mean,
    censored: censored === null ? null : { runs: censored.censored, atLeast: censored.atLeast },
    rate: share && known.mean !== null ? wilsonInterval(Math.round(known.mean * known.nUsed), known.nUsed) : null,
    evidence: runs.evidence(metric.id, own),
  };
}

export function tableOf(results: TrialResult[] | RunTable): RunTable {
  return results instanceof RunTable ? results : RunTable.of(results);
}

function boundsOf(metric: Metric, a: Side, b: Side): ComparisonRow['bounds'] {
  if (a.invalid + b.invalid === 0 || metric.better === 'neither') return null;
  const scale = metric.better === 'higher' ? { worse: 0, better: metric.max } : { worse: metric.max, better: 0 };
  const known = ({ sorted, invalid }: Side) => ({ values: sorted, invalid });
  return { invalidA: a.invalid, invalidB: b.invalid, ...invalidBounds(known(a), known(b), scale, metric.aggregate) };
}

/** What the plan says of a metric. */
export function roleOf(id: MetricId, rule: Pick<DecisionRule, 'primary'> | null): Role {
  if (rule === null) return 'exploratory';
  if (rule.primary === id) return 'primary';
  return id === 'elapsed_seconds' || id === 'input_tokens_uncached' || id === 'finding_precision' ? 'criterion' : 'exploratory';
}

/** Cases in which every run of both arms lies at the same end of the metric's scale. */
export function tellingNothing(results: TrialResult[], contrast: Contrast, id: MetricId, max: number | null): string[] {
  const ends = { floor: max === null ? null : 0, ceiling: max };
  const { atFloor, atCeiling } = discordance(valuesByCase(RunTable.of(results), contrast, id), ends);
  return [...atFloor, ...atCeiling];
}
