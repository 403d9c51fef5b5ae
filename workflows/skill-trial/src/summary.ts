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
  // one buffer for all calls: thousands of small ones keep the garbage collector busy
  if (values.length > scratch.length) scratch = new Float64Array(2 * values.length);
  return summariseSorted(sortKnown(values, scratch), values.length);
}

let scratch = new Float64Array(1024);

/** The known values in ascending order, at the beginning of `known`. */
function sortKnown(values: ArrayLike<number | null>, known = new Float64Array(values.length)): Float64Array {
  let [length, sorted] = [0, true];
  // an index and no iterator: a million values are summarised for every row of a report
  for (let at = 0; at < values.length; at++) {
    const value = values[at];
    if (value === null || value === undefined) continue;
    if (length > 0 && value < (known[length - 1] as number)) sorted = false;
    known[length++] = value;
  }
  const own = known.subarray(0, length);
  return sorted ? own : own.sort();
}

/** {@link summarise} of values that are sorted and known; `nTotal` counts the unknown ones too. */
export function summariseSorted(known: Float64Array, nTotal: number): Summary {
  const nUsed = known.length;
  if (nUsed === 0) return { nUsed, nTotal, median: null, q1: null, q3: null, min: null, max: null, mean: null };
  let sum = 0;
  for (let at = 0; at < nUsed; at++) sum += known[at] as number;
  return {
    nUsed,
    nTotal,
    median: quantile(known, 0.5),
    q1: quantile(known, 0.25),
    q3: quantile(known, 0.75),
    min: known[0] as number,
    max: known[nUsed - 1] as number,
    mean: sum / nUsed,
  };
}

/** What a summary says of values without putting them in order. */
export type Outline = Pick<Summary, 'nUsed' | 'min' | 'max' | 'mean'>;

/** Count, range and mean of the known values; all but the count null where none is. */
export function outline(values: ArrayLike<number | null>): Outline {
  let [nUsed, sum, min, max] = [0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let at = 0; at < values.length; at++) {
    const value = values[at];
    if (value === null || value === undefined) continue;
    nUsed += 1;
    sum += value;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return nUsed === 0 ? { nUsed, min: null, max: null, mean: null } : { nUsed, min, max, mean: sum / nUsed };
}

/** The known values in their order: the list itself where it has no null, since most have none and may be long. */
export function knownOf(values: ArrayLike<number | null>): ArrayLike<number> {
  if (!Array.isArray(values)) return values as ArrayLike<number>;
  return values.includes(null) ? values.filter((value) => value !== null) : values;
}

/** The value below which a share p of the sorted values lies: Hyndman and Fan's type 7 (1996), R's default. Throws on no value. */
export function quantile(sorted: ArrayLike<number>, p: number): number {
  return quantileOf(sorted.length, (at) => sorted[at] as number, p);
}

/** The same of sorted values with so many copies of one more value among them, without making that list. */
export function quantileWithCopies(sorted: ArrayLike<number>, copies: number, value: number, p: number): number {
  const place = placeAmong(sorted, value);
  const valueAt = (at: number) =>
    at < place ? (sorted[at] as number) : at < place + copies ? value : (sorted[at - copies] as number);
  return quantileOf(sorted.length + copies, valueAt, p);
}

/** How many of the sorted values are not above a value. */
export function placeAmong(sorted: ArrayLike<number>, value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

function quantileOf(length: number, valueAt: (place: number) => number, p: number): number {
  if (length === 0) throw new RangeError('no value has no quantile');
  const place = (length - 1) * p;
  const [low, high] = [valueAt(Math.floor(place)), valueAt(Math.ceil(place))];
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
