import { summarise } from '../summary.js';

/** One skill's (or case's) outcome in both modes: items passed of n, tokens spent. */
export interface EfficiencyRow {
  n: number;
  passedWith: number;
  passedWithout: number;
  tokensWith: number | null;
  tokensWithout: number | null;
}

/** ΔP in percentage points, from counts and so never rounded before; null without an item. */
export function passDifference({
  n,
  passedWith,
  passedWithout,
}: Pick<EfficiencyRow, 'n' | 'passedWith' | 'passedWithout'>): number | null {
  return n === 0 ? null : (100 * (passedWith - passedWithout)) / n;
}

/** ρ = (C⁺ − C⁻)/C⁻, a fraction; null where a cost is unknown or C⁻ is 0. */
export function costIncrease({ tokensWith, tokensWithout }: Pick<EfficiencyRow, 'tokensWith' | 'tokensWithout'>): number | null {
  return tokensWith === null || tokensWithout === null || tokensWithout === 0
    ? null
    : (tokensWith - tokensWithout) / tokensWithout;
}

/** "The average increase" in its four readings, fractions: they may differ by a factor of four, so each has its name. */
export interface CostIncreases {
  /** Σ C⁺ / Σ C⁻ − 1. */
  ratioOfSums: number | null;
  /** Σ n·C⁺ / Σ n·C⁻ − 1: each row weighted by its number of items. */
  weightedRatioOfSums: number | null;
  meanOfRatios: number | null;
  medianOfRatios: number | null;
}

/** ρ over many rows, by weighting. Rows without both costs are left out. */
export function costIncreases(rows: EfficiencyRow[]): CostIncreases {
  const known = rows.filter((row) => costIncrease(row) !== null);
  const total = (weight: (row: EfficiencyRow) => number) => {
    const sum = (pick: (row: EfficiencyRow) => number | null) =>
      known.reduce((all, row) => all + weight(row) * (pick(row) as number), 0);
    return known.length === 0 ? null : sum((row) => row.tokensWith) / sum((row) => row.tokensWithout) - 1;
  };
  const ratios = summarise(known.map(costIncrease));
  return {
    ratioOfSums: total(() => 1),
    weightedRatioOfSums: total((row) => row.n),
    meanOfRatios: ratios.mean,
    medianOfRatios: ratios.median,
  };
}

export type EfficiencyLabel =
  | 'costs more for more'
  | 'dominates'
  | 'same and cheaper'
  | 'same and dearer'
  | 'same'
  | 'dominated'
  | 'trade-off'
  | 'unknown';

export interface CostEfficiency {
  label: EfficiencyLabel;
  /** ΔP/ρ, both as fractions; only where ΔP > 0 and ρ > 0: elsewhere the ratio ranks wrongly. */
  guarded: number | null;
  /** The bare ratio, as the benchmark prints it; null where ρ is 0 or unknown. For comparison with published tables only. */
  bare: number | null;
}

/**
 * Cost efficiency CE = ΔP/ρ with the cases in which it means nothing named instead. With ρ < 0 the bare ratio turns its sign: a skill that
 * gains and saves ranks below one that loses and saves.
 */
export function costEfficiency(deltaP: number | null, rho: number | null): CostEfficiency {
  if (deltaP === null || rho === null) return { label: 'unknown', guarded: null, bare: null };
  const bare = rho === 0 ? null : deltaP / 100 / rho;
  const label: EfficiencyLabel =
    deltaP > 0
      ? rho > 0
        ? 'costs more for more'
        : 'dominates'
      : deltaP < 0
        ? rho >= 0
          ? 'dominated'
          : 'trade-off'
        : rho < 0
          ? 'same and cheaper'
          : rho > 0
            ? 'same and dearer'
            : 'same';
  return { label, guarded: label === 'costs more for more' ? bare : null, bare };
}
