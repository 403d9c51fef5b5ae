import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Base } from './base.js';
import { type Case, hasTests } from './case.js';
import { FrozenError, PrerequisiteError } from './errors.js';
import type { Lab } from './lab.js';
import type { Place } from './place.js';
import { isGreen, runTestCheck } from './test-check.js';

/** The starting suite, run on the clean base: green, or red in exactly the tests that case.yaml names as known. */
export async function startingSuite(lab: Lab, one: Case, base: Base, place: Place) {
  if (!hasTests(one)) return { knownFailures: [], startingTests: 0 };
  await mkdir(lab.run.scratch, { recursive: true });
  const folder = await mkdtemp(join(lab.run.scratch, 'suite-'));
  try {
    const plan = {
      name: 'starting-suite',
      case: one,
      base,
      patch: null,
      overlay: [],
      files: null,
      ...place,
      timeoutMs: 120_000,
    };
    const outcome = await runTestCheck(plan, folder);
    const failed = outcome.tests.filter((test) => !['passed', 'skipped', 'todo'].includes(test.outcome)).map((test) => test.name);
    if (outcome.tests.length === 0) {
      throw new PrerequisiteError(`The starting suite of case ${one.name} ran no test`, {
        expected: `tests from ${one.suite.join(' ')}`,
        found:
          (await readFile(join(folder, 'stderr.txt'), 'utf8')).trim().split('\n').at(-1)?.slice(0, 200) ||
          `exit status ${outcome.exitCode}`,
        next: 'install what the command needs, or correct suite in case.yaml',
      });
    }
    const unknown = failed.filter((name) => !one.known_failures.includes(name));
    if (unknown.length > 0 || (!isGreen(outcome) && failed.length === 0)) {
      throw new FrozenError(`The starting suite of case ${one.name} is red`, {
        expected: 'a green suite, or every failure named under known_failures in case.yaml',
        found: unknown.length > 0 ? unknown.slice(0, 5).join('; ') : `exit status ${outcome.exitCode}`,
        next: 'choose another commit, or record the known failures: none of them may be blamed on an arm',
      });
    }
    return { knownFailures: failed.sort(), startingTests: outcome.tests.length };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
