import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { z } from 'zod';
import { captureChange } from './base.js';
import { PrerequisiteError, SettingsError } from './errors.js';
import { canonicalJson, sha256 } from './hash.js';
import { baseOf, caseOf, type Lab, skillsOf } from './lab.js';
import { normalisers } from './normaliser.js';
import { placeOfSpec } from './place.js';
import { prettyJson, readJson, writeWhole } from './record.js';
import { startRecordedModel } from './recorded-model.js';
import { readBody, readCalls } from './recording.js';
import { runSession, sessionPrefix } from './session.js';
import type { Skill } from './skill.js';
import { type Spec, TrialSpec } from './spec.js';
import { readStudy } from './study.js';
import { statusOf } from './trial.js';
import { contentHash, type SavedTrial } from './trial-record.js';
import { type UsageRecord, usageRecord } from './usage-record.js';
import { madeBy } from './warm-tree.js';

/** One recorded trial run again, with its recording in the model's place. */
export const TrialReplay = z.strictObject({
  trial: z.string(),
  /** The record, below the run's folder. */
  record: z.string(),
  /** `not-replayed`: the record cannot be had again by its nature; `reason` says why. */
  outcome: z.enum(['identical', 'different', 'not-replayed']),
  reason: z.string().nullable(),
  /** Calls in the recording, and how many of them the replay asked for again. */
  calls: z.strictObject({ recorded: z.int().nonnegative(), asked: z.int().nonnegative() }),
  /** How often each normaliser was used on the replay's requests. */
  normalised: z.record(z.string(), z.int().positive()),
  /** What was compared, each as the record has it and as the replay gave it. */
  compared: z.array(z.strictObject({ what: z.string(), recorded: z.string(), replayed: z.string() })),
  /** The first request that the recording does not hold, with the diff, and every compared thing that is not the same. */
  differences: z.array(z.strictObject({ call: z.int().positive().nullable(), what: z.string(), diff: z.string().nullable() })),
});
export type TrialReplay = z.infer<typeof TrialReplay>;

/** data/runs/<experiment>/replay.json: the last replay. It is no part of any record. */
export const Replay = z.strictObject({
  schemaVersion: z.literal(1),
  experiment: z.string(),
  lock: z.string(),
  at: z.iso.datetime(),
  /** The parts of requests that may differ, as they were declared for this replay. */
  normalisers: z.array(z.strictObject({ name: z.string(), pattern: z.string(), replacement: z.string(), why: z.string() })),
  trials: z.array(TrialReplay),
});
export type Replay = z.infer<typeof Replay>;

/**
 * Runs recorded valid trials again, each with the real agent and with its own recording as the model, and writes replay.json. No
 * provider is asked and no record is touched. `names` empty: all of them. A SettingsError names a trial that has no valid record.
 */
export async function replay(lab: Lab, names: string[], onTrial: (trial: TrialReplay) => void): Promise<Replay> {
  const study = await readStudy(lab);
  const valid = new Set(study.results.filter((result) => result.valid).map((result) => result.id));
  const known = study.trials.filter(({ record }) => valid.has(record.id));
  for (const name of names.length === 0 && known.length === 0 ? ['any'] : names) {
    if (known.some(({ record }) => record.id === name)) continue;
    throw new SettingsError(`No valid record of trial ${name} to replay`, {
      expected: known.length === 0 ? 'a recorded, valid trial' : `one of ${known.map(({ record }) => record.id).join(', ')}`,
      found: study.trials.some(({ record }) => record.id === name) ? 'an invalid one' : 'none',
      next: `npx nx run ${lab.experiment.name}:verify runs what is missing`,
    });
  }
  const trials: TrialReplay[] = [];
  for (const saved of known) {
    if (names.length > 0 && !names.includes(saved.record.id)) continue;
    const done = await replayTrial(lab, saved);
    trials.push(done);
    onTrial(done);
  }
  const result: Replay = {
    schemaVersion: 1,
    experiment: lab.experiment.name,
    lock: study.lock.id,
    at: lab.now().toISOString(),
    normalisers,
    trials,
  };
  await writeWhole(lab.run.replay, prettyJson(Replay.parse(result)));
  return result;
}

async function replayTrial(lab: Lab, saved: SavedTrial): Promise<TrialReplay> {
  const { record, folder } = saved;
  const recorded = await readCalls(folder);
  const result: TrialReplay = {
    trial: record.id,
    record: relative(lab.run.run, folder),
    outcome: 'not-replayed',
    reason: null,
    calls: { recorded: recorded.length, asked: 0 },
    normalised: {},
    compared: [],
    differences: [],
  };
  if (record.status === 'timed-out')
    return { ...result, reason: 'the wall clock ended it: where it was by then is no matter of its requests' };
  const { spec } = await readJson(lab.run.spec(record.id), TrialSpec);
  const program = await lab.agent.find(lab.root);
  const base = await baseOf(lab, spec.case, spec.baseCommit);
  const place = placeOfSpec(lab, spec);
  await mkdir(lab.run.scratch, { recursive: true });
  const draft = await mkdtemp(join(lab.run.scratch, 'replay-'));
  const model = await startRecordedModel(folder);
  try {
    const session = await runSession(
      {
        experiment: { ...lab.experiment, model: spec.model, limits: spec.limits },
        case: caseOf(lab, spec.case),
        agent: lab.agent,
        program,
        base,
        ...place,
        prompt: caseOf(lab, spec.case).taskBytes,
        followUps: caseOf(lab, spec.case).eval?.follow_ups ?? [],
        skills: spec.deliver === undefined ? recordedSkills(lab, spec) : [],
        inPrompt: spec.deliver === undefined ? [] : recordedSkills(lab, spec),
        allSkills: [...lab.skills.values()],
        repeat: record.repeat,
        seed: record.seed,
        model: { baseUrl: model.baseUrl, key: null, close: () => model.close() },
        ...(await recordedFolder(saved)),
      },
      draft,
      async (workspace) => captureChange(workspace, base, draft, await madeBy(place.warm)),
    );
    const [patch, recordedPatch] = await Promise.all([draft, folder].map((one) => readFile(join(one, 'patch.diff'))));
    const recordedResponse = await readFile(join(folder, 'response.md'));
    const response = Buffer.from(session.trajectory.response);
    const { startedAt, finishedAt, elapsedSeconds } = session.outcome;
    const { calls, trajectory } = session;
    const usage = usageRecord({ mode: record.arm, calls, trajectory, startedAt, finishedAt, elapsedSeconds });
    const pairs: [string, string, string][] = [
      ['agent version', record.agent.version, program.version],
      ['status', `${record.status} (${record.reason})`, describe(statusOf(session))],
      ['response', sha256(recordedResponse), sha256(response)],
      ['patch', sha256(recordedPatch as Buffer), sha256(patch as Buffer)],
      ['usage', timeless(saved.usage), timeless(usage)],
      ['content hash', record.content, contentHash(response, patch as Buffer)],
    ];
    const compared = pairs.map(([what, before, after]) => ({ what, recorded: before, replayed: after }));
    const different = compared.filter((one) => one.recorded !== one.replayed);
    // the first request that differs explains those after it
    const differences = [
      ...model.differences().slice(0, 1),
      ...different.map(({ what, recorded: before, replayed: after }) => ({
        call: null,
        what: `${what}: ${before} recorded, ${after} replayed`,
        diff: null,
      })),
    ];
    return {
      ...result,
      outcome: differences.length === 0 ? 'identical' : 'different',
      calls: { recorded: recorded.length, asked: model.served() },
      normalised: model.uses(),
      compared,
      differences,
    };
  } finally {
    await model.close();
    await rm(draft, { recursive: true, force: true });
  }
}

const describe = ({ status, reason }: { status: string; reason: string }) => `${status} (${reason})`;

/** The usage record without what a clock says. */
function timeless({ started_at: _from, finished_at: _to, elapsed_seconds: _seconds, ...usage }: UsageRecord): string {
  return canonicalJson(usage);
}

/** The skills that the trial had, as the experiment still gives them to its arm. */
function recordedSkills(lab: Lab, { arm, case: name, skills }: Spec): Skill[] {
  const present = lab.experiment.arms[arm] === undefined ? [] : skillsOf(lab, arm, name);
  return skills.map((recorded) => {
    const skill = present.find((one) => one.name === recorded.name);
    if (skill !== undefined) return skill;
    throw new PrerequisiteError(`Skill ${recorded.name} of a recorded trial is not in the experiment any more`, {
      expected: `${recorded.name} in arm ${arm} of experiment.yaml`,
      found: present.map((one) => one.name).join(', ') || 'no skill',
      next: 'restore the settings of the record, or freeze and run anew',
    });
  });
}

/** Without a sandbox the agent saw this machine's own paths, and the model's answers name them: the same folder is made again. */
async function recordedFolder({ record, folder }: SavedTrial): Promise<{ folder?: string }> {
  if (record.sandbox !== 'private-home') return {};
  for (const call of await readCalls(folder)) {
    const body = call.request === null ? '' : (await readBody(folder, call.request)).toString('utf8');
    const name = new RegExp(`${sessionPrefix}[A-Za-z0-9]{6}`).exec(body)?.[0];
    if (name !== undefined) return { folder: join(tmpdir(), name) };
  }
  return {};
}
