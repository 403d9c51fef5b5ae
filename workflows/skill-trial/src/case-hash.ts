import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Case } from './case.js';
import { hashTree, sha256 } from './hash.js';

/** SHA-256 of each frozen file of a case; `hidden` covers tests, solution and mutants, which no agent sees. */
export async function caseHashes(one: Case) {
  const file = async (path: string) => sha256(await readFile(join(one.folder, path)));
  const ifNamed = async (path: string | undefined) => (path === undefined ? null : file(path));
  const hidden = [...Object.values(one.hidden)].sort();
  return {
    settings: await file('case.yaml'),
    task: await file(one.task),
    reference: await ifNamed(one.reference),
    review_rubric: await ifNamed(one.rubrics?.review),
    test_rubric: await ifNamed(one.rubrics?.tests),
    documentation_rubric: await ifNamed(one.rubrics?.documentation),
    hidden: sha256((await Promise.all(hidden.map(file))).join('\n')),
    solution: one.solution === undefined ? null : await hashTree(join(one.folder, one.solution)),
    mutants: one.mutants === undefined ? null : await hashTree(join(one.folder, one.mutants)),
    // absent for a case without one, so that its lock stays what it was
    ...(one.environment?.dockerfile === undefined
      ? {}
      : { environment: await hashTree(dirname(join(one.folder, one.environment.dockerfile))) }),
    ...(one.verifier?.files === undefined ? {} : { verifier: await hashTree(join(one.folder, one.verifier.files)) }),
  };
}
