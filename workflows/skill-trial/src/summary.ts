export interface Summary {
  /** Values that are known. */
  nUsed: number;
  nTotal: number;
  median: number | null;
  /** First and third quartile, of type 7 (R's default). */
  q1: number | null;
  q3: number | null;
  min: number | null;
  max: number | null;
  mean: number | null;
}

/** Median, quartiles, range and mean of the known values. Nulls are left out and counted; 0 is a value. All null: every statistic is null. */
export function summarise(values: (number | null)[]): Summary {
  const known = Float64Array.from(values.filter((value) => value !== null)).sort();
  const nUsed = known.length;
  if (nUsed === 0) return { nUsed, nTotal: values.length, median: null, q1: null, q3: null, min: null, max: null, mean: null };
  return {
    nUsed,
    nTotal: values.length,
    median: quantile(known, 0.5),
    q1: quantile(known, 0.25),
    q3: quantile(known, 0.75),
    min: known[0] as number,
    max: known[nUsed - 1] as number,
    mean: known.reduce((sum, value) => sum + value, 0) / nUsed,
  };
}

/** The value below which a share p of the sorted values lies: Hyndman and Fan's type 7 (1996), R's default. Throws on no value. */
export function quantile(sorted: ArrayLike<number>, p: number): number {
  if (sorted.length === 0) throw new RangeError('no value has no quantile');
  const place = (sorted.length - 1) * p;
  const [low, high] = [sorted[Math.floor(place)] as number, sorted[Math.ceil(place)] as number];
  const share = place - Math.floor(place);
  // the mean of two is not low + half their distance where the distance overflows a digit, and an end may be infinite
  if (low === high || share === 0) return low;
  return share === 0.5 ? (low + high) / 2 : low + share * (high - low);
}

/** b − a; null where either is: no delta is printed when one side is all unknown. */
export function delta(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : b - a;
}

/** b / a; null where either is unknown or a is 0. */
export function ratio(a: number | null, b: number | null): number | null {
  return a === null || b === null || a === 0 ? null : b / a;
}
