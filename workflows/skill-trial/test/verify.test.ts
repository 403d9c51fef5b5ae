import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Case } from '../src/case.js';
import { runPaths } from '../src/paths.js';
import { plainPlace } from '../src/place.js';
import { sealRecord } from '../src/record.js';
import { checkRecords } from '../src/record-check.js';
import { readReference } from '../src/reference.js';
import { checkFolder, findCheck } from '../src/saved-check.js';
import type { Study } from '../src/study.js';
import { TestCheck } from '../src/test-check.js';
import { testReader } from '../src/test-framework.js';
import { rereadCheck } from '../src/verify.js';
import { tempFolder } from './fixture.js';

const [grade, setUp] = ['grades/0123456789abcdef/aa', 'setups/tiny/bb'];
let run: string;
let study: Study;

/** A study whose only records are one grade, of two trials with equal outputs, and one frozen set-up. */
beforeEach(async () => {
  const root = await tempFolder();
  const lab = { run: runPaths(root, 'tiny') };
  run = lab.run.run;
  const seal = async (path: string, files: Record<string, string>) => sealRecord(await tempFolder(files), join(run, path));
  const graded = { path: grade, sha256: await seal(grade, { 'command.json': '{"exitCode": 1}\n', 'stdout.txt': 'no\n' }) };
  const setup = { path: setUp, sha256: await seal(setUp, { 'workspace.tar': 'packed', 'home.tar': 'packed' }) };
  study = {
    lab,
    lock: { conditions: { cases: { tiny: { setup }, plain: {} } } },
    ledger: [],
    trials: [],
    grading: { trials: [{ records: [graded] }, { records: [graded] }] },
  } as unknown as Study;
});

test('whole grades and set-ups are no failure', async () => {
  expect(await checkRecords(study)).toEqual([]);
});

test('an edited outcome of a graded command is named', async () => {
  const file = join(run, grade, 'command.json');
  await writeFile(file, (await readFile(file, 'utf8')).replace('1', '0'));
  expect(await checkRecords(study)).toEqual([`${grade}/command.json: altered`]);
});

test('a grade that was made anew with another outcome is named: grading.json holds the hash of the first', async () => {
  await rm(join(run, grade), { recursive: true });
  await sealRecord(await tempFolder({ 'command.json': '{"exitCode": 0}\n', 'stdout.txt': 'no\n' }), join(run, grade));
  expect(await checkRecords(study)).toEqual([`${grade}: grading.json holds another record`]);
});

test('an altered archive of a set-up is named', async () => {
  await appendFile(join(run, setUp, 'workspace.tar'), 'x');
  await appendFile(join(run, setUp, 'home.tar'), 'x');
  expect(await checkRecords(study)).toEqual([`${setUp}/home.tar: altered`, `${setUp}/workspace.tar: altered`]);
});

test('a set-up that the lock names and that is not there is named', async () => {
  await rm(join(run, setUp), { recursive: true });
  expect(await checkRecords(study)).toEqual([
    expect.stringContaining(`${setUp}/manifest.json: `),
    `${setUp}: the lock holds another set-up of case tiny`,
  ]);
});

describe('a run of tests whose outcomes its report does not give', () => {
  const path = 'checks/0123456789abcdef/suite/aa';
  const passed = { file: 'a.js', name: 'sums', outcome: 'passed', message: null };
  /** A saved check with these outcomes, as made by a reader (undefined: before readers had a number), and its report. */
  const saved = async (reader: number | undefined, tests: object[], report: string) => {
    const check = {
      schemaVersion: 1,
      check: 'suite',
      argv: ['node'],
      files: null,
      sandbox: 'bubblewrap',
      workspace: '/workspace',
    };
    const ended = { exitCode: 0, signal: null, timedOut: false, startedAt: '2026-01-01T00:00:00Z', elapsedSeconds: 1 };
    const record = { ...check, ...ended, ...(reader === undefined ? {} : { reader }), tests };
    const folder = join(run, path);
    await rm(folder, { recursive: true, force: true });
    await sealRecord(await tempFolder({ 'check.json': JSON.stringify(record), 'tests.jsonl': report }), folder);
    const lab = { run: study.lab.run, experiment: { name: 'tiny' } } as Study['lab'];
    return rereadCheck(lab, { check: TestCheck.parse(record), record: { path, sha256: 'a'.repeat(64) } });
  };
  const line = `${JSON.stringify(passed)}\n`;

  test('is altered where the present reader made it', async () => {
    const { done, difference } = await saved(testReader, [passed], `${line}x\n`);
    expect(difference).toBe(`${path}/check.json differs from what the raw records give`);
    expect(done.check.tests).toMatchObject([{ outcome: 'collection' }]);
  });

  test('is to be run again where an earlier reader made it; one failure says so, and what follows from it stands', async () => {
    const { done, difference } = await saved(undefined, [passed], `${line}x\n`);
    expect(difference).toContain(`made by an earlier reader of test reports (1, now ${testReader})`);
    expect(difference).toContain('npx nx run tiny:negative-control');
    expect(done.check.tests).toEqual([passed]);
  });

  test('is whole, whoever read it, where the outcomes are the same', async () => {
    expect((await saved(undefined, [passed], line)).difference).toBeNull();
    expect((await saved(testReader, [passed], line)).difference).toBeNull();
  });
});

test('a check is found under the name that an earlier reader of reports gave it, and made anew under another', async () => {
  const plan = {
    ...plainPlace('private-home'),
    base: { commit: 'c' },
    case: { suite: [], tests: { framework: 'vitest' } },
    name: 'suite',
    files: null,
  } as never;
  const { lab } = study;
  const [first, now] = [1, testReader].map((reader) => checkFolder(lab, 'aa', plan, 'checks', reader));
  expect(first).not.toBe(now);
  expect(checkFolder(lab, 'aa', plan, 'checks')).toBe(now);
  const check = { schemaVersion: 1, check: 'suite', argv: [], files: null, sandbox: 'none', workspace: '/w', exitCode: 0 };
  const more = { signal: null, timedOut: false, startedAt: '2026-01-01T00:00:00Z', elapsedSeconds: 1, tests: [] };
  for (const [folder, reader] of [
    [first, 1],
    [now, testReader],
  ] as const) {
    const record = { ...check, ...more, ...(reader === 1 ? {} : { reader }) };
    await sealRecord(await tempFolder({ 'check.json': JSON.stringify(record) }), folder as string);
    expect((await findCheck(lab, 'aa', plan, 'checks')).check.reader).toBe(reader);
  }
});

test('a reference that an earlier reader of reports made, and read otherwise, is to be frozen anew; one read alike is taken', async () => {
  const passed = { file: 'a.js', name: 'sums', outcome: 'passed', message: null };
  const check = { schemaVersion: 1, check: 'floor-1-1-L2', argv: [], files: null, sandbox: 'none', workspace: '/w', exitCode: 0 };
  const record = {
    ...check,
    signal: null,
    timedOut: false,
    startedAt: '2026-01-01T00:00:00Z',
    elapsedSeconds: 1,
    tests: [passed],
  };
  const one = { name: 'tiny', verifier: { reruns: 1, checks: [{ level: 'L2' }] } } as unknown as Case;
  const reference = (report: string) =>
    tempFolder({ 'floor-1-1-L2/check.json': JSON.stringify(record), 'floor-1-1-L2/tests.jsonl': report });
  const line = `${JSON.stringify(passed)}\n`;
  expect(await readReference(await reference(line), one)).toMatchObject([{ id: 'L2/a.js::sums', floor: 'passed' }]);
  await expect(readReference(await reference(`${line}x\n`), one)).rejects.toThrow(
    /The reference of case tiny was made by an earlier reader of test reports: freeze anew(?:.|\n)*:freeze/,
  );
});
