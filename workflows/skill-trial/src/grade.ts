import { z } from 'zod';
import { AssertionKind } from './eval.js';

/** How one assertion came out in one run. Null: it could not be scored, and `evidence` says why; that is neither a pass nor a failure. */
export const AssertionGrade = z.strictObject({
  id: z.string(),
  text: z.string(),
  kind: AssertionKind,
  by: z.enum(['check', 'judge']),
  passed: z.boolean().nullable(),
  evidence: z.string(),
});
export type AssertionGrade = z.infer<typeof AssertionGrade>;

/** One run of an eval with the grades of its assertions. */
export const TrialGrade = z.strictObject({
  trial: z.string(),
  case: z.string(),
  arm: z.string(),
  repeat: z.int().positive(),
  content: z.string(),
  skill: z.string(),
  timedOut: z.boolean(),
  assertions: z.array(AssertionGrade),
  /** For a trigger eval, in an arm that gives the skill: what was wanted and what the agent did. */
  trigger: z.strictObject({ should: z.boolean(), did: z.boolean(), evidence: z.string() }).nullable(),
  /** What the grades that are no plain reading follow from: answers of the judge, runs of commands. */
  records: z.array(z.strictObject({ path: z.string(), sha256: z.string() })),
});
export type TrialGrade = z.infer<typeof TrialGrade>;

/** grading.json of a run; its judge is null where every assertion has a check, or the experiment has no judge. */
export const Grading = z.strictObject({
  schemaVersion: z.literal(1),
  judge: z.string().nullable(),
  judgeScripted: z.boolean(),
  trials: z.array(TrialGrade),
});
export type Grading = z.infer<typeof Grading>;

/** Passed of scored; `unscored` stands beside both. */
export interface PassCount {
  passed: number;
  total: number;
}

export interface GradeCounts {
  /** A run that timed out counts: it passed none of its assertions. */
  all: PassCount;
  /** Without the runs that timed out. */
  finished: PassCount;
  unscored: number;
  timedOut: number;
  runs: number;
}

/** Assertions counted over runs, those that timed out in and out of the denominator. An unscored one is in neither. */
export function countGrades(grades: Pick<TrialGrade, 'assertions' | 'timedOut'>[]): GradeCounts {
  const count = (of: typeof grades): PassCount => {
    const scored = of.flatMap(({ assertions, timedOut }) =>
      timedOut ? assertions.map(() => false) : assertions.flatMap(({ passed }) => (passed === null ? [] : [passed])),
    );
    return { passed: scored.filter((passed) => passed).length, total: scored.length };
  };
  const finished = grades.filter(({ timedOut }) => !timedOut);
  return {
    all: count(grades),
    finished: count(finished),
    unscored: finished.reduce((sum, { assertions }) => sum + assertions.filter(({ passed }) => passed === null).length, 0),
    timedOut: grades.length - finished.length,
    runs: grades.length,
  };
}

/** passed / total; null without one that was scored. */
export function passRate({ passed, total }: PassCount): number | null {
  return total === 0 ? null : passed / total;
}
