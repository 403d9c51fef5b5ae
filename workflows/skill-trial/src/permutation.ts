import { normalCdf } from './statistics/distribution.js';
import { seededRandom } from './statistics/random.js';
import { delta, knownOf, summarise } from './summary.js';

export interface PermutationTest {
  /** Two-sided p; null where a group is empty. */
  p: number | null;
  /** The smallest p that this design and method can reach, whatever the data; null likewise. */
  smallestP: number | null;
  /** Ways to label the runs that were looked at: all of them, or those drawn; 0 where none was. */
  arrangements: number;
  method: 'exact' | 'monte-carlo' | 'normal-limit';
}

export interface PermutationOptions {
  /** Up to so many arrangements are enumerated. */
  limit?: number;
  /** Beyond, so many are drawn. */
  samples?: number;
  seed?: number;
  /** Above so many runs nothing is drawn: the normal limit of the permutation distribution is used. */
  most?: number;
}

/** The values of the control (a) and of the arm (b), case by case; null where unknown. */
export type ValuesByCase = { a: ArrayLike<number | null>; b: ArrayLike<number | null> }[];

/**
 * Permutation test of a difference in means, arm labels exchanged within each case (repeats are independent, so they are never paired
 * by index). p = arrangements at least as extreme as the one seen / all arrangements (Fisher 1935; Good, Permutation Tests, 2005,
 * section 3): for three against three that is 20, and the smallest p is 2/20 = 0.10. Beyond `limit` arrangements, `samples` are drawn
 * from the seed and p = (extreme + 1)/(samples + 1), which is never too small (Phipson and Smyth 2010). Values that are null are left out.
 */
export function permutationTest(
  cases: ValuesByCase,
  { limit = 200_000, samples = 9_999, seed = 1, most = 2_000 }: PermutationOptions = {},
): PermutationTest {
  const known = cases.map(({ a, b }) => ({ a: knownOf(a), b: knownOf(b) }));
  if (known.length === 0 || known.some(({ a, b }) => a.length === 0 || b.length === 0))
    return { p: null, smallestP: null, arrangements: 0, method: 'exact' };
  const arrangements = known.reduce((product, { a, b }) => product * choose(a.length + b.length, b.length), 1);
  if (arrangements <= limit) return enumerated(known, arrangements);
  const runs = known.reduce((sum, { a, b }) => sum + a.length + b.length, 0);
  return runs > most ? normalLimit(known) : drawn(known, samples, seed);
}

type Known = { a: ArrayLike<number>; b: ArrayLike<number> }[];

function enumerated(known: Known, arrangements: number): PermutationTest {
  const differences = known.map(({ a, b }) => everyDifference(joined(a, b), b.length));
  const seen = differences.reduce((sum, [first]) => sum + (first as number), 0);
  const slack = slackOf(known);
  let extreme = 0;
  const visit = (index: number, sum: number): void => {
    if (index === differences.length) {
      if (Math.abs(sum) >= Math.abs(seen) - slack) extreme += 1;
      return;
    }
    for (const difference of differences[index] as number[]) visit(index + 1, sum + difference);
  };
  visit(0, 0);
  // The most extreme arrangement has a mirror image, as extreme, only where every case has groups of equal size.
  const mirrored = known.every(({ a, b }) => a.length === b.length);
  return { p: extreme / arrangements, smallestP: (mirrored ? 2 : 1) / arrangements, arrangements, method: 'exact' };
}

/** Labels drawn anew `samples` times: in each case, which runs are b's. */
function drawn(known: Known, samples: number, seed: number): PermutationTest {
  const random = seededRandom(seed);
  const groups = known.map(({ a, b }) => {
    const values = joined(b, a);
    return { values, size: b.length, total: total(values) };
  });
  const difference = ({ values, size, total }: (typeof groups)[number]): number => {
    let sum = 0;
    for (let index = 0; index < size; index++) sum += values[index] as number;
    return sum / size - (total - sum) / (values.length - size);
  };
  const seen = Math.abs(groups.reduce((sum, group) => sum + difference(group), 0));
  const slack = slackOf(known);
  let extreme = 0;
  for (let sample = 0; sample < samples; sample++) {
    let sum = 0;
    for (const group of groups) {
      const { values, size } = group;
      // the first places of a shuffle (Fisher and Yates) are a draw without return
      for (let index = 0; index < size; index++) {
        const other = index + random.below(values.length - index);
        const kept = values[index] as number;
        values[index] = values[other] as number;
        values[other] = kept;
      }
      sum += difference(group);
    }
    if (Math.abs(sum) >= seen - slack) extreme += 1;
  }
  return { p: (extreme + 1) / (samples + 1), smallestP: 1 / (samples + 1), arrangements: samples, method: 'monte-carlo' };
}

/** The permutation distribution's own mean (0) and variance, taken as normal: right for thousands of runs (Hoeffding 1951). */
function normalLimit(known: Known): PermutationTest {
  let [sum, variance] = [0, 0];
  for (const { a, b } of known) {
    const n = a.length + b.length;
    const own = total(b);
    const all = total(a) + own;
    const squares = squaresAbout(all / n, b, squaresAbout(all / n, a, 0));
    sum += own / b.length - (all - own) / a.length;
    variance += (squares / (n - 1)) * (1 / a.length + 1 / b.length);
  }
  const p = variance === 0 ? 1 : 2 * normalCdf(-Math.abs(sum) / Math.sqrt(variance));
  return { p, smallestP: 0, arrangements: 0, method: 'normal-limit' };
}

function total(values: ArrayLike<number>): number {
  let sum = 0;
  for (let at = 0; at < values.length; at++) sum += values[at] as number;
  return sum;
}

function joined(first: ArrayLike<number>, second: ArrayLike<number>): Float64Array {
  const values = new Float64Array(first.length + second.length);
  values.set(first);
  values.set(second, first.length);
  return values;
}

/** The squared distances from a mean, added to a sum one by one. */
function squaresAbout(mean: number, values: ArrayLike<number>, from: number): number {
  let sum = from;
  for (let at = 0; at < values.length; at++) sum += ((values[at] as number) - mean) ** 2;
  return sum;
}

/** Equal differences may differ in their last bits, the more so the larger the values: tokens count in millions. */
function slackOf(known: Known): number {
  const largest = (group: ArrayLike<number>) => {
    let most = 0;
    for (let at = 0; at < group.length; at++) most = Math.max(most, Math.abs(group[at] as number));
    return most;
  };
  return 1e-9 * known.reduce((most, { a, b }) => Math.max(most, largest(a), largest(b)), 0);
}

/** What the test is about: mean(b) − mean(a) within a case, averaged over the cases; null where a group has no mean. */
export function meanDifference(cases: Record<'a' | 'b', { mean: number | null }>[]): number | null {
  const differences = cases.map(({ a, b }) => delta(a.mean, b.mean));
  return differences.includes(null) ? null : summarise(differences).mean;
}

/** mean(b) − mean(a) for every choice of which values are b's; the labels as given come first. */
function everyDifference(values: Float64Array, size: number): number[] {
  const all = total(values);
  const differences: number[] = [];
  const pick = (from: number, left: number, sum: number): void => {
    if (left === 0) {
      differences.push(sum / size - (all - sum) / (values.length - size));
      return;
    }
    // from the end, so that the last `size` values (b as given) come first
    for (let index = from; index >= left - 1; index--) pick(index - 1, left - 1, sum + (values[index] as number));
  };
  pick(values.length - 1, size, 0);
  return differences;
}

function choose(n: number, k: number): number {
  let result = 1;
  for (let index = 1; index <= k; index++) result = (result * (n - k + index)) / index;
  return Math.round(result);
}
