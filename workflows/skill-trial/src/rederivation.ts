import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ofArm } from './arm.js';
import type { CallRecord } from './call-record.js';
import { deliveryOf } from './delivery.js';
import { readEventStream } from './event-stream.js';
import { canonicalJson } from './hash.js';
import type { Lab } from './lab.js';
import { providerFailures } from './provider-failures.js';
import { attestRecording } from './recorded-requests.js';
import { readBody, readCalls } from './recording.js';
import { scanForSecrets } from './secret-scan.js';
import { readTrajectory, readTrial, recomputeContent, type SavedTrial } from './trial-record.js';
import { usageMismatches, usageRecord } from './usage-record.js';
import { wireOf } from './wire.js';

/** A trial worked out again, and every place where the saved derivation says something else. */
export interface Rederived {
  trial: SavedTrial;
  differences: string[];
}

/** Works a trial out again from its raw bodies, event stream, response and patch; the saved derivations are only compared. */
export async function rederiveTrial(
  lab: Pick<Lab, 'agent' | 'skills' | 'experiment' | 'cases'>,
  folder: string,
): Promise<Rederived> {
  const saved = await readTrial(folder);
  const differences: string[] = [];
  const compare = (what: string, before: unknown, now: unknown) => {
    if (canonicalJson(before) !== canonicalJson(now))
      differences.push(`${saved.record.id}: ${what} differs from what the raw records give`);
  };
  const calls = await rereadCalls(folder);
  compare('calls.jsonl', await readCalls(folder), calls);
  const trajectory = await readEventStream(folder, lab.agent);
  compare('trajectory.json', await readTrajectory(folder), trajectory);
  compare(
    'commands.jsonl',
    await readFile(join(folder, 'commands.jsonl'), 'utf8'),
    trajectory.toolCalls.map((call) => `${JSON.stringify(call)}\n`).join(''),
  );
  compare('response.md', await readFile(join(folder, 'response.md'), 'utf8'), trajectory.response);
  const { offered, inPrompt } = deliveryOf(lab, saved.record.arm, saved.record.case);
  const attestation = await attestRecording(folder, {
    agent: lab.agent,
    experiment: ofArm(lab.experiment, saved.record.arm),
    skills: offered,
    inPrompt,
    allSkills: [...lab.skills.values()],
  });
  compare('attestation.json', saved.attestation, attestation);
  const { startedAt, finishedAt, elapsedSeconds, arm } = saved.record;
  const usage = usageRecord({ mode: arm, calls, trajectory, startedAt, finishedAt, elapsedSeconds });
  compare('usage.json', saved.usage, usage);
  const content = await recomputeContent(folder);
  compare('the content hash', saved.record.content, content);
  const mismatches = usageMismatches(calls, trajectory.usage);
  compare('usageMismatches', saved.record.usageMismatches, mismatches);
  const secretWarnings = await scanForSecrets(folder);
  compare('secretWarnings', saved.record.secretWarnings, secretWarnings);
  const failures = saved.record.providerFailures === null ? null : providerFailures(calls);
  compare('providerFailures', saved.record.providerFailures, failures);
  const { toolCalls: _, ...kept } = trajectory;
  return {
    trial: {
      folder,
      record: { ...saved.record, content, usageMismatches: mismatches, secretWarnings, providerFailures: failures },
      usage,
      attestation,
      trajectory: kept,
    },
    differences,
  };
}

/** The call records with everything that the response bodies say read from them again. */
async function rereadCalls(folder: string): Promise<CallRecord[]> {
  const calls: CallRecord[] = [];
  for (const call of await readCalls(folder)) {
    if (call.request !== null) await readBody(folder, call.request);
    if (call.kind !== 'model-call' || call.response === null) {
      calls.push(call);
      continue;
    }
    const body = await readBody(folder, call.response);
    const isStream = /^\s*(event|data|id|retry|:)/.test(body.subarray(0, 64).toString('utf8'));
    const { usage, stop, toolCalls } = wireOf(call.api).readResponse(body, isStream ? 'text/event-stream' : 'application/json');
    calls.push({ ...call, usage, stop, toolCalls: toolCalls.length });
  }
  return calls;
}
