import { z } from 'zod';
import { type MetricId, MetricId as MetricIdSchema, metricOf } from './metric.js';
import { meanDifference, permutationTest } from './permutation.js';
import type { TrialResult } from './result.js';
import { delta, summarise } from './summary.js';

const number = z.number().nullable();
const Counts = z.strictObject({ used: z.int().nonnegative(), total: z.int().nonnegative() });
const Range = z.strictObject({ min: number, max: number });

/** One row of the comparison: a metric of two arms. `a` is the control. */
export const ComparisonRow = z.strictObject({
  contrast: z.string(),
  metric: MetricIdSchema,
  title: z.string(),
  unit: z.string(),
  aggregate: z.enum(['median', 'share']),
  a: number,
  b: number,
  /** b − a in the row's unit; null where one side is all unknown. */
  delta: number,
  nA: Counts,
  nB: Counts,
  rangeA: Range,
  rangeB: Range,
  formula: z.string(),
  /** Paths of the saved records, below the checkout. */
  evidence: z.array(z.string()),
});
export type ComparisonRow = z.infer<typeof ComparisonRow>;

/** One test of a metric; every p stands beside the smallest one that the design can reach. */
export const Statistic = z.strictObject({
  contrast: z.string(),
  metric: MetricIdSchema,
  test: z.literal('permutation-within-case'),
  estimand: z.literal('these-cases'),
  /** Difference of means within a case, b − a, averaged over the cases; null where a group has no value. */
  estimate: number,
  p: number,
  smallestP: number,
  arrangements: z.int().nonnegative(),
  note: z.string(),
});
export type Statistic = z.infer<typeof Statistic>;

export interface Contrast {
  arm: string;
  control: string;
}

/** A contrast's name in rows and statistics: `B-A` for arm B against its control A. */
export function contrastName({ arm, control }: Contrast): string {
  return `${arm}-${control}`;
}

/** The comparison rows of the wanted metrics for every contrast. `planned` is how many trials each arm has in the schedule. */
export function compareArms(
  results: TrialResult[],
  contrasts: Contrast[],
  wanted: readonly MetricId[],
  planned: Record<string, number>,
): ComparisonRow[] {
  return contrasts.flatMap((contrast) => wanted.map((id) => compareOne(results, contrast, id, planned)));
}

function compareOne(results: TrialResult[], contrast: Contrast, id: MetricId, planned: Record<string, number>): ComparisonRow {
  const metric = metricOf(id);
  const side = (arm: string) => {
    const own = results.filter((result) => result.arm === arm);
    const known = summarise(own.map((result) => result.values[id]));
    return {
      value: metric.aggregate === 'median' ? known.median : known.mean,
      n: { used: known.nUsed, total: planned[arm] ?? own.length },
      range: { min: known.min, max: known.max },
      evidence: own.filter((result) => result.values[id] !== null).map((result) => result.evidence[id]),
    };
  };
  const [a, b] = [side(contrast.control), side(contrast.arm)];
  return {
    contrast: contrastName(contrast),
    metric: id,
    title: metric.title,
    unit: metric.unit,
    aggregate: metric.aggregate,
    a: a.value,
    b: b.value,
    delta: delta(a.value, b.value),
    nA: a.n,
    nB: b.n,
    rangeA: a.range,
    rangeB: b.range,
    formula: metric.formula,
    evidence: [...new Set([...a.evidence, ...b.evidence])],
  };
}

/** Permutation tests for the wanted metrics. A test that cannot be enumerated is reported as not made, with the reason. */
export function testArms(results: TrialResult[], contrasts: Contrast[], wanted: readonly MetricId[]): Statistic[] {
  return contrasts.flatMap((contrast) =>
    wanted.map((id) => {
      const cases = [...new Set(results.map((result) => result.case))];
      const values = (arm: string, one: string) =>
        results.filter((result) => result.arm === arm && result.case === one).map((result) => result.values[id]);
      const groups = cases.map((one) => ({ a: values(contrast.control, one), b: values(contrast.arm, one) }));
      const common = {
        contrast: contrastName(contrast),
        metric: id,
        test: 'permutation-within-case' as const,
        estimand: 'these-cases' as const,
      };
      const estimate = meanDifference(groups);
      try {
        const { p, smallestP, arrangements } = permutationTest(groups);
        const note =
          smallestP !== null && smallestP > 0.05
            ? `this design cannot reach p < .05: its smallest p is ${smallestP.toFixed(3)}`
            : '';
        return { ...common, estimate, p, smallestP, arrangements, note: p === null ? 'no value in one of the groups' : note };
      } catch (error) {
        return { ...common, estimate, p: null, smallestP: null, arrangements: 0, note: (error as Error).message };
      }
    }),
  );
}
