import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { z } from 'zod';
import type { Base } from './base.js';
import type { Case } from './case.js';
import type { LimitHit } from './containment.js';
import { SetUp } from './environment.js';
import { PrerequisiteError, RecordError } from './errors.js';
import { hashOf } from './hash.js';
import type { Lab } from './lab.js';
import { allowedHosts, readConnections } from './network-proxy.js';
import { type Place, placeKey } from './place.js';
import type { ProcessOutcome } from './process.js';
import { checkRecord, hasRecord, prettyJson, readJson, recordHash, sealRecord } from './record.js';
import { runInTree } from './tree-run.js';
import { packWarm, WarmTree, warmFile } from './warm-tree.js';

const Sha = z.string().regex(/^[0-9a-f]{64}$/);

/** setup.json: how a set-up ran; stdout.txt, stderr.txt, network.jsonl, warm-tree.json and the archives lie beside it. */
export const SetUpRun = z.strictObject({
  schemaVersion: z.literal(1),
  case: z.string(),
  setup: SetUp,
  sandbox: z.string(),
  image: z.string().nullable(),
  startedAt: z.iso.datetime(),
  elapsedSeconds: z.number().nonnegative(),
});
export type SetUpRun = z.infer<typeof SetUpRun>;

/** What the lock says of a set-up: where its record lies, below the run's folder, what it made and how long it took. */
export const FrozenSetUp = z.strictObject({
  /** Of all that it follows from; names its folder. */
  key: Sha,
  path: z.string(),
  sha256: Sha,
  /** Of what it made: part of every spec of the case. */
  content: Sha,
  seconds: z.number().nonnegative(),
  files: z.int().nonnegative(),
  bytes: z.int().nonnegative(),
});
export type FrozenSetUp = z.infer<typeof FrozenSetUp>;

/**
 * Runs the set-up of a case in its place, with the network that the case declares for it and no other. Recorded once for equal inputs;
 * null for a case without one. A command that fails is a PrerequisiteError with its last words.
 */
export async function setUpCase(
  lab: Pick<Lab, 'run'>,
  one: Case,
  base: Pick<Base, 'folder' | 'commit'>,
  place: Omit<Place, 'warm'>,
  onStep: (text: string) => void = () => undefined,
): Promise<FrozenSetUp | null> {
  const { setup } = one;
  if (setup === undefined) return null;
  const key = setUpKey(setup, base.commit, place);
  const folder = lab.run.setUp(one.name, key);
  const broken = (await hasRecord(folder)) ? await brokenIn(folder) : null;
  if (broken === null || broken.length > 0) {
    onStep(`set-up of case ${one.name}${broken === null ? '' : ` anew, ${broken.join(', ')}`}: ${setup.command}`);
    // a record wins over a draft: a broken one has to go, and the lock will say whether the new one made the same
    await rm(folder, { recursive: true, force: true });
    await mkdir(lab.run.scratch, { recursive: true });
    const draft = await mkdtemp(join(lab.run.scratch, 'setup-'));
    try {
      await runSetUp(one, setup, base, place, draft);
      await sealRecord(draft, folder);
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  }
  const { content, files, bytes } = await readJson(join(folder, warmFile), WarmTree);
  const { elapsedSeconds } = await readJson(join(folder, 'setup.json'), SetUpRun);
  const sha256 = await recordHash(folder);
  return { key, path: relative(lab.run.run, folder), sha256, content, seconds: elapsedSeconds, files, bytes };
}

/** Of all that a set-up follows from. Without an image it takes Node and the system from the machine, so these are part of it. */
export function setUpKey(
  setup: SetUp,
  base: string,
  place: Omit<Place, 'warm'>,
  { version, platform, arch }: Pick<NodeJS.Process, 'version' | 'platform' | 'arch'> = process,
): string {
  const machine = place.image === null ? { node: version, platform: `${platform}-${arch}` } : {};
  return hashOf({ ...placeKey({ ...place, warm: null }), ...machine, base, setup });
}

/** What is wrong with a record; [] when it is whole. */
function brokenIn(folder: string): Promise<string[]> {
  return checkRecord(folder).catch((error) => {
    if (!(error instanceof RecordError)) throw error;
    return ['manifest.json: altered'];
  });
}

async function runSetUp(
  one: Case,
  setup: SetUp,
  base: Pick<Base, 'folder' | 'commit'>,
  place: Omit<Place, 'warm'>,
  draft: string,
): Promise<void> {
  const timeoutMs = setup.timeout_seconds * 1000;
  let tree: WarmTree | null = null;
  const plan = { case: one, base, patch: null, overlay: [], ...place, warm: null, timeoutMs };
  const { outcome, hits } = await runInTree(
    plan,
    draft,
    ({ tmp }) => ({
      argv: ['/bin/sh', '-ec', setup.command],
      // what is only kept for the next install would be carried into every trial
      env: { XDG_CACHE_HOME: `${tmp}/cache`, npm_config_cache: `${tmp}/npm`, npm_config_update_notifier: 'false' },
    }),
    {
      allow: allowedHosts(setup.network),
      capture: async (folders, { exitCode, timedOut }) => {
        if (exitCode === 0 && !timedOut) tree = await packWarm(base.folder, folders, draft);
      },
    },
  );
  if (tree === null) await refuseSetUp(one, setup, { ...outcome, hits }, draft);
  await writeFile(join(draft, warmFile), prettyJson(tree));
  const { startedAt, elapsedSeconds } = outcome;
  const { sandbox, image } = place;
  const record: SetUpRun = { schemaVersion: 1, case: one.name, setup, sandbox, image, startedAt, elapsedSeconds };
  await writeFile(join(draft, 'setup.json'), prettyJson(record));
}

async function refuseSetUp(
  one: Case,
  setup: SetUp,
  { exitCode, signal, timedOut, hits }: Pick<ProcessOutcome, 'exitCode' | 'signal' | 'timedOut'> & { hits: LimitHit[] },
  draft: string,
): Promise<never> {
  const said = [await readFile(join(draft, 'stderr.txt'), 'utf8'), await readFile(join(draft, 'stdout.txt'), 'utf8')]
    .map((text) => text.trim().split('\n').slice(-3).join(' | '))
    .find((text) => text !== '');
  const refused = ((await readConnections(draft)) ?? [])
    .filter(({ allowed }) => !allowed)
    .map(({ host, port }) => `${host}:${port}`);
  const hosts = [...new Set(refused)].slice(0, 5).join(', ');
  const how = timedOut
    ? `no end within ${setup.timeout_seconds} s`
    : signal === null
      ? `exit status ${exitCode}`
      : `ended by ${signal}`;
  throw new PrerequisiteError(`The set-up of case ${one.name} failed`, {
    expected: `${setup.command} to end with exit status 0`,
    found: [
      how,
      ...hits.map(({ limit, detail }) => `limit on ${limit}: ${detail}`),
      ...(hosts === '' ? [] : [`refused: ${hosts}`]),
      ...(said === undefined ? [] : [said.slice(-300)]),
    ].join('; '),
    next:
      hosts === ''
        ? 'mend setup in case.yaml: it runs in the sandbox, as the trials do'
        : 'name the hosts that it needs under setup.network.allow in case.yaml',
  });
}
