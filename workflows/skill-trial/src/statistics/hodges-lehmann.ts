import type { ValuesByCase } from '../permutation.js';
import { knownOf, summarise } from '../summary.js';
import { normalQuantile, signRankCdf } from './distribution.js';
import type { Interval } from './interval.js';

/** How far the arm's values lie above the control's. Both null: nothing to compare, or too much to pair. */
export interface Shift {
  estimate: number | null;
  /** Null where no interval of this design reaches the level. */
  interval: Interval | null;
}

const most = 1_000_000;

/**
 * Hodges and Lehmann's estimate of the shift b − a within cases: the median of all differences between a run of b and a run of a of
 * the same case, with the interval that inverts the stratified Wilcoxon test (Hodges and Lehmann 1963; Bauer 1972). One case is the
 * usual two-sample interval of R's wilcox.test. Exact where the null distribution is counted (ties make it wider, never narrower);
 * normal-approximated beyond 50 runs an arm. Differences beyond a million are not made: null.
 */
export function shiftWithinCases(cases: ValuesByCase, level = 0.95): Shift {
  const known = cases.map(({ a, b }) => ({ a: knownOf(a), b: knownOf(b) })).filter(({ a, b }) => a.length > 0 && b.length > 0);
  const count = known.reduce((sum, { a, b }) => sum + a.length * b.length, 0);
  if (count === 0 || count > most) return { estimate: null, interval: null };
  const differences = new Float64Array(count);
  let at = 0;
  for (const { a, b } of known)
    for (let y = 0; y < b.length; y++) for (let x = 0; x < a.length; x++) differences[at++] = (b[y] as number) - (a[x] as number);
  differences.sort();
  const sizes = known.map(({ a, b }) => [a.length, b.length] as const);
  const exact = count <= 5_000 && sizes.every(([m, n]) => m <= 50 && n <= 50);
  const tail = exact ? exactTail(sizes, (1 - level) / 2) : normalTail(countMoments(sizes), (1 - level) / 2);
  return {
    estimate: middle(differences),
    interval: orderInterval(differences, tail, level, exact ? 'hodges-lehmann' : 'hodges-lehmann, normal approximation'),
  };
}

/**
 * The shift over cases: the median of the Walsh averages of the cases' differences, with the interval that inverts the signed-rank
 * test (Hodges and Lehmann 1963; R's wilcox.test). It assumes differences spread evenly about their middle. At 95 % it needs 6 cases.
 */
export function shiftOverCases(differences: (number | null)[], level = 0.95): Shift {
  const known = differences.filter((value) => value !== null);
  const n = known.length;
  const count = (n * (n + 1)) / 2;
  if (n === 0 || count > most) return { estimate: null, interval: null };
  const averages = new Float64Array(count);
  let at = 0;
  for (let one = 0; one < n; one++)
    for (let other = one; other < n; other++) averages[at++] = ((known[one] as number) + (known[other] as number)) / 2;
  averages.sort();
  const exact = n <= 50;
  const alpha = (1 - level) / 2;
  const tail = exact
    ? exactSignRankTail(n, alpha)
    : normalTail({ mean: count / 2, variance: (n * (n + 1) * (2 * n + 1)) / 24 }, alpha);
  const method = `hodges-lehmann over cases${exact ? '' : ', normal approximation'}`;
  return { estimate: middle(averages), interval: orderInterval(averages, tail, level, method) };
}

/** From the k-th smallest to the k-th largest; `below` is the null probability of fewer than k. */
function orderInterval(
  sorted: Float64Array,
  { k, below }: { k: number; below: number },
  level: number,
  method: string,
): Interval | null {
  if (k === 0) return null;
  return { low: sorted[k - 1] as number, high: sorted[sorted.length - k] as number, level, attained: 1 - 2 * below, method };
}

/** The largest k with P(U < k) ≤ alpha, U the sum of independent Mann–Whitney counts. */
function exactTail(sizes: (readonly [number, number])[], alpha: number): { k: number; below: number } {
  let total = [1];
  for (const [m, n] of sizes) total = convolved(total, mannWhitney(m, n));
  let [k, sum] = [0, 0];
  while (sum + (total[k] as number) <= alpha + 1e-12) {
    sum += total[k] as number;
    k += 1;
  }
  return { k, below: sum };
}

/** The largest k with P(T < k) ≤ alpha, T the signed-rank sum of n differences. Kept: for 50 it takes half a second. */
const tails = new Map<string, { k: number; below: number }>();
function exactSignRankTail(n: number, alpha: number): { k: number; below: number } {
  const key = `${n}/${alpha}`;
  const before = tails.get(key);
  if (before !== undefined) return before;
  let [k, below] = [0, 0];
  for (let next = signRankCdf(0, n); next <= alpha + 1e-12; next = signRankCdf(k, n)) [k, below] = [k + 1, next];
  tails.set(key, { k, below });
  return { k, below };
}

function normalTail({ mean, variance }: { mean: number; variance: number }, alpha: number): { k: number; below: number } {
  return { k: Math.max(0, Math.floor(mean + normalQuantile(alpha) * Math.sqrt(variance) + 0.5)), below: alpha };
}

/** Mean and variance of a sum of independent Mann–Whitney counts. */
function countMoments(sizes: (readonly [number, number])[]): { mean: number; variance: number } {
  return {
    mean: sizes.reduce((sum, [m, n]) => sum + (m * n) / 2, 0),
    variance: sizes.reduce((sum, [m, n]) => sum + (m * n * (m + n + 1)) / 12, 0),
  };
}

/** P(U = u) of the Mann–Whitney count of m against n, by the recursion of Mann and Whitney (1947). */
const counted = new Map<string, number[]>();
function mannWhitney(m: number, n: number): number[] {
  const [small, large] = m < n ? [m, n] : [n, m];
  if (small === 0) return [1];
  const key = `${small}/${large}`;
  const before = counted.get(key);
  if (before !== undefined) return before;
  // the largest of all values belongs to one group or to the other
  const own = mannWhitney(small - 1, large);
  const other = mannWhitney(small, large - 1);
  const share = small / (small + large);
  const result = Array.from(
    { length: small * large + 1 },
    (_, u) => share * (own[u - large] ?? 0) + (1 - share) * (other[u] ?? 0),
  );
  counted.set(key, result);
  return result;
}

function convolved(a: number[], b: number[]): number[] {
  const result = new Array<number>(a.length + b.length - 1).fill(0);
  for (const [i, x] of a.entries()) for (const [j, y] of b.entries()) result[i + j] = (result[i + j] as number) + x * y;
  return result;
}

function middle(sorted: Float64Array): number | null {
  return summarise([sorted[Math.floor((sorted.length - 1) / 2)] as number, sorted[Math.ceil((sorted.length - 1) / 2)] as number])
    .mean;
}
