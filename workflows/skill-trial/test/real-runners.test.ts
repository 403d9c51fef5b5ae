import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { makeBase } from '../src/base.js';
import type { Case } from '../src/case.js';
import { plainPlace } from '../src/place.js';
import { findSandbox } from '../src/sandbox.js';
import type { SandboxKind } from '../src/sandbox-plan.js';
import { runTestCheck } from '../src/test-check.js';
import { findFramework, type TestFrameworkName, type TestResult } from '../src/test-framework.js';
import { expectTests, judgeRuns } from '../src/verdict.js';
import { Verifier, verifierPlans, verifierResults } from '../src/verifier.js';
import { tempFolder, writeFiles } from './fixture.js';
import { runnerProject } from './runner-project.js';

// What real runners write, read by the code that reads a verifier's checks.
const vitest = fileURLToPath(new URL('../../../node_modules/vitest/vitest.mjs', import.meta.url));

/** Runs one check of a verifier on a repository with these files. */
async function verify(
  framework: TestFrameworkName,
  command: string[],
  files: Record<string, string>,
  sandbox?: SandboxKind,
): Promise<TestResult[]> {
  const folder = await tempFolder();
  await writeFiles(join(folder, 'repo'), files);
  const verifier = Verifier.parse({ checks: [{ level: 'L2', framework, command }] });
  const one = { name: 'tiny', folder, repo: { path: 'repo' }, verifier } as unknown as Case;
  const base = await makeBase(one, join(folder, 'bases'));
  const place = plainPlace(sandbox ?? (await findSandbox('auto')).kind);
  const done = [];
  for (const plan of verifierPlans(one, { base, patch: null, overlay: [] }, place, 'verifier'))
    done.push(await runTestCheck(plan, join(folder, 'checks', plan.name)));
  return verifierResults(done);
}

const rows = (results: TestResult[]) =>
  results.map(({ file, name, outcome }) => `${file.replace(/^L2\/?/, '')} | ${name} | ${outcome}`).sort();

/** The project's tests, but for those that vitest and jest tell in their own ways. */
const alike = [
  'basket.test.js | basket > holds 1 | passed',
  'basket.test.js | basket > holds 2 | passed',
  'basket.test.js | basket > holds 3 | assertion',
  'basket.test.js | basket > same name | assertion',
  'basket.test.js | basket > same name | passed',
  'basket.test.js | basket > total > adds | passed',
  'basket.test.js | basket > total > crashes | crash',
  'basket.test.js | basket > total > rounds | assertion',
  'basket.test.js | known to fail | todo',
  'basket.test.js | left out > inner | skipped',
  'basket.test.js | never settles | timeout',
  'basket.test.js | not now | skipped',
  'basket.test.js | some day | todo',
  'body.test.js | body.test.js | collection',
  'clean-up.test.js | clean-up.test.js | crash',
  'clean-up.test.js | one | passed',
  'empty.test.js | empty.test.js | collection',
  'file-hook.test.js | one | crash',
  'hooks.test.js | with a broken set-up > one | crash',
  'hooks.test.js | with a broken set-up > two | skipped',
  'syntax.test.js | syntax.test.js | collection',
  'unloadable.test.js | unloadable.test.js | collection',
];

describe('vitest', () => {
  // its packages are this checkout's own
  const run = (files: Record<string, string>) =>
    verify('vitest', [process.execPath, vitest, 'run', '--globals'], files, 'private-home');

  test('each way to end has its own outcome', async () => {
    expect(rows(await run(runnerProject))).toEqual(
      [...alike, 'file-hook.test.js | file-hook.test.js | crash', 'hooks.test.js | with a broken set-up | crash'].sort(),
    );
  });

  test('an error that no test waits for is told, though every test passes', async () => {
    const text = "test('leaves an error', () => void Promise.reject(new Error('nobody waits')));\n";
    expect(rows(await run({ 'package.json': '{"type":"module"}', 'a.test.js': text }))).toEqual([
      ' | error outside the tests | crash',
      'a.test.js | leaves an error | passed',
    ]);
  });
});

test('jest: what version 30 wrote of the same project', async () => {
  const text = await readFile(new URL('fixtures/jest-30.json', import.meta.url), 'utf8');
  const results = await findFramework('jest').read({ text, exitCode: 1, workspace: '/workspace', where: 'jest-30.json' });
  expect(rows(results)).toEqual(alike);
});

describe('JUnit XML', () => {
  test('of node: the blocks lead the names, and a file that cannot be loaded is no test', async () => {
    const results = await verify(
      'junit',
      ['node', '--test', '--test-reporter=junit', '--test-reporter-destination={report}', 'test/'],
      {
        'package.json': '{"type":"module"}',
        'test/a.test.js': `import test, { before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
describe('basket', () => {
  describe('total', () => {
    it('adds', () => {});
    it('rounds', () => assert.equal(1.2, 1));
    it('crashes', () => assert.equal(null.x, 1));
  });
});
test('adds', () => {});
test('not now', { skip: true }, () => {});
test('some day', { todo: true }, () => assert.fail());
test('never settles', { timeout: 50 }, () => new Promise((done) => setTimeout(done, 5000)));
describe('with a broken set-up', () => {
  before(() => assert.fail('no data base'));
  it('one', () => {});
});
`,
        'test/unloadable.test.js': "import './no-such-module.js';\n",
      },
    );
    const names = results.map(({ name, outcome }) => `${name.replace(/.*\//, '')} | ${outcome}`).sort();
    expect(names).toEqual([
      'adds | passed',
      'basket > total > adds | passed',
      'basket > total > crashes | crash',
      'basket > total > rounds | assertion',
      'never settles | timeout',
      'not now | skipped',
      'some day | todo',
      'unloadable.test.js | collection',
      'with a broken set-up > one | crash',
    ]);
  });

  const pytest = ['/usr/bin/python3', '-m', 'pytest', '-q', '--continue-on-collection-errors', '--junitxml={report}', 'tests'];
  const needsPytest = (title: string, action: () => Promise<void>) =>
    test(title, async ({ skip }) => {
      if (!existsSync('/usr/bin/pytest-3') && process.env.CI !== 'true') skip('python3-pytest is not installed');
      await action();
    });

  needsPytest('of pytest: parametrised names, xfail apart from skip, a collection error by its name', async () => {
    const results = await verify('junit', pytest, {
      'tests/test_a.py': `import pytest

def test_passes(): pass
def test_asserts(): assert 1 == 2
def test_raises_nothing():
    with pytest.raises(ValueError): pass
def test_crashes(): assert None.x == 1
def test_fails(): pytest.fail("said so")
@pytest.mark.skip
def test_skipped(): assert False
@pytest.mark.xfail
def test_known(): assert False
@pytest.fixture
def broken(): assert False
def test_fixture(broken): pass
@pytest.mark.parametrize("n", [1, 2])
def test_each(n): assert n == 1
class TestGroup:
    def test_inner(self): assert False
class TestOther:
    def test_inner(self): pass
`,
      'tests/test_b.py': 'import no_such_module\ndef test_never(): pass\n',
    });
    expect(rows(results)).toEqual(
      [
        'tests.test_a | test_passes | passed',
        'tests.test_a | test_asserts | assertion',
        'tests.test_a | test_raises_nothing | assertion',
        'tests.test_a | test_crashes | crash',
        'tests.test_a | test_fails | assertion',
        'tests.test_a | test_skipped | skipped',
        'tests.test_a | test_known | todo',
        'tests.test_a | test_fixture | crash',
        'tests.test_a | test_each[1] | passed',
        'tests.test_a | test_each[2] | assertion',
        'tests.test_a.TestGroup | test_inner | assertion',
        'tests.test_a.TestOther | test_inner | passed',
        'tests.test_b | tests.test_b | collection',
      ].sort(),
    );
  });

  needsPytest('a file that cannot be loaded shrinks no count: its tests are missing, and have failed', async () => {
    const tests = {
      'tests/test_a.py':
        'from shop import total\n\n\ndef test_one(): assert total() == 0\n\n\ndef test_two(): assert total() < 1\n',
      'tests/test_b.py': 'def test_three(): pass\n',
    };
    const good = await verify('junit', pytest, { ...tests, 'shop.py': 'def total(): return 0\n' });
    const floor = await verify('junit', pytest, { ...tests, 'shop.py': 'def total(): return 2\n' });
    const broken = await verify('junit', pytest, { ...tests, 'shop.py': 'def total(:\n' });
    const expected = expectTests([floor, floor], [good, good]);
    expect(judgeRuns(expected, [good, good])).toMatchObject({ success: true, raw: { passed: 3, total: 3 } });
    expect(judgeRuns(expected, [broken, broken])).toMatchObject({ success: false, raw: { passed: 1, total: 3 }, unexpected: [] });
  });
});
