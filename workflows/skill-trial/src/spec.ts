import { z } from 'zod';
import { Experiment } from './experiment.js';
import { hashOf, hmac } from './hash.js';
import { SandboxKind } from './sandbox-plan.js';

const Sha = z.string().regex(/^[0-9a-f]{64}$/);

/** The frozen conditions that can change what an agent does in one arm on one case, and nothing else. */
export const Spec = z.strictObject({
  schemaVersion: z.literal(1),
  experiment: z.string(),
  case: z.string(),
  arm: z.string(),
  task: Sha,
  baseCommit: z.string(),
  baseContent: Sha,
  skills: z.array(z.strictObject({ name: z.string(), sha256: Sha })),
  /** Their text stands in front of the task; absent: the agent lists them. */
  deliver: z.literal('prompt').optional(),
  agent: z.strictObject({
    name: z.string(),
    package: z.string(),
    version: z.string(),
    /** Hash of how the adapter starts it in this arm: command line, environment, files. */
    launch: Sha,
    /** Hash of the MCP servers, files and variables that every arm gets; absent where there are none. */
    extras: Sha.optional(),
  }),
  model: Experiment.shape.model,
  /** Hash of the script and its plans where the model is scripted; null for a real one. */
  script: Sha.nullable(),
  limits: Experiment.shape.limits,
  network: Experiment.shape.network,
  sandbox: SandboxKind,
  /** Identity of the container image; absent where the machine's own system is used. */
  image: z.string().optional(),
  /** What the case's set-up made: the key of its record, and the hash of its content. Absent: the case has none. */
  setup: z.strictObject({ key: Sha, content: Sha }).optional(),
  node: z.string(),
  platform: z.string(),
  seed: z.int().nonnegative(),
});
export type Spec = z.infer<typeof Spec>;

/** A trial's spec as freeze writes it for the graph: the spec, its hash and the repeat. */
export const TrialSpec = z.strictObject({ schemaVersion: z.literal(1), hash: Sha, repeat: z.int().positive(), spec: Spec });
export type TrialSpec = z.infer<typeof TrialSpec>;

/**
 * The hash that names a spec. What cannot change what the agent does is left out: the number of attempts, the key's name, and the
 * prices unless a cost cap can end a run by them.
 */
export function specHash(spec: Spec): string {
  const { attempts: _attempts, tokens, ...limits } = spec.limits;
  const { prices, key_env: _key, ...model } = spec.model;
  return hashOf({
    ...spec,
    model: { ...model, prices: limits.cost_usd === null ? undefined : prices },
    limits: { ...limits, tokens: tokens ?? undefined },
  });
}

/** A trial's own seed, drawn from its name and the experiment's seed: 32 bits. */
export function trialSeed(seed: number, name: string): number {
  return Number.parseInt(hmac(String(seed), name).slice(0, 8), 16);
}
