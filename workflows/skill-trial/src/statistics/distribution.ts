import { createRequire } from 'node:module';
import type binomialCdfOf from '@stdlib/stats-base-dists-binomial-cdf';
import type hypergeometricPmfOf from '@stdlib/stats-base-dists-hypergeometric-pmf';
import type normalQuantileOf from '@stdlib/stats-base-dists-normal-quantile';
import type signRankCdfOf from '@stdlib/stats-base-dists-signrank-cdf';
import type studentCdfOf from '@stdlib/stats-base-dists-t-cdf';
import type studentQuantileOf from '@stdlib/stats-base-dists-t-quantile';

// Loaded when first asked for: together they take half a second, and most steps need none of them.
const load = createRequire(import.meta.url);

/** P(X ≤ x) of a binomial variable of n tries. */
export function binomialCdf(x: number, n: number, p: number): number {
  return (load('@stdlib/stats-base-dists-binomial-cdf') as typeof binomialCdfOf)(x, n, p);
}

/** P(X = x) for `draws` from a population of N with K successes. */
export function hypergeometricPmf(x: number, N: number, K: number, draws: number): number {
  return (load('@stdlib/stats-base-dists-hypergeometric-pmf') as typeof hypergeometricPmfOf)(x, N, K, draws);
}

/** The standard normal value below which a share p lies. */
export function normalQuantile(p: number): number {
  return (load('@stdlib/stats-base-dists-normal-quantile') as typeof normalQuantileOf)(p, 0, 1);
}

/** P(T ≤ x) of Student's t; the degrees of freedom may be fractional (Welch). */
export function studentCdf(x: number, degrees: number): number {
  return (load('@stdlib/stats-base-dists-t-cdf') as typeof studentCdfOf)(x, degrees);
}

/** The value of Student's t below which a share p lies. */
export function studentQuantile(p: number, degrees: number): number {
  return (load('@stdlib/stats-base-dists-t-quantile') as typeof studentQuantileOf)(p, degrees);
}

/** P(T⁺ ≤ x) of Wilcoxon's signed-rank statistic of n untied differences, under the null hypothesis. */
export function signRankCdf(x: number, n: number): number {
  return (load('@stdlib/stats-base-dists-signrank-cdf') as typeof signRankCdfOf)(x, n);
}

/** P(Z ≤ x) of the standard normal: Student's t with degrees beyond which the two agree to 10 digits. */
export function normalCdf(x: number): number {
  return studentCdf(x, 1e10);
}
