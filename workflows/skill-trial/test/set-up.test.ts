import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Base, captureChange, makeBase, makeWorkspace } from '../src/base.js';
import type { Case, TestedCase } from '../src/case.js';
import { SetUp } from '../src/environment.js';
import { FrozenError, PrerequisiteError, SettingsError } from '../src/errors.js';
import { runPaths } from '../src/paths.js';
import { type Place, plainPlace } from '../src/place.js';
import { defaultLimits } from '../src/resource-limits.js';
import { findSandbox } from '../src/sandbox.js';
import type { SandboxKind } from '../src/sandbox-plan.js';
import { setUpCase, setUpKey } from '../src/set-up.js';
import { runTestCheck } from '../src/test-check.js';
import { ignoreLine, layWarm, madeBy, topmost, type Warm } from '../src/warm-tree.js';
import { failure, tempFolder, writeFiles } from './fixture.js';

let kind: SandboxKind;
beforeAll(async () => {
  kind = (await findSandbox('auto')).kind;
});

/** A case of the given files with a set-up, its base made. */
async function caseWith(files: Record<string, string | Buffer>, setup: Partial<SetUp> & { command: string }) {
  const root = await tempFolder();
  const folder = join(root, 'data/cases/tiny');
  await writeFiles(join(folder, 'repo'), files);
  const one = { name: 'tiny', folder, repo: { path: 'repo' }, setup: SetUp.parse(setup) } as unknown as Case;
  const lab = { run: runPaths(root, 'tiny') };
  const base = await makeBase(one, lab.run.bases);
  const steps: string[] = [];
  const place: Place = plainPlace(kind);
  const run = () => setUpCase(lab, one, base, place, (text) => steps.push(text));
  const warm = async (): Promise<Warm> => {
    const frozen = await run();
    return { folder: lab.run.setUp('tiny', frozen?.key as string), content: frozen?.content as string };
  };
  return { one, base, steps, place, run, warm };
}

/** A repository that needs one package, which lies in it as an archive: `npm ci` gets by without a network. */
async function packagedRepository(): Promise<Record<string, string | Buffer>> {
  const made = await tempFolder({
    'package/package.json': JSON.stringify({ name: 'left', version: '1.0.0', main: 'index.js' }),
    'package/index.js': 'exports.left = (text, size) => text.padStart(size);\n',
  });
  execFileSync('tar', ['-C', made, '-czf', join(made, 'left.tgz'), 'package']);
  const left = { version: '1.0.0', resolved: 'file:vendor/left.tgz' };
  const needs = { dependencies: { left: 'file:vendor/left.tgz' } };
  return {
    'package.json': JSON.stringify({ name: 'tiny', version: '1.0.0', ...needs }),
    'package-lock.json': JSON.stringify({
      ...{ name: 'tiny', version: '1.0.0', lockfileVersion: 3, requires: true },
      packages: { '': { name: 'tiny', version: '1.0.0', ...needs }, 'node_modules/left': left },
    }),
    'vendor/left.tgz': await readFile(join(made, 'left.tgz')),
    'test/left.test.js': `const test = require('node:test'); const assert = require('node:assert/strict');
      test('pads', () => assert.equal(require('left').left('a', 3), '  a'));`,
  };
}

/** A workspace with what the set-up made in it, as a session has it. */
async function warmWorkspace(base: Base, warm: Warm): Promise<{ workspace: string; home: string }> {
  const scratch = await tempFolder();
  const [workspace, home] = [join(scratch, 'workspace'), join(scratch, 'home')];
  await makeWorkspace(base, workspace);
  await mkdir(home);
  await layWarm(warm, workspace, home);
  return { workspace, home };
}

const status = (folder: string) => execFileSync('git', ['-C', folder, 'status', '--porcelain'], { encoding: 'utf8' });

describe('a set-up', () => {
  test('runs once; what it installs is there for the agent and for the tests, and in no diff', async () => {
    const { one, base, steps, place, run, warm } = await caseWith(await packagedRepository(), { command: 'npm ci' });
    const frozen = await run();
    expect(await run()).toEqual(frozen);
    expect(steps).toEqual(['set-up of case tiny: npm ci']);
    expect(frozen?.seconds).toBeGreaterThan(0);
    expect(await madeBy(await warm())).toEqual(['node_modules']);

    const { workspace } = await warmWorkspace(base, await warm());
    expect(await readFile(join(workspace, 'node_modules/left/index.js'), 'utf8')).toContain('padStart');
    expect(status(workspace)).toBe('');
    // an agent that un-ignores all of it, adds to it and commits it
    await writeFile(join(workspace, '.gitignore'), '!node_modules\n!*\n');
    await writeFile(join(workspace, 'node_modules/left/more.js'), 'more\n');
    await writeFile(join(workspace, 'new.js'), 'new\n');
    execFileSync('git', ['-C', workspace, 'add', '--force', '--all']);
    const target = await tempFolder();
    await captureChange(workspace, base, target, await madeBy(await warm()));
    const patch = await readFile(join(target, 'patch.diff'), 'utf8');
    expect([...patch.matchAll(/^diff --git a\/(\S+)/gm)].map(([, path]) => path)).toEqual(['.gitignore', 'new.js']);
    expect(await readFile(join(target, 'status.txt'), 'utf8')).not.toContain('node_modules');

    const tested = { ...one, suite: ['node', '--test'], tests: { framework: 'node-test', include: ['test/**'] } } as TestedCase;
    const plan = {
      name: 'suite',
      case: tested,
      base,
      patch: join(target, 'patch.diff'),
      overlay: [],
      files: null,
      timeoutMs: 60_000,
    };
    const check = async (given: Warm | null) =>
      (await runTestCheck({ ...plan, ...place, warm: given }, await tempFolder())).tests.map((row) => row.outcome);
    expect(await check(await warm())).toEqual(['passed']);
    expect(await check(null)).not.toEqual(['passed']);
  });

  test('what it puts into HOME is in every HOME, without the caches', async () => {
    const { base, warm } = await caseWith(
      { 'a.txt': 'a\n' },
      { command: 'mkdir -p ~/.local/lib "$XDG_CACHE_HOME"; echo ready > ~/.local/lib/state; echo big > "$XDG_CACHE_HOME/big"' },
    );
    const { home, workspace } = await warmWorkspace(base, await warm());
    expect(await readFile(join(home, '.local/lib/state'), 'utf8')).toBe('ready\n');
    expect(execFileSync('find', [home, workspace, '-name', 'big'], { encoding: 'utf8' })).toBe('');
  });

  test('equal outcomes have one content, whenever they were made; another outcome has another', async () => {
    const content = async (command: string) => (await (await caseWith({ 'a.txt': 'a\n' }, { command })).run())?.content;
    expect(await content('echo 1 > made')).toBe(await content('echo 1 > made; touch -d 2001-01-01 made'));
    expect(await content('echo 1 > made')).not.toBe(await content('echo 2 > made'));
  });

  test('one that fails says with what, and records nothing', async () => {
    const { run } = await caseWith({ 'a.txt': 'a\n' }, { command: 'echo no such package >&2; exit 3' });
    const error = await failure(PrerequisiteError, run);
    expect(error.message).toContain('The set-up of case tiny failed');
    expect(error.found).toBe('exit status 3; no such package');
    await failure(PrerequisiteError, run);
  });

  test('one that does not end in time is ended', async () => {
    const { run } = await caseWith({ 'a.txt': 'a\n' }, { command: 'exec sleep 600', timeout_seconds: 1 });
    expect((await failure(PrerequisiteError, run)).found).toBe('no end within 1 s');
  });

  test('one that changes or removes a file of the repository is refused', async () => {
    const files = { 'package-lock.json': '{}\n', 'b.txt': 'b\n' };
    const { run } = await caseWith(files, { command: 'echo 1 > package-lock.json; rm b.txt; echo 2 > new' });
    expect((await failure(SettingsError, run)).found).toBe('b.txt (removed), package-lock.json');
  });

  test('its network is none, or what the case allows; a refused host is named', async ({ skip }) => {
    if (kind === 'private-home' && process.env.CI !== 'true') skip('this sandbox does not hold the network');
    const server = createServer((_, response) => void response.end('from outside'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    // through the proxy that the variables name, as npm and pip go
    const command = `node -e '
      const [host, port] = process.env.HTTP_PROXY.slice(7).split(":");
      require("http").get({ host, port, path: "http://127.0.0.1:${port}/" }, (answer) => {
        if (answer.statusCode !== 200) process.exit(9);
        answer.pipe(require("fs").createWriteStream("fetched"));
      })'`;
    const refused = await failure(PrerequisiteError, (await caseWith({ 'a.txt': 'a\n' }, { command })).run);
    expect(refused.found).toContain(`refused: 127.0.0.1:${port}`);
    expect(refused.next).toContain('setup.network.allow');
    const { base, warm } = await caseWith({ 'a.txt': 'a\n' }, { command, network: { allow: [`127.0.0.1:${port}`] } });
    const { workspace } = await warmWorkspace(base, await warm());
    expect(await readFile(join(workspace, 'fetched'), 'utf8')).toBe('from outside');
  });

  test('a record that was altered is refused', async () => {
    const { base, warm } = await caseWith({ 'a.txt': 'a\n' }, { command: 'echo 1 > made' });
    const found = await warm();
    await appendFile(join(found.folder, 'workspace.tar'), 'x');
    await failure(FrozenError, () => warmWorkspace(base, found));
    await rm(found.folder, { recursive: true });
    await failure(FrozenError, () => warmWorkspace(base, found));
  });

  test('a broken record is made anew by the next freeze, which says so', async () => {
    const { base, run, steps, warm } = await caseWith({ 'a.txt': 'a\n' }, { command: 'echo 1 > made' });
    const found = await warm();
    await appendFile(join(found.folder, 'workspace.tar'), 'x');
    const again = await run();
    expect(steps[1]).toBe('set-up of case tiny anew, workspace.tar: altered: echo 1 > made');
    expect(again).toMatchObject({ content: found.content });
    const { workspace } = await warmWorkspace(base, found);
    expect(await readFile(join(workspace, 'made'), 'utf8')).toBe('1\n');
    await writeFile(join(found.folder, 'manifest.json'), '{');
    await run();
    expect(steps[2]).toBe('set-up of case tiny anew, manifest.json: altered: echo 1 > made');
    expect(await run()).toMatchObject({ content: found.content });
    expect(steps).toHaveLength(3);
  });

  test("nothing is written through a link that stands in a folder's place", async () => {
    const { base, warm } = await caseWith({ 'src/a.txt': 'a\n' }, { command: 'echo 1 > src/made; echo 2 > made' });
    const scratch = await tempFolder();
    const [workspace, home, outside] = ['workspace', 'home', 'outside'].map((name) => join(scratch, name)) as [
      string,
      string,
      string,
    ];
    await makeWorkspace(base, workspace);
    await Promise.all([mkdir(home), mkdir(outside)]);
    await rm(join(workspace, 'src'), { recursive: true });
    await symlink(outside, join(workspace, 'src'));
    await layWarm(await warm(), workspace, home);
    expect(execFileSync('ls', [outside], { encoding: 'utf8' })).toBe('');
    expect(await readFile(join(workspace, 'made'), 'utf8')).toBe('2\n');
  });
});

test("a set-up follows from the machine's Node and system where there is no image, and from the image where there is one", () => {
  const machine = { version: 'v22.0.0', platform: 'linux', arch: 'x64' } as const;
  const others = [{ version: 'v24.0.0' }, { platform: 'darwin' }, { arch: 'arm64' }] as const;
  const key = (image: string | null, other: object = {}) =>
    setUpKey(SetUp.parse({ command: 'npm ci' }), 'abc', { ...plainPlace('container'), image }, { ...machine, ...other });
  expect(new Set([key(null), ...others.map((other) => key(null, other))]).size).toBe(4);
  expect(new Set([key('sha256:1'), ...others.map((other) => key('sha256:1', other))]).size).toBe(1);
  expect(key('sha256:2')).not.toBe(key('sha256:1'));
});

test('what a set-up made is named by its topmost paths', () => {
  const base = ['package.json', 'src/a.js', 'src/deep/b.js'];
  const made = ['node_modules/x/y.js', 'node_modules/.bin/x', 'src/deep/c.js', 'src/gen/d.js', 'e'];
  expect(topmost(made, base)).toEqual(['e', 'node_modules', 'src/deep/c.js', 'src/gen']);
  expect(topmost([], base)).toEqual([]);
});

test.for([
  ['node_modules', '/node_modules\n'],
  ['a*b?[c]', '/a\\*b\\?\\[c\\]\n'],
  ['!a#', '/\\!a\\#\n'],
  ['a ', '/a\\ \n'],
])('a line of an ignore file that names %s and nothing else', ([path, line]) => {
  expect(ignoreLine(path as string)).toBe(line);
});

test('declared limits hold for runs of tests: a file may not grow over the largest', async () => {
  const { one, base, place } = await caseWith(
    {
      'test/big.test.js': `const test = require('node:test'); const fs = require('node:fs');
        test('writes 3 MB', () => fs.writeFileSync('/tmp/big', Buffer.alloc(3 << 20)));`,
    },
    { command: 'true' },
  );
  const tested = { ...one, suite: ['node', '--test'], tests: { framework: 'node-test', include: ['test/**'] } } as TestedCase;
  const plan = { name: 'suite', case: tested, base, patch: null, overlay: [], files: null, timeoutMs: 60_000, ...place };
  const run = async (fileMb: number) =>
    (await runTestCheck({ ...plan, limits: { ...defaultLimits, fileMb } }, await tempFolder())).tests.map((row) => row.outcome);
  expect(await run(16)).toEqual(['passed']);
  expect(await run(1)).not.toEqual(['passed']);
});
