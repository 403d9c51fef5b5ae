import { z } from 'zod';
import type { TestCheck } from './test-check.js';

/** Whether one requirement of a case holds in a tree, by the case's hidden tests. */
export const RequirementResult = z.strictObject({
  id: z.string(),
  /** fails: a hidden test fails by assertion; error: none does, but one crashes, does not load, does not end, or none ran. */
  outcome: z.enum(['holds', 'fails', 'error']),
  passed: z.int().nonnegative(),
  tests: z.int().nonnegative(),
  /** The first test that did not pass and what it said; null where it holds. */
  evidence: z.string().nullable(),
});
export type RequirementResult = z.infer<typeof RequirementResult>;

/** Each requirement with a hidden test, in the order of case.yaml. */
export function requirementsOf(
  check: Pick<TestCheck, 'tests' | 'timedOut'>,
  hidden: Record<string, string>,
): RequirementResult[] {
  return Object.entries(hidden).map(([id, file]) => {
    const tests = check.tests.filter((test) => test.file === file);
    const broken = tests.filter((test) => test.outcome !== 'passed');
    const first = broken.find((test) => test.outcome === 'assertion') ?? broken[0];
    const outcome =
      first?.outcome === 'assertion' ? 'fails' : tests.length === 0 || first !== undefined ? 'error' : ('holds' as const);
    return {
      id,
      outcome,
      passed: tests.length - broken.length,
      tests: tests.length,
      evidence:
        outcome === 'holds'
          ? null
          : first === undefined
            ? `${file}: no test ran${check.timedOut ? ' before the time limit' : ''}`
            : `${file}: ${first.name}: ${first.outcome}${first.message === null ? '' : `: ${first.message.split('\n')[0]}`}`,
    };
  });
}
