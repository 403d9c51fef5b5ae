import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeBase } from './base.js';
import { type Case, hasTests } from './case.js';
import { caseHashes } from './case-hash.js';
import { SettingsError } from './errors.js';
import { hashOf, hashTree } from './hash.js';
import type { Lab } from './lab.js';
import { placeKey } from './place.js';
import { preparePlace } from './prepared-place.js';
import { hasRecord, readJson, sealRecord } from './record.js';
import { type RequirementResult, requirementsOf } from './requirement-result.js';
import { findSandbox } from './sandbox.js';
import { runTestCheck, TestCheck } from './test-check.js';
import { testReader } from './test-framework.js';
import { inTurn } from './turn.js';

/** One tree of a case with what its hidden tests say: `solution`, or a mutant laid over it. */
export interface ProofRow {
  tree: string;
  mustFail: string[];
  requirements: RequirementResult[];
}

/**
 * Runs the hidden tests of every case on its reference solution and on each mutant of it. Each tree's run is a record below
 * data/runs/<name>/proofs, named by everything that it follows from, so that a second proof only reads.
 */
export async function proveCases(lab: Lab, onStep: (text: string) => void = () => undefined): Promise<Map<string, ProofRow[]>> {
  const proofs = new Map<string, ProofRow[]>();
  for (const one of lab.cases.values()) proofs.set(one.name, await proveCase(lab, one, onStep));
  return proofs;
}

async function proveCase(lab: Lab, one: Case, onStep: (text: string) => void): Promise<ProofRow[]> {
  const files = Object.values(one.hidden);
  if (one.solution === undefined || files.length === 0 || !hasTests(one)) return [];
  const solution = join(one.folder, one.solution);
  const base = await makeBase(one, lab.run.bases);
  const host = await findSandbox(lab.experiment.sandbox, lab.experiment.sandbox_image);
  const { place } = await preparePlace(lab, one, base, host, onStep);
  const { hidden, solution: reference } = await caseHashes(one);
  const { suite, tests } = one;
  const common = {
    base: base.commit,
    suite,
    framework: tests.framework,
    ...placeKey(place),
    hidden,
    reference,
    reader: testReader,
    node: process.version,
  };
  const trees = [{ mutant: 'solution', mustFail: [] as string[] }, ...one.matrix];
  let told = false;
  return inTurn(trees, async ({ mutant: tree, mustFail }) => {
    const changed = tree === 'solution' ? null : await hashTree(join(one.folder, one.mutants as string, tree));
    const target = lab.run.proof(one.name, hashOf({ ...common, changed }), tree);
    if (!(await hasRecord(target))) {
      if (!told) onStep(`case ${one.name}: hidden tests on the solution and ${one.matrix.length} mutants`);
      told = true;
      const mutant: [string, string][] = tree === 'solution' ? [] : [[join(one.folder, one.mutants as string, tree), '.']];
      const overlay: [string, string][] = [
        [solution, '.'],
        ...mutant,
        ...files.map((file): [string, string] => [join(one.folder, file), file]),
      ];
      await mkdir(lab.run.scratch, { recursive: true });
      const draft = await mkdtemp(join(lab.run.scratch, 'proof-'));
      try {
        await runTestCheck({ name: 'hidden', case: one, base, patch: null, overlay, files, ...place, timeoutMs: 120_000 }, draft);
        await sealRecord(draft, target);
      } finally {
        await rm(draft, { recursive: true, force: true });
      }
    }
    return { tree, mustFail, requirements: requirementsOf(await readJson(join(target, 'check.json'), TestCheck), one.hidden) };
  });
}

/** Throws a SettingsError where the solution fails a hidden test, or a mutant fails others than its row of the matrix says. */
export function refuseUnproven(proofs: Map<string, ProofRow[]>): void {
  for (const [name, rows] of proofs)
    for (const { tree, mustFail, requirements } of rows) {
      const broken = requirements.filter((row) => row.outcome === 'error')[0];
      if (broken !== undefined)
        throw new SettingsError(`Case ${name}: the hidden test of ${broken.id} does not run on ${tree}`, {
          expected: 'a test that passes, or fails by assertion',
          found: broken.evidence ?? 'nothing',
          next: `mend ${tree === 'solution' ? 'the solution' : `mutants/${tree}`} or the hidden test`,
        });
      const fails = requirements.filter((row) => row.outcome === 'fails').map((row) => row.id);
      if ([...fails].sort().join(' ') === [...mustFail].sort().join(' ')) continue;
      const words = (ids: string[]) => (ids.length === 0 ? 'every hidden test passes' : `${ids.join(' ')} fail`);
      throw new SettingsError(
        `Case ${name}: ${tree === 'solution' ? 'the reference solution' : `mutant ${tree}`} is not what the matrix says`,
        {
          expected: words(mustFail),
          found: words(fails),
          next:
            tree === 'solution'
              ? 'mend the solution, or the hidden test'
              : `correct its row of mutants/matrix.csv, or mutants/${tree}`,
        },
      );
    }
}
