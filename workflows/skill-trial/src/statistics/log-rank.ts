import { type PermutationTest, permutationTest } from '../permutation.js';

/** How long a run took; `ended` false: a limit cut it off, and it would have taken longer. */
export interface RunTime {
  seconds: number;
  ended: boolean;
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
export function logRankTest(cases: { a: RunTime[]; b: RunTime[] }[]): LogRank {
  let excess = 0;
  const scored = cases.map(({ a, b }) => {
    const scores = logRankScores([...a, ...b]);
    excess += scores.slice(a.length).reduce((sum, score) => sum + score, 0);
    // scaled, so that a difference of means is the sum of b's scores whatever the sizes of the groups
    const scale = (a.length * b.length) / (a.length + b.length || 1);
    return { a: scores.slice(0, a.length).map((s) => s * scale), b: scores.slice(a.length).map((s) => s * scale) };
  });
  return { ...permutationTest(scored), excess };
}

/** One score for each run, in the order given; they add up to 0. Cut-off runs are at risk up to their time, ties included. */
export function logRankScores(runs: RunTime[]): number[] {
  let hazard = 0;
  const hazards = new Map<number, number>();
  for (const { at, ended, atRisk } of lifeTable(runs)) {
    hazard += ended / atRisk;
    hazards.set(at, hazard);
  }
  return runs.map(({ seconds, ended }) => Number(ended) - (hazards.get(seconds) as number));
}

/**
 * Mean time up to a horizon, with longer runs counted as the horizon: the area below the curve of Kaplan and Meier (1958). Null without
 * a run, and where the last run was cut off before the horizon, beyond which nothing is known.
 */
export function restrictedMean(runs: RunTime[], horizon: number): number | null {
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

/** Every time of a run, ascending: how many runs ended then, and how many were under way until then. Sorted once: runs may be a million. */
function lifeTable(runs: RunTime[]): { at: number; ended: number; atRisk: number }[] {
  const sorted = [...runs].sort((one, other) => one.seconds - other.seconds);
  const table: { at: number; ended: number; atRisk: number }[] = [];
  for (const [index, { seconds, ended }] of sorted.entries()) {
    const last = table.at(-1);
    if (last?.at === seconds) last.ended += Number(ended);
    else table.push({ at: seconds, ended: Number(ended), atRisk: runs.length - index });
  }
  return table;
}
