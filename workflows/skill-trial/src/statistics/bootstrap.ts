import { quantile } from '../summary.js';
import type { Interval } from './interval.js';
import { seededRandom } from './random.js';

/**
 * Percentile interval of the mean of the cases' differences, whole cases drawn again with replacement (Efron 1979; Davison and Hinkley
 * 1997, section 3.8). Withheld (null) below 10 cases, where it covers too little.
 */
export function clusterBootstrap(
  differences: (number | null)[],
  { level = 0.95, samples = 1999, seed = 1 }: { level?: number; samples?: number; seed?: number } = {},
): Interval | null {
  const known = differences.filter((value) => value !== null);
  const n = known.length;
  if (n < 10) return null;
  const random = seededRandom(seed);
  const means = new Float64Array(samples);
  for (let sample = 0; sample < samples; sample++) {
    let sum = 0;
    for (let draw = 0; draw < n; draw++) sum += known[random.below(n)] as number;
    means[sample] = sum / n;
  }
  means.sort();
  const at = (p: number) => quantile(means, p);
  return { low: at((1 - level) / 2), high: at((1 + level) / 2), level, attained: level, method: 'cluster bootstrap, percentile' };
}
