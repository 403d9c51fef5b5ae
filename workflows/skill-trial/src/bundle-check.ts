import { mkdir, mkdtemp, readFile, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { firstDifference, packArchive, type Unpacked, unpackArchive } from './archive.js';
import { shown } from './document.js';
import { LabError, RecordError, SettingsError } from './errors.js';
import { listTree, sha256 } from './hash.js';
import { type Lab, openLab } from './lab.js';
import { rootPaths } from './paths.js';
import { readJson } from './record.js';
import { replay, type TrialReplay } from './replay.js';
import { isSigned, Signature } from './signature.js';
import { type Verification, verify } from './verify.js';

/** Every other file by its SHA-256, as `sha256sum -c` reads it. */
export const manifestName = 'manifest-sha256.txt';

/** The archive's own comment: it holds the manifest's hash, which no file in the archive can. */
export const bundleComment = (manifest: string) => `skill-trial-bundle/1 sha256:${manifest}`;

/** Unpacks a bundle into a folder and holds every file and every other byte against its manifest. [] failures: it is as it was packed. */
export async function checkBundle(archive: string, folder: string): Promise<{ failures: string[] }> {
  await mkdir(folder, { recursive: true });
  const unpacked = await unpackArchive(archive, folder);
  const manifest = await readFile(join(folder, manifestName), 'utf8').catch(() => null);
  if (manifest === null) return { failures: [`${manifestName}: missing`] };
  const failures: string[] = [];
  const present = new Map((await listTree(folder)).map((file) => [file.path, file.sha256]));
  present.delete(manifestName);
  for (const [index, line] of manifest.split('\n').slice(0, -1).entries()) {
    const [, hash, path] = /^([0-9a-f]{64}) {2}(.+)$/.exec(line) ?? [];
    if (hash === undefined || path === undefined) failures.push(`${manifestName}:${index + 1}: altered`);
    else if (!present.has(path)) failures.push(`${path}: missing`);
    else if (present.get(path) !== hash) failures.push(`${path}: altered`);
    present.delete(path ?? '');
  }
  failures.push(...[...present.keys()].map((path) => `${path}: not in ${manifestName}`));
  if (unpacked.comment !== bundleComment(sha256(manifest)))
    failures.push(`${manifestName}: altered, or the comment of the archive that holds its hash`);
  return { failures: failures.length > 0 ? failures : await checkBetween(archive, folder, unpacked) };
}

/** What lies around the files' contents: names, modes, times, lengths and order. */
async function checkBetween(archive: string, folder: string, { entries, comment }: Unpacked): Promise<string[]> {
  const files = [...entries]
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ path, mode }) => ({ path, mode, from: join(folder, path) }));
  const at = await firstDifference(archive, packArchive(files, comment));
  if (at === null) return [];
  const directory = entries.reduce((end, entry) => Math.max(end, entry.offset), 0);
  const near = [...entries].sort((a, b) => b.offset - a.offset).find((entry) => entry.offset <= at);
  const where = near === undefined ? 'the archive' : at > directory ? `the archive's directory, after ${near.path}` : near.path;
  return [`${where}: byte ${at} of ${basename(archive)} is not as it was packed`];
}

export interface BundleVerification extends Verification {
  experiment: string | null;
  /** The lab's version that the bundle was made with. */
  lab: string | null;
  /** null: there is no signature, or no key was given to check it by. */
  signed: boolean | null;
  replayed: TrialReplay[];
}

export interface BundleOptions {
  /** The checkout whose agents replay; the bundle's own data are unpacked elsewhere. */
  root: string;
  /** A public key; then a missing or wrong signature is a failure. */
  publicKey?: string | null;
  /** Whether to replay the agent runs, and whom to tell of each. */
  onReplay?: ((trial: TrialReplay) => void) | null;
  onStep?: (text: string) => void;
}

/**
 * Verifies a bundle on a machine that has nothing but the lab: signature, every byte, then every derivation from the unpacked records,
 * and on demand the agent runs from their recordings. Offline. What does not hold ends it there: nothing is derived from altered files.
 */
export async function verifyBundle(archive: string, options: BundleOptions): Promise<BundleVerification> {
  const { root, publicKey = null, onReplay = null, onStep = () => {} } = options;
  if ((await stat(archive).catch(() => null)) === null) {
    throw new SettingsError(`${shown(archive)} is not there`, {
      expected: 'a bundle (npx nx run <experiment>:bundle makes one)',
      found: 'no such file',
      next: 'correct the path',
    });
  }
  const folder = await mkdtemp(join(tmpdir(), 'skill-trial-unbundled-'));
  const stopped = { experiment: null, lab: null, signed: null, points: [], replayed: [] };
  try {
    const signed = publicKey === null ? null : await isOwn(archive, publicKey);
    if (signed === false)
      return { ...stopped, signed, failures: [`${basename(archive)}: its signature is missing or of another key`] };
    const { failures } = await checkBundle(archive, folder);
    if (failures.length > 0) return { ...stopped, signed, failures };
    onStep('every byte is as it was packed');
    const lab = await openUnpacked(folder);
    const made = JSON.parse(await readFile(lab.run.lock, 'utf8')).provenance.lab as string;
    const verification = await verify(lab);
    const replayed: TrialReplay[] = [];
    if (onReplay !== null && verification.failures.length === 0) {
      // what the agents are installed in is this machine's; everything else is the bundle's
      for (const place of ['nodeModules', 'agents'] as const)
        await symlink(rootPaths(root)[place], rootPaths(folder)[place]).catch(() => undefined);
      const done = await replay(lab, [], onReplay);
      replayed.push(...done.trials);
      for (const { trial, outcome } of replayed)
        if (outcome === 'different') verification.failures.push(`${trial}: its replay differs`);
    }
    return { ...verification, experiment: lab.experiment.name, lab: made, signed, replayed };
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    return { ...stopped, failures: [error.message] };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function isOwn(archive: string, publicKey: string): Promise<boolean> {
  const signature = await readJson(`${archive}.sig`, Signature).catch(() => null);
  return signature !== null && (await isSigned(archive, signature, publicKey));
}

async function openUnpacked(folder: string): Promise<Lab> {
  const locks = (await listTree(folder)).flatMap(({ path }) => /^data\/runs\/([a-z0-9-]+)\/lock\.json$/.exec(path)?.[1] ?? []);
  if (locks.length === 1 && locks[0] !== undefined) return openLab(folder, locks[0], undefined, 'frozen');
  throw new RecordError('The bundle holds no experiment to verify', {
    expected: 'one data/runs/<experiment>/lock.json',
    found: locks.length === 0 ? 'none' : locks.join(', '),
    next: 'bundle again where the experiment was run',
  });
}
