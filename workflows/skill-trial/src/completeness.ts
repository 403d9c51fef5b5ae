/** One rubric row as scored. `found` null: not scored yet, or scorers disagree. */
export interface ScoredRow {
  id: string;
  weight: number;
  applicable: boolean;
  found: boolean | null;
}

/**
 * review_completeness = Σ weight of confirmed applicable rows / Σ weight of all applicable rows (decision 0019, part 6), 0 to 1. A row
 * that does not apply leaves both sums. Null when no row applies, and when an applicable row is unscored.
 */
export function completeness(rows: ScoredRow[]): number | null {
  const applicable = rows.filter((row) => row.applicable);
  if (applicable.length === 0 || applicable.some((row) => row.found === null)) return null;
  const total = applicable.reduce((sum, row) => sum + row.weight, 0);
  return applicable.reduce((sum, row) => sum + (row.found === true ? row.weight : 0), 0) / total;
}
