import { z } from 'zod';
import { countGrades, passRate, type TrialGrade } from './grade.js';
import type { VariantScore } from './score.js';
import type { UsageRecord } from './usage-record.js';
import type { VariantChecks } from './variant-checks.js';
import type { Verdict } from './verdict.js';

export const MetricId = z.enum([
  'review_completeness',
  'finding_precision',
  'test_quality',
  'new_tests_fail_on_original',
  'suite_passes',
  'documentation',
  'elapsed_seconds',
  'input_tokens_uncached',
  'input_tokens_cached',
  'output_tokens',
  'peak_context_tokens',
  'tool_calls',
  'requirement_met',
  'requirement_partial',
  'raw_pass_rate',
  'assertions_passed',
]);
export type MetricId = z.infer<typeof MetricId>;

export interface MetricSources {
  usage: UsageRecord;
  score: VariantScore | null;
  checks: VariantChecks | null;
  verdict: Verdict | null;
  grade: TrialGrade | null;
}

/** One row of the report's table: what it is, how a trial's value is picked, how a trial's values are put together. */
export interface Metric {
  id: MetricId;
  title: string;
  unit: 'fraction' | 'points' | 'runs' | 's' | 'tokens' | 'calls';
  better: 'higher' | 'lower' | 'neither';
  /** median of the known values; share: the mean of zeros and ones. */
  aggregate: 'median' | 'share';
  /** The end of a scale that begins at 0; null where it has none. Rubric maxima: decision 0019, part 4. */
  max: number | null;
  /** Which saved record holds the value. */
  from: 'usage' | 'sheet' | 'checks' | 'verdict' | 'grade';
  formula: string;
  pick: (sources: MetricSources) => number | null;
}

/** The twelve rows of decision 0019, part 7, in its order. Size of the patch is in none of them. */
export const metrics: Metric[] = [
  {
    id: 'review_completeness',
    title: 'Weighted review completeness',
    unit: 'fraction',
    better: 'higher',
    aggregate: 'median',
    max: 1,
    from: 'sheet',
    formula: 'weight of confirmed applicable rows / weight of all applicable rows',
    pick: ({ score }) => score?.completeness ?? null,
  },
  {
    id: 'finding_precision',
    title: 'Precision of confirmed findings',
    unit: 'fraction',
    better: 'higher',
    aggregate: 'median',
    max: 1,
    from: 'sheet',
    formula: 'confirmed / (confirmed + contradicted), per run; 0/0 is unknown',
    pick: ({ score }) => score?.precision?.value ?? null,
  },
  {
    id: 'test_quality',
    title: 'Test quality (of 12)',
    unit: 'points',
    better: 'higher',
    aggregate: 'median',
    max: 12,
    from: 'sheet',
    formula: 'points of the test rubric; the row on the original defect comes from the negative control',
    pick: ({ score }) => score?.tests.points ?? null,
  },
  {
    id: 'new_tests_fail_on_original',
    title: 'New tests fail on the original',
    unit: 'runs',
    better: 'higher',
    aggregate: 'share',
    max: 1,
    from: 'checks',
    formula: 'runs in which at least one new test fails on the clean base by assertion / runs',
    pick: ({ checks }) => (checks === null ? null : checks.exposesDefect === true ? 1 : 0),
  },
  {
    id: 'suite_passes',
    title: 'Complete suite passes',
    unit: 'runs',
    better: 'higher',
    aggregate: 'share',
    max: 1,
    from: 'checks',
    formula: 'runs whose whole suite is green with exit status 0 / runs',
    pick: ({ checks }) => (checks === null ? null : checks.suiteGreen ? 1 : 0),
  },
  {
    id: 'documentation',
    title: 'Documentation (of 6)',
    unit: 'points',
    better: 'higher',
    aggregate: 'median',
    max: 6,
    from: 'sheet',
    formula: 'points of the documentation rubric',
    pick: ({ score }) => score?.documentation.points ?? null,
  },
  usage(
    'elapsed_seconds',
    'Elapsed time',
    's',
    'monotonic time around the whole invocation, set-up apart',
    (record) => record.elapsed_seconds,
  ),
  usage(
    'input_tokens_uncached',
    'Uncached input',
    'tokens',
    'prompt tokens not read from a cache, cache creation among them',
    (record) => record.input_tokens_uncached,
  ),
  usage(
    'input_tokens_cached',
    'Cached input',
    'tokens',
    'prompt tokens read from a cache',
    (record) => record.input_tokens_cached,
  ),
  usage('output_tokens', 'Output', 'tokens', 'generated tokens', (record) => record.output_tokens),
  usage(
    'peak_context_tokens',
    'Peak context',
    'tokens',
    'largest prompt plus output of one call',
    (record) => record.peak_context_tokens,
  ),
  usage('tool_calls', 'Tool calls', 'calls', 'tool calls in the event stream', (record) => record.tool_calls?.number ?? null),
];

function usage(
  id: MetricId,
  title: string,
  unit: Metric['unit'],
  formula: string,
  pick: (record: UsageRecord) => number | null,
): Metric {
  const better = id === 'elapsed_seconds' || id === 'input_tokens_uncached' ? 'lower' : 'neither';
  return {
    id,
    title,
    unit,
    better,
    aggregate: 'median',
    max: null,
    from: 'usage',
    formula,
    pick: (sources) => pick(sources.usage),
  };
}

/** What the verifier of a requirement-driven case tells; rows of the report where a case has one. */
export const requirementMetrics: Metric[] = [
  {
    id: 'requirement_met',
    title: 'Requirement met',
    unit: 'runs',
    better: 'higher',
    aggregate: 'share',
    max: 1,
    from: 'verdict',
    formula: 'runs in which every fail-to-pass test passes and every pass-to-pass test holds / runs',
    pick: ({ verdict }) => (verdict?.success == null ? null : verdict.success ? 1 : 0),
  },
  {
    id: 'requirement_partial',
    title: 'Requirement met in part',
    unit: 'fraction',
    better: 'higher',
    aggregate: 'median',
    max: 1,
    from: 'verdict',
    formula: 'fail-to-pass tests that pass / fail-to-pass tests',
    pick: ({ verdict }) => verdict?.partial ?? null,
  },
  {
    id: 'raw_pass_rate',
    title: 'Raw pass rate',
    unit: 'fraction',
    better: 'higher',
    aggregate: 'median',
    max: 1,
    from: 'verdict',
    formula: 'expected tests that pass / all expected tests, those among them that pass on the untouched repository',
    pick: ({ verdict }) => (verdict === null || verdict.raw.total === 0 ? null : verdict.raw.passed / verdict.raw.total),
  },
];

/** What the assertions of an eval tell; a row of the report where a case has some. */
export const evalMetrics: Metric[] = [
  {
    id: 'assertions_passed',
    title: 'Assertions passed',
    unit: 'fraction',
    better: 'higher',
    aggregate: 'median',
    max: 1,
    from: 'grade',
    formula: 'assertions that hold / assertions that were scored; a run that timed out passes none',
    pick: ({ grade }) => (grade === null ? null : passRate(countGrades([grade]).all)),
  },
];

/** Every metric there is. */
export const allMetrics: Metric[] = [...metrics, ...requirementMetrics, ...evalMetrics];

/** The metric of that id. */
export function metricOf(id: MetricId): Metric {
  return allMetrics.find((metric) => metric.id === id) as Metric;
}
