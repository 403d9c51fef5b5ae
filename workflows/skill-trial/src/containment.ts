import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { readConnections } from './network-proxy.js';
import { LimitsInForce, ResourceLimits } from './resource-limits.js';
import { SandboxKind } from './sandbox-plan.js';

/** A limit that a session or a run of tests ran into: the agent's outcome, not a failure of the surroundings. */
export const LimitHit = z.strictObject({
  limit: z.enum(['memory', 'processes', 'file', 'disk', 'output']),
  count: z.int().positive(),
  detail: z.string(),
});
export type LimitHit = z.infer<typeof LimitHit>;

/** containment.json of a session: what held the agent, what did not, and what it ran into. Bytes; null: not measured here. */
export const Containment = z.strictObject({
  schemaVersion: z.literal(1),
  sandbox: SandboxKind,
  limits: ResourceLimits,
  inForce: LimitsInForce,
  doesNotStop: z.array(z.string()),
  /** Hosts that the network policy lets through besides the gateway. */
  allow: z.array(z.string()),
  /** Whether connections that heed no proxy variable fail as well. */
  networkHeld: z.boolean(),
  peakMemoryBytes: z.int().nonnegative().nullable(),
  peakProcesses: z.int().nonnegative().nullable(),
  throttledPeriods: z.int().nonnegative().nullable(),
  /** The most that workspace, HOME and TMPDIR held together, of the looks that were taken. */
  diskBytes: z.int().nonnegative(),
  hits: z.array(LimitHit),
});
export type Containment = z.infer<typeof Containment>;

export const containmentFile = 'containment.json';

/** What the attestation says of the sandbox, read from a session's own records. */
export const Held = z.strictObject({
  sandbox: SandboxKind,
  doesNotStop: z.array(z.string()),
  hits: z.array(LimitHit),
  /** Connections that the proxy let through and refused, as `host:port`, each once. */
  allowed: z.array(z.string()),
  denied: z.array(z.string()),
});
export type Held = z.infer<typeof Held>;

/** Read back from containment.json and network.jsonl; null for a session recorded before there were any. */
export async function readHeld(folder: string): Promise<Held | null> {
  const text = await readFile(join(folder, containmentFile), 'utf8').catch(() => null);
  if (text === null) return null;
  const { sandbox, doesNotStop, hits } = Containment.parse(JSON.parse(text));
  const connections = (await readConnections(folder)) ?? [];
  const named = (allowed: boolean) => [
    ...new Set(connections.filter((one) => one.allowed === allowed).map((one) => `${one.host}:${one.port}`)),
  ];
  return { sandbox, doesNotStop, hits, allowed: named(true), denied: named(false) };
}

/** One line for each thing that the agent ran into, for the report. */
export function heldNotes(held: Held | null): string[] {
  if (held === null) return [];
  return [
    ...held.hits.map((one) => `limit on ${one.limit}: ${one.detail} (${one.count})`),
    ...(held.denied.length === 0 ? [] : [`connections refused: ${held.denied.join(', ')}`]),
    ...(held.allowed.length === 0 ? [] : [`connections let through: ${held.allowed.join(', ')}`]),
  ];
}
