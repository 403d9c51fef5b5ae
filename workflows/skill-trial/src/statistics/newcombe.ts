import type { Interval } from './interval.js';
import { wilsonInterval } from './wilson.js';

/**
 * Interval for the difference of two independent rates k1/n1 − k2/n2 (Newcombe 1998, method 10: Wilson's limits put together). Null where
 * either has no try. What goes together (assertions of one run) makes it too narrow.
 */
export function newcombeInterval(k1: number, n1: number, k2: number, n2: number, level = 0.95): Interval | null {
  const [one, two] = [wilsonInterval(k1, n1, level), wilsonInterval(k2, n2, level)];
  if (one === null || two === null) return null;
  const [p1, p2] = [k1 / n1, k2 / n2];
  return {
    low: p1 - p2 - Math.hypot(p1 - one.low, two.high - p2),
    high: p1 - p2 + Math.hypot(one.high - p1, p2 - two.low),
    level,
    attained: level,
    method: 'newcombe',
  };
}
