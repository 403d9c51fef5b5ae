import { describe, expect, test } from 'vitest';
import { isGreen, type TestCheck } from '../src/test-check.js';
import type { TestOutcome } from '../src/test-framework.js';
import { countOutcomes, deriveVariant, stabilityOf } from '../src/variant-checks.js';

const tests = (outcomes: Record<string, TestOutcome>) =>
  Object.entries(outcomes).map(([name, outcome]) => ({ file: 'test/a.test.js', name, outcome, message: null }));
const run = (outcomes: Record<string, TestOutcome>, exitCode: number | null = 0, timedOut = false) =>
  ({ exitCode, timedOut, tests: tests(outcomes) }) as TestCheck;

describe('a green run', () => {
  test.each<[string, boolean, TestCheck]>([
    ['passed, with exit status 0', true, run({ a: 'passed' })],
    ['skipped and todo beside a passed test', true, run({ a: 'passed', b: 'skipped', c: 'todo' })],
    ['a failed test', false, run({ a: 'passed', b: 'assertion' })],
    ['a crash', false, run({ a: 'passed', b: 'crash' })],
    ['a file that could not be collected', false, run({ a: 'passed', b: 'collection' })],
    ['a timeout of one test', false, run({ a: 'passed', b: 'timeout' })],
    ['passed tests with another exit status', false, run({ a: 'passed' }, 1)],
    ['passed tests of a run that was ended', false, run({ a: 'passed' }, null, true)],
    ['no test at all: nothing failed, and nothing was shown', false, run({})],
    ['skipped tests alone', false, run({ a: 'skipped' })],
  ])('%s: %s', (_what, expected, check) => {
    expect(isGreen(check)).toBe(expected);
  });
});

describe('stability', () => {
  test('five equal runs are five green ones and no unsteady test', () => {
    expect(stabilityOf(Array.from({ length: 5 }, () => run({ a: 'passed', b: 'passed' })))).toEqual({ green: 5, unsteady: [] });
  });

  test('a test whose outcome changes is named with its file', () => {
    const runs = [run({ a: 'passed', b: 'passed' }), run({ a: 'passed', b: 'assertion' }, 1)];
    expect(stabilityOf(runs)).toEqual({ green: 1, unsteady: ['test/a.test.js: b'] });
  });

  test('a test that is missing from one run is unsteady, as if it had failed', () => {
    expect(stabilityOf([run({ a: 'passed', b: 'passed' }), run({ a: 'passed' })]).unsteady).toEqual(['test/a.test.js: b']);
  });

  test('a test that fails each time in the same way is steady and not green', () => {
    expect(stabilityOf([run({ a: 'assertion' }, 1), run({ a: 'assertion' }, 1)])).toEqual({ green: 0, unsteady: [] });
  });

  test('tests of the same name in two files are two tests', () => {
    const two = {
      exitCode: 0,
      timedOut: false,
      tests: [...tests({ a: 'passed' }), { file: 'test/b.test.js', name: 'a', outcome: 'skipped', message: null }],
    } as TestCheck;
    expect(stabilityOf([two, two]).unsteady).toEqual([]);
  });

  test('two tests of one name in one file that differ are no unsteady test', () => {
    const twice = { exitCode: 0, timedOut: false, tests: [...tests({ a: 'passed' }), ...tests({ a: 'skipped' })] } as TestCheck;
    expect(stabilityOf([twice, twice]).unsteady).toEqual([]);
  });

  test('without a run nothing is known: null, not 0', () => {
    expect(stabilityOf([])).toEqual({ green: null, unsteady: [] });
  });
});

describe('outcomes of new tests on the clean base', () => {
  test('they are counted by kind', () => {
    expect(countOutcomes(tests({ a: 'assertion', b: 'passed', c: 'assertion', d: 'collection' }))).toEqual({
      assertion: 2,
      passed: 1,
      collection: 1,
    });
  });

  test('without tests there is no count: null, not empty', () => {
    expect(countOutcomes([])).toBeNull();
  });
});

describe('what the checks of a variant show', () => {
  const done = (check: TestCheck) => ({ check, record: { path: 'checks/x', sha256: 'a'.repeat(64) } });
  const suite = done(run({ a: 'passed' }));
  const variant = { content: 'b'.repeat(64), case: 'c', tests: { files: ['test/new.test.js'], copied: ['test/new.test.js'] } };
  const withControl = (control: TestCheck) =>
    deriveVariant(variant, { suite, module: suite, new: suite, control: done(control) });

  test.each<[string, boolean, TestCheck]>([
    ['an assertion failure', true, run({ a: 'assertion', b: 'passed' }, 1)],
    ['a crash', false, run({ a: 'crash' }, 1)],
    ['a file that cannot be imported there', false, run({ a: 'collection' }, 1)],
    ['a timeout', false, run({ a: 'timeout' }, null, true)],
    ['tests that passed before already', false, run({ a: 'passed' })],
    ['tests that are skipped', false, run({ a: 'skipped' })],
    ['no test that ran', false, run({}, 1)],
  ])('on the clean base %s exposes the defect: %s', (_what, exposes, check) => {
    expect(withControl(check).exposesDefect).toBe(exposes);
  });

  test('without new tests there is nothing to expose it with: null, not false', () => {
    const none = deriveVariant({ ...variant, tests: { files: [], copied: [] } }, { suite, module: suite });
    expect(none).toMatchObject({ exposesDefect: null, control: null, newGreen: null, suiteGreen: true });
  });
});
