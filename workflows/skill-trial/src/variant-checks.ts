import { z } from 'zod';
import type { NewTests } from './new-tests.js';
import { isGreen, type TestCheck } from './test-check.js';
import type { TestResult } from './test-framework.js';

const Sha = z.string().regex(/^[0-9a-f]{64}$/);

/** Where a check's record lies, below the run's folder, and the hash of its manifest. */
export const CheckRecord = z.strictObject({ path: z.string(), sha256: Sha });
export type CheckRecord = z.infer<typeof CheckRecord>;

/** What the checks of one variant show. Every field is derived from check records; `records` names them. */
export const VariantChecks = z.strictObject({
  content: Sha,
  case: z.string(),
  newTestFiles: z.array(z.string()),
  /** The complete suite of the variant's tree is green. */
  suiteGreen: z.boolean(),
  /** The new or changed test files alone are green there; null: there are none. */
  newGreen: z.boolean().nullable(),
  /** The test files of the module (the case's test globs) are green there. */
  moduleGreen: z.boolean(),
  /** Outcomes of the new tests on the clean base, counted; null: there are none. */
  control: z.record(z.string(), z.int().positive()).nullable(),
  /** At least one new test fails on the clean base by assertion; null: there are no new tests. */
  exposesDefect: z.boolean().nullable(),
  records: z.record(z.string(), CheckRecord),
});
export type VariantChecks = z.infer<typeof VariantChecks>;

/** control.json */
export const Control = z.strictObject({ schemaVersion: z.literal(1), variants: z.array(VariantChecks) });
export type Control = z.infer<typeof Control>;

export const VariantStability = z.strictObject({
  content: Sha,
  case: z.string(),
  /** Green runs of the new tests; null: there are none. Five green runs do not prove that flakiness is absent. */
  green: z.int().nonnegative().nullable(),
  /** Tests whose outcome differed between the runs. */
  unsteady: z.array(z.string()),
  records: z.record(z.string(), CheckRecord),
});

/** stability.json */
export const Stability = z.strictObject({
  schemaVersion: z.literal(1),
  runs: z.int().positive(),
  variants: z.array(VariantStability),
});
export type Stability = z.infer<typeof Stability>;

export interface DoneCheck {
  check: TestCheck;
  record: CheckRecord;
}

/** Puts a variant's checks together; `new` and `control` are absent where it has no new test. */
export function deriveVariant(
  variant: { content: string; case: string; tests: NewTests },
  done: { suite: DoneCheck; module: DoneCheck; new?: DoneCheck; control?: DoneCheck },
): VariantChecks {
  const control = done.control?.check ?? null;
  return {
    content: variant.content,
    case: variant.case,
    newTestFiles: variant.tests.files,
    suiteGreen: isGreen(done.suite.check),
    newGreen: done.new === undefined ? null : isGreen(done.new.check),
    moduleGreen: isGreen(done.module.check),
    control: control === null ? null : countOutcomes(control.tests),
    exposesDefect: control === null ? null : control.tests.some((test) => test.outcome === 'assertion'),
    records: Object.fromEntries(Object.entries(done).map(([name, { record }]) => [name, record])),
  };
}

/** The outcomes of new tests on the clean base, counted by kind; null where there are no tests at all. */
export function countOutcomes(tests: TestResult[]): Record<string, number> | null {
  if (tests.length === 0) return null;
  // in the order of their names: the same counts read back from JSON give the same bytes
  const kinds = [...new Set(tests.map((test) => test.outcome))].sort();
  return Object.fromEntries(kinds.map((kind) => [kind, tests.filter((test) => test.outcome === kind).length]));
}

/** Green runs and unsteady tests over repeated runs; null and none where there was no run. */
export function stabilityOf(runs: TestCheck[]): { green: number | null; unsteady: string[] } {
  const id = (test: TestResult) => `${test.file}: ${test.name}`;
  const names = [...new Set(runs.flatMap((run) => run.tests.map(id)))].sort();
  // what one run says of a name: nothing, or more than one thing where two tests share it
  const outcomes = (run: TestCheck, name: string) =>
    run.tests.flatMap((test) => (id(test) === name ? [test.outcome] : [])).sort();
  const unsteady = names.filter((name) => new Set(runs.map((run) => outcomes(run, name).join())).size > 1);
  return { green: runs.length === 0 ? null : runs.filter(isGreen).length, unsteady };
}
