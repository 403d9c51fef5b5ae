import { normalQuantile } from './distribution.js';
import type { Interval } from './interval.js';

/**
 * Wilson's score interval for one rate: k successes of n (Wilson 1927; Newcombe 1998, method 3). Null without a try. Its coverage is
 * the level on average over all rates; at a single rate it may be lower, so `attained` is not guaranteed.
 */
export function wilsonInterval(k: number, n: number, level = 0.95): Interval | null {
  if (n === 0) return null;
  const z = normalQuantile(1 - (1 - level) / 2);
  const centre = (k + (z * z) / 2) / (n + z * z);
  const half = (z / (n + z * z)) * Math.sqrt((k * (n - k)) / n + (z * z) / 4);
  return {
    low: k === 0 ? 0 : centre - half,
    high: k === n ? 1 : centre + half,
    level,
    attained: level,
    method: 'wilson',
  };
}
