import { summarise } from '../summary.js';

/** A value that may only be known to be at least this large (a run that the limit ended). */
export interface CensoredValue {
  value: number | null;
  censored: boolean;
}

export interface CensoredMedian {
  /** Null where no value is known, or the median falls among the censored values. */
  median: number | null;
  /** What the median is at least; equal to it where it is known. */
  atLeast: number | null;
  /** Censored values. */
  censored: number;
}

/** The median of partly censored values: known only if it is the same wherever the censored values really lie above their limit. */
export function censoredMedian(values: CensoredValue[]): CensoredMedian {
  const low = summarise(values.map(({ value }) => value)).median;
  const high = summarise(
    values.map(({ value, censored }) => (value !== null && censored ? Number.POSITIVE_INFINITY : value)),
  ).median;
  const censored = values.filter((one) => one.value !== null && one.censored).length;
  return { median: low === high ? low : null, atLeast: low, censored };
}
