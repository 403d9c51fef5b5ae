import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeBase } from '../src/base.js';
import type { Case, TestedCase } from '../src/case.js';
import { plainPlace } from '../src/place.js';
import { findSandbox, type SandboxFound } from '../src/sandbox.js';
import { isGreen, runTestCheck } from '../src/test-check.js';
import { tempFolder, writeFiles } from './fixture.js';

let sandbox: SandboxFound;
beforeAll(async () => {
  sandbox = await findSandbox('auto');
});

/** Runs a tiny case's tests, and returns the check with each test's outcome by name. */
async function run(
  framework: 'node-test' | 'pytest',
  files: Record<string, string>,
  parts: { only?: string[]; timeoutMs?: number; overlay?: Record<string, string> } = {},
) {
  const folder = await tempFolder();
  await writeFiles(join(folder, 'repo'), files);
  await writeFiles(join(folder, 'overlay'), parts.overlay ?? {});
  const base = await makeBase({ name: 'tiny', folder, repo: { path: 'repo' } } as Case, join(folder, 'bases'));
  const suite = framework === 'node-test' ? ['node', '--test'] : ['/usr/bin/python3', '-m', 'pytest', '-q'];
  const check = await runTestCheck(
    {
      name: 'control',
      case: { name: 'tiny', folder, suite, tests: { framework, include: [] as string[] } } as unknown as TestedCase,
      base,
      patch: null,
      overlay: Object.keys(parts.overlay ?? {}).map((path) => [join(folder, 'overlay', path), path]),
      files: parts.only ?? null,
      ...plainPlace(sandbox.kind),
      timeoutMs: parts.timeoutMs ?? 60_000,
    },
    join(folder, 'target'),
  );
  const outcomes: Record<string, string> = Object.fromEntries(check.tests.map((one) => [one.name, one.outcome]));
  return { check, outcomes, target: join(folder, 'target') };
}

describe('the sandbox of the checks', () => {
  test('it is bubblewrap where bubblewrap is', ({ skip }) => {
    if (sandbox.kind !== 'bubblewrap' && process.env.CI !== 'true') skip(sandbox.because ?? 'no bubblewrap');
    expect(sandbox).toMatchObject({ kind: 'bubblewrap', because: null });
  });

  test('what it cannot stop: code under test sees neither network nor the files of the machine', async ({ skip }) => {
    if (sandbox.kind !== 'bubblewrap' && process.env.CI !== 'true') skip(sandbox.because ?? 'no bubblewrap');
    const secret = join(await tempFolder({ 'rubric.csv': 'secret' }), 'rubric.csv');
    const { outcomes } = await run('node-test', {
      'package.json': '{"type":"module"}',
      'test/a.test.js': `import test from 'node:test'; import assert from 'node:assert/strict'; import { existsSync } from 'node:fs'; import { networkInterfaces } from 'node:os';
        test('no files', () => assert.equal(existsSync(${JSON.stringify(secret)}), false));
        test('no network', () => assert.deepEqual(Object.keys(networkInterfaces()).filter((name) => name !== 'lo'), []));
        test('no keys', () => assert.equal(Object.keys(process.env).some((name) => /KEY|TOKEN|SECRET/.test(name)), false));`,
    });
    expect(outcomes).toEqual({ 'no files': 'passed', 'no network': 'passed', 'no keys': 'passed' });
  });
});

describe('node:test', () => {
  const head = "import test, { describe, it, before, beforeEach } from 'node:test';\nimport assert from 'node:assert/strict';\n";
  const files = (more: Record<string, string>) => ({
    'package.json': '{"type":"module"}',
    'src/lib.js': 'export const present = 1;\n',
    ...more,
  });

  test('each kind of end has its own outcome', async () => {
    const { outcomes, check, target } = await run(
      'node-test',
      files({
        'test/a.test.js': `${head}
          test('passes', () => {});
          test('asserts', () => assert.equal(1, 2));
          test('throws nothing', () => assert.throws(() => {}));
          test('throws the wrong thing', () => assert.throws(() => { throw new TypeError('x'); }, RangeError));
          test('type error', () => { null.x; });
          test('skipped', { skip: true }, () => assert.fail());
          test('todo', { todo: true }, () => assert.fail());
          test('own limit', { timeout: 50 }, () => new Promise((resolve) => setTimeout(resolve, 5000)));
          describe('outer', () => {
            describe('inner', () => {
              it('passes', () => {});
              it('asserts', () => assert.ok(false));
            });
            it('crashes', () => { throw new Error('x'); });
          });
          test('parent', async (t) => { await t.test('child', () => assert.ok(false)); });`,
        'test/b.test.js': `${head}test('never settles', () => new Promise(() => {}));`,
      }),
    );
    expect(outcomes).toEqual({
      passes: 'passed',
      asserts: 'assertion',
      'throws nothing': 'assertion',
      'throws the wrong thing': 'assertion',
      'type error': 'crash',
      skipped: 'skipped',
      todo: 'todo',
      'own limit': 'timeout',
      'never settles': 'timeout',
      'outer > inner > passes': 'passed',
      'outer > inner > asserts': 'assertion',
      'outer > crashes': 'crash',
      'parent > child': 'assertion',
    });
    expect(check).toMatchObject({ timedOut: false, exitCode: 1 });
    expect(new Set(check.tests.map((one) => one.file))).toEqual(new Set(['test/a.test.js', 'test/b.test.js']));
    expect(JSON.parse(await readFile(join(target, 'check.json'), 'utf8'))).toEqual(JSON.parse(JSON.stringify(check)));
    expect(await readFile(join(target, 'stdout.txt'), 'utf8')).toContain('type error');
  });

  test('an import that the base does not have is a collection error, and the other files still count', async () => {
    const { outcomes } = await run(
      'node-test',
      files({
        'test/a.test.js': `${head}import { absent } from '../src/lib.js';\ntest('never seen', () => assert.ok(absent));`,
        'test/b.test.js': `${head}import { present } from '../src/lib.js';\ntest('seen', () => assert.equal(present, 2));`,
        'test/c.test.js': 'this is no JavaScript',
      }),
    );
    expect(Object.values(outcomes).sort()).toEqual(['assertion', 'collection', 'collection']);
    expect(outcomes.seen).toBe('assertion');
  });

  test('hooks and blocks that break are no assertion failures of their tests', async () => {
    const { outcomes } = await run(
      'node-test',
      files({
        'test/a.test.js': `${head}
          describe('hook', () => { before(() => { assert.fail('set-up'); }); it('one', () => {}); });
          describe('each', () => { beforeEach(() => { assert.fail('set-up'); }); it('two', () => {}); });
          describe('body', () => { it('three', () => {}); throw new Error('body'); });
          describe('slow', { timeout: 50 }, () => { it('four', () => new Promise((resolve) => setTimeout(resolve, 5000))); });`,
      }),
    );
    expect(outcomes).toMatchObject({ 'hook > one': 'crash', 'each > two': 'crash', 'slow > four': 'timeout' });
    expect(Object.values(outcomes)).not.toContain('assertion');
    expect(Object.values(outcomes)).not.toContain('passed');
  });

  test('a file without a test is no passed test', async () => {
    const { check } = await run('node-test', files({ 'test/helper.js': 'export const x = 1;\n' }));
    expect(check).toMatchObject({ exitCode: 0, tests: [] });
    expect(isGreen(check)).toBe(false);
  });

  test('a file that hangs is told as a timeout, and the others still count', async () => {
    const { outcomes, check } = await run(
      'node-test',
      files({
        'test/a.test.js': `${head}test('spins', () => { for (;;); });`,
        'test/b.test.js': `${head}test('quick', () => {});`,
      }),
      { timeoutMs: 15_000 },
    );
    expect(outcomes.quick).toBe('passed');
    expect(Object.values(outcomes).sort()).toEqual(['passed', 'timeout']);
    expect(isGreen(check)).toBe(false);
  });

  test('only the files asked for are run, with the overlay on the clean base', async () => {
    const { outcomes } = await run('node-test', files({ 'test/old.test.js': `${head}test('old', () => {});` }), {
      only: ['test/new.test.js'],
      overlay: { 'test/new.test.js': `${head}test('new', () => assert.equal(1, 2));` },
    });
    expect(outcomes).toEqual({ new: 'assertion' });
  });

  test('a crash of the whole process is no success', async () => {
    const { check } = await run('node-test', files({ 'test/a.test.js': `${head}test('exits', () => process.exit(0));` }));
    expect(isGreen(check)).toBe(false);
  });
});

describe('pytest', () => {
  const missing = (() => {
    try {
      execFileSync('/usr/bin/python3', ['-m', 'pytest', '--version'], { stdio: 'ignore' });
      return null;
    } catch {
      return 'python3 -m pytest is not installed (apt-get install python3-pytest)';
    }
  })();
  const pytest = (claim: string, action: () => Promise<void>) =>
    test(claim, async ({ skip }) => {
      if (missing !== null && process.env.CI !== 'true') skip(missing);
      expect(missing).toBeNull();
      await action();
    });

  pytest('each kind of end has its own outcome', async () => {
    const { outcomes, check } = await run('pytest', {
      'lib.py': 'present = 1\n',
      'tests/test_a.py': `import unittest
import pytest

def test_passes(): pass
def test_asserts(): assert 1 == 2
def test_raises_nothing():
    with pytest.raises(ValueError): pass
def test_type_error(): None.x
def test_fails(): pytest.fail("said so")
@pytest.mark.skip
def test_skipped(): assert False
@pytest.mark.xfail
def test_todo(): assert False
@pytest.fixture
def broken(): assert False
def test_fixture(broken): pass
@pytest.mark.parametrize("n", [1, 2])
def test_each(n): assert n == 1
class TestGroup:
    def test_inner(self): assert False
class TestUnit(unittest.TestCase):
    def test_unit(self): self.assertEqual(1, 2)
`,
    });
    expect(outcomes).toEqual({
      test_passes: 'passed',
      test_asserts: 'assertion',
      test_raises_nothing: 'assertion',
      test_type_error: 'crash',
      test_fails: 'assertion',
      test_skipped: 'skipped',
      test_todo: 'todo',
      test_fixture: 'crash',
      'test_each[1]': 'passed',
      'test_each[2]': 'assertion',
      'TestGroup::test_inner': 'assertion',
      'TestUnit::test_unit': 'assertion',
    });
    expect(check.exitCode).toBe(1);
    expect(check.tests.every((one) => one.file === 'tests/test_a.py')).toBe(true);
  });

  pytest('an import that the base does not have is a collection error', async () => {
    const { check } = await run('pytest', {
      'tests/test_a.py': 'from lib import absent\ndef test_never(): pass\n',
      'lib.py': 'present = 1\n',
    });
    expect(check.tests.map((one) => [one.file, one.outcome])).toEqual([['tests/test_a.py', 'collection']]);
    expect(isGreen(check)).toBe(false);
  });

  pytest('a run that hangs keeps what it knew, and names the test that never ended', async () => {
    const { outcomes, check } = await run(
      'pytest',
      {
        'tests/test_a.py':
          'import time\ndef test_a(): pass\ndef test_b(): assert False\ndef test_c(): time.sleep(600)\ndef test_d(): pass\n',
      },
      { timeoutMs: 10_000 },
    );
    expect(check.timedOut).toBe(true);
    expect(outcomes).toEqual({ test_a: 'passed', test_b: 'assertion', test_c: 'timeout' });
    expect(isGreen(check)).toBe(false);
  });
});
