import { delta, placeAmong, quantileWithCopies } from '../summary.js';

/** One arm: its valid values, sorted and known, and how many trials are invalid. */
export interface BoundedArm {
  values: Float64Array;
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
  const put = ({ values, invalid }: BoundedArm, end: number | null) => {
    if ((invalid > 0 && end === null) || values.length + invalid === 0) return null;
    return aggregate === 'median'
      ? quantileWithCopies(values, invalid, end ?? 0, 0.5)
      : meanWithCopies(values, invalid, end ?? 0);
  };
  return { best: delta(put(a, worse), put(b, better)), worst: delta(put(a, better), put(b, worse)) };
}

/** The mean of sorted values and so many copies of one more, added up in ascending order. */
function meanWithCopies(sorted: Float64Array, copies: number, value: number): number {
  const place = placeAmong(sorted, value);
  let sum = 0;
  for (let at = 0; at < place; at++) sum += sorted[at] as number;
  for (let copy = 0; copy < copies; copy++) sum += value;
  for (let at = place; at < sorted.length; at++) sum += sorted[at] as number;
  return sum / (sorted.length + copies);
}
