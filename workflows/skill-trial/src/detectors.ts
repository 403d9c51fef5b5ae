import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { hasTests } from './case.js';
import { caseHashes } from './case-hash.js';
import { contrasts } from './experiment.js';
import { caseOf } from './lab.js';
import { findLeaks } from './leak.js';
import { metrics } from './metric.js';
import type { Study } from './study.js';

/** One failure case of decision 0019, part 9, looked for. detected null: it cannot be told from what is there. */
export const Detection = z.strictObject({ failure: z.string(), detected: z.boolean().nullable(), evidence: z.string() });
export type Detection = z.infer<typeof Detection>;

/** All nine failure cases, each looked for in the records. */
export async function detectFailures(study: Study): Promise<Detection[]> {
  const { lab, results, control } = study;
  const leaks = (await Promise.all([...lab.cases.values()].map((one) => findLeaks(one, lab.skills.values())))).flat();
  const delivered = lab.experiment.cases.map(
    (name) =>
      new Set(study.trials.filter((trial) => trial.record.case === name).map((trial) => trial.attestation.deliveredTask)).size,
  );
  const withoutControl = (control?.variants ?? []).filter(
    (variant) => variant.newTestFiles.length > 0 && variant.records.control === undefined,
  );
  const withoutOutput = results.filter(
    (result) => hasTests(caseOf(lab, result.case)) && result.checks?.records.suite === undefined,
  );
  const environments = lab.experiment.cases.map(
    (name) =>
      new Set(
        study.trials
          .filter((trial) => trial.record.case === name)
          .map(({ record }) => `${record.sandbox} ${record.provenance.node} ${record.agent.version} ${record.baseCommit}`),
      ).size,
  );
  const rubrics = await changedRubrics(study);
  const bySize = metrics.filter((metric) => /\b(size|lines changed|patch)\b/i.test(metric.formula));
  return [
    neverActivate(study),
    alwaysLoad(study),
    {
      failure: 'a skill leaks the answer',
      detected: leaks.length > 0,
      evidence:
        leaks[0] === undefined
          ? 'no case-specific word in any skill'
          : `${leaks[0].skill}: "${leaks[0].word}" at ${leaks[0].file}:${leaks[0].line}`,
    },
    {
      failure: 'one mode gets a more detailed task',
      detected: study.trials.length === 0 ? null : delivered.some((different) => different > 1),
      evidence: 'hash of the first user turn in the recorded requests, per case',
    },
    {
      failure: 'quality by lines changed',
      detected: bySize.length > 0,
      evidence: `${metrics.length} metrics, none of which reads the size of a patch`,
    },
    {
      failure: 'green without negative control',
      detected: control === null ? null : withoutControl.length > 0,
      evidence:
        withoutControl.length > 0
          ? `no control of ${withoutControl.map((variant) => variant.content.slice(0, 12)).join(', ')}`
          : 'every variant with new tests has its control',
    },
    {
      failure: 'the response taken as evidence',
      detected: results.length === 0 ? null : withoutOutput.length > 0,
      evidence:
        withoutOutput.length > 0
          ? `no saved suite run for ${withoutOutput.map((result) => result.id).join(', ')}`
          : 'every verdict on tests has saved output and an exit status',
    },
    {
      failure: 'different environments',
      detected: study.trials.length === 0 ? null : environments.some((different) => different > 1),
      evidence: 'sandbox, Node, agent version and base commit of every trial',
    },
    {
      failure: 'the agent edits the rubric',
      detected: rubrics.length > 0,
      evidence:
        rubrics.length > 0
          ? `changed since the lock: ${rubrics.join(', ')}`
          : 'rubric and reference hashes equal the lock; they lie outside the writable tree',
    },
  ];
}

/** Rubric and reference files whose hash is no longer the lock's. */
export async function changedRubrics({ lab, lock }: Pick<Study, 'lab' | 'lock'>): Promise<string[]> {
  const changed: string[] = [];
  for (const [name, one] of lab.cases) {
    const now: Record<string, string | null> = await caseHashes(one);
    for (const key of ['reference', 'review_rubric', 'test_rubric', 'documentation_rubric']) {
      if (now[key] !== lock.conditions.cases[name]?.hashes[key]) changed.push(`${name}: ${key}`);
    }
  }
  return changed;
}

/** The task file as it is now; for the comparison with the lock. */
export async function taskBytes(study: Pick<Study, 'lab'>, name: string): Promise<Buffer> {
  const one = study.lab.cases.get(name);
  return one === undefined ? Buffer.alloc(0) : readFile(`${one.folder}/${one.task}`);
}

const nothingToLoad = 'there is nothing to load: no arm offers its agent a skill';

/** Whether a skill that an arm offers was loaded in none of its runs; null where no run was offered one. */
export function neverActivate({ lab, results }: Pick<Study, 'lab' | 'results'>): Detection {
  const failure = 'skills never activate';
  const arms = new Set(contrasts(lab.experiment).map(({ arm }) => arm));
  const treated = results.filter((result) => arms.has(result.arm));
  if (treated.length === 0) return { failure, detected: null, evidence: 'no run of an arm with skills is recorded yet' };
  const rows = treated.flatMap(({ arm, activation }) => activation.filter(({ given }) => given).map((row) => ({ arm, ...row })));
  if (rows.length === 0) return { failure, detected: null, evidence: nothingToLoad };
  const loaded = new Set(rows.flatMap((row) => (row.loaded ? [`${row.arm} ${row.skill}`] : [])));
  const never = rows.filter((row) => !loaded.has(`${row.arm} ${row.skill}`)).map(({ skill }) => skill);
  if (never.length > 0)
    return { failure, detected: true, evidence: `no event or request shows a load of ${[...new Set(never)].join(', ')}` };
  const offered = treated.filter(({ activation }) => activation.some(({ given }) => given));
  return { failure, detected: false, evidence: `each skill was loaded in at least one of ${offered.length} runs` };
}

/** Whether an arm loaded all of its skills on the unrelated probe; null where no arm was asked. */
export function alwaysLoad({ discovery }: Pick<Study, 'discovery'>): Detection {
  const failure = 'every skill loads for every task';
  if (discovery === null) return { failure, detected: null, evidence: 'discovery has no record' };
  const asked = discovery.arms.filter(({ probeLoaded, intended }) => probeLoaded !== null && intended.length > 0);
  if (asked.length === 0) return { failure, detected: null, evidence: nothingToLoad };
  const everywhere = asked.filter(({ probeLoaded, intended }) => intended.every((skill) => probeLoaded?.includes(skill)));
  return {
    failure,
    detected: everywhere.length > 0,
    evidence:
      everywhere.length > 0
        ? `all of them were loaded on the unrelated probe in arm ${everywhere.map((row) => row.arm).join(', ')}`
        : 'the unrelated probe task did not load them all',
  };
}
