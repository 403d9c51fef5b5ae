import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packArchive, type Unpacked, unpackArchive } from '../skill-trial/src/archive.js';
import { bundleComment, manifestName, verifyBundle } from '../skill-trial/src/bundle-check.js';
import { sha256 } from '../skill-trial/src/hash.js';
import { Checkout } from './checkout.js';
import { finishedRun } from './finished-run.js';

let here: Checkout;
/** Another machine: the lab, and nothing that was run. */
let elsewhere: Checkout;
let folder: string;
let bundle: string;
let bytes: Buffer;
let unpacked: Unpacked;
const file = 'reports/inventory/inventory-bundle.zip';
const run = promisify(execFile);

beforeAll(async () => {
  [here, elsewhere] = await Promise.all([finishedRun('inventory'), Checkout.make()]);
  folder = await mkdtemp(join(tmpdir(), 'skill-trial-bundle-test-'));
  await run('openssl', ['genpkey', '-algorithm', 'ed25519', '-out', join(folder, 'key.pem')]);
  await run('openssl', ['pkey', '-in', join(folder, 'key.pem'), '-pubout', '-out', join(folder, 'public.pem')]);
  const made = await here.node(['workflows/dist/bundle.js', 'inventory', '--sign', join(folder, 'key.pem')]);
  expect(made.code, made.text).toBe(0);
  bundle = join(folder, 'inventory-bundle.zip');
  for (const ending of ['', '.sig']) await cp(here.path(`${file}${ending}`), `${bundle}${ending}`);
  bytes = await readFile(bundle);
  unpacked = await unpackArchive(bundle, join(folder, 'unpacked'));
});

afterAll(async () => {
  await Promise.all([
    here[Symbol.asyncDispose](),
    elsewhere[Symbol.asyncDispose](),
    rm(folder, { recursive: true, force: true }),
  ]);
});

const verify = (checkout: Checkout, ...words: string[]) => checkout.node(['workflows/dist/8-verify.js', ...words]);

test('another machine verifies the bundle offline, with its signature, and replays the agent runs', async () => {
  const done = await verify(elsewhere, '--bundle', bundle, '--public-key', join(folder, 'public.pem'), '--replay');
  expect(done.code, done.text).toBe(0);
  for (const said of ['every byte is as it was packed', 'signed with the given key', 'every number was derived again'])
    expect(done.text).toContain(said);
  expect(done.text).toMatch(/inventory\.A\.1 identical/);
  expect(done.text).toMatch(/inventory\.B\.1 identical/);
  expect(await readdir(elsewhere.path('data')), 'nothing is left in the checkout').not.toContain('runs');
});

test('the same files give the same bytes', async () => {
  await here.node(['workflows/dist/bundle.js', 'inventory']);
  expect(sha256(await readFile(here.path(file)))).toBe(sha256(bytes));
});

test('its hashes can be checked without the lab', async () => {
  const { stdout } = await run('sha256sum', ['--check', manifestName], { cwd: join(folder, 'unpacked'), maxBuffer: 1 << 24 });
  expect(
    stdout
      .trim()
      .split('\n')
      .every((line) => line.endsWith(': OK')),
  ).toBe(true);
  expect(stdout).toContain('ro-crate-metadata.json: OK');
});

test('it is an RO-Crate that names every file with its hash, the workflow, the run and each trial', async () => {
  type Entity = Record<string, unknown> & { '@id': string; '@type': string | string[] };
  const crate = JSON.parse(await readFile(join(folder, 'unpacked/ro-crate-metadata.json'), 'utf8')) as {
    '@context': unknown[];
    '@graph': Entity[];
  };
  const byId = new Map(crate['@graph'].map((entity) => [entity['@id'], entity]));
  expect(byId.size, 'an @id twice').toBe(crate['@graph'].length);
  const outside = /^https:\/\/w3id\.org\/ro\/crate\/1\.1$/;
  const follow = (value: unknown): void => {
    if (Array.isArray(value)) {
      for (const one of value) follow(one);
      return;
    }
    if (value === null || typeof value !== 'object') return;
    const id = (value as Entity)['@id'];
    expect(byId.has(id) || outside.test(id), `${id} is referred to and not there`).toBe(true);
  };
  for (const entity of crate['@graph'])
    for (const [key, value] of Object.entries(entity)) if (!key.startsWith('@')) follow(value);
  const root = byId.get('./') as Entity & { conformsTo: Entity[]; hasPart: Entity[]; mainEntity: Entity; name: string };
  expect(root.conformsTo.map((one) => one['@id'])).toContain('https://w3id.org/ro/wfrun/workflow/0.5');
  expect(root.name).toMatch(/^SCRIPTED/);
  expect(byId.get(root.mainEntity['@id'])?.['@type']).toContain('ComputationalWorkflow');
  const stated = root.hasPart.map((one) => byId.get(one['@id']) as Entity & { sha256: string });
  const paths = unpacked.entries
    .map(({ path }) => path)
    .filter((path) => ![manifestName, 'ro-crate-metadata.json'].includes(path));
  expect(stated.map((one) => decodeURIComponent(one['@id'])).sort()).toEqual([...paths].sort());
  for (const one of stated)
    expect(sha256(await readFile(join(folder, 'unpacked', decodeURIComponent(one['@id'])))), one['@id']).toBe(one.sha256);
  const actions = crate['@graph'].filter((one) => one['@type'] === 'CreateAction');
  expect(actions.map((one) => one['@id']).sort()).toEqual(['#run', '#trial-inventory.A.1', '#trial-inventory.B.1']);
});

/** The bundle with one byte changed, in a file of its own. */
async function altered(at: number): Promise<string> {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] as number) ^ 1;
  const path = join(folder, 'altered.zip');
  await writeFile(path, copy);
  return path;
}

describe('one altered byte in a file of each kind is found and the file named', () => {
  const kinds: [string, RegExp][] = [
    ['the lock', /^data\/runs\/inventory\/lock\.json$/],
    ['an earlier copy of the lock', /^data\/runs\/inventory\/locks\/\w+\.json$/],
    ['a spec', /specs\/inventory\.B\.1\.json$/],
    ['the schedule', /schedule\.jsonl$/],
    ['the ledger', /runs\/inventory\/ledger\.jsonl$/],
    ['the blinding secret', /secret\.txt$/],
    ['a trial', /trials\/.*\/trial\.json$/],
    ['a recorded body', /trials\/.*\/bodies\/[^/]+$/],
    ['a call record', /trials\/.*\/calls\.jsonl$/],
    ['an event stream', /trials\/.*\/events\.jsonl$/],
    ['a patch', /trials\/.*\/patch\.diff$/],
    ['a manifest of a record', /trials\/.*\/manifest\.json$/],
    ['a discovery answer', /discovery\/.*\/response\.md$/],
    ['a check', /checks\/.*\/tests\.jsonl$/],
    ['a stability run', /stability\/.*\/check\.json$/],
    ['a behaviour record', /behaviour\/.*\.json$/],
    ['the scores', /scores\.json$/],
    ['a score sheet', /sheets\/.*\.yaml$/],
    ['a published value', /published\/rows-cost\.json$/],
    ['a published figure', /published\/figures\/.*\.json$/],
    ['an executed notebook', /runs\/inventory\/notebooks\/.*\.ipynb$/],
    ['a notebook', /^notebooks\/1-.*\.ipynb$/],
    ['the settings', /experiment\.yaml$/],
    ['the task', /cases\/inventory\/task\.txt$/],
    ['the base tree', /cases\/inventory\/repo\/src\/.*\.js$/],
    ['a hidden test', /cases\/inventory\/hidden\/.*\.js$/],
    ['a skill', /^skills-src\/.*\/SKILL\.md$/],
    ['report.json', /^reports\/inventory\/report\.json$/],
    ['the page', /^reports\/inventory\/index\.html$/],
    ['a figure', /^reports\/inventory\/figures\/.*\.svg$/],
    ['the crate', /^ro-crate-metadata\.json$/],
    ['the manifest', /^manifest-sha256\.txt$/],
  ];
  test.each(kinds)('%s', async (_kind, pattern) => {
    const entry = unpacked.entries.find(({ path }) => pattern.test(path));
    if (entry === undefined) throw new Error(`no file ${pattern} in the bundle`);
    // a local header: 30 bytes, then a name and an extra field of the lengths it states
    const content = entry.offset + 30 + bytes.readUInt16LE(entry.offset + 26) + bytes.readUInt16LE(entry.offset + 28);
    const size = (await readFile(join(folder, 'unpacked', entry.path))).length;
    const { failures, points } = await verifyBundle(await altered(content + Math.floor(size / 2)), { root: here.root });
    expect(failures.join('\n')).toContain(entry.path);
    expect(points, 'nothing is derived from altered files').toEqual([]);
  });
});

test('a byte outside of every file is found too: a time, a length, a mode, the comment', async () => {
  const first = unpacked.entries[0] as Unpacked['entries'][number];
  const directory = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 0x01, 0x02]));
  for (const at of [first.offset + 10, first.offset + 14, directory + 12, directory + 38, bytes.length - 1]) {
    const { failures } = await verifyBundle(await altered(at), { root: here.root });
    expect(failures.length, `byte ${at}`).toBeGreaterThan(0);
  }
});

test('the public command names the file and ends with a failure, without a stack trace', async () => {
  const response = unpacked.entries.find(({ path }) => /trials\/.*\/response\.md$/.test(path)) as Unpacked['entries'][number];
  const content = response.offset + 30 + bytes.readUInt16LE(response.offset + 26) + bytes.readUInt16LE(response.offset + 28);
  const done = await verify(elsewhere, '--bundle', await altered(content));
  expect(done.code, done.text).toBe(1);
  expect(done.text).toContain(`${response.path}: altered`);
  expect(done.text).not.toMatch(/\n\s+at /);
});

/** The unpacked bundle with one file changed, packed again with hashes that are right for it. */
async function repacked(path: string, change: (text: string) => string): Promise<string> {
  const copy = join(folder, 'repacked');
  await rm(copy, { recursive: true, force: true });
  await cp(join(folder, 'unpacked'), copy, { recursive: true });
  await writeFile(join(copy, path), change(await readFile(join(copy, path), 'utf8')));
  const hash = sha256(await readFile(join(copy, path)));
  const before = await readFile(join(copy, manifestName), 'utf8');
  const manifest = before.replace(/^[0-9a-f]{64} {2}(.+)$/gm, (line, name) => (name === path ? `${hash}  ${path}` : line));
  await writeFile(join(copy, manifestName), manifest);
  const files = unpacked.entries.map((entry) => ({ path: entry.path, mode: entry.mode, from: join(copy, entry.path) }));
  const archive = join(folder, 'repacked.zip');
  await pipeline(packArchive(files, bundleComment(sha256(manifest))), createWriteStream(archive));
  return archive;
}

test('a bundle packed anew around a changed number is whole, and the derivation names the file', async () => {
  const { failures } = await verifyBundle(
    await repacked('reports/inventory/report.json', (text) =>
      text.replace('"nUsed": 1', '"nUsed": 2').replace('"used": 1', '"used": 2'),
    ),
    { root: here.root },
  );
  expect(failures).toEqual(['reports/inventory/report.json differs from what the records give']);
});

test('another signature than the asked-for key is a failure; without a key a signature is not claimed', async () => {
  await run('openssl', ['genpkey', '-algorithm', 'ed25519', '-out', join(folder, 'other.pem')]);
  await run('openssl', ['pkey', '-in', join(folder, 'other.pem'), '-pubout', '-out', join(folder, 'other-public.pem')]);
  const other = await verifyBundle(bundle, { root: here.root, publicKey: join(folder, 'other-public.pem') });
  expect(other).toMatchObject({ signed: false, points: [] });
  const unsigned = join(folder, 'unsigned.zip');
  await cp(bundle, unsigned);
  expect(await verifyBundle(unsigned, { root: here.root, publicKey: join(folder, 'public.pem') })).toMatchObject({
    signed: false,
  });
});

test('no bundle while the arms are blinded', async () => {
  await using checkout = await finishedRun('inventory');
  const scores = 'data/runs/inventory/scores.json';
  const text = await checkout.read(scores);
  await checkout.write(scores, text.replace('"state": "unblinded"', '"state": "locked"'));
  const done = await checkout.node(['workflows/dist/bundle.js', 'inventory']);
  expect(done.code).toBe(1);
  expect(done.text).toContain('still blinded');
});

test('what is no bundle is refused with its name', async () => {
  const path = join(folder, 'no.zip');
  await writeFile(path, 'no zip at all');
  const done = await verify(elsewhere, '--bundle', path);
  expect(done.code).toBe(1);
  expect(done.text).toContain('no.zip cannot be unpacked');
});
