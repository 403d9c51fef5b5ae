import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Checkout } from './checkout.js';
import { finishedRun } from './finished-run.js';

let checkout: Checkout;
let record: string;
let check: string;
let stability: string;
let discovery: string;
let base: string;
let sheet: string;

beforeAll(async () => {
  checkout = await finishedRun('inventory');
  const run = 'data/runs/inventory';
  const first = async (...parts: string[]) => join(...parts, (await readdir(checkout.path(...parts))).sort()[0] as string);
  record = join(await first(run, 'trials'), '1');
  check = await first(await first(await first(run, 'checks')));
  stability = await first(await first(await first(run, 'stability')));
  discovery = join(await first(run, 'discovery'), 'diagnostic');
  base = await first(run, 'bases');
  const content = (await checkout.json<{ content: string }>(record, 'trial.json')).content;
  sheet = `data/experiments/inventory/sheets/${content.slice(0, 12)}.scripted-sheets.yaml`;
});

afterAll(() => checkout[Symbol.asyncDispose]());

async function verify() {
  return checkout.node(['workflows/dist/8-verify.js', 'inventory']);
}

/** Changes one byte in the middle of a file (a letter or digit, so that JSON stays JSON), and puts it back afterwards. */
async function withOneByteChanged(path: string, action: () => Promise<void>): Promise<void> {
  const file = checkout.path(path);
  const before = await readFile(file);
  const letters = [...before.keys()].filter((index) => /[a-z0-9]/.test(String.fromCharCode(before[index] as number)));
  const at = letters[Math.floor(letters.length / 2)] ?? 0;
  const after = Buffer.from(before);
  after[at] = before[at] === 0x31 ? 0x32 : 0x31;
  await writeFile(file, after);
  try {
    await action();
  } finally {
    await writeFile(file, before);
  }
}

test('an untouched run verifies, and says that it does', async () => {
  const done = await verify();
  expect(done.code, done.text).toBe(0);
  expect(done.text).toContain('every record is whole');
});

describe('one altered byte makes verify fail and name', () => {
  const kinds: [string, () => string, RegExp][] = [
    ['the task', () => 'data/cases/inventory/task.txt', /data\/cases\/inventory: task/],
    ['the reference sheet', () => 'data/cases/inventory/reference.md', /data\/cases\/inventory: reference/],
    ['the review rubric', () => 'data/cases/inventory/review-rubric.csv', /review_rubric|review-rubric/],
    ['the test rubric', () => 'data/cases/inventory/test-rubric.csv', /test_rubric|test-rubric/],
    ['the documentation rubric', () => 'data/cases/inventory/doc-rubric.csv', /documentation_rubric|doc-rubric/],
    ['a hidden test', () => 'data/cases/inventory/hidden/R3.test.js', /data\/cases\/inventory: hidden/],
    ['the reference solution', () => 'data/cases/inventory/solution/src/reserve-order.js', /data\/cases\/inventory: solution/],
    ['the base tree of the case', () => 'data/cases/inventory/repo/src/reserve-order.js', /data\/cases\/inventory\/repo/],
    ['the base of the workspaces', () => join(base, 'src/reserve-order.js'), /bases\//],
    ['a skill', () => 'skills-src/contract-doc-sync/SKILL.md', /skills-src\/contract-doc-sync|contract-doc-sync/],
    ['the scripted plan', () => 'data/cases/inventory/scripts/plans/quick/response.md', /script b-better/],
    ['the lock', () => 'data/runs/inventory/lock.json', /lock\.json/],
    ['the schedule', () => 'data/runs/inventory/schedule.jsonl', /schedule\.jsonl/],
    ['a spec', () => 'data/runs/inventory/specs/inventory.B.1.json', /specs\/inventory\.B\.1\.json/],
    ['the blinding secret', () => 'data/runs/inventory/secret.txt', /secret\.txt/],
    ['the ledger', () => 'data/runs/inventory/ledger.jsonl', /ledger\.jsonl/],
    ['a response', () => join(record, 'response.md'), /response\.md/],
    ['a patch', () => join(record, 'patch.diff'), /patch\.diff/],
    ['an event stream', () => join(record, 'events.jsonl'), /events\.jsonl/],
    ['a call record', () => join(record, 'calls.jsonl'), /calls\.jsonl/],
    ['a usage record', () => join(record, 'usage.json'), /usage\.json/],
    ['an attestation', () => join(record, 'attestation.json'), /attestation\.json/],
    ['a trajectory', () => join(record, 'trajectory.json'), /trajectory\.json/],
    ['a trial', () => join(record, 'trial.json'), /trial\.json/],
    ['a manifest', () => join(record, 'manifest.json'), /manifest\.json|trials\//],
    ['the delivered prompt', () => join(record, 'prompt.txt'), /prompt\.txt/],
    ['a test result', () => join(check, 'tests.jsonl'), /checks\/.*tests\.jsonl/],
    ['test output', () => join(check, 'stdout.txt'), /checks\/.*stdout\.txt/],
    ['a stability run', () => join(stability, 'check.json'), /stability\/.*check\.json/],
    ['the control index', () => 'data/runs/inventory/control.json', /control\.json/],
    ['the stability index', () => 'data/runs/inventory/stability.json', /stability\.json/],
    ['a discovery answer', () => join(discovery, 'response.md'), /discovery\/.*response\.md/],
    ['the discovery index', () => 'data/runs/inventory/discovery.json', /discovery\.json/],
    ['a score sheet', () => sheet, /sheets\//],
    ['the scores', () => 'data/runs/inventory/scores.json', /scores\.json/],
    ['a published value', () => 'data/runs/inventory/published/rows-quality.json', /rows-quality/],
    ['report.json', () => 'reports/inventory/report.json', /report\.json/],
    ['report.md', () => 'reports/inventory/report.md', /report\.md/],
    ['the page', () => 'reports/inventory/index.html', /index\.html/],
    ['case.yaml', () => 'data/cases/inventory/case.yaml', /case\.yaml|data\/cases\/inventory: settings/],
  ];
  test.each(kinds)('%s', async (_kind, path, named) => {
    await withOneByteChanged(path(), async () => {
      const done = await verify();
      expect(done.code, done.text).not.toBe(0);
      expect(done.text).toMatch(named);
      expect(done.text, 'a mistake of the data is no stack trace').not.toMatch(/\n\s+at /);
    });
  });

  test('a setting', async () => {
    const file = 'data/experiments/inventory/experiment.yaml';
    const before = await checkout.read(file);
    await checkout.write(file, before.replace('seed: 20261130', 'seed: 20261131'));
    const done = await verify();
    await checkout.write(file, before);
    expect(done.code, done.text).not.toBe(0);
    expect(done.text).toContain('experiment.yaml');
  });

  test('a model body', async () => {
    const bodies = (await readdir(checkout.path(record, 'bodies'))).sort();
    const path = join(record, 'bodies', bodies[0] as string);
    const file = checkout.path(path);
    const before = await readFile(file);
    const after = Buffer.from(before);
    const at = Math.floor(after.length / 2);
    after[at] = (after[at] as number) ^ 1;
    await writeFile(file, after);
    const done = await verify();
    await writeFile(file, before);
    expect(done.code, done.text).not.toBe(0);
    expect(done.text).toContain(bodies[0]);
    expect(done.text).not.toMatch(/\n\s+at /);
  });
});

test('a record that the ledger knows and the disk has not makes verify fail and name it', async () => {
  const away = `${checkout.path(record)}.away`;
  await rename(checkout.path(record), away);
  const done = await verify();
  await rename(away, checkout.path(record));
  expect(done.code, done.text).not.toBe(0);
  expect(done.text).toMatch(/the ledger holds a record of inventory\.[AB]\.1, and it is not there/);
});

test('restored, it verifies again', async () => {
  expect((await verify()).code).toBe(0);
});
