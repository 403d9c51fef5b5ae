import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { watch } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Checkout, ledgerEvents } from './checkout.js';

let checkout: Checkout;
let tmp: string;

beforeAll(async () => {
  checkout = await Checkout.make();
  // a folder of its own for the sessions: other test files have theirs at the same time
  tmp = checkout.path('tmp');
  await mkdir(tmp);
  await checkout.configure('inventory', { repeats: 1, stability_runs: 1, 'limits.attempts': 1 });
});

afterAll(() => checkout[Symbol.asyncDispose]());

const sessions = async () => (await readdir(tmp)).filter((name) => name.startsWith('skill-trial-session-'));

/** Starts one trial as Nx would, and resolves when the agent of that attempt has made a model call. */
async function startTrial(trial: string, attempt: number): Promise<ChildProcess> {
  const progress = checkout.path('data/runs/inventory');
  await mkdir(progress, { recursive: true });
  const seen = new Promise<void>((resolve) => {
    const watcher = watch(progress, async () => {
      const text = await checkout.read('data/runs/inventory/progress.jsonl').catch(() => '');
      const own = text.slice(Math.max(0, text.indexOf(`attempt ${attempt}`)));
      if (!text.includes(`attempt ${attempt}`) || !/"event":"call".*"modelCalls":[1-9]/.test(own)) return;
      watcher.close();
      resolve();
    });
  });
  const child = spawn(process.execPath, ['workflows/dist/3-run.js', 'inventory', trial], {
    cwd: checkout.root,
    env: { ...process.env, TMPDIR: tmp },
    stdio: 'ignore',
  });
  await seen;
  return child;
}

test('a killed run loses nothing: the next one names the attempt as abandoned, tries again, and leaves no folder behind', async () => {
  await checkout.configure('inventory', { 'model.scripted': 'times-out' });
  expect((await checkout.nx('inventory:discover')).code).toBe(0);
  const child = await startTrial('inventory.B.1', 1);
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('close', resolve));
  const left = await sessions();
  expect(left.length).toBeGreaterThan(0);
  const second = await startTrial('inventory.B.1', 2);
  const events = await ledgerEvents(checkout, 'inventory');
  second.kill('SIGKILL');
  await new Promise((resolve) => second.once('close', resolve));
  expect(
    events
      .filter((event) => event.trial === 'inventory.B.1')
      .map(({ kind, attempt, outcome }) => [kind, attempt, outcome ?? null]),
  ).toEqual([
    ['started', 1, null],
    ['ended', 1, 'abandoned'],
    ['started', 2, null],
  ]);
  expect((await sessions()).filter((name) => left.includes(name))).toEqual([]);
});

test('two runners of one trial at once run it once, and the ledger tells one story', async () => {
  await checkout.configure('inventory', { 'model.scripted': 'b-better', seed: 11 });
  expect((await checkout.nx('inventory:discover')).code).toBe(0);
  const before = (await ledgerEvents(checkout, 'inventory')).length;
  const run = () => checkout.node(['workflows/dist/3-run.js', 'inventory', 'inventory.A.1']);
  const [one, two] = await Promise.all([run(), run()]);
  expect([one.code, two.code], one.text + two.text).toEqual([0, 0]);
  const events = (await ledgerEvents(checkout, 'inventory')).slice(before).filter((event) => event.trial === 'inventory.A.1');
  expect(events.map(({ kind, attempt, outcome }) => [kind, attempt, outcome ?? null])).toEqual([
    ['started', 1, null],
    ['ended', 1, 'recorded'],
  ]);
});

test('a model that does not answer is an infrastructure failure: nothing recorded, nothing cached, the next attempt is a second line', async () => {
  const script = 'data/cases/inventory/scripts/never-activates.yaml';
  const good = await checkout.read(script);
  await checkout.write(script, good.replace(/^fault: .*$/m, 'fault: {at_call: 2, kind: disconnect}'));
  await checkout.configure('inventory', { 'model.scripted': 'never-activates' });
  const before = (await ledgerEvents(checkout, 'inventory')).length;
  const since = async () =>
    (await ledgerEvents(checkout, 'inventory')).slice(before).filter((event) => event.trial === 'inventory.A.1');
  const first = await checkout.nx('inventory:run-A');
  expect(first.code, first.text).not.toBe(0);
  expect(first.text).toContain('InfrastructureError');
  expect(first.text).toMatch(/expected:.*\n.*found:.*\n.*next:/);
  const failed = (await since()).filter((event) => event.kind === 'ended');
  expect(failed.map((event) => event.outcome)).toEqual(['infrastructure']);
  const second = await checkout.nx('inventory:run-A');
  expect(second.code).not.toBe(0);
  const both = (await since()).filter((event) => event.kind === 'started');
  expect(both.map((event) => event.attempt)).toEqual([1, 2]);
});

test('an unknown agent, a missing experiment and a broken setting are each one clear error, and the others still run', async () => {
  const missing = await checkout.start(['no-such']);
  expect(missing.code).toBe(1);
  expect(missing.text).toMatch(/expected: one of inventory, .*inventory-py/);
  await checkout.configure('inventory-py', { repeatss: 3 });
  const broken = await checkout.nx('inventory-py:freeze');
  expect(broken.code).toBe(1);
  expect(broken.text).toContain('experiment.yaml');
  expect(broken.text).toContain('did you mean "repeats"?');
  expect(broken.text).not.toMatch(/\n\s+at /);
  expect((await checkout.nx('inventory:validate')).code).toBe(0);
  await checkout.configure('inventory-py', { repeatss: undefined, 'agent.name': 'pie' });
  const agent = await checkout.nx('inventory-py:validate');
  expect(agent.code).toBe(1);
  expect(agent.text).toContain('Agent "pie" is not known');
});

test('a red starting suite is refused before any run, and accepted when its failures are recorded as known', async () => {
  await checkout.configure('inventory', { 'model.scripted': 'b-better' });
  const text =
    "import assert from 'node:assert/strict';\nimport test from 'node:test';\ntest('is red from the start', () => assert.equal(1, 2));\n";
  await checkout.write('data/cases/inventory/repo/test/red.test.js', text);
  const red = await checkout.nx('inventory:freeze');
  expect(red.code).toBe(1);
  expect(red.text).toContain('The starting suite of case inventory is red');
  expect(red.text).toContain('is red from the start');
  const yaml = 'data/cases/inventory/case.yaml';
  await checkout.write(yaml, `${await checkout.read(yaml)}known_failures: ["is red from the start"]\n`);
  expect((await checkout.nx('inventory:freeze')).code).toBe(0);
});

test('a full disk is one clear error, nothing is recorded, and the next run continues', async ({ skip }) => {
  await checkout.configure('inventory', { 'model.scripted': 'b-better', seed: 7 });
  expect((await checkout.nx('inventory:discover')).code).toBe(0);
  const small =
    'mkdir -p data/runs/inventory/scratch && mount -t tmpfs -o size=64k tmpfs data/runs/inventory/scratch && exec node workflows/dist/3-run.js inventory inventory.A.1';
  const probe = spawnSync('unshare', ['-m', 'sh', '-c', 'mount -t tmpfs -o size=64k tmpfs /mnt'], { stdio: 'ignore' });
  if (probe.status !== 0) skip('this machine lets nobody mount a small disk');
  const full = spawnSync('unshare', ['-m', 'sh', '-c', small], { cwd: checkout.root, encoding: 'utf8', timeout: 120_000 });
  expect(full.status, full.stderr).toBe(1);
  expect(full.stderr).toMatch(/No space left|free disk space/);
  expect(full.stderr).not.toMatch(/\n\s+at /);
  const ends = (await ledgerEvents(checkout, 'inventory')).filter((event) => event.kind === 'ended').at(-1);
  expect(ends?.outcome).toBe('infrastructure');
  expect((await checkout.nx('inventory.inventory.A.1:trial')).code).toBe(0);
});

test('a real model is never called without a yes', async () => {
  await checkout.configure('inventory', { 'model.scripted': undefined, 'model.base_url': 'http://127.0.0.1:9/v1' });
  const asked = await checkout.start(['inventory']);
  expect(asked.code).toBe(1);
  expect(asked.text).toContain('npm start -- inventory --yes');
  const direct = await checkout.nx('inventory:discover');
  expect(direct.code).toBe(1);
  expect(direct.text).toContain('may cost money');
});
