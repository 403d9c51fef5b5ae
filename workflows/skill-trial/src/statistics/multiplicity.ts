import { createRequire } from 'node:module';
import type padjustOf from '@stdlib/stats-padjust';

const load = createRequire(import.meta.url);

/**
 * p values corrected for how many were looked at, in the order given; null stays null and does not count. `holm` (Holm 1979) bounds the
 * chance of any false finding; `bh` (Benjamini and Hochberg 1995) the expected share of false ones among the findings.
 */
export function adjustP(p: (number | null)[], method: 'holm' | 'bh'): (number | null)[] {
  const known = p.filter((value) => value !== null);
  if (known.length === 0) return p;
  const adjusted = Array.from((load('@stdlib/stats-padjust') as typeof padjustOf)(known, method));
  let at = 0;
  return p.map((value) => (value === null ? null : (adjusted[at++] as number)));
}

/**
 * What the first of m tests must reach under Holm's correction, alpha/m, and the fewest runs an arm whose exact permutation test of one
 * case can go that low: the smallest p of n against n is 2/(2n choose n). 49 skills at .05 need p < .00102 and 7 runs.
 */
export function repeatsForMany(m: number, alpha = 0.05): { needed: number; repeats: number } {
  const needed = alpha / m;
  let [repeats, smallest] = [1, 1];
  while (smallest > needed) {
    repeats += 1;
    // (2n choose n) = (2n − 2 choose n − 1) · 2(2n − 1)/n
    smallest /= (2 * (2 * repeats - 1)) / repeats;
  }
  return { needed, repeats };
}
