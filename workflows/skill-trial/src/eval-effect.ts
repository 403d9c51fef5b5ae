import { z } from 'zod';
import { countGrades, type PassCount, passRate, type TrialGrade } from './grade.js';
import { meanDifference, permutationTest } from './permutation.js';
import { signFlipTest } from './statistics/case-test.js';
import { equivalentWithinCases } from './statistics/equivalence.js';
import { shiftWithinCases } from './statistics/hodges-lehmann.js';
import { Interval } from './statistics/interval.js';
import { adjustP } from './statistics/multiplicity.js';
import { summarise } from './summary.js';

const Count = z.strictObject({ passed: z.int().nonnegative(), total: z.int().nonnegative() });
const Test = z.strictObject({ p: z.number().nullable(), smallestP: z.number().nullable() });

/** One skill: its assertions with it and without it, and what its runs show. Assertions of one run go together: runs are the units. */
export const EvalEffect = z.strictObject({
  skill: z.string(),
  with: Count,
  without: Count,
  /** Percentage points from the counts, never from rounded rates; null where either side scored nothing. */
  points: z.number().nullable(),
  /** The difference of the two rates as they are shown, in whole per cent: it may be a point off. */
  pointsOfShown: z.number().nullable(),
  /** For each eval with scored runs on both sides: the mean share of assertions that hold, with minus without, in points. */
  byEval: z.array(z.number()),
  /** The mean of those; null without one. */
  meanPoints: z.number().nullable(),
  /** For these evals: labels exchanged between the runs of each eval. `holm` is p after Holm's correction over the skills. */
  runs: Test.extend({ holm: z.number().nullable() }),
  /** For evals like these: the signs of the evals' differences turned. */
  evals: Test,
  /** Of the shift within evals (Hodges and Lehmann), as a fraction; null where so few runs have none at this level. */
  interval: Interval.nullable(),
  conclusion: z.enum(['higher', 'lower', 'no difference', 'not distinguishable', 'unknown']),
});
export type EvalEffect = z.infer<typeof EvalEffect>;

/** The runs of one eval on both sides. */
export interface EvalRuns {
  with: Pick<TrialGrade, 'assertions' | 'timedOut'>[];
  without: Pick<TrialGrade, 'assertions' | 'timedOut'>[];
}

/** The difference of two counts in percentage points: exact, and of the rates as they are shown. */
export function pointsOf(withIt: PassCount, without: PassCount): Pick<EvalEffect, 'points' | 'pointsOfShown'> {
  const [high, low] = [passRate(withIt), passRate(without)];
  if (high === null || low === null) return { points: null, pointsOfShown: null };
  return {
    // over a common denominator: (1/3 - 1/3) is 0 and 7/10 - 6/10 is 10
    points: (100 * (withIt.passed * without.total - without.passed * withIt.total)) / (withIt.total * without.total),
    pointsOfShown: Math.round(100 * high) - Math.round(100 * low),
  };
}

/**
 * The effect of each skill on its evals. A conclusion is one about these evals, at .05 after Holm's correction over the skills.
 * `margin`, a fraction declared before: what counts as no difference.
 */
export function evalEffects(skills: { skill: string; evals: EvalRuns[] }[], margin?: number): EvalEffect[] {
  const rows = skills.map(({ skill, evals }) => {
    const [withIt, without] = (['with', 'without'] as const).map(
      (side) => countGrades(evals.flatMap((one) => one[side])).all,
    ) as [PassCount, PassCount];
    const cases = evals
      .map((one) => ({ a: one.without.map(shareOf), b: one.with.map(shareOf) }))
      .map(({ a, b }) => ({ a: a.filter((value) => value !== null), b: b.filter((value) => value !== null) }))
      .filter(({ a, b }) => a.length > 0 && b.length > 0);
    const sides = cases.map(({ a, b }) => ({ a: summarise(a), b: summarise(b) }));
    const byEval = sides.map((one) => 100 * (meanDifference([one]) as number));
    return { skill, withIt, without, cases, sides, byEval, test: permutationTest(cases) };
  });
  const corrected = adjustP(
    rows.map(({ test }) => test.p),
    'holm',
  );
  return rows.map(({ skill, withIt, without, cases, sides, byEval, test }, index) => {
    const holm = corrected[index] ?? null;
    const mean = meanDifference(sides);
    const evals = signFlipTest(byEval);
    return {
      skill,
      with: withIt,
      without,
      ...pointsOf(withIt, without),
      byEval,
      meanPoints: mean === null ? null : 100 * mean,
      runs: { p: test.p, smallestP: test.smallestP, holm },
      evals: { p: evals.p, smallestP: evals.smallestP },
      interval: shiftWithinCases(cases).interval,
      conclusion:
        mean === null || holm === null
          ? 'unknown'
          : holm <= 0.05
            ? mean > 0
              ? 'higher'
              : 'lower'
            : margin !== undefined && equivalentWithinCases(cases, margin) === true
              ? 'no difference'
              : 'not distinguishable',
    };
  });
}

/** The share of a run's scored assertions that hold; null where none was scored. */
function shareOf(run: EvalRuns['with'][number]): number | null {
  return passRate(countGrades([run]).all);
}

/** The largest effect first; unknown ones last, equal ones by name. */
export function sortEffects<E extends Pick<EvalEffect, 'points' | 'skill'>>(effects: E[]): E[] {
  const key = ({ points }: E) => points ?? Number.NEGATIVE_INFINITY;
  return [...effects].sort((a, b) => key(b) - key(a) || (a.skill < b.skill ? -1 : 1));
}
