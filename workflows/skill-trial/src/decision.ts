import { z } from 'zod';
import { type ComparisonRow, type Contrast, contrastName } from './comparison.js';
import type { CriticalRisk } from './critical-risk.js';
import type { DecisionRule } from './decision-rule.js';
import { pooledPrecision } from './precision.js';
import type { TrialResult } from './result.js';
import type { Statistic } from './statistic.js';
import { ratio, summarise } from './summary.js';

/** One criterion of the acceptance rule with the figures it was held against; met null: it cannot be told yet. */
export const Criterion = z.strictObject({ criterion: z.string(), met: z.boolean().nullable(), figures: z.string() });
export type Criterion = z.infer<typeof Criterion>;

export const Descriptive = z.enum(['accept', 'restrict', 'revise', 'reject', 'pending', 'withheld']);
export const Inferential = z.enum(['supported', 'equivalent', 'not-distinguishable', 'not-attainable', 'pending', 'withheld']);

/** What these runs showed by the acceptance rule, and what may be concluded beyond them: kept apart. */
export const ContrastDecision = z.strictObject({
  contrast: z.string(),
  descriptive: Descriptive,
  inferential: Inferential,
  criteria: z.array(Criterion),
  reason: z.string(),
});
export type ContrastDecision = z.infer<typeof ContrastDecision>;

/** 0.9 − 0.8 is a little less than 0.1 in binary: a threshold met exactly must count as met. */
const slack = 1e-9;

export interface DecisionInput {
  rule: DecisionRule;
  contrast: Contrast;
  rows: ComparisonRow[];
  statistics: Statistic[];
  critical: CriticalRisk[];
  results: TrialResult[];
  scripted: boolean;
  cases: number;
}

/**
 * The acceptance rule of decision 0019, part 10, applied to one contrast. A scripted model measures nothing: both decisions are
 * withheld, the criteria are shown all the same.
 */
export function decide(input: DecisionInput): ContrastDecision {
  const { rule, contrast, scripted } = input;
  const name = contrastName(contrast);
  const improved = improvement(input);
  const criteria = [
    improved.criterion,
    critical(input),
    falseFindings(input),
    budget(input, 'elapsed_seconds', rule.max_elapsed_ratio),
    budget(input, 'input_tokens_uncached', rule.max_uncached_input_ratio),
  ];
  const [quality, integrity, honesty, time, tokens] = criteria.map((row) => row.met) as (boolean | null)[];
  if (scripted) {
    return {
      contrast: name,
      descriptive: 'withheld',
      inferential: 'withheld',
      criteria,
      reason: 'The model was scripted: these figures show that the lab works, and nothing about the skills.',
    };
  }
  const inferential = inference(input);
  const verdict = (descriptive: ContrastDecision['descriptive'], reason: string): ContrastDecision => ({
    contrast: name,
    descriptive,
    inferential,
    criteria,
    reason,
  });
  if (criteria.some((row) => row.met === null))
    return verdict('pending', 'A criterion cannot be judged yet: see the criteria without an answer.');
  if (improved.change !== null && improved.change < -slack && improved.change <= -rule.min_improvement + slack)
    return verdict('reject', 'The primary metric became worse.');
  if (!quality)
    return verdict('revise', 'No repeated improvement of the primary metric: instructions that change nothing should go.');
  if (!honesty) return verdict('reject', 'The gain is bought with false findings.');
  if (!integrity) return verdict('revise', 'The gain is bought with lost critical findings.');
  if (!time || !tokens)
    return verdict('restrict', 'Better, but beyond the time or context budget: keep it for work that warrants the cost.');
  return verdict('accept', `Every criterion is met, for ${rule.tested_class} only.`);
}

function rowOf({ rows, contrast }: DecisionInput, metric: string): ComparisonRow | undefined {
  return rows.find((row) => row.contrast === contrastName(contrast) && row.metric === metric);
}

/** Repeatedly better: the median moves by the declared amount, and more than half of the arm's runs lie above the control's median. */
function improvement(input: DecisionInput): { criterion: Criterion; change: number | null } {
  const { rule, contrast } = input;
  const row = rowOf(input, rule.primary);
  const change = row?.delta ?? null;
  const runs = input.results.filter((result) => result.arm === contrast.arm).map((result) => result.values[rule.primary]);
  const above = runs.filter((value) => value !== null && row?.a != null && value > row.a + slack).length;
  const known = runs.filter((value) => value !== null).length;
  const met = change === null ? null : change >= rule.min_improvement - slack && change > slack && above * 2 > known;
  const figures = `${rule.primary}: ${shown(row?.a)} → ${shown(row?.b)}, needed ${rule.min_improvement}; ${above} of ${known} runs above the control's median`;
  return { criterion: { criterion: 'repeatedly improves the primary metric', met, figures }, change };
}

function critical({ critical, contrast }: DecisionInput): Criterion {
  const pairs = critical
    .filter((row) => row.arm === contrast.arm)
    .map((b) => ({ b, a: critical.find((row) => row.arm === contrast.control && row.case === b.case && row.row === b.row) }));
  const unknown = pairs.some(({ a, b }) => a?.fraction == null || b.fraction === null);
  const met = unknown ? null : pairs.every(({ a, b }) => (b.fraction as number) >= (a?.fraction as number));
  const figures = pairs
    .map(({ a, b }) => `${b.case} ${b.row}: ${a?.confirmed ?? '?'}/${a?.runs ?? '?'} → ${b.confirmed}/${b.runs}`)
    .join('; ');
  return {
    criterion: 'does not reduce critical completeness',
    met: pairs.length === 0 ? true : met,
    figures: figures || 'no critical row',
  };
}

function falseFindings({ results, contrast, rule }: DecisionInput): Criterion {
  const own = results.filter((result) => result.valid && result.arm === contrast.arm);
  const criterion = 'stays within the false-finding threshold';
  if (own.length > 0 && own.every((result) => result.scoring === 'not-applicable'))
    return { criterion, met: true, figures: 'no case asks for findings' };
  const unscored = own.some((result) => result.precision === null);
  const pooled = pooledPrecision(own.flatMap((result) => (result.precision === null ? [] : [result.precision])));
  const share = pooled.checkable === 0 ? 0 : pooled.contradicted / pooled.checkable;
  const figures = `${pooled.contradicted} contradicted of ${pooled.checkable} checkable findings, at most ${rule.max_false_findings}`;
  return {
    criterion,
    met: own.length === 0 || unscored ? null : share <= rule.max_false_findings + slack,
    figures,
  };
}

function budget(input: DecisionInput, metric: 'elapsed_seconds' | 'input_tokens_uncached', limit: number): Criterion {
  const row = rowOf(input, metric);
  const times = ratio(row?.a ?? null, row?.b ?? null);
  // a median among runs that the limit cut off is at least so long: enough to miss a budget, never to keep one
  const atLeast = times === null ? ratio(row?.a ?? null, row?.censoredB?.atLeast ?? null) : null;
  const beyond = atLeast !== null && atLeast > limit + slack;
  return {
    criterion: `fits the budget of ${metric}`,
    met: times !== null ? times <= limit + slack : beyond ? false : null,
    figures: `ratio of medians ${atLeast === null ? shown(times) : `at least ${shown(atLeast)} (the limit cut runs off)`}, at most ${limit}`,
  };
}

/**
 * What may be said beyond these runs: the within-case test of the primary metric, corrected by Holm for the contrasts that were tested.
 * A design that cannot reach p < .05 earns no verdict, whatever it shows; no difference needs a margin declared before.
 */
export function inference({
  rule,
  contrast,
  statistics,
  cases,
}: Pick<DecisionInput, 'rule' | 'contrast' | 'statistics' | 'cases'>): ContrastDecision['inferential'] {
  const family = statistics.filter((row) => row.metric === rule.primary && row.p !== null);
  const test = family.find((row) => row.contrast === contrastName(contrast));
  if (test?.pHolm == null || test.smallestP === null) return 'pending';
  if (test.smallestP * family.length > 0.05 + slack || cases < 2) return 'not-attainable';
  if (test.pHolm <= 0.05 + slack) return 'supported';
  return test.equivalence?.equivalent === true ? 'equivalent' : 'not-distinguishable';
}

function shown(value: number | null | undefined): string {
  return value == null ? 'unknown' : String(Math.round(value * 1000) / 1000);
}

/** Whether any quality metric's summary differs between the arms: without one the report prints that no difference is a result. */
export function anyDifference(rows: ComparisonRow[], contrast: Contrast): boolean {
  const quality = [
    'review_completeness',
    'finding_precision',
    'test_quality',
    'new_tests_fail_on_original',
    'suite_passes',
    'documentation',
  ];
  return rows.some(
    (row) =>
      row.contrast === contrastName(contrast) && quality.includes(row.metric) && row.delta !== null && Math.abs(row.delta) > 1e-9,
  );
}

/** The scored share of a study's runs: nothing is decided from a part in silence. */
export function scoredRuns(results: TrialResult[]): { used: number; total: number } {
  const known = summarise(results.map((result) => (result.scoring === 'scored' ? 1 : null)));
  return { used: known.nUsed, total: known.nTotal };
}
