import { z } from 'zod';
import { type Contrast, tableOf, valuesByCase } from './comparison.js';
import { type MetricId, MetricId as MetricIdSchema, metricOf } from './metric.js';
import { permutationTest, type ValuesByCase } from './permutation.js';
import type { TrialResult } from './result.js';
import { seededRandom } from './statistics/random.js';
import { knownOf, quantile, summarise } from './summary.js';

const number = z.number().nullable();

/** How far two groups of runs under the same conditions lie apart by chance, in one metric; in the metric's unit. */
export const NoiseFloor = z.strictObject({
  metric: MetricIdSchema,
  title: z.string(),
  unit: z.string(),
  n: z.strictObject({ used: z.int().nonnegative(), total: z.int().nonnegative() }),
  /** All runs together, whatever their label; quartiles of type 7. */
  spread: z.strictObject({ min: number, q1: number, median: number, q3: number, max: number }),
  /** The medians of the two labels, and their distance. */
  a: number,
  b: number,
  distance: number,
  /** The distance of the medians over all ways to label these runs within their cases. */
  relabelled: z.strictObject({
    arrangements: z.int().nonnegative(),
    method: z.enum(['exact', 'monte-carlo']),
    median: number,
    p90: number,
    p95: number,
    max: number,
  }),
  /** The lab's own test of these two groups, and the smallest p that it can reach with so many runs. */
  p: number,
  smallestP: number,
});
export type NoiseFloor = z.infer<typeof NoiseFloor>;

/** The noise floor of each wanted metric; a metric that no run has a value of has nulls. */
export function noiseFloors(results: TrialResult[], contrast: Contrast, wanted: readonly MetricId[]): NoiseFloor[] {
  const runs = tableOf(results);
  // runs without a value are in no list by case, and still count
  const total = runs.rowsOf(contrast.arm).length + runs.rowsOf(contrast.control).length;
  return wanted.map((id) => {
    const cases = valuesByCase(runs, contrast, id);
    const [a, b] = [summarise(cases.flatMap((one) => [...one.a])), summarise(cases.flatMap((one) => [...one.b]))];
    const all = summarise(cases.flatMap((one) => [...one.a, ...one.b]));
    const { distances, method } = relabelledDistances(cases);
    const at = (share: number) => (distances.length === 0 ? null : quantile(distances, share));
    const { p, smallestP } = permutationTest(cases);
    return {
      metric: id,
      title: metricOf(id).title,
      unit: metricOf(id).unit,
      n: { used: all.nUsed, total },
      spread: { min: all.min, q1: all.q1, median: all.median, q3: all.q3, max: all.max },
      a: a.median,
      b: b.median,
      distance: a.median === null || b.median === null ? null : Math.abs(b.median - a.median),
      relabelled: { arrangements: distances.length, method, median: at(0.5), p90: at(0.9), p95: at(0.95), max: at(1) },
      p,
      smallestP,
    };
  });
}

/**
 * |median of b − median of a| for every way to label the runs within their cases, sorted; beyond `limit` ways, for `samples` that a
 * seed draws. Null values are left out; [] where a group is empty.
 */
export function relabelledDistances(
  cases: ValuesByCase,
  { limit = 20_000, samples = 9_999, seed = 1 } = {},
): { distances: number[]; method: 'exact' | 'monte-carlo' } {
  const known = cases.map(({ a, b }) => {
    const [others, own] = [Array.from(knownOf(a)), Array.from(knownOf(b))];
    return { values: [...others, ...own], size: own.length };
  });
  const distances: number[] = [];
  if (!known.some(({ size }) => size > 0) || !known.some(({ values, size }) => values.length > size))
    return { distances, method: 'exact' };
  const note = (a: number[], b: number[]) =>
    distances.push(Math.abs((summarise(b).median as number) - (summarise(a).median as number)));
  const ways = known.reduce((product, { values, size }) => product * subsets(values.length, size), 1);
  if (ways <= limit) {
    const visit = (at: number, a: number[], b: number[]): void => {
      const group = known[at];
      if (group === undefined) note(a, b);
      else split(group.values, group.size, (left, right) => visit(at + 1, [...a, ...left], [...b, ...right]));
    };
    visit(0, [], []);
  } else {
    const random = seededRandom(seed);
    for (let sample = 0; sample < samples; sample++) {
      const [a, b]: [number[], number[]] = [[], []];
      for (const { values, size } of known) {
        const left = [...values];
        for (let taken = 0; taken < size; taken++) b.push(...left.splice(random.below(left.length), 1));
        a.push(...left);
      }
      note(a, b);
    }
  }
  return { distances: distances.sort((x, y) => x - y), method: ways <= limit ? 'exact' : 'monte-carlo' };
}

/** Every choice of `size` of the values, with those left over. */
function split(values: number[], size: number, each: (left: number[], chosen: number[]) => void): void {
  const pick = (from: number, left: number[], chosen: number[]): void => {
    if (from === values.length) {
      if (chosen.length === size) each(left, chosen);
      return;
    }
    const value = values[from] as number;
    if (chosen.length < size) pick(from + 1, left, [...chosen, value]);
    if (values.length - from - 1 >= size - chosen.length) pick(from + 1, [...left, value], chosen);
  };
  pick(0, [], []);
}

function subsets(n: number, k: number): number {
  let result = 1;
  for (let index = 1; index <= k; index++) result = (result * (n - k + index)) / index;
  return Math.round(result);
}
