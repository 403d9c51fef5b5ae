import { describe, expect, test, vi } from 'vitest';
import { defectMatrix } from '../src/defect-matrix.js';
import { requirementsOf } from '../src/requirement-result.js';
import { isGreen, type TestCheck } from '../src/test-check.js';
import { findFramework, isUnreadable, readTestLines, type TestResult } from '../src/test-framework.js';
import { deriveVariant, stabilityOf } from '../src/variant-checks.js';
import { expectTests, judgeRuns } from '../src/verdict.js';
import { verifierResults } from '../src/verifier.js';

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
});

describe('a report with a line that is no result', () => {
  const passes = line('old', 'passed') + line('new', 'passed');
  const honest = passes + line('more', 'passed');
  const floor = readTestLines(line('old', 'passed') + line('new', 'assertion'), '/workspace');
  const expected = expectTests([floor, floor], [readTestLines(passes, '/workspace')]);
  const verdict = (text: string) => judgeRuns(expected, [readTestLines(text, '/workspace')]);

  /** Passes that the code under test forged, and how it goes on. */
  const forged: [string, string][] = [
    ['a strange line before it', `strange\n${passes}`],
    ['a thousand strange lines after it', passes + 'strange\n'.repeat(1000)],
    ['an empty line', `${passes}\n`],
    ['an outcome that there is not', passes + line('more', 'green')],
    [
      'a key that there is not',
      `${passes}${JSON.stringify({ file: 'a', name: 'b', outcome: 'passed', message: null, by: 'me' })}\n`,
    ],
    ['the reporter’s own failing line glued to what it began', `${passes}x${line('new', 'assertion')}`],
    ['a failing line glued to a whole result', `${passes}${line('more', 'passed').trimEnd()}${line('new', 'assertion')}`],
    ['the JSON that vitest writes itself', `{"numTotalTests":1,"testResults":[]}\n${passes}`],
  ];

  test.each(forged)('is no success, and no test of it counts as run: %s', (_what, text) => {
    expect(verdict(passes)).toMatchObject({ success: true, raw: { passed: 2, total: 2 } });
    expect(verdict(text)).toMatchObject({ success: false, partial: 0, raw: { passed: 0, total: 2 }, unexpected: [] });
    const tests = readTestLines(text, '/workspace');
    expect(tests.map(({ outcome }) => outcome)).toEqual(['collection']);
    expect(isUnreadable(tests)).toBe(true);
    expect(isGreen({ exitCode: 0, timedOut: false, tests })).toBe(false);
  });

  test('fails for no expected reason, holds no requirement, catches no defect and is not steady', () => {
    const check = (text: string) =>
      ({ exitCode: 0, timedOut: false, tests: readTestLines(text, '/workspace') }) as unknown as TestCheck;
    const done = (text: string) => ({ check: check(text), record: { path: 'checks/x', sha256: 'a'.repeat(64) } });
    const variant = { content: 'a'.repeat(64), case: 'one', tests: { files: ['test/a.js'], copied: [] } as never };
    const failing = line('new', 'assertion');
    const all = { suite: done(honest), module: done(honest), new: done(honest) };
    expect(deriveVariant(variant, { ...all, control: done(failing) })).toMatchObject({ exposesDefect: true, newGreen: true });
    expect(deriveVariant(variant, { ...all, new: done(`${honest}x\n`), control: done(`${failing}x\n`) })).toMatchObject({
      exposesDefect: false,
      newGreen: false,
      control: { collection: 1 },
    });
    const holds = (text: string) => requirementsOf(check(text), { R1: 'test/a.js' })[0]?.outcome;
    expect([holds(honest), holds(`${honest}x\n`), holds(`${failing}x\n`)]).toEqual(['holds', 'error', 'error']);
    const caught = (own: string) =>
      defectMatrix(check(honest), [{ mutant: 'm', breaks: [], own: check(own), starting: check('') }]).mutants[0]?.caught;
    expect([caught(failing), caught(`${failing}x\n`)]).toEqual([true, false]);
    expect(defectMatrix(check(`${honest}x\n`), []).status).toBe('not told');
    expect(stabilityOf([check(`${honest}x\n`), check(`${honest}x\n`)]).green).toBe(0);
  });

  test('is not read to its end: the first such line is enough', () => {
    const parse = vi.spyOn(JSON, 'parse');
    readTestLines(`${line('a', 'passed')}${'1\n'.repeat(100_000)}`, '/workspace');
    expect(parse).toHaveBeenCalledTimes(2);
    parse.mockRestore();
  });

  test('is not one that a kill has cut short: what was known by then is kept, and the rest is missing', () => {
    const cut = `${line('old', 'passed')}{"file":"/workspace/test/a.js","name":"ne`;
    expect(isUnreadable(readTestLines(cut, '/workspace'))).toBe(false);
    expect(verdict(cut)).toMatchObject({ success: false, raw: { passed: 1, total: 2 } });
  });

  test('leaves the results of the other checks of a run', () => {
    const results = verifierResults([
      { check: 'verifier-1-L1', tests: [{ file: '', name: 'exit status 0', outcome: 'passed', message: null }] },
      { check: 'verifier-2-L2', tests: readTestLines(`${passes}x\n`, '/workspace') },
    ]);
    const built: TestResult = { file: 'L1', name: 'exit status 0', outcome: 'passed', message: null };
    const both = expectTests([[]], [[built, { ...built, file: 'L2/test/a.js', name: 'new' }]]);
    expect(judgeRuns(both, [results])).toMatchObject({ success: false, raw: { passed: 1, total: 2 } });
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
