import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { z } from 'zod';
import type { Base } from './base.js';
import type { Case } from './case.js';
import { caseHashes } from './case-hash.js';
import { FrozenError, PrerequisiteError } from './errors.js';
import { canonicalJson, hashOf } from './hash.js';
import type { Lab } from './lab.js';
import { type Place, placeKey } from './place.js';
import { hasRecord, readJson, recordHash, sealRecord } from './record.js';
import { runTestCheck, TestCheck, testsAgain } from './test-check.js';
import { isUnreadable, type TestResult, testReader } from './test-framework.js';
import { type ExpectedTest, expectTests } from './verdict.js';
import { verifierPlans, verifierResults } from './verifier.js';

const Sha = z.string().regex(/^[0-9a-f]{64}$/);

/** What the lock says of a verifier: where its reference record lies, below the run's folder, and what the tests can tell. */
export const FrozenReference = z.strictObject({
  path: z.string(),
  sha256: Sha,
  hasSolution: z.boolean(),
  failToPass: z.int().nonnegative(),
  passToPass: z.int().nonnegative(),
  outOfReach: z.array(z.string()),
  unsteady: z.array(z.string()),
});
export type FrozenReference = z.infer<typeof FrozenReference>;

/**
 * Runs a case's verifier on the untouched repository (the no-op floor) and on the reference solution (the ceiling), each several
 * times, before any trial: this settles which tests are expected and what each can tell. Recorded once for equal inputs; null for a
 * case without a verifier.
 */
export async function measureReference(
  lab: Pick<Lab, 'run'>,
  one: Case,
  base: Pick<Base, 'folder' | 'commit'>,
  place: Place,
): Promise<FrozenReference | null> {
  if (one.verifier === undefined) return null;
  const { solution, ...hashes } = await caseHashes(one);
  const files = 'verifier' in hashes ? hashes.verifier : null;
  const key = hashOf({ base: base.commit, verifier: one.verifier, files, solution, reader: testReader, ...placeKey(place) });
  const folder = lab.run.reference(one.name, key);
  if (!(await hasRecord(folder))) {
    await mkdir(lab.run.scratch, { recursive: true });
    const draft = await mkdtemp(join(lab.run.scratch, 'reference-'));
    try {
      for (const [tree, overlay] of trees(one)) {
        for (let index = 1; index <= one.verifier.reruns; index++) {
          const plans = verifierPlans(one, { base, patch: null, overlay }, place, `${tree}-${index}`);
          for (const plan of plans) {
            const { tests } = await runTestCheck(plan, join(draft, plan.name));
            // on the untouched repository nothing may be collectable; what was made for the tests must run them
            if ((tests.length === 0 || isUnreadable(tests)) && (tree === 'ceiling' || one.solution === undefined))
              await refuseSilence(one, join(draft, plan.name));
          }
        }
      }
      await sealRecord(draft, folder);
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  }
  const expected = await readReference(folder, one);
  const withRole = (role: ExpectedTest['role']) => expected.filter((test) => test.role === role).map((test) => test.id);
  return {
    path: relative(lab.run.run, folder),
    sha256: await recordHash(folder),
    hasSolution: one.solution !== undefined,
    failToPass: withRole('fail-to-pass').length,
    passToPass: withRole('pass-to-pass').length,
    outOfReach: withRole('out-of-reach'),
    unsteady: withRole('unsteady'),
  };
}

/** A verifier that runs no test would fail every variant, and say nothing of any. */
async function refuseSilence(one: Case, run: string): Promise<never> {
  const { argv, tests } = await readJson(join(run, 'check.json'), TestCheck);
  const said = (await readFile(join(run, 'stderr.txt'), 'utf8')).trim().split('\n').at(-1) ?? '';
  throw new PrerequisiteError(`The verifier of case ${one.name} ran no test`, {
    expected: `tests from ${argv.join(' ')}`,
    found: tests[0]?.message ?? (said.slice(0, 200) || 'no report, and no error'),
    next: 'install what the command needs, or correct verifier in case.yaml',
  });
}

/** The trees a verifier is measured on: the base alone, and the base with the reference solution laid over it. */
function trees(one: Case): [string, [string, string][]][] {
  const floor: [string, [string, string][]] = ['floor', []];
  return one.solution === undefined ? [floor] : [floor, ['ceiling', [[join(one.folder, one.solution), '.']]]];
}

/** The expected tests of a reference record, worked out again from the raw reports of its runs. */
export async function readReference(folder: string, one: Case): Promise<ExpectedTest[]> {
  const runsOf = async (tree: string): Promise<TestResult[][]> => {
    const runs: TestResult[][] = [];
    for (let index = 1; index <= (one.verifier?.reruns ?? 0); index++) {
      const checks = (one.verifier?.checks ?? []).map((check, at) => `${tree}-${index}-${at + 1}-${check.level}`);
      runs.push(verifierResults(await Promise.all(checks.map((name) => readRun(join(folder, name), one)))));
    }
    return runs;
  };
  return expectTests(await runsOf('floor'), one.solution === undefined ? null : await runsOf('ceiling'));
}

async function readRun(folder: string, one: Case): Promise<Pick<TestCheck, 'check' | 'tests'>> {
  const saved = await readJson(join(folder, 'check.json'), TestCheck);
  const tests = await testsAgain(saved, folder);
  if (saved.reader !== testReader && canonicalJson(saved.tests) !== canonicalJson(tests))
    throw new FrozenError(`The reference of case ${one.name} was made by an earlier reader of test reports: freeze anew`, {
      expected: `outcomes as reader ${testReader} reads them`,
      found: `others, by reader ${saved.reader}, in ${folder}`,
      next: 'freeze again (npx nx run <experiment>:freeze), and run every step after it',
    });
  return { check: saved.check, tests };
}
