import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listCases, readCase } from '../src/case.js';
import { caseHashes } from '../src/case-hash.js';
import { SettingsError } from '../src/errors.js';
import { failure, tempFolder, writeFiles } from './fixture.js';

const settings = `schema_version: 1
name: tiny
title: Tiny
summary: A tiny case.
language: node
repo:
  path: repo
task: task.txt
reference: reference.md
rubrics:
  review: review.csv
  tests: tests.csv
  documentation: docs.csv
  control_row: T2
tests:
  framework: node-test
  include: ["test/**/*.test.js"]
suite: [node, --test]
docs: [README.md]
area: ["src/**"]
hidden:
  R1: hidden/R1.test.js
solution: solution
leak_words: [stock]
`;
const rubric = (...ids: string[]) => `id,requirement,weight,evidence_rule\n${ids.map((id) => `${id},x,2,y\n`).join('')}`;
const files = {
  'case.yaml': settings,
  'task.txt': 'Mend it.\n',
  'reference.md': 'The answer.\n',
  'review.csv': rubric('R1', 'R2'),
  'tests.csv': rubric('T1', 'T2'),
  'docs.csv': rubric('D1'),
  'repo/README.md': 'hello\n',
  'hidden/R1.test.js': '// hidden\n',
  'solution/README.md': 'solved\n',
};

async function caseFolder(changes: Record<string, string | null> = {}): Promise<string> {
  const root = await tempFolder();
  const kept = Object.fromEntries(Object.entries({ ...files, ...changes }).filter(([, content]) => content !== null));
  await writeFiles(join(root, 'tiny'), kept as Record<string, string>);
  return join(root, 'tiny');
}
const refused = async (changes: Record<string, string | null>) => {
  const folder = await caseFolder(changes);
  return failure(SettingsError, () => readCase(folder));
};
const yaml = (from: string, to: string) => {
  const changed = settings.replace(from, to);
  if (changed === settings) throw new Error(`${from} is not in the settings`);
  return { 'case.yaml': changed };
};

describe('a case is read whole', () => {
  test('task bytes and the rows of the three rubrics', async () => {
    const one = await readCase(await caseFolder());
    expect(one.taskBytes.toString()).toBe('Mend it.\n');
    expect(Object.values(one.rubricRows).map((rows) => rows.map((row) => row.id))).toEqual([['R1', 'R2'], ['T1', 'T2'], ['D1']]);
    expect(one.known_failures).toEqual([]);
  });

  test('the task keeps its bytes: mark, CRLF and all', async () => {
    const one = await readCase(await caseFolder({ 'task.txt': '\uFEFFMend it.\r\n' }));
    expect(one.taskBytes.equals(Buffer.from('\uFEFFMend it.\r\n'))).toBe(true);
  });

  test('settings with a byte-order mark and CRLF are the same settings', async () => {
    const odd = await readCase(await caseFolder({ 'case.yaml': `\uFEFF${settings.replaceAll('\n', '\r\n')}` }));
    expect({ ...odd, folder: '' }).toEqual({ ...(await readCase(await caseFolder())), folder: '' });
  });

  test('cases are listed by name, files beside them left out', async () => {
    const folder = await tempFolder({ 'b/case.yaml': '', 'a/case.yaml': '', 'README.md': '' });
    expect(await listCases(folder)).toEqual(['a', 'b']);
  });
});

describe('a wrong path is one error that names the field', () => {
  test.each<[string, Record<string, string | null>, RegExp, RegExp]>([
    ['the task is not there', { 'task.txt': null }, /case\.yaml: task: cannot read .*task\.txt/, /no such file/],
    ['the task is empty', { 'task.txt': ' \n' }, /the task is empty/, /an empty file/],
    ['the reference is not there', { 'reference.md': null }, /case\.yaml: reference: cannot read/, /no such file/],
    ['a rubric is not there', { 'docs.csv': null }, /rubric: cannot read .*docs\.csv/, /no such file/],
    [
      'a hidden test is not there',
      { 'hidden/R1.test.js': null },
      /case\.yaml: hidden: cannot read .*R1\.test\.js/,
      /no such file/,
    ],
    ['the base tree is not there', { 'repo/README.md': null }, /case\.yaml: repo\.path is not a folder/, /nothing at .*repo/],
    ['the base tree is a file', yaml('  path: repo', '  path: task.txt'), /repo\.path is not a folder/, /a file/],
    ['the solution is not there', { 'solution/README.md': null }, /case\.yaml: solution is not a folder/, /nothing at/],
    [
      'the mutants are not there',
      yaml('leak_words', 'mutants: mutants\nleak_words'),
      /case\.yaml: mutants is not a folder/,
      /nothing at/,
    ],
    [
      'the scripts are not there',
      yaml('leak_words', 'scripts: plans\nleak_words'),
      /case\.yaml: scripts is not a folder/,
      /nothing at .*plans/,
    ],
    ['the task is a folder', yaml('task: task.txt', 'task: repo'), /task: cannot read/, /a folder/],
    [
      'a path outside the case',
      yaml('task: task.txt', 'task: ../task.txt'),
      /case\.yaml:8: task is not valid/,
      /\.\.\/task\.txt/,
    ],
    ['an absolute path', yaml('task: task.txt', 'task: /etc/passwd'), /case\.yaml:8: task is not valid/, /\/etc\/passwd/],
    ['the settings are not there', { 'case.yaml': null }, /cannot read .*case\.yaml/, /no such file/],
  ])('%s', async (_what, changes, message, found) => {
    const error = await refused(changes);
    expect(error.message).toMatch(message);
    expect(error.found).toMatch(found);
  });

  test('a dangling link is no file', async () => {
    const folder = await caseFolder({ 'reference.md': null });
    await symlink('nowhere', join(folder, 'reference.md'));
    expect((await failure(SettingsError, () => readCase(folder))).found).toBe('no such file');
  });
});

describe('a wrong setting is one error that names line and field', () => {
  test.each<[string, Record<string, string>, RegExp, RegExp]>([
    ['a key misspelt', yaml('leak_words', 'leak_word'), /case\.yaml:24: unknown key "leak_word"/, /leak_word/],
    ['a nested key misspelt', yaml('  framework:', '  framwork:'), /case\.yaml:16: unknown key "framwork" in tests/, /framwork/],
    ['an unknown framework', yaml('node-test', 'mocha'), /case\.yaml:16: tests\.framework is not valid/, /"mocha"/],
    ['an unknown language', yaml('language: node', 'language: rust'), /case\.yaml:5: language is not valid/, /"rust"/],
    [
      'a command as text',
      yaml('suite: [node, --test]', 'suite: node --test'),
      /case\.yaml:18: suite is not valid/,
      /"node --test"/,
    ],
    ['an empty command', yaml('suite: [node, --test]', 'suite: []'), /case\.yaml:18: suite is not valid/, /\[\]/],
    ['neither folder nor repository', yaml('  path: repo', '  {}'), /repo is not valid/, /\{\}/],
    ['both folder and repository', yaml('  path: repo', '  path: repo\n  git: x\n  commit: y'), /repo is not valid/, /"git":"x"/],
    ['a repository without commit', yaml('  path: repo', '  git: https://example.org/x.git'), /repo is not valid/, /example/],
    ['a folder with a commit', yaml('  path: repo', '  path: repo\n  commit: abc'), /repo is not valid/, /abc/],
    ['a control row of no rubric', yaml('control_row: T2', 'control_row: T9'), /control_row is no row/, /T9/],
    ['a name that is not the folder', yaml('name: tiny', 'name: other'), /name differs from its folder/, /other/],
    ['a name in capitals', yaml('name: tiny', 'name: Tiny'), /case\.yaml:2: name is not valid/, /"Tiny"/],
    [
      'a weight of 0 in a rubric',
      { 'tests.csv': rubric('T1', 'T2').replace('T2,x,2', 'T2,x,0') },
      /tests\.csv:3: weight is not valid/,
      /0/,
    ],
  ])('%s', async (_what, changes, message, found) => {
    const error = await refused(changes);
    expect(error.message).toMatch(message);
    expect(error.found).toMatch(found);
  });
});

describe('the hashes of a case', () => {
  const hashesWith = async (changes: Record<string, string>) => caseHashes(await readCase(await caseFolder(changes)));
  const changed = async (changes: Record<string, string>) => {
    const [before, after] = [await hashesWith({}), await hashesWith(changes)];
    return Object.keys(before).filter((key) => before[key as keyof typeof before] !== after[key as keyof typeof after]);
  };

  test.each<[string, Record<string, string>, string[]]>([
    ['nothing', {}, []],
    ['task.txt', { 'task.txt': 'Mend it!\n' }, ['task']],
    ['the reference sheet', { 'reference.md': 'Another.\n' }, ['reference']],
    ['the review rubric', { 'review.csv': rubric('R1', 'R3') }, ['review_rubric']],
    ['the test rubric', { 'tests.csv': rubric('T2') }, ['test_rubric']],
    ['the documentation rubric', { 'docs.csv': rubric('D2') }, ['documentation_rubric']],
    ['a hidden test', { 'hidden/R1.test.js': '// other\n' }, ['hidden']],
    ['the solution', { 'solution/README.md': 'other\n' }, ['solution']],
    ['case.yaml', yaml('title: Tiny', 'title: Small'), ['settings']],
  ])('a change of %s changes its own hash alone', async (_what, changes, expected) => {
    expect(await changed(changes)).toEqual(expected);
  });
});
