import { join } from 'node:path';
import { z } from 'zod';
import type { Base } from './base.js';
import type { Case } from './case.js';
import type { Place } from './place.js';
import type { TestCheck, TestCheckPlan } from './test-check.js';
import { TestFrameworkName, type TestResult } from './test-framework.js';

const RelativePath = z
  .string()
  .min(1)
  .refine((path) => !path.startsWith('/') && !path.split('/').includes('..'), 'a path inside the case folder');

/** One check of a verifier: L1 builds the code, L2 executes it. */
export const VerifierCheck = z.strictObject({
  level: z.enum(['L1', 'L2']),
  /** Run from the repository's top; a report path is written {report} (framework junit). */
  command: z.array(z.string().min(1)).min(1),
  /** How the outcome is read; exit-status is a build check. */
  framework: TestFrameworkName,
  timeout_seconds: z.number().positive().default(120),
});
export type VerifierCheck = z.infer<typeof VerifierCheck>;

/** The deterministic tests of a requirement: laid over the agent's final tree, never shown to it. */
export const Verifier = z.strictObject({
  /** A folder of the case whose files are laid over the tree before the checks run. */
  files: RelativePath.optional(),
  /** The absolute folder that the files take the tree to be in; replaced in them where the tree lies elsewhere. */
  workspace: z.string().startsWith('/').optional(),
  checks: z.array(VerifierCheck).min(1),
  /** Runs of the untouched repository, of the reference and of each variant: what differs between them is unsteady, or flaky. */
  reruns: z.int().min(2).max(20).default(2),
});
export type Verifier = z.infer<typeof Verifier>;

/** A tree to be verified: the base, changed by a patch or by files laid over it. */
export interface VerifiedTree {
  base: Pick<Base, 'folder' | 'commit'>;
  patch: string | null;
  overlay: [string, string][];
}

/** The test-check plans of a verifier on a tree, in the order of the checks; `name` tells one run from another, `overlayKey` stands for the verifier's files. */
export function verifierPlans(one: Case, tree: VerifiedTree, place: Place, name: string, overlayKey?: string): TestCheckPlan[] {
  const { verifier } = one;
  if (verifier === undefined) return [];
  // last, so that an agent's file of the same name is not what runs
  const overlay: [string, string][] = [
    ...tree.overlay,
    ...(verifier.files === undefined ? [] : ([[join(one.folder, verifier.files), '.']] as [string, string][])),
  ];
  return verifier.checks.map((check, index) => ({
    name: `${name}-${index + 1}-${check.level}`,
    case: { ...one, suite: check.command, tests: { framework: check.framework, include: one.tests?.include ?? ['**'] } },
    base: tree.base,
    patch: tree.patch,
    overlay,
    ...(overlayKey === undefined ? {} : { overlayKey }),
    files: null,
    ...(verifier.workspace === undefined ? {} : { workspaceName: verifier.workspace }),
    ...place,
    timeoutMs: check.timeout_seconds * 1000,
  }));
}

/** The results of all checks of one run, each id led by its check's level. */
export function verifierResults(checks: Pick<TestCheck, 'check' | 'tests'>[]): TestResult[] {
  return checks.flatMap(({ check, tests }) => {
    const level = check.split('-').at(-1);
    return tests.map((test) => ({ ...test, file: test.file === '' ? `${level}` : `${level}/${test.file}` }));
  });
}
