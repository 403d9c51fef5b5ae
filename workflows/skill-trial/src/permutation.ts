import { delta, summarise } from './summary.js';

export interface PermutationTest {
  /** Two-sided p; null where a group is empty. */
  p: number | null;
  /** The smallest p that this design can reach, whatever the data; null likewise. */
  smallestP: number | null;
  arrangements: number;
}

/**
 * Exact permutation test of a difference in means, arm labels exchanged within each case (repeats are independent, so they are never
 * paired by index). p = arrangements at least as extreme as the one seen / all arrangements (Fisher 1935; Good, Permutation Tests,
 * 2005, section 3). All arrangements are enumerated: for three against three that is 20, and the smallest p is 2/20 = 0.10.
 * Values that are null are left out. Throws a RangeError beyond `limit` arrangements.
 */
export function permutationTest(cases: { a: (number | null)[]; b: (number | null)[] }[], limit = 200_000): PermutationTest {
  const known = cases.map(({ a, b }) => ({ a: a.filter((value) => value !== null), b: b.filter((value) => value !== null) }));
  if (known.length === 0 || known.some(({ a, b }) => a.length === 0 || b.length === 0))
    return { p: null, smallestP: null, arrangements: 0 };
  const arrangements = known.reduce((product, { a, b }) => product * choose(a.length + b.length, b.length), 1);
  if (arrangements > limit) throw new RangeError(`${arrangements} arrangements: more than ${limit} are not enumerated`);
  const differences = known.map(({ a, b }) => everyDifference([...a, ...b], b.length));
  const seen = differences.reduce((sum, [first]) => sum + (first as number), 0);
  // Equal differences may differ in their last bits, the more so the larger the values: tokens count in millions.
  const slack = 1e-9 * known.reduce((most, { a, b }) => Math.max(most, ...a.map(Math.abs), ...b.map(Math.abs)), 0);
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
  return { p: extreme / arrangements, smallestP: (mirrored ? 2 : 1) / arrangements, arrangements };
}

/** What the test is about: mean(b) − mean(a) within a case, averaged over the cases; null where a group is empty. */
export function meanDifference(cases: { a: (number | null)[]; b: (number | null)[] }[]): number | null {
  const differences = cases.map(({ a, b }) => delta(summarise(a).mean, summarise(b).mean));
  return differences.includes(null) ? null : summarise(differences).mean;
}

/** mean(b) − mean(a) for every choice of which values are b's; the labels as given come first. */
function everyDifference(values: number[], size: number): number[] {
  const total = values.reduce((sum, value) => sum + value, 0);
  const differences: number[] = [];
  const pick = (from: number, left: number, sum: number): void => {
    if (left === 0) {
      differences.push(sum / size - (total - sum) / (values.length - size));
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
