import { z } from 'zod';
import type { TrialGrade } from './grade.js';
import { Interval } from './statistics/interval.js';
import { wilsonInterval } from './statistics/wilson.js';

const count = z.int().nonnegative();
const Rate = z.strictObject({ value: z.number().nullable(), k: count, n: count, interval: Interval.nullable() });

/** How well a skill's description tells the prompts that should load it from those that should not. */
export const TriggerReport = z.strictObject({
  skill: z.string(),
  /** Runs; repeats of one prompt are not independent, and the intervals take them to be. */
  truePositive: count,
  falsePositive: count,
  falseNegative: count,
  trueNegative: count,
  /** Of the runs that loaded it, those that should have; null where none did. */
  precision: Rate,
  /** Of the runs that should load it, those that did. */
  recall: Rate,
  /** Each prompt that came out wrong at least once: loaded in k of n runs. */
  confusions: z.array(
    z.strictObject({ case: z.string(), should: z.boolean(), loaded: count, runs: count, evidence: z.array(z.string()) }),
  ),
});
export type TriggerReport = z.infer<typeof TriggerReport>;

/** One report for each skill with trigger evals, by the skill's name. Runs that timed out before they loaded it count as they are. */
export function triggerReports(grades: TrialGrade[]): TriggerReport[] {
  const rows = grades.flatMap((grade) => (grade.trigger === null ? [] : [{ ...grade, trigger: grade.trigger }]));
  return [...new Set(rows.map(({ skill }) => skill))].sort().map((skill) => {
    const own = rows.filter((row) => row.skill === skill);
    const number = (should: boolean, did: boolean) =>
      own.filter(({ trigger }) => trigger.should === should && trigger.did === did).length;
    const [truePositive, falsePositive, falseNegative] = [number(true, true), number(false, true), number(true, false)];
    const rate = (k: number, n: number) => ({ value: n === 0 ? null : k / n, k, n, interval: wilsonInterval(k, n) });
    const confusions = [...new Set(own.map((row) => row.case))].sort().flatMap((name) => {
      const runs = own.filter((row) => row.case === name);
      const should = runs[0]?.trigger.should === true;
      const wrong = runs.filter(({ trigger }) => trigger.did !== trigger.should);
      return wrong.length === 0
        ? []
        : [
            {
              case: name,
              should,
              loaded: runs.filter(({ trigger }) => trigger.did).length,
              runs: runs.length,
              evidence: wrong.map(({ trial, trigger }) => `${trial}: ${trigger.evidence}`),
            },
          ];
    });
    return {
      skill,
      truePositive,
      falsePositive,
      falseNegative,
      trueNegative: number(false, false),
      precision: rate(truePositive, truePositive + falsePositive),
      recall: rate(truePositive, truePositive + falseNegative),
      confusions,
    };
  });
}
