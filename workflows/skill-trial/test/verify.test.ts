import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { runPaths } from '../src/paths.js';
import { sealRecord } from '../src/record.js';
import type { Study } from '../src/study.js';
import { checkRecords } from '../src/verify.js';
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
