import { type PermutationTest, permutationTest } from '../permutation.js';
import { ascending } from './ascending.js';

/** How long each of some runs took; `ended` 0: a limit cut it off, and it would have taken longer. Else 1. */
export interface RunTimes {
  seconds: Float64Array;
  ended: Uint8Array;
}

export interface LogRank extends PermutationTest {
  /** Runs of b that ended less those expected if the arms did not differ, over all cases; above 0: b ends sooner. */
  excess: number;
}

/**
 * The log-rank test stratified by case (Mantel 1966), its p by exchanging the labels within each case instead of the chi-squared limit,
 * which a handful of runs does not reach. Each run's score, ended − the pooled case's Nelson–Aalen hazard up to its time, does not
 * depend on the labels (Peto and Peto 1972), and the sum of b's scores is observed − expected. Cases with one arm only tell nothing
 * and make p null, as in `permutationTest`.
 */
export function logRankTest(cases: { a: RunTimes; b: RunTimes }[]): LogRank {
  let excess = 0;
  const scored = cases.map(({ a, b }) => {
    const scores = logRankScores(a, b);
    excess += scores.b.reduce((sum, score) => sum + score, 0);
    // scaled, so that a difference of means is the sum of b's scores whatever the sizes of the groups
    const [m, n] = [scores.a.length, scores.b.length];
    const scale = (m * n) / (m + n || 1);
    return { a: scores.a.map((score) => score * scale), b: scores.b.map((score) => score * scale) };
  });
  return { ...permutationTest(scored), excess };
}

/** One score for each run of a case, in the order given; they add up to 0. Cut-off runs are at risk up to their time, ties included. */
export function logRankScores(a: RunTimes, b: RunTimes): { a: Float64Array; b: Float64Array } {
  let hazard = 0;
  const hazards = new Map<number, number>();
  for (const { at, ended, atRisk } of lifeTable(a, b)) {
    hazard += ended / atRisk;
    hazards.set(at, hazard);
  }
  const scores = ({ seconds, ended }: RunTimes) =>
    seconds.map((time, at) => (ended[at] as number) - (hazards.get(time) as number));
  return { a: scores(a), b: scores(b) };
}

/**
 * Mean time up to a horizon, with longer runs counted as the horizon: the area below the curve of Kaplan and Meier (1958). Null without
 * a run, and where the last run was cut off before the horizon, beyond which nothing is known.
 */
export function restrictedMean(runs: RunTimes, horizon: number): number | null {
  const table = lifeTable(runs);
  const last = table.at(-1);
  if (last === undefined || (last.at < horizon && last.ended < last.atRisk)) return null;
  let [area, share, from] = [0, 1, 0];
  for (const { at, ended, atRisk } of table) {
    if (at >= horizon) break;
    area += share * (at - from);
    share *= 1 - ended / atRisk;
    from = at;
  }
  return area + share * (horizon - from);
}

/** Every time of a run, ascending: how many runs ended then, and how many were under way until then. */
function lifeTable(...groups: RunTimes[]): { at: number; ended: number; atRisk: number }[] {
  const all = sortedTimes(groups, () => true);
  const ends = sortedTimes(groups, (ended) => ended === 1);
  const table: { at: number; ended: number; atRisk: number }[] = [];
  let end = 0;
  for (let from = 0; from < all.length; ) {
    const [at, atRisk, before] = [all[from] as number, all.length - from, end];
    while (all[from] === at) from += 1;
    while (ends[end] === at) end += 1;
    table.push({ at, ended: end - before, atRisk });
  }
  return table;
}

/** Sorted as numbers and without an object for each: runs may be a million. */
function sortedTimes(groups: RunTimes[], wanted: (ended: number) => boolean): Float64Array {
  const times = new Float64Array(groups.reduce((sum, { seconds }) => sum + seconds.length, 0));
  let length = 0;
  for (const { seconds, ended } of groups)
    for (let at = 0; at < seconds.length; at++) if (wanted(ended[at] as number)) times[length++] = seconds[at] as number;
  return ascending(times.subarray(0, length));
}
