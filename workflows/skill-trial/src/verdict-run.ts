import { join } from 'node:path';
import { z } from 'zod';
import { LimitHit } from './containment.js';
import { differentVariants } from './control.js';
import { FrozenError } from './errors.js';
import { baseOf, caseOf, type Lab } from './lab.js';
import { Lock } from './lock.js';
import { frozenPlace } from './place.js';
import { prettyJson, readJson, recordHash, writeWhole } from './record.js';
import { readReference } from './reference.js';
import { type Obtain, recordedBy } from './saved-check.js';
import { isUnreadable } from './test-framework.js';
import type { SavedTrial } from './trial-record.js';
import { inTurn } from './turn.js';
import { CheckRecord } from './variant-checks.js';
import { judgeRuns, Verdict } from './verdict.js';
import { verifierPlans, verifierResults } from './verifier.js';

export const VariantVerdict = z.strictObject({
  content: z.string().regex(/^[0-9a-f]{64}$/),
  case: z.string(),
  verdict: Verdict,
  records: z.array(CheckRecord),
  /** The limits that runs of the verifier came up against, each once; absent: none. */
  limits: z.array(LimitHit.shape.limit).optional(),
  /** Runs of a check that had not ended in their time; absent: none. */
  timedOut: z.int().positive().optional(),
  /** Runs of a check whose report could not be read, so that none of its tests counts as run; absent: none. */
  unreadable: z.int().positive().optional(),
});
export type VariantVerdict = z.infer<typeof VariantVerdict>;

/** verdicts.json: one verdict for each different variant of the cases with a verifier. */
export const Verdicts = z.strictObject({ schemaVersion: z.literal(1), variants: z.array(VariantVerdict) });
export type Verdicts = z.infer<typeof Verdicts>;

/** Judges every different variant of a case with a verifier, and writes verdicts.json; null, and no file, where no case has one. */
export async function runVerdicts(lab: Lab, trials: SavedTrial[], onStep?: (text: string) => void): Promise<Verdicts | null> {
  if ([...lab.cases.values()].every((one) => one.verifier === undefined)) return null;
  const verdicts = await gatherVerdicts(lab, trials, recordedBy(lab), onStep);
  await writeWhole(lab.run.verdicts, prettyJson(verdicts));
  return verdicts;
}

/** Runs the verifier of each case on every different variant and judges it by the reference that the lock froze. */
export async function gatherVerdicts(
  lab: Lab,
  trials: SavedTrial[],
  obtain: Obtain,
  onStep: (text: string) => void = () => undefined,
): Promise<Verdicts> {
  const { conditions } = await readJson(lab.run.lock, Lock);
  const concerned = differentVariants(trials).filter((trial) => caseOf(lab, trial.record.case).verifier !== undefined);
  const variants = await inTurn(concerned, async ({ record, folder }): Promise<VariantVerdict> => {
    const one = caseOf(lab, record.case);
    onStep(`verifier of case ${one.name} on variant ${record.content.slice(0, 12)}`);
    const frozen = conditions.cases[one.name]?.reference ?? null;
    const expected = await frozenReference(lab, frozen, record.case);
    const base = await baseOf(lab, one.name, record.baseCommit);
    const tree = { base, patch: join(folder, 'patch.diff'), overlay: [] };
    const place = frozenPlace(lab, conditions, one.name);
    const runs = [];
    for (let index = 1; index <= (one.verifier?.reruns ?? 1); index++) {
      const done = [];
      // the first keeps the name that it had when there was one
      for (const plan of verifierPlans(one, tree, place, index === 1 ? 'verifier' : `verifier-run${index}`, frozen?.sha256))
        done.push(await obtain(record.content, plan, 'checks'));
      runs.push(done);
    }
    const all = runs.flat().map(({ check }) => check);
    const limits = [...new Set(all.flatMap((check) => check.limits.map(({ limit }) => limit)))].sort();
    const timedOut = all.filter((check) => check.timedOut).length;
    const unreadable = all.filter((check) => isUnreadable(check.tests)).length;
    const results = runs.map((done) => verifierResults(done.map(({ check }) => check)));
    return {
      content: record.content,
      case: one.name,
      verdict: judgeRuns(expected, results),
      records: runs.flat().map(({ record: made }) => made),
      ...(limits.length === 0 ? {} : { limits }),
      ...(timedOut === 0 ? {} : { timedOut }),
      ...(unreadable === 0 ? {} : { unreadable }),
    };
  });
  return { schemaVersion: 1, variants };
}

/** The expected tests as they were frozen; an altered or missing record is a FrozenError. */
async function frozenReference(lab: Lab, frozen: { path: string; sha256: string } | null, name: string) {
  const folder = frozen === null ? null : join(lab.run.run, frozen.path);
  if (folder === null || (await recordHash(folder).catch(() => null)) !== frozen?.sha256) {
    throw new FrozenError(`The reference of case ${name} is not the frozen one`, {
      expected: frozen === null ? 'a reference in lock.json' : `the record ${frozen.path} as it was sealed`,
      found: frozen === null ? 'none' : 'an altered or missing record',
      next: `freeze again: npx nx run ${lab.experiment.name}:freeze`,
    });
  }
  return readReference(folder, caseOf(lab, name));
}
