import { z } from 'zod';
import { type Contrast, contrastName, Role, roleOf, tableOf, valuesByCase } from './comparison.js';
import type { DecisionRule } from './decision-rule.js';
import { type MetricId, MetricId as MetricIdSchema, metricOf } from './metric.js';
import { meanDifference, permutationTest } from './permutation.js';
import type { TrialResult } from './result.js';
import type { RunTable } from './run-table.js';
import { ascending } from './statistics/ascending.js';
import { mcnemarTest, signFlipTest, signTest } from './statistics/case-test.js';
import { ComplierEffect, complierEffect } from './statistics/complier.js';
import { equivalentWithinCases } from './statistics/equivalence.js';
import { fisherTest } from './statistics/fisher.js';
import { shiftOverCases, shiftWithinCases } from './statistics/hodges-lehmann.js';
import { Interval } from './statistics/interval.js';
import { logRankTest, type RunTimes, restrictedMean } from './statistics/log-rank.js';
import { adjustP } from './statistics/multiplicity.js';
import { delta, type Outline, outline, summarise, summariseSorted } from './summary.js';

const number = z.number().nullable();
const Shift = z.strictObject({ estimate: number, interval: Interval.nullable() });

/** Everything tested of one metric in one contrast; every p stands beside the smallest one that the design can reach. */
export const Statistic = z.strictObject({
  contrast: z.string(),
  metric: MetricIdSchema,
  role: Role,
  test: z.literal('permutation-within-case'),
  estimand: z.literal('these-cases'),
  method: z.enum(['exact', 'monte-carlo', 'normal-limit']),
  /** Difference of means within a case, b − a, averaged over the cases; null where a group has no value. */
  estimate: number,
  p: number,
  smallestP: number,
  /** p corrected for the number of contrasts that test this metric. */
  pHolm: number,
  pBenjaminiHochberg: number,
  arrangements: z.int().nonnegative(),
  /** Hodges and Lehmann's shift of the runs, for these cases; its interval is null where the design has none at 95 %. */
  shift: Shift,
  /** The same for cases like these: cases are the units, and fewer than six cannot reach p < .05. */
  overCases: z.strictObject({
    cases: z.int().nonnegative(),
    /** Mean of the cases' differences of means. */
    estimate: number,
    p: number,
    smallestP: number,
    signP: number,
    shift: Shift,
    /** McNemar's exact test of cases with one outcome an arm; null for a metric that is no pass or fail, or where runs of one arm disagree. */
    mcnemar: z.strictObject({ gained: z.int(), lost: z.int(), p: number }).nullable(),
  }),
  /** Fisher's exact test of pass or fail in one case's runs; null elsewhere. */
  fisherP: number,
  /** Two one-sided tests within the declared margin, by the exact 90 % interval; null without a margin. */
  equivalence: z.strictObject({ margin: z.number(), equivalent: z.boolean().nullable() }).nullable(),
  /** Runs of the arm in which a skill was loaded: descriptive, since loading happens after the arms are drawn. */
  loadedRuns: z.strictObject({ runs: z.int().nonnegative(), of: z.int().nonnegative(), median: number }),
  complier: ComplierEffect,
  /** Time where a limit cut runs off: those runs took longer than the clock says. Absent where none was, and for other metrics. */
  cutOff: z
    .strictObject({
      runs: z.int().positive(),
      /** Log-rank test stratified by case, labels exchanged within it. */
      logRankP: number,
      smallestP: number,
      /** Runs of the arm that ended less those expected without a difference; above 0: it ends sooner. */
      excess: z.number(),
      /** The shorter of the arms' longest runs; up to it the means are known. */
      horizon: z.number(),
      restrictedMeanA: number,
      restrictedMeanB: number,
    })
    .optional(),
  note: z.string(),
});
export type Statistic = z.infer<typeof Statistic>;

type Rule = Pick<DecisionRule, 'primary' | 'equivalence_margin'>;

/** All tests of the wanted metrics for every contrast; without a rule nothing was planned. */
export function testArms(
  results: TrialResult[] | RunTable,
  contrasts: Contrast[],
  wanted: readonly MetricId[],
  rule: Rule | null = null,
): Statistic[] {
  const runs = tableOf(results);
  const tested = contrasts.map((contrast) => {
    const arms = armsOf(runs, contrast);
    return wanted.map((id) => testOne(runs, arms, contrast, id, rule));
  });
  return tested.flatMap((rows, at) =>
    rows.map((row, index) => {
      const family = tested.map((other) => (other[index] as Statistic).p);
      return {
        ...row,
        pHolm: adjustP(family, 'holm')[at] as number | null,
        pBenjaminiHochberg: adjustP(family, 'bh')[at] as number | null,
      };
    }),
  );
}

function testOne(runs: RunTable, arms: Arms, contrast: Contrast, id: MetricId, rule: Rule | null): Statistic {
  const groups = valuesByCase(runs, contrast, id);
  const { p, smallestP, arrangements, method } = permutationTest(groups);
  const sides = groups.map(({ a, b }) => ({ a: outline(a), b: outline(b) }));
  const estimate = meanDifference(sides);
  const isBinary = metricOf(id).aggregate === 'share';
  const margin = rule?.primary === id ? rule.equivalence_margin : undefined;
  const { treated, loaded, steady } = arms;
  const [only] = groups;
  return {
    contrast: contrastName(contrast),
    metric: id,
    role: roleOf(id, rule),
    test: 'permutation-within-case',
    estimand: 'these-cases',
    method,
    estimate,
    p,
    smallestP,
    pHolm: null,
    pBenjaminiHochberg: null,
    arrangements,
    shift: steady ? shiftWithinCases(groups) : { ...shiftWithinCases(groups), interval: null },
    overCases: overCases(sides, isBinary, steady),
    fisherP: isBinary && only !== undefined && groups.length === 1 ? fisherTest(countOf(only.a), countOf(only.b)) : null,
    equivalence: margin === undefined ? null : { margin, equivalent: equivalentWithinCases(groups, margin) },
    loadedRuns: {
      runs: loaded.length,
      of: treated.length,
      median: summariseSorted(ascending(runs.known(id, loaded)), loaded.length).median,
    },
    complier: complierEffect(estimate, loaded.length, treated.length),
    ...(id === 'elapsed_seconds' ? cutOffTimes(runs, contrast, groups) : {}),
    note: noteOf(p, smallestP),
  };
}

/** The comparison of times with cut-off runs as what they are; nothing where no limit ended a run. */
function cutOffTimes(runs: RunTable, { arm, control }: Contrast, groups: Groups): Pick<Statistic, 'cutOff'> {
  const cut = cutOff(runs, arm) + cutOff(runs, control);
  if (cut === 0) return {};
  const times = (which: string, name?: string): RunTimes => {
    const rows = runs.told('elapsed_seconds', runs.rowsOf(which, name));
    return {
      seconds: runs.known('elapsed_seconds', rows),
      ended: Uint8Array.from(rows, (row) => (runs.has('cutOff', row) ? 0 : 1)),
    };
  };
  const cases = groups.map(({ name }) => ({ a: times(control, name), b: times(arm, name) }));
  const [a, b] = [times(control), times(arm)];
  const { p, smallestP, excess } = logRankTest(cases);
  const longest = ({ seconds }: RunTimes) => seconds.reduce((most, value) => Math.max(most, value), 0);
  const horizon = Math.min(longest(a), longest(b));
  const means = { restrictedMeanA: restrictedMean(a, horizon), restrictedMeanB: restrictedMean(b, horizon) };
  return { cutOff: { runs: cut, logRankP: p, smallestP, excess, horizon, ...means } };
}

type Groups = ReturnType<typeof valuesByCase>;

function cutOff(runs: RunTable, arm: string): number {
  return runs.count('cutOff', runs.rowsOf(arm));
}

type Arms = ReturnType<typeof armsOf>;

/** What is the same for every metric of a contrast. */
function armsOf(runs: RunTable, { arm, control }: Contrast) {
  const treated = runs.marked('valid', runs.rowsOf(arm));
  return {
    treated,
    loaded: runs.marked('loaded', treated),
    // where one arm is cut off more often there is no one shift, and the interval does not cover (workflows/bench/calibration.md)
    steady: cutOff(runs, arm) === cutOff(runs, control),
  };
}

function overCases(sides: { a: Outline; b: Outline }[], isBinary: boolean, isShift: boolean): Statistic['overCases'] {
  const differences = sides.map(({ a, b }) => delta(a.mean, b.mean));
  const { p, smallestP, cases } = signFlipTest(differences);
  // one outcome a case and arm: all its runs agree
  const steady = sides.every(({ a, b }) => [a, b].every((arm) => arm.nUsed > 0 && arm.min === arm.max));
  const count = (sign: number) => differences.filter((value) => Math.sign(value ?? 0) === sign).length;
  return {
    cases,
    estimate: summarise(differences).mean,
    p,
    smallestP,
    signP: signTest(differences).p,
    shift: isShift ? shiftOverCases(differences) : { ...shiftOverCases(differences), interval: null },
    mcnemar:
      isBinary && steady && sides.length > 0
        ? { gained: count(1), lost: count(-1), p: mcnemarTest(count(1), count(-1)).p }
        : null,
  };
}

function countOf(known: Float64Array) {
  return { k: known.filter((value) => value === 1).length, n: known.length };
}

function noteOf(p: number | null, smallestP: number | null): string {
  if (p === null) return 'no value in one of the groups';
  return smallestP !== null && smallestP > 0.05
    ? `this design cannot reach p < .05: its smallest p is ${smallestP.toFixed(3)}`
    : '';
}
