import { z } from 'zod';
import type { TrialResult } from './result.js';

/** How often each critical row (weight 3: data integrity) was confirmed in one arm. */
export const CriticalRisk = z.strictObject({
  case: z.string(),
  row: z.string(),
  arm: z.string(),
  confirmed: z.int().nonnegative(),
  /** Valid, scored runs. */
  runs: z.int().nonnegative(),
  /** confirmed / runs; null with no scored run. */
  fraction: z.number().nullable(),
});
export type CriticalRisk = z.infer<typeof CriticalRisk>;

const criticalWeight = 3;

/** The fraction of runs that confirmed each critical risk, by case, row and arm (decision 0019, part 6). */
export function criticalRisks(results: TrialResult[]): CriticalRisk[] {
  const arms = [...new Set(results.map((result) => result.arm))];
  const rows = [
    ...new Set(
      results.flatMap((result) =>
        result.rows.filter((row) => row.weight >= criticalWeight && row.applicable).map((row) => `${result.case}/${row.id}`),
      ),
    ),
  ].sort();
  return rows.flatMap((key) => {
    const [one, id] = key.split('/') as [string, string];
    return arms.map((arm) => {
      const found = results
        .filter((result) => result.valid && result.arm === arm && result.case === one)
        .map((result) => result.rows.find((row) => row.id === id)?.found ?? null)
        .filter((value) => value !== null);
      const confirmed = found.filter(Boolean).length;
      return {
        case: one,
        row: id,
        arm,
        confirmed,
        runs: found.length,
        fraction: found.length === 0 ? null : confirmed / found.length,
      };
    });
  });
}
