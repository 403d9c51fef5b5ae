import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { test } from 'vitest';
import { startedTrials } from './checkout.js';
import { finishedRun } from './finished-run.js';

test('a copy of a finished run behaves as the run itself, and holds no path of it', async ({ expect }) => {
  await using checkout = await finishedRun('inventory');
  const run = 'data/runs/inventory';
  const trials = await startedTrials(checkout, 'inventory');
  expect(trials).toEqual(['inventory.A.1', 'inventory.B.1']);
  // a record and its receipt are two names of one file, and no file of another run's
  for (const trial of trials) {
    const { spec } = await checkout.json<{ spec: string }>(run, 'receipts', trial, 'trial.json');
    const [record, receipt] = await Promise.all([
      stat(checkout.path(run, 'trials', spec.slice(0, 16), '1/trial.json')),
      stat(checkout.path(run, 'receipts', trial, 'trial.json')),
    ]);
    expect([record.ino, record.nlink]).toEqual([receipt.ino, 2]);
  }
  const holding: string[] = [];
  for (const entry of await readdir(checkout.path('data'), { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    // what Nx printed is a log for people
    if (entry.isFile() && entry.name !== 'nx.log' && (await readFile(file)).includes(basename(checkout.root).slice(0, -6)))
      holding.push(file);
  }
  expect(holding).toEqual([]);
  // everything but the verification comes from the cache, and no trial starts
  const again = await checkout.start(['inventory']);
  expect(again.code, again.text).toBe(0);
  expect(again.text).toContain('every record is whole');
  const [, cached, tasks] = /(\d+) of (\d+) tasks from the cache/.exec(again.text) as unknown as [string, string, string];
  expect(Number(tasks) - Number(cached)).toBe(1);
  expect(await startedTrials(checkout, 'inventory')).toEqual(trials);
});
