export interface Summary {
  /** Values that are known. */
  nUsed: number;
  nTotal: number;
  median: number | null;
  min: number | null;
  max: number | null;
  mean: number | null;
}

/** Median, range and mean of the known values. Nulls are left out and counted; 0 is a value. All null: every statistic is null. */
export function summarise(values: (number | null)[]): Summary {
  const known = values.filter((value) => value !== null).sort((a, b) => a - b);
  const nUsed = known.length;
  if (nUsed === 0) return { nUsed, nTotal: values.length, median: null, min: null, max: null, mean: null };
  const at = (index: number) => known[index] as number;
  const median = nUsed % 2 === 1 ? at((nUsed - 1) / 2) : (at(nUsed / 2 - 1) + at(nUsed / 2)) / 2;
  return {
    nUsed,
    nTotal: values.length,
    median,
    min: at(0),
    max: at(nUsed - 1),
    mean: known.reduce((sum, value) => sum + value, 0) / nUsed,
  };
}

/** b − a; null where either is: no delta is printed when one side is all unknown. */
export function delta(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : b - a;
}

/** b / a; null where either is unknown or a is 0. */
export function ratio(a: number | null, b: number | null): number | null {
  return a === null || b === null || a === 0 ? null : b / a;
}
