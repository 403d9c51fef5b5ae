import { delta, summarise } from '../summary.js';

/** One arm: its valid values, and how many trials are invalid. */
export interface BoundedArm {
  values: (number | null)[];
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
  const put = (arm: BoundedArm, end: number | null) => {
    if (arm.invalid > 0 && end === null) return null;
    const { median, mean } = summarise([...arm.values, ...Array.from({ length: arm.invalid }, () => end)]);
    return aggregate === 'median' ? median : mean;
  };
  return { best: delta(put(a, worse), put(b, better)), worst: delta(put(a, better), put(b, worse)) };
}
