import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ofArm } from './arm.js';
import { openAttempts } from './attempt.js';
import { captureChange } from './base.js';
import type { CallRecord } from './call-record.js';
import { requireConsent } from './consent.js';
import { deliveryOf } from './delivery.js';
import { InfrastructureError } from './errors.js';
import { withFileLock } from './file-lock.js';
import { requireFrozen } from './frozen-inputs.js';
import { baseOf, caseOf, type Lab } from './lab.js';
import { appendLedger } from './ledger.js';
import { Lock } from './lock.js';
import { noteLock } from './lock-history.js';
import { pricesOf } from './model-server.js';
import { placeOfSpec } from './place.js';
import { type ProgressEvent, progressOf } from './progress.js';
import { providerFailures } from './provider-failures.js';
import { hasRecord, linkRecord, prettyJson, readJson, sealRecord } from './record.js';
import { runSession, type SessionResult } from './session.js';
import { TrialSpec, trialSeed } from './spec.js';
import { isSurroundings, surroundingsTrouble } from './surroundings.js';
import { parseTrialName } from './trial-name.js';
import { contentHash, type TrialRecord, type TrialStatus } from './trial-record.js';
import { usageMismatches, usageRecord } from './usage-record.js';
import { madeBy } from './warm-tree.js';

export interface RunOptions {
  /** A real model costs money: the person (or script) said yes. */
  consent: boolean;
  onProgress: (event: ProgressEvent) => Promise<void>;
}

/**
 * Runs the named trials one after the other, in the order given. A trial that has a record is left alone: the record always wins. An
 * agent's failure is a record like any other; when the surroundings fail, nothing is recorded but a ledger line, the trial is tried
 * again up to limits.attempts, and then an InfrastructureError ends the run.
 */
export async function runTrials(lab: Lab, names: string[], options: RunOptions): Promise<void> {
  const lock = await readJson(lab.run.lock, Lock);
  await noteLock(lab, lock);
  for (const name of names) {
    parseTrialName(lab.experiment, name);
    const spec = await readJson(lab.run.spec(name), TrialSpec);
    const target = lab.run.trial(spec.hash, spec.repeat);
    if (await hasRecord(target)) {
      await options.onProgress({
        at: lab.now().toISOString(),
        trial: name,
        event: 'kept',
        modelCalls: 0,
        tokens: null,
        costUsd: null,
        note: 'recorded before',
      });
    } else {
      requireConsent({ experiment: ofArm(lab.experiment, spec.spec.arm) }, options.consent);
      await requireFrozen(lab, spec);
      // one process at a time: a second start waits for the first, and then finds the record
      const running = lab.run.trialLock(name);
      await mkdir(dirname(running), { recursive: true });
      await withFileLock(
        running,
        async () => {
          if (!(await hasRecord(target))) await attemptUntilRecorded(lab, lock, name, spec, target, options);
        },
        Number.MAX_SAFE_INTEGER,
      );
    }
    await linkRecord(target, lab.run.receipt(name));
  }
}

async function attemptUntilRecorded(
  lab: Lab,
  lock: Lock,
  name: string,
  spec: TrialSpec,
  target: string,
  options: RunOptions,
): Promise<void> {
  const { ledger } = lab.run;
  const note = async (
    attempt: number,
    outcome: 'recorded' | 'infrastructure' | 'abandoned',
    reason: string,
    record: string | null,
  ) => {
    await appendLedger(ledger, { kind: 'ended', trial: name, spec: spec.hash, attempt, outcome, reason, record }, lab.now);
  };
  const before = await openAttempts(lab, name, spec.hash);
  for (const attempt of before.open) await note(attempt, 'abandoned', 'the lab was ended before the trial was', null);
  let attempt = before.last;
  for (let round = 1; ; round++) {
    attempt += 1;
    await appendLedger(ledger, { kind: 'started', trial: name, spec: spec.hash, attempt }, lab.now);
    await mkdir(lab.run.scratch, { recursive: true });
    const draft = await mkdtemp(join(lab.run.scratch, `${name}.`));
    try {
      const trouble = await runAttempt(lab, lock, name, spec, attempt, draft, options);
      if (trouble === null) {
        await note(attempt, 'recorded', 'the agent ran', await sealRecord(draft, target));
        return;
      }
      await note(attempt, 'infrastructure', trouble, null);
      if (round >= spec.spec.limits.attempts) {
        throw new InfrastructureError(`Trial ${name} could not be run`, {
          expected: 'a model that answers and a disk that holds the record',
          found: `${trouble} (attempt ${attempt})`,
          next: 'mend the cause and run again: what is recorded stays',
        });
      }
    } catch (error) {
      if (!isSurroundings(error)) throw error;
      if (!(error instanceof InfrastructureError && error.message.startsWith('Trial '))) {
        await note(attempt, 'infrastructure', String((error as Error).message).split('\n')[0] as string, null).catch(
          () => undefined,
        );
      }
      throw error;
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  }
}

/** One attempt, recorded into `draft`. Returns null when the agent ran, else what failed around it. */
async function runAttempt(
  lab: Lab,
  lock: Lock,
  name: string,
  spec: TrialSpec,
  attempt: number,
  draft: string,
  options: RunOptions,
): Promise<string | null> {
  const one = caseOf(lab, spec.spec.case);
  const program = await lab.agent.find(lab.root);
  const base = await baseOf(lab, spec.spec.case, spec.spec.baseCommit);
  const place = placeOfSpec(lab, spec.spec);
  const { offered, inPrompt } = deliveryOf(lab, spec.spec.arm, spec.spec.case);
  const prices = pricesOf(ofArm(lab.experiment, spec.spec.arm).model);
  const seed = trialSeed(spec.spec.seed, name);
  const report = (event: ProgressEvent['event'], calls: readonly CallRecord[], note: string) =>
    options.onProgress(progressOf({ at: lab.now(), trial: name, event, calls, prices, note }));
  await report('started', [], `attempt ${attempt}`);
  const session = await runSession(
    {
      experiment: ofArm(lab.experiment, spec.spec.arm),
      case: one,
      agent: lab.agent,
      extras: lab.extras,
      program,
      base,
      ...place,
      prompt: one.taskBytes,
      followUps: one.eval?.follow_ups ?? [],
      skills: offered,
      inPrompt,
      allSkills: [...lab.skills.values()],
      repeat: spec.repeat,
      seed,
      onProgress: (calls) => void report('call', calls, ''),
    },
    draft,
    async (workspace) => captureChange(workspace, base, draft, await madeBy(place.warm)),
  );
  const trouble = surroundingsTrouble(session, spec.spec.limits.wall_seconds);
  await report('ended', session.calls, trouble ?? statusOf(session).status);
  if (trouble !== null) return trouble;
  const { outcome, trajectory, calls } = session;
  await writeFile(join(draft, 'response.md'), trajectory.response);
  await writeFile(join(draft, 'commands.jsonl'), trajectory.toolCalls.map((call) => `${JSON.stringify(call)}\n`).join(''));
  const usage = usageRecord({
    mode: spec.spec.arm,
    calls,
    trajectory,
    startedAt: outcome.startedAt,
    finishedAt: outcome.finishedAt,
    elapsedSeconds: outcome.elapsedSeconds,
  });
  await writeFile(join(draft, 'usage.json'), prettyJson(usage));
  const record: TrialRecord = {
    schemaVersion: 1,
    id: name,
    experiment: spec.spec.experiment,
    case: spec.spec.case,
    arm: spec.spec.arm,
    repeat: spec.repeat,
    attempt,
    spec: spec.hash,
    lock: lock.id,
    seed,
    scripted: spec.spec.model.scripted !== undefined,
    ...statusOf(session),
    exitCode: outcome.exitCode,
    signal: outcome.signal,
    sweptProcesses: outcome.sweptProcesses,
    agent: { name: spec.spec.agent.name, package: spec.spec.agent.package, version: spec.spec.agent.version, argv: session.argv },
    sandbox: spec.spec.sandbox,
    baseCommit: spec.spec.baseCommit,
    startedAt: outcome.startedAt,
    finishedAt: outcome.finishedAt,
    elapsedSeconds: outcome.elapsedSeconds,
    setupSeconds: session.setupSeconds,
    content: contentHash(await readFile(join(draft, 'response.md')), await readFile(join(draft, 'patch.diff'))),
    usageMismatches: usageMismatches(calls, trajectory.usage),
    providerFailures: providerFailures(calls),
    secretWarnings: session.secretWarnings,
    redacted: session.redacted,
    provenance: {
      lab: lock.provenance.lab,
      node: process.versions.node,
      checkout: lock.provenance.checkout,
      dirty: lock.provenance.dirty,
    },
  };
  await writeFile(join(draft, 'trial.json'), prettyJson(record));
  return null;
}

/** How a session ended, as the record says it; a failure names the limits that it ran into. */
export function statusOf(
  session: Pick<SessionResult, 'outcome' | 'trajectory' | 'limit'> & Partial<Pick<SessionResult, 'hits'>>,
): { status: TrialStatus; reason: string } {
  const { status, reason } = endOf(session);
  const notes = (session.hits ?? [])
    .filter((hit) => hit.limit !== session.limit)
    .map((hit) => `limit on ${hit.limit}: ${hit.detail}, ${hit.count}`);
  return { status, reason: status === 'completed' ? reason : [reason, ...notes].join('; ') };
}

function endOf({ outcome, trajectory, limit }: Pick<SessionResult, 'outcome' | 'trajectory' | 'limit'>): {
  status: TrialStatus;
  reason: string;
} {
  if (limit !== null) return { status: 'limit', reason: `the limit on ${limit} ended it` };
  if (outcome.timedOut) return { status: 'timed-out', reason: 'the wall limit ended it' };
  if (outcome.exitCode !== 0)
    return {
      status: 'failed',
      reason: outcome.signal === null ? `exit status ${outcome.exitCode}` : `ended by ${outcome.signal}`,
    };
  if (trajectory.response === '') return { status: 'failed', reason: 'no final answer' };
  return { status: 'completed', reason: 'exit status 0' };
}
