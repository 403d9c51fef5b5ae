import { describe, expect, test } from 'vitest';
import { findFramework, readTestLines } from '../src/test-framework.js';

const line = (name: string, outcome: string, file = '/workspace/test/a.js') =>
  `${JSON.stringify({ file, name, outcome, message: null })}\n`;
const read = (text: string) => readTestLines(text, '/workspace').map(({ file, name, outcome }) => [file, name, outcome]);

describe('result lines', () => {
  test('they are sorted, and files are named from the top of the tree', () => {
    expect(read(line('b', 'passed') + line('a', 'crash') + line('x', 'passed', '/elsewhere/b.js'))).toEqual([
      ['/elsewhere/b.js', 'x', 'passed'],
      ['test/a.js', 'a', 'crash'],
      ['test/a.js', 'b', 'passed'],
    ]);
  });

  test('a test that started and never ended is a timeout; one that ended is what it ended as', () => {
    expect(read(line('a', 'started') + line('a', 'passed') + line('b', 'started'))).toEqual([
      ['test/a.js', 'a', 'passed'],
      ['test/a.js', 'b', 'timeout'],
    ]);
  });

  test('two tests of one name are two tests: the failure of one is not lost', () => {
    expect(read(line('a', 'assertion') + line('a', 'passed'))).toHaveLength(2);
  });

  test('a last line cut short by a kill is left out', () => {
    expect(read(`${line('a', 'passed')}{"file":"/wor`)).toEqual([['test/a.js', 'a', 'passed']]);
  });

  test('no lines, no tests', () => {
    expect(read('')).toEqual([]);
  });

  test('lines that are no results are told as one thing that cannot be trusted', () => {
    expect(read(`${line('a', 'green')}strange\n${line('b', 'passed')}`)).toEqual([
      ['', 'report', 'collection'],
      ['test/a.js', 'b', 'passed'],
    ]);
  });
});

describe('commands', () => {
  test('node:test writes both its own report and the result lines, for the files asked for', () => {
    const argv = findFramework('node-test').argv(['node', '--test'], ['test/a.test.js'], '/lab/reporters', '/tmp/out', 9000);
    expect(argv.slice(0, 2)).toEqual(['node', '--test']);
    expect(argv).toContain('--test-reporter=/lab/reporters/node-test.mjs');
    expect(argv).toContain('--test-reporter-destination=/tmp/out');
    expect(argv).toContain('--test-timeout=3000');
    expect(argv.at(-1)).toBe('test/a.test.js');
  });

  test('pytest finds its plugin and its output by the environment, and writes nothing into the tree', () => {
    const { argv, env } = findFramework('pytest');
    expect(argv(['pytest'], null, '/r', '/o', 1).join(' ')).toContain('-p skill_trial_pytest -p no:cacheprovider');
    expect(env('/r', '/o')).toMatchObject({ PYTHONPATH: '/r', SKILL_TRIAL_TESTS: '/o', PYTHONDONTWRITEBYTECODE: '1' });
  });
});
