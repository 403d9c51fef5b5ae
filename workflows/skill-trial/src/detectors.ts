import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { caseHashes, hasTests } from './case.js';
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
  const { lab, results, discovery, control } = study;
  const armsWithSkills = contrasts(lab.experiment).map(({ arm }) => arm);
  const treated = results.filter((result) => armsWithSkills.includes(result.arm));
  const intended = (arm: string) => lab.experiment.arms[arm]?.skills ?? [];
  const never = [...new Set(treated.map((result) => result.arm))].flatMap((arm) =>
    intended(arm).filter(
      (skill) =>
        treated.some((result) => result.arm === arm && result.activation.some((row) => row.skill === skill && row.given)) &&
        !treated.some((result) => result.arm === arm && result.activation.some((row) => row.skill === skill && row.loaded)),
    ),
  );
  const everywhere = (discovery?.arms ?? []).filter(
    (row) =>
      row.intended.length > 0 && row.probeLoaded !== null && row.intended.every((skill) => row.probeLoaded?.includes(skill)),
  );
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
    {
      failure: 'skills never activate',
      detected: treated.length === 0 ? null : never.length > 0,
      evidence:
        never.length > 0
          ? `no event or request shows a load of ${never.join(', ')}`
          : `each skill was loaded in at least one of ${treated.length} runs`,
    },
    {
      failure: 'every skill loads for every task',
      detected: discovery === null ? null : everywhere.length > 0,
      evidence:
        everywhere.length > 0
          ? `all of them were loaded on the unrelated probe in arm ${everywhere.map((row) => row.arm).join(', ')}`
          : 'the unrelated probe task did not load them all',
    },
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
