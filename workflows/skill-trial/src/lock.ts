import { z } from 'zod';
import { Experiment } from './experiment.js';
import { FrozenReference } from './reference.js';
import { LimitsInForce, ResourceLimits } from './resource-limits.js';
import { SandboxKind } from './sandbox-plan.js';
import { FrozenSetUp } from './set-up.js';

const Sha = z.string().regex(/^[0-9a-f]{64}$/);

/** What sessions and tests run in. */
const FrozenSandbox = z.strictObject({
  kind: SandboxKind,
  version: z.string().nullable(),
  because: z.string().nullable(),
  doesNotStop: z.array(z.string()),
  /** Absent in locks made before there were any. */
  image: z.string().nullable().optional(),
  limits: ResourceLimits.optional(),
  inForce: LimitsInForce.optional(),
});

/** The frozen conditions of decision 0019, part 2: a difference in any of them invalidates the pair. */
export const Conditions = z.strictObject({
  settings: Experiment,
  cases: z.record(
    z.string(),
    z.strictObject({
      base: z.strictObject({
        commit: z.string(),
        tree: z.string(),
        origin: z.string().nullable(),
        content: Sha,
        /** Folders of skills that the repository had and the base, in every arm, has not. */
        removed: z.array(z.string()),
      }),
      hashes: z.record(z.string(), Sha.nullable()),
      /** Tests of the starting suite that failed before any run, all of them named in case.yaml. */
      knownFailures: z.array(z.string()),
      startingTests: z.int().nonnegative(),
      script: Sha.nullable(),
      /** For a case with a verifier: what its tests can tell, measured before any trial. */
      reference: FrozenReference.optional(),
      /** The case's own container, for its sessions and its tests. Absent: the experiment's sandbox. */
      environment: FrozenSandbox.optional(),
      /** What its set-up made, once, for every arm and every run of its tests. Absent: it has none. */
      setup: FrozenSetUp.optional(),
    }),
  ),
  skills: z.record(z.string(), z.strictObject({ sha256: Sha, version: z.string().nullable(), owner: z.string().nullable() })),
  agent: z.strictObject({
    name: z.string(),
    package: z.string(),
    version: z.string(),
    mechanism: z.strictObject({ without: z.string(), with: z.string() }),
  }),
  sandbox: FrozenSandbox,
  node: z.string(),
  platform: z.string(),
  /** Spec hash by `<case>.<arm>`. */
  specs: z.record(z.string(), Sha),
  schedule: Sha,
});
export type Conditions = z.infer<typeof Conditions>;

/** data/runs/<experiment>/lock.json, written before the first run. Equal conditions keep the lock they have. */
export const Lock = z.strictObject({
  schemaVersion: z.literal(1),
  /** Hash of the conditions. */
  id: Sha,
  frozenAt: z.iso.datetime(),
  conditions: Conditions,
  /** SHA-256 of the secret that maps trials to blinded names; the secret is opened after scoring. */
  blindCommitment: Sha,
  /** Where the lock was made; tells nothing the agent can see. */
  provenance: z.strictObject({
    lab: z.string(),
    checkout: z.string().nullable(),
    /** Whether the checkout had uncommitted changes; null where it is no git checkout. */
    dirty: z.boolean().nullable(),
    os: z.string(),
    cpus: z.int().positive(),
    packages: z.record(z.string(), z.string()),
  }),
});
export type Lock = z.infer<typeof Lock>;
