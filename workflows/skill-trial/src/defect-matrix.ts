import { z } from 'zod';
import type { TestCheck } from './test-check.js';
import { TestOutcome, type TestResult } from './test-framework.js';

const Catch = z.strictObject({ file: z.string(), test: z.string(), outcome: TestOutcome, message: z.string().nullable() });

/** Which defects a variant's own tests catch: run on the reference solution, then on each mutant of it. */
export const DefectMatrix = z.strictObject({
  /**
   * no tests: none is new or changed. comparable: all pass on the reference. contract differs: some do not, because they ask for
   * another contract than the reference's (another error code, say); they are named, left out, and no failure. not told: all differ.
   */
  status: z.enum(['no tests', 'comparable', 'contract differs', 'not told']),
  comparable: z.int().nonnegative(),
  differing: z.array(Catch),
  mutants: z.array(
    z.strictObject({
      mutant: z.string(),
      breaks: z.array(z.string()),
      /** Null: no comparable test fails on it, but tests that differ by contract might have. */
      caught: z.boolean().nullable(),
      by: z.array(Catch),
    }),
  ),
});
export type DefectMatrix = z.infer<typeof DefectMatrix>;

export interface MutantRun {
  mutant: string;
  breaks: string[];
  /** The variant's tests on the mutant; null: not run, as nothing is comparable. */
  own: Pick<TestCheck, 'tests'> | null;
  /** The starting suite on the mutant: what already fails there is no merit of the variant. */
  starting: Pick<TestCheck, 'tests'>;
}

const id = (test: TestResult) => `${test.file}\n${test.name}`;
const broken = (outcome: TestOutcome) => outcome === 'assertion' || outcome === 'crash' || outcome === 'timeout';
const caughtBy = ({ file, name, outcome, message }: TestResult) => ({ file, test: name, outcome, message });

/**
 * A mutant is caught where a test that passes on the reference does not pass on it: the defect alone is the difference, so a crash
 * counts as well as an assertion. Tests that the starting suite has, too, and that fail there for the same mutant, do not count.
 * `reference` null: the variant has no new or changed test.
 */
export function defectMatrix(reference: Pick<TestCheck, 'tests'> | null, mutants: MutantRun[]): DefectMatrix {
  const tests = (reference?.tests ?? []).filter((test) => test.outcome !== 'skipped' && test.outcome !== 'todo');
  const passing = new Set(tests.filter((test) => test.outcome === 'passed').map(id));
  const differing = tests.filter((test) => test.outcome !== 'passed');
  const status =
    tests.length === 0
      ? 'no tests'
      : passing.size === 0
        ? 'not told'
        : differing.length > 0
          ? 'contract differs'
          : ('comparable' as const);
  return {
    status,
    comparable: passing.size,
    differing: differing.map(caughtBy),
    mutants: mutants.map(({ mutant, breaks, own, starting }) => {
      const known = new Set(starting.tests.filter((test) => broken(test.outcome)).map(id));
      const by = (own?.tests ?? []).filter((test) => broken(test.outcome) && passing.has(id(test)) && !known.has(id(test)));
      const caught = by.length > 0 ? true : differing.length > 0 ? null : false;
      return { mutant, breaks, caught, by: by.map(caughtBy) };
    }),
  };
}
