import type { ValuesByCase } from '../permutation.js';
import { summarise } from '../summary.js';
import { studentCdf } from './distribution.js';
import { shiftWithinCases } from './hodges-lehmann.js';

export interface Sample {
  n: number;
  mean: number;
  sd: number;
}

/** Two one-sided tests: p is the larger of the two. Null where a group has fewer than two values or nothing varies. */
export interface Equivalence {
  p: number | null;
  /** Welch's degrees of freedom. */
  degrees: number | null;
}

/**
 * Equivalence of two means by two one-sided t tests with Welch's degrees of freedom (Schuirmann 1987; Lakens 2017): p below alpha says
 * that the difference lies within ± margin. The margin is in the values' unit and must be declared before the runs.
 */
export function equivalenceTest(a: Sample, b: Sample, margin: number): Equivalence {
  if (a.n < 2 || b.n < 2) return { p: null, degrees: null };
  const [va, vb] = [a.sd ** 2 / a.n, b.sd ** 2 / b.n];
  const error = Math.sqrt(va + vb);
  if (error === 0) return { p: null, degrees: null };
  const degrees = (va + vb) ** 2 / (va ** 2 / (a.n - 1) + vb ** 2 / (b.n - 1));
  const difference = b.mean - a.mean;
  const above = 1 - studentCdf((difference + margin) / error, degrees);
  const below = studentCdf((difference - margin) / error, degrees);
  return { p: Math.max(above, below), degrees };
}

/** n, mean and standard deviation (n − 1) of the known values; sd 0 for one value. */
export function sampleOf(values: (number | null)[]): Sample {
  const known = values.filter((value) => value !== null);
  const mean = summarise(known).mean ?? 0;
  const squares = known.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { n: known.length, mean, sd: known.length < 2 ? 0 : Math.sqrt(squares / (known.length - 1)) };
}

/**
 * Whether runs are equivalent within ± margin for these cases: two one-sided tests at alpha, made by the exact 1 − 2·alpha interval of
 * the shift, which assumes no distribution. Null where that interval does not exist (three against three has one at alpha = .05).
 */
export function equivalentWithinCases(cases: ValuesByCase, margin: number, alpha = 0.05): boolean | null {
  const { interval } = shiftWithinCases(cases, 1 - 2 * alpha);
  return interval === null ? null : interval.low >= -margin - 1e-9 && interval.high <= margin + 1e-9;
}
