import { z } from 'zod';
import { LimitHit } from './containment.js';
import type { VariantVerdict } from './verdict-run.js';

/** What the hidden tests said of one variant, as the report shows it. The counts add up to `total`. */
export const VerdictRow = z.strictObject({
  content: z.string(),
  case: z.string(),
  success: z.boolean().nullable(),
  runs: z.int().positive(),
  total: z.int().nonnegative(),
  passed: z.int().nonnegative(),
  failed: z.int().nonnegative(),
  skipped: z.int().nonnegative(),
  /** Expected to fail by the test itself (pytest xfail, node:test todo). */
  expectedToFail: z.int().nonnegative(),
  /** Expected, and not run: what could not be collected is among them. */
  missing: z.int().nonnegative(),
  /** Tests that passed in one run of the same tree and not in another; counted as not passed. */
  flaky: z.array(z.string()),
  /** What its runs came up against: limits of the machine, each once. */
  limits: z.array(LimitHit.shape.limit).default([]),
  /** Runs of a check that had not ended in their time. */
  timedOut: z.int().nonnegative().default(0),
  /** Runs of a check whose report could not be read; absent: none. */
  unreadable: z.int().positive().optional(),
});
export type VerdictRow = z.infer<typeof VerdictRow>;

/** One row for each variant with a verdict, in the order given. */
export function verdictRows(variants: VariantVerdict[]): VerdictRow[] {
  return variants.map(({ content, case: one, verdict, limits, timedOut, unreadable }) => {
    const count = (...outcomes: string[]) => verdict.tests.filter(({ outcome }) => outcomes.includes(outcome)).length;
    return {
      content,
      case: one,
      success: verdict.success,
      runs: verdict.runs,
      total: verdict.raw.total,
      passed: verdict.raw.passed,
      failed: count('assertion', 'crash', 'timeout', 'collection'),
      skipped: count('skipped'),
      expectedToFail: count('todo'),
      missing: count('missing'),
      flaky: verdict.flaky,
      limits: limits ?? [],
      timedOut: timedOut ?? 0,
      ...(unreadable === undefined ? {} : { unreadable }),
    };
  });
}
