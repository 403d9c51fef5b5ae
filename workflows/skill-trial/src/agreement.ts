import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** A coefficient, or why there is none. */
export interface Coefficient {
  value: number | null;
  /** Why it is undefined; null where it is not. */
  reason: string | null;
}

/** What several raters said of one unit, in a fixed order of raters; null: that rater did not rate it. */
export type Unit<Value> = (Value | null)[];

const defined = (value: number): Coefficient => ({ value, reason: null });
const undefinedFor = (reason: string): Coefficient => ({ value: null, reason });

/** The values given, without the gaps. */
function given<Value>(unit: Unit<Value>): Value[] {
  return unit.filter((value): value is Value => value !== null);
}

/** Units that two raters or more rated: only these say anything about agreement. */
export function pairable<Value>(units: Unit<Value>[]): Unit<Value>[] {
  return units.filter((unit) => given(unit).length >= 2);
}

/** The share of pairs of raters that agree, averaged over the units that two or more rated; null where there is none. */
export function percentAgreement<Value>(units: Unit<Value>[]): number | null {
  const shares = pairable(units).map((unit) => {
    const values = given(unit);
    const pairs = values.length * (values.length - 1);
    return (
      values.reduce((sum, value, index) => sum + values.filter((other, at) => at !== index && other === value).length, 0) / pairs
    );
  });
  return shares.length === 0 ? null : mean(shares);
}

/** How often the first rater said the row's category where the second said the column's; units that either left out are not counted. */
export function confusion<Value>(units: Unit<Value>[], first: number, second: number, categories: Value[]): number[][] {
  return categories.map((row) =>
    categories.map((column) => units.filter((unit) => unit[first] === row && unit[second] === column).length),
  );
}

/**
 * Cohen's kappa of a square table of counts: (po − pe) / (1 − pe), pe from the product of the margins (Cohen 1960, Educational and
 * Psychological Measurement 20: 37-46). Undefined where both raters used one and the same category only: chance then explains all.
 */
export function cohenKappa(table: number[][]): Coefficient {
  const n = sum(table.flat());
  if (n === 0) return undefinedFor('no unit that both rated');
  const po = sum(table.map((row, index) => row[index] as number)) / n;
  const pe = sum(table.map((row, index) => (sum(row) / n) * (sum(table.map((other) => other[index] as number)) / n)));
  if (1 - pe < 1e-12) return undefinedFor('both raters gave one and the same value throughout');
  return defined((po - pe) / (1 - pe));
}

/**
 * Gwet's AC1 for any number of raters with gaps: pa as percentAgreement, pe = Σ π(1 − π) / (q − 1) over the q categories that could be
 * chosen, π the mean share of raters who chose it (Gwet 2014, Handbook of Inter-Rater Reliability, 4th edition, chapter 5). It stays
 * defined where everyone agrees on one value.
 */
export function gwetAc1<Value>(units: Unit<Value>[], categories: Value[]): Coefficient {
  const pa = percentAgreement(units);
  if (pa === null) return undefinedFor('no unit that two raters rated');
  if (categories.length < 2) return undefinedFor('only one category to choose from');
  const rated = units.filter((unit) => given(unit).length > 0);
  const shares = categories.map((category) =>
    mean(rated.map((unit) => given(unit).filter((value) => value === category).length / given(unit).length)),
  );
  const pe = sum(shares.map((share) => share * (1 - share))) / (categories.length - 1);
  return defined((pa - pe) / (1 - pe));
}

export type Level = 'nominal' | 'ordinal' | 'interval';

/**
 * Krippendorff's alpha, 1 − Do / De, from the matrix of coincidences, for any number of raters with gaps (Krippendorff 2011, Computing
 * Krippendorff's Alpha-Reliability). `nominal` takes values as names, `ordinal` as ranks, `interval` as numbers. Undefined with fewer than
 * two units, and where only one value was given: without variation there is nothing to be reliable about.
 */
export function krippendorffAlpha<Value extends string | number | boolean>(units: Unit<Value>[], level: Level): Coefficient {
  const usable = pairable(units);
  if (usable.length < 2) return undefinedFor(`fewer than two units that two raters rated (${usable.length})`);
  const values = [...new Set(usable.flatMap(given))].sort((a, b) => (a < b ? -1 : 1));
  if (values.length === 1) return undefinedFor(`everyone gave one and the same value (${String(values[0])})`);
  const place = new Map(values.map((value, index) => [value, index]));
  const coincidences = values.map(() => values.map(() => 0));
  for (const unit of usable) {
    const own = given(unit).map((value) => place.get(value) as number);
    own.forEach((a, i) => {
      own.forEach((b, j) => {
        if (i !== j) (coincidences[a] as number[])[b] = ((coincidences[a] as number[])[b] as number) + 1 / (own.length - 1);
      });
    });
  }
  const totals = coincidences.map(sum);
  const n = sum(totals);
  const distance = (a: number, b: number): number => {
    if (a === b) return 0;
    if (level === 'nominal') return 1;
    if (level === 'interval') return (Number(values[a]) - Number(values[b])) ** 2;
    const [low, high] = [Math.min(a, b), Math.max(a, b)];
    return (sum(totals.slice(low, high + 1)) - ((totals[low] as number) + (totals[high] as number)) / 2) ** 2;
  };
  let observed = 0;
  let expected = 0;
  values.forEach((_, a) => {
    values.forEach((__, b) => {
      observed += ((coincidences[a] as number[])[b] as number) * distance(a, b);
      expected += (totals[a] as number) * (totals[b] as number) * distance(a, b);
    });
  });
  return defined(1 - ((n - 1) * observed) / expected);
}

export interface BootstrapInterval {
  low: number | null;
  high: number | null;
  draws: number;
  /** Draws in which the coefficient was undefined; they are left out, so many of them make the interval too narrow. */
  undefinedDraws: number;
  reason: string | null;
}

/**
 * A percentile interval, 95 %, over units drawn with replacement (Efron and Tibshirani 1993, chapter 13), from a seeded generator: the
 * same units give the same interval. Null with fewer than two units that two raters rated, and where most draws are undefined.
 * With few units it covers less than 95 %.
 */
export function bootstrapInterval<Value>(
  units: Unit<Value>[],
  statistic: (units: Unit<Value>[]) => number | null,
  seed: number,
  draws = 1000,
): BootstrapInterval {
  const usable = pairable(units);
  const none = (reason: string, undefinedDraws = 0): BootstrapInterval => ({
    low: null,
    high: null,
    draws,
    undefinedDraws,
    reason,
  });
  if (usable.length < 2) return none(`fewer than two units that two raters rated (${usable.length})`);
  const source = xoroshiro128plus(seed);
  const found: number[] = [];
  for (let draw = 0; draw < draws; draw++) {
    const value = statistic(usable.map(() => usable[uniformInt(source, 0, usable.length - 1)] as Unit<Value>));
    if (value !== null) found.push(value);
  }
  const undefinedDraws = draws - found.length;
  if (found.length < draws / 2) return none(`undefined in ${undefinedDraws} of ${draws} draws`, undefinedDraws);
  found.sort((a, b) => a - b);
  return { low: quantile(found, 0.025), high: quantile(found, 0.975), draws, undefinedDraws, reason: null };
}

/** Linear between the order statistics (Hyndman and Fan 1996, type 7). */
function quantile(sorted: number[], share: number): number {
  const at = (sorted.length - 1) * share;
  const [low, high] = [sorted[Math.floor(at)] as number, sorted[Math.ceil(at)] as number];
  return low + (high - low) * (at - Math.floor(at));
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function mean(values: number[]): number {
  return sum(values) / values.length;
}
