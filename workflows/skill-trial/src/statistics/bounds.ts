import { delta, sortKnown, summariseSorted } from '../summary.js';

/** One arm: its valid values, and how many trials are invalid. */
export interface BoundedArm {
  values: ArrayLike<number | null>;
  invalid: number;
}

/** What the difference could have been, had the invalid trials been valid. Null on a side without an end of the scale. */
export interface Bounds {
  best: number | null;
  worst: number | null;
}

/**
 * The difference b − a of the aggregates with the invalid trials of the arm at the better end of the scale and those of the control at
 * the worse (best), and the other way round (worst): Manski's bounds. `scale` is from worse to better; an end that is null is open.
 */
export function invalidBounds(
  a: BoundedArm,
  b: BoundedArm,
  { worse, better }: { worse: number | null; better: number | null },
  aggregate: 'median' | 'share',
): Bounds {
  const [knownA, knownB] = [sortKnown(a.values), sortKnown(b.values)];
  const put = (known: Float64Array, invalid: number, end: number | null) => {
    if (invalid > 0 && end === null) return null;
    const { median, mean } = summariseSorted(withCopies(known, invalid, end ?? 0), known.length + invalid);
    return aggregate === 'median' ? median : mean;
  };
  return {
    best: delta(put(knownA, a.invalid, worse), put(knownB, b.invalid, better)),
    worst: delta(put(knownA, a.invalid, better), put(knownB, b.invalid, worse)),
  };
}

/** Sorted values with so many copies of one more value among them, sorted. */
function withCopies(sorted: Float64Array, copies: number, value: number): Float64Array {
  const found = sorted.findIndex((other) => other > value);
  const at = found === -1 ? sorted.length : found;
  const all = new Float64Array(sorted.length + copies).fill(value, at, at + copies);
  all.set(sorted.subarray(0, at));
  all.set(sorted.subarray(at), at + copies);
  return all;
}
