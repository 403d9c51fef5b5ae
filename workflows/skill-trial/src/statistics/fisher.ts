import { hypergeometricPmf } from './distribution.js';

/** Successes of all tries in one arm. */
export interface Count {
  k: number;
  n: number;
}

/**
 * Fisher's exact test of two rates, two-sided: the probability of all tables with the same margins that are no likelier than the one
 * seen (as R's fisher.test). Null where an arm has no try.
 */
export function fisherTest(a: Count, b: Count): number | null {
  if (a.n === 0 || b.n === 0) return null;
  const [all, successes] = [a.n + b.n, a.k + b.k];
  const at = (k: number) => hypergeometricPmf(k, all, successes, b.n);
  // equal probabilities may differ in their last bits
  const seen = at(b.k) * (1 + 1e-7);
  let p = 0;
  for (let k = Math.max(0, successes - a.n); k <= Math.min(successes, b.n); k++) {
    const probability = at(k);
    if (probability <= seen) p += probability;
  }
  return Math.min(1, p);
}
