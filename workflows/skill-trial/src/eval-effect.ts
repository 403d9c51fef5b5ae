import { z } from 'zod';
import { type PassCount, passRate } from './grade.js';
import { Interval } from './statistics/interval.js';
import { newcombeInterval } from './statistics/newcombe.js';

const Count = z.strictObject({ passed: z.int().nonnegative(), total: z.int().nonnegative() });

/** One skill: its assertions with it and without it. */
export const EvalEffect = z.strictObject({
  skill: z.string(),
  with: Count,
  without: Count,
  /** Percentage points from the counts, never from rounded rates; null where either side scored nothing. */
  points: z.number().nullable(),
  /** The difference of the two rates as they are shown, in whole per cent: it may be a point off. */
  pointsOfShown: z.number().nullable(),
  /** Of the difference, as fractions; for these evals only. */
  interval: Interval.nullable(),
  conclusion: z.enum(['higher', 'lower', 'no difference', 'not distinguishable', 'unknown']),
});
export type EvalEffect = z.infer<typeof EvalEffect>;

/** The effect of a skill on its assertions. `margin`, a fraction declared before: what counts as no difference. */
export function evalEffect(skill: string, withIt: PassCount, without: PassCount, margin?: number): EvalEffect {
  const [high, low] = [passRate(withIt), passRate(without)];
  const interval = newcombeInterval(withIt.passed, withIt.total, without.passed, without.total);
  const known = high !== null && low !== null;
  return {
    skill,
    with: withIt,
    without,
    // over a common denominator: (1/3 - 1/3) is 0 and 7/10 - 6/10 is 10
    points: known
      ? (100 * (withIt.passed * without.total - without.passed * withIt.total)) / (withIt.total * without.total)
      : null,
    pointsOfShown: known ? Math.round(100 * high) - Math.round(100 * low) : null,
    interval,
    conclusion: conclude(interval, margin),
  };
}

function conclude(interval: Interval | null, margin: number | undefined): EvalEffect['conclusion'] {
  if (interval === null) return 'unknown';
  if (interval.low > 0) return 'higher';
  if (interval.high < 0) return 'lower';
  return margin !== undefined && interval.low > -margin && interval.high < margin ? 'no difference' : 'not distinguishable';
}

/** The largest effect first; unknown ones last, equal ones by name. */
export function sortEffects(effects: EvalEffect[]): EvalEffect[] {
  const key = ({ points }: EvalEffect) => points ?? Number.NEGATIVE_INFINITY;
  return [...effects].sort((a, b) => key(b) - key(a) || (a.skill < b.skill ? -1 : 1));
}
