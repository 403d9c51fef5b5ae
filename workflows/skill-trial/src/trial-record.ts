import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { Attestation } from './attestation.js';
import { sha256 } from './hash.js';
import { ProviderFailures } from './provider-failures.js';
import { readJson } from './record.js';
import { Trajectory } from './trajectory.js';
import { UsageRecord } from './usage-record.js';

const Sha = z.string().regex(/^[0-9a-f]{64}$/);

/** How a trial ended. All of these are data: the agent ran, and this is what it did. */
export const TrialStatus = z.enum(['completed', 'timed-out', 'failed', 'limit']);
export type TrialStatus = z.infer<typeof TrialStatus>;

/** trial.json of a record. Beside it lie the response, patch, event stream, command log, calls, bodies, usage and attestation. */
export const TrialRecord = z.strictObject({
  schemaVersion: z.literal(1),
  id: z.string(),
  experiment: z.string(),
  case: z.string(),
  arm: z.string(),
  repeat: z.int().positive(),
  attempt: z.int().positive(),
  spec: Sha,
  lock: Sha,
  seed: z.int().nonnegative(),
  scripted: z.boolean(),
  status: TrialStatus,
  reason: z.string(),
  exitCode: z.int().nullable(),
  signal: z.string().nullable(),
  sweptProcesses: z.int().nonnegative(),
  agent: z.strictObject({ name: z.string(), package: z.string(), version: z.string(), argv: z.array(z.string()) }),
  sandbox: z.string(),
  baseCommit: z.string(),
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime(),
  elapsedSeconds: z.number().nonnegative(),
  /** Workspace, HOME and sandbox made ready; not part of elapsedSeconds. */
  setupSeconds: z.number().nonnegative(),
  /** SHA-256 over response and patch: the variant's name in every later step. */
  content: Sha,
  usageMismatches: z.array(z.string()),
  /** null: recorded before they were counted. */
  providerFailures: ProviderFailures.nullable().default(null),
  /** Forms of keys and tokens found in the raw files, by kind and place; the files stay as they are. */
  secretWarnings: z.array(z.string()).default([]),
  /** How often the model's key was taken out of which of the agent's files. */
  redacted: z.record(z.string(), z.int().positive()).default({}),
  provenance: z.strictObject({
    lab: z.string(),
    node: z.string(),
    checkout: z.string().nullable(),
    dirty: z.boolean().nullable(),
  }),
});
export type TrialRecord = z.infer<typeof TrialRecord>;

/** The hash that keys sheets and checks: of the response's and the patch's bytes. */
export function contentHash(response: Uint8Array, patch: Uint8Array): string {
  return sha256(`${sha256(response)}\n${sha256(patch)}\n`);
}

/**
 * One trial's record with the parts that later steps need of all trials. The tool calls, by far the most of a trajectory, are not among
 * them: an experiment has thousands of trials, and who needs them reads one trial's at a time ({@link readTrajectory}).
 */
export interface SavedTrial {
  folder: string;
  record: TrialRecord;
  usage: UsageRecord;
  attestation: Attestation;
  trajectory: Omit<Trajectory, 'toolCalls'>;
}

/** Reads a trial's record; a missing or altered one is a RecordError. */
export async function readTrial(folder: string): Promise<SavedTrial> {
  const { toolCalls: _, ...trajectory } = await readTrajectory(folder);
  return {
    folder,
    record: await readJson(join(folder, 'trial.json'), TrialRecord),
    usage: await readJson(join(folder, 'usage.json'), UsageRecord),
    attestation: await readJson(join(folder, 'attestation.json'), Attestation),
    trajectory,
  };
}

/** The whole trajectory of a trial's record. */
export function readTrajectory(folder: string): Promise<Trajectory> {
  return readJson(join(folder, 'trajectory.json'), Trajectory);
}

/** The content hash worked out again from the saved response and patch. */
export async function recomputeContent(folder: string): Promise<string> {
  return contentHash(await readFile(join(folder, 'response.md')), await readFile(join(folder, 'patch.diff')));
}
