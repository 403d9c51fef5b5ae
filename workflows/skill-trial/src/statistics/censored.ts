import { quantile, quantileWithCopies } from '../summary.js';

export interface CensoredMedian {
  /** Null where no value is known, or the median falls among the censored values. */
  median: number | null;
  /** What the median is at least; equal to it where it is known. */
  atLeast: number | null;
  /** Censored values. */
  censored: number;
}

/**
 * The median of values of which some are only known to be at least as large (runs that the limit ended): known only if it is the same
 * wherever those really lie above their limit. Both sorted: all values, and those of them that are not censored.
 */
export function censoredMedian(all: Float64Array, whole: Float64Array): CensoredMedian {
  const censored = all.length - whole.length;
  if (all.length === 0) return { median: null, atLeast: null, censored };
  const low = quantile(all, 0.5);
  const high = quantileWithCopies(whole, censored, Number.POSITIVE_INFINITY, 0.5);
  return { median: low === high ? low : null, atLeast: low, censored };
}
