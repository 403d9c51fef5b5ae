import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Checkout, ledgerEvents, startedTrials } from './checkout.js';

// One checkout, changed step by step as a user would: each test builds on the one before it.
let checkout: Checkout;
const [A1, B1, B2, A2] = ['inventory.A.1', 'inventory.B.1', 'inventory.B.2', 'inventory.A.2'];

beforeAll(async () => {
  checkout = await Checkout.make();
  await checkout.configure('inventory', { repeats: 2, stability_runs: 1 });
});

afterAll(() => checkout[Symbol.asyncDispose]());

/** Runs every trial that the graph finds out of date, and returns those that began. */
async function ran(expectCode = 0): Promise<string[]> {
  const before = (await startedTrials(checkout, 'inventory')).length;
  const done = await checkout.nxMany('inventory', ['run-A', 'run-B']);
  expect(done.code, done.text).toBe(expectCode);
  return (await startedTrials(checkout, 'inventory')).slice(before);
}

test('a first run obeys the schedule: A1 B1, B2 A2', async () => {
  expect(await ran()).toEqual([A1, B1, B2, A2]);
});

test('a second run starts no trial', async () => {
  expect(await ran()).toEqual([]);
});

test('without the Nx cache an existing record still wins', async () => {
  await rm(checkout.path('.cache/nx'), { recursive: true, force: true });
  expect(await ran()).toEqual([]);
});

test('a record that is gone comes back from the Nx cache, and the ledger says so', async () => {
  const spec = (await checkout.json<{ hash: string }>('data/runs/inventory/specs/inventory.A.1.json')).hash.slice(0, 16);
  await rm(checkout.path('data/runs/inventory/trials', spec, '1'), { recursive: true });
  expect(await ran()).toEqual([]);
  const done = await checkout.node(['workflows/dist/4-control.js', 'inventory']);
  expect(done.text).toContain('inventory.A.1 taken over from the cache');
  expect(
    (await ledgerEvents(checkout, 'inventory')).filter((event) => event.kind === 'restored').map((event) => event.trial),
  ).toEqual([A1]);
});

test('a comment in experiment.yaml starts no trial and keeps the lock', async () => {
  const lock = await checkout.read('data/runs/inventory/lock.json');
  await checkout.write(
    'data/experiments/inventory/experiment.yaml',
    `# a comment\n${await checkout.read('data/experiments/inventory/experiment.yaml')}`,
  );
  expect(await ran()).toEqual([]);
  expect(await checkout.read('data/runs/inventory/lock.json')).toBe(lock);
});

test('another repeat starts only the new trials, in schedule order', async () => {
  await checkout.configure('inventory', { repeats: 3 });
  expect(await ran()).toEqual(['inventory.A.3', 'inventory.B.3']);
  await checkout.configure('inventory', { repeats: 2 });
  expect(await ran()).toEqual([]);
});

test('a changed rubric makes a new lock and starts no trial', async () => {
  const lock = await checkout.json<{ id: string }>('data/runs/inventory/lock.json');
  const file = 'data/cases/inventory/review-rubric.csv';
  await checkout.write(file, (await checkout.read(file)).replace('R6,"', 'R6,"Also: '));
  expect(await ran()).toEqual([]);
  expect((await checkout.json<{ id: string }>('data/runs/inventory/lock.json')).id).not.toBe(lock.id);
});

test('a changed skill starts the trials of the arm that has it, beside the old records', async () => {
  const file = 'skills-src/contract-doc-sync/SKILL.md';
  await checkout.write(file, `${await checkout.read(file)}\nOne more line of advice that is new.\n`);
  expect(await ran()).toEqual([B1, B2]);
});

test('a changed limit starts every trial again', async () => {
  await checkout.configure('inventory', { 'limits.wall_seconds': 119 });
  expect(await ran()).toEqual([A1, B1, B2, A2]);
});

test('a changed number of attempts reaches no agent and starts no trial', async () => {
  await checkout.configure('inventory', { 'limits.attempts': 3 });
  expect(await ran()).toEqual([]);
});

test('a changed model id starts every trial again', async () => {
  await checkout.configure('inventory', { 'model.id': 'scripted-2' });
  expect(await ran()).toEqual([A1, B1, B2, A2]);
});

test('a changed task starts every trial again', async () => {
  const file = 'data/cases/inventory/task.txt';
  await checkout.write(file, (await checkout.read(file)).replace('Please review', 'Please look at and review'));
  expect(await ran()).toEqual([A1, B1, B2, A2]);
});

test('every earlier lock stays on the disk and in the ledger', async () => {
  const locks = (await ledgerEvents(checkout, 'inventory')).filter((event) => event.kind === 'lock');
  expect(locks.length).toBeGreaterThanOrEqual(7);
});
