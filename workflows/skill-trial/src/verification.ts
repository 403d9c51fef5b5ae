import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { modelOf, modelsOf } from './arm.js';
import { hasTests } from './case.js';
import type { ComparisonRow } from './comparison.js';
import { deliveryOf, offeredSkills, promptPrefix } from './delivery.js';
import { changedRubrics, taskBytes } from './detectors.js';
import { contrasts } from './experiment.js';
import { canonicalJson, sha256 } from './hash.js';
import { caseOf } from './lab.js';
import type { Lock } from './lock.js';
import { isolates } from './sandbox-plan.js';
import type { Study } from './study.js';

/** One of the twelve points of decision 0019, part 8. holds null: it cannot be told from the records. */
export const VerificationPoint = z.strictObject({
  point: z.int().min(1).max(12),
  title: z.string(),
  holds: z.boolean().nullable(),
  evidence: z.array(z.string()),
});
export type VerificationPoint = z.infer<typeof VerificationPoint>;

type Verdict = { holds: boolean | null; evidence: string[] };

/** The twelve points, each judged from the records of a study and the comparison rows that a report would print. */
export async function verifyPoints(study: Study, rows: ComparisonRow[]): Promise<VerificationPoint[]> {
  const judged: [string, Verdict][] = [
    ['Every trial started from the same commit', sameCommit(study)],
    ['The task was the same, byte for byte', await sameTask(study)],
    ['Model and parameters were unchanged', sameModel(study)],
    ['The arm without skills could not read them', withoutSkills(study)],
    ['The arm with skills discovered them', withSkills(study)],
    ['The requirements were written before any run', writtenBefore(study)],
    ['Rubric and weights were unchanged afterwards', await rubricUnchanged(study)],
    ['Every number comes from a saved record', everyNumberSaved(rows)],
    ['New tests ran against the original', control(study)],
    ['The whole suite ran for every variant', suite(study)],
    ['Documentation was compared with behaviour', documentation(study)],
    ['Unavailable measurements are marked', unavailable(rows)],
  ];
  return judged.map(([title, verdict], index) => ({ point: index + 1, title, ...verdict }));
}

/** null without a single trial: nothing is proven by nothing. */
function overTrials(study: Study, wrong: (trial: Study['trials'][number]) => string | null, good: string): Verdict {
  if (study.trials.length === 0) return { holds: null, evidence: ['no trial is recorded yet'] };
  const found = study.trials.flatMap((trial) => {
    const what = wrong(trial);
    return what === null ? [] : [`${trial.record.id}: ${what}`];
  });
  return found.length > 0 ? { holds: false, evidence: found } : { holds: true, evidence: [good] };
}

function sameCommit(study: Study): Verdict {
  const frozen = (name: string) => study.lock.conditions.cases[name]?.base.commit;
  return overTrials(
    study,
    ({ record }) => (record.baseCommit === frozen(record.case) ? null : `started from ${record.baseCommit}`),
    `${study.trials.length} trials from ${study.lab.experiment.cases.map((name) => `${name} ${frozen(name)?.slice(0, 12)}`).join(', ')}`,
  );
}

async function sameTask(study: Study): Promise<Verdict> {
  const prompts = new Map<string, string>();
  for (const trial of study.trials) {
    const prompt = await readFile(join(trial.folder, 'prompt.txt'));
    const prefix = Buffer.from(promptPrefix(deliveryOf(study.lab, trial.record.arm, trial.record.case).inPrompt));
    // an arm with deliver: prompt differs in what stands in front of the task, and in nothing else
    const declared = prompt.subarray(0, prefix.length).equals(prefix);
    prompts.set(trial.record.id, declared ? sha256(prompt.subarray(prefix.length)) : 'without its skills in front');
  }
  const now = new Map<string, string>();
  for (const name of study.lab.experiment.cases) now.set(name, sha256(await taskBytes(study, name)));
  return overTrials(
    study,
    ({ record, attestation }) => {
      const frozen = study.lock.conditions.cases[record.case]?.hashes.task;
      if (prompts.get(record.id) !== frozen) return 'prompt.txt is not the frozen task';
      if (now.get(record.case) !== frozen) return 'task.txt has changed since the lock';
      return attestation.delivery === 'different' || attestation.delivery === 'none'
        ? `the requests hold another task (${attestation.delivery})`
        : null;
    },
    study.lab.experiment.cases
      .map(
        (name) =>
          `${name}: sha256 ${study.lock.conditions.cases[name]?.hashes.task?.slice(0, 12)}, found in the first user turn of every trial`,
      )
      .join('; '),
  );
}

function sameModel(study: Study): Verdict {
  const { settings } = study.lock.conditions;
  const models = modelsOf(settings);
  const thinking = models.flatMap(({ model }) => (model.parameters.thinking === undefined ? [] : [model.parameters.thinking]));
  const parameters = (arm: string) =>
    new Set(
      study.trials
        .filter(({ record }) => canonicalJson(modelOf(settings, record.arm)) === canonicalJson(modelOf(settings, arm)))
        .map(({ attestation }) => attestation.parameters),
    );
  return overTrials(
    study,
    ({ attestation, record }) => {
      const { id } = modelOf(settings, record.arm);
      const other = attestation.models.filter((model) => model !== id);
      if (other.length > 0) return `asked for ${other.join(', ')}`;
      const own = attestation.problems.find((text) => text.includes('generation parameters') || text.startsWith('thinking '));
      if (own !== undefined) return own;
      return parameters(record.arm).size > 1 ? 'generation parameters differ between trials' : null;
    },
    `${models.length === 1 ? 'model' : 'by arm, as frozen: model'} ${models.map(({ model }) => model.id).join(', ')}, one set of parameters in every main request${thinking.length === 0 ? '' : `, thinking ${thinking.join(', ')} as frozen`}`,
  );
}

function controls(study: Study): string[] {
  return [...new Set(contrasts(study.lab.experiment).map(({ control }) => control))];
}

function withoutSkills(study: Study): Verdict {
  const own = study.trials.filter((trial) => controls(study).includes(trial.record.arm));
  const reached = own.flatMap((trial) =>
    trial.attestation.problems
      .filter((text) => text.includes('reached the arm') || text.includes('no request reached'))
      .map((text) => `${trial.record.id}: ${text}`),
  );
  if (reached.length > 0) return { holds: false, evidence: reached };
  if (own.length === 0) return { holds: null, evidence: ['no trial is recorded yet'] };
  const { kind, doesNotStop } = study.lock.conditions.sandbox;
  const bare = own.every(({ record }) => (study.lab.experiment.arms[record.arm]?.skills ?? []).length === 0);
  const evidence = `no request of ${own.length} trials holds a catalogue entry, description or body of a skill${bare ? '' : ' that its arm does not have'}`;
  if (isolates(kind))
    return { holds: true, evidence: [evidence, `the skills are not on the disk that the agent sees (${kind})`] };
  return {
    holds: null,
    evidence: [evidence, `the agent did not read them, but the sandbox (${kind}) does not stop ${doesNotStop[0]}`],
  };
}

function withSkills(study: Study): Verdict {
  const treated = study.trials.filter((trial) => (study.lab.experiment.arms[trial.record.arm]?.skills ?? []).length > 0);
  const told = treated.filter((trial) => (trial.attestation.inPrompt ?? []).length > 0);
  if (study.discovery === null || treated.length === 0) return { holds: null, evidence: ['discovery or trials are missing'] };
  const missing = [
    ...study.discovery.arms.flatMap((row) =>
      row.intended
        .filter((skill) => !row.listed.includes(skill))
        .map((skill) => `discovery of ${row.arm}: ${skill} is not listed`),
    ),
    ...treated.flatMap((trial) =>
      offeredSkills(study.lab, trial.record.arm, trial.record.case)
        .filter((skill) => !trial.attestation.listed.includes(skill))
        .map((skill) => `${trial.record.id}: ${skill} is not listed in every request`),
    ),
    ...treated.flatMap((trial) =>
      deliveryOf(study.lab, trial.record.arm, trial.record.case)
        .inPrompt.filter(({ name }) => !trial.attestation.inPrompt?.includes(name))
        .map(({ name }) => `${trial.record.id}: the text of ${name} is not in front of the task`),
    ),
  ];
  return missing.length > 0
    ? { holds: false, evidence: missing }
    : {
        holds: true,
        evidence: [
          `listed in the diagnostic and in every main request of ${treated.length - told.length} trials`,
          ...(told.length === 0 ? [] : [`text in front of the task, and in no catalogue, in ${told.length} trials`]),
        ],
      };
}

/** Lock line and first start of the present specs, by the ledger's order: it is chained, clocks are not. */
function ledgerOrder(study: Study) {
  const specs = new Set(Object.values(study.lock.conditions.specs));
  const firstStart = study.ledger.find(
    (line) => (line.event.kind === 'started' || line.event.kind === 'restored') && specs.has(line.event.spec),
  );
  const same = (lock: Lock) =>
    Object.entries(study.lock.conditions.cases).every(([name, one]) =>
      ['reference', 'review_rubric', 'test_rubric', 'documentation_rubric'].every(
        (key) => lock.conditions.cases[name]?.hashes[key] === one.hashes[key],
      ),
    );
  const equal = new Set(study.locks.filter(same).map((lock) => lock.id));
  const locked = study.ledger.find((line) => line.event.kind === 'lock' && equal.has(line.event.lock));
  return { firstStart, locked, same };
}

function writtenBefore(study: Study): Verdict {
  const { firstStart, locked } = ledgerOrder(study);
  if (firstStart === undefined) return { holds: null, evidence: ['no trial has started yet'] };
  if (locked === undefined) return { holds: false, evidence: ['no ledger line locks these rubrics'] };
  return {
    holds: locked.seq < firstStart.seq,
    evidence: [`locked in ledger line ${locked.seq}, first trial in line ${firstStart.seq}`],
  };
}

async function rubricUnchanged(study: Study): Promise<Verdict> {
  const changed = await changedRubrics(study);
  if (changed.length > 0) return { holds: false, evidence: changed.map((what) => `${what} differs from the lock`) };
  const { firstStart, same } = ledgerOrder(study);
  if (firstStart === undefined) return { holds: null, evidence: ['no trial has started yet'] };
  const before = study.ledger.findLast((line) => line.event.kind === 'lock' && line.seq < firstStart.seq);
  const relevant = study.ledger.filter((line) => line.event.kind === 'lock' && (line.seq > firstStart.seq || line === before));
  const different = relevant.filter((line) =>
    study.locks.some((lock) => line.event.kind === 'lock' && lock.id === line.event.lock && !same(lock)),
  );
  if (different.length > 0)
    return {
      holds: false,
      evidence: different.map((line) => `ledger line ${line.seq} locked other rubrics after or at the first trial`),
    };
  return { holds: true, evidence: ['rubric and reference hashes equal the lock, and no later lock changed them'] };
}

function everyNumberSaved(rows: ComparisonRow[]): Verdict {
  const loose = rows.filter((row) => (row.a !== null || row.b !== null) && row.evidence.length === 0);
  if (loose.length > 0) return { holds: false, evidence: loose.map((row) => `${row.metric} has no record`) };
  return {
    holds: rows.length === 0 ? null : true,
    evidence: [`${rows.length} rows, each with the records it was computed from; their hashes stand in the ledger`],
  };
}

function control(study: Study): Verdict {
  if (study.control === null) return { holds: null, evidence: ['the negative control has not run'] };
  const { variants } = study.control;
  const concerned = study.trials.filter(({ record }) => hasTests(caseOf(study.lab, record.case)));
  if (concerned.length === 0) return { holds: null, evidence: [noTests] };
  const without = variants.filter((variant) => variant.newTestFiles.length > 0 && variant.records.control === undefined);
  if (without.length > 0)
    return { holds: false, evidence: without.map((variant) => `${variant.content.slice(0, 12)} has new tests and no control`) };
  if (variants.every((variant) => variant.newTestFiles.length === 0))
    return { holds: null, evidence: ['no variant has a new or changed test'] };
  const covered = concerned.every((trial) => variants.some((variant) => variant.content === trial.record.content));
  return {
    holds: covered && variants.length > 0,
    evidence: [
      `${variants.filter((variant) => variant.records.control !== undefined).length} of ${variants.length} variants have new tests; each ran on a clean base`,
    ],
  };
}

const noTests = 'no case has a repository with tests of its own';

function suite(study: Study): Verdict {
  if (study.control === null) return { holds: null, evidence: ['the suites have not run'] };
  if (![...study.lab.cases.values()].some(hasTests)) return { holds: null, evidence: [noTests] };
  return overTrials(
    study,
    ({ record }) =>
      hasTests(caseOf(study.lab, record.case)) &&
      study.control?.variants.find((variant) => variant.content === record.content)?.records.suite === undefined
        ? 'no suite run is saved'
        : null,
    'saved output and exit status for every variant',
  );
}

function documentation(study: Study): Verdict {
  const valid = study.results.filter((result) => result.valid);
  if (valid.length === 0) return { holds: null, evidence: ['no valid trial'] };
  if (valid.every((result) => result.scoring === 'not-applicable'))
    return { holds: null, evidence: ['no case has a documentation rubric'] };
  const pending = valid.filter((result) => result.scoring !== 'not-applicable' && result.values.documentation === null);
  if (pending.length > 0)
    return { holds: null, evidence: pending.map((result) => `${result.id}: documentation is ${result.scoring}`) };
  return { holds: true, evidence: ['every sheet scores each documentation row with a place in the code'] };
}

function unavailable(rows: ComparisonRow[]): Verdict {
  const wrong = rows.filter((row) => (row.nA.used === 0) !== (row.a === null) || (row.nB.used === 0) !== (row.b === null));
  if (wrong.length > 0) return { holds: false, evidence: wrong.map((row) => `${row.metric}: a value without a measurement`) };
  const missing = rows.filter((row) => row.a === null || row.b === null);
  return {
    holds: rows.length === 0 ? null : true,
    evidence: [
      missing.length === 0
        ? 'nothing was unavailable'
        : `marked as not available: ${missing.map((row) => row.metric).join(', ')}`,
    ],
  };
}
