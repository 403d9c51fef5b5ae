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
  const ends = [...new Set(runs.flatMap(({ seconds, ended }) => (ended ? [seconds] : [])))];
  const steps = ends.map((at) => ({
    at,
    hazard:
      runs.filter(({ seconds, ended }) => ended && seconds === at).length / runs.filter(({ seconds }) => seconds >= at).length,
  }));
  return runs.map(
    ({ seconds, ended }) => Number(ended) - steps.reduce((sum, { at, hazard }) => sum + (at <= seconds ? hazard : 0), 0),
  );
}

/**
 * Mean time up to a horizon, with longer runs counted as the horizon: the area below the curve of Kaplan and Meier (1958). Null without
 * a run, and where the last run was cut off before the horizon, beyond which nothing is known.
 */
export function restrictedMean(runs: RunTime[], horizon: number): number | null {
  const last = Math.max(...runs.map(({ seconds }) => seconds));
  if (runs.length === 0 || (last < horizon && runs.some(({ seconds, ended }) => seconds === last && !ended))) return null;
  let [area, share, from] = [0, 1, 0];
  for (const at of [...new Set(runs.map(({ seconds }) => seconds))].filter((time) => time < horizon).sort((a, b) => a - b)) {
    area += share * (at - from);
    const ended = runs.filter((run) => run.ended && run.seconds === at).length;
    share *= 1 - ended / runs.filter(({ seconds }) => seconds >= at).length;
    from = at;
  }
  return area + share * (horizon - from);
}
