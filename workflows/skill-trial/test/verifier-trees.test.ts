import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Base, makeBase } from '../src/base.js';
import type { Case } from '../src/case.js';
import { runPaths } from '../src/paths.js';
import { type Place, plainPlace } from '../src/place.js';
import { measureReference, readReference } from '../src/reference.js';
import { findSandbox } from '../src/sandbox.js';
import { runTestCheck } from '../src/test-check.js';
import { type ExpectedTest, judgeRuns, type Verdict } from '../src/verdict.js';
import { Verifier, verifierPlans, verifierResults } from '../src/verifier.js';
import { tempFolder, writeFiles } from './fixture.js';

// Each rule of a verdict on a tree that is built to break it, run by the real node and the real pytest in the sandbox.
const repo = {
  'package.json': '{"type":"module"}',
  'src/shop.js': 'export const total = (prices) => prices[0] ?? 0;\nexport const bit = () => 0;\n',
  'shop.py': 'def total(prices):\n    return prices[0] if prices else 0\n',
};
const solution = {
  'src/shop.js':
    'export const total = (prices) => prices.reduce((sum, one) => sum + one, 0);\nexport const bit = () => 0;\nexport const rounded = (price) => Math.round(price);\n',
  'shop.py': 'def total(prices):\n    return sum(prices)\n\n\ndef rounded(price):\n    return round(price)\n',
};
const verifier = {
  'verifier/shop.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as shop from '../src/shop.js';
test('[AC-1] sums', () => assert.equal(shop.total([1, 2]), 3));
test('[regression] nothing costs nothing', () => assert.equal(shop.total([]), 0));
test('[AC-2] rounds', { skip: shop.unavailable }, () => assert.equal(shop.rounded(1.2), 1));
test('[AC-2] rounds up', { todo: shop.planned }, () => assert.equal(shop.rounded(1.7), 2));
for (let index = 0; index < 24; index++) test('[regression] bit ' + index, () => assert.equal(shop.bit(), 0));
`,
  'verifier/test_shop_requirement.py': `import pytest
import shop


def test_AC_1_sums():
    assert shop.total([1, 2]) == 3


def test_regression_nothing_costs_nothing():
    assert shop.total([]) == 0


def test_AC_2_rounds():
    if getattr(shop, "unavailable", False):
        pytest.skip("not on this machine")
    if getattr(shop, "planned", False):
        pytest.xfail("later")
    assert shop.rounded(1.2) == 1
`,
};

let root: string;
let one: Case;
let base: Base;
let place: Place;
let expected: ExpectedTest[];

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'skill-trial-trees-'));
  const folder = join(root, 'data/cases/shop');
  for (const [name, files] of Object.entries({ repo, solution, verifier })) await writeFiles(join(folder, name), files);
  one = {
    ...{ name: 'shop', folder, repo: { path: 'repo' }, task: 'task.txt', solution: 'solution', hidden: {} },
    verifier: Verifier.parse({
      files: 'verifier',
      checks: [
        { level: 'L1', framework: 'exit-status', command: ['node', '--check', 'src/shop.js'] },
        { level: 'L2', framework: 'node-test', command: ['node', '--test', 'verifier/'] },
        { level: 'L2', framework: 'pytest', command: ['/usr/bin/python3', '-m', 'pytest', '-q', 'verifier'] },
      ],
    }),
  } as unknown as Case;
  await writeFiles(folder, { 'case.yaml': 'name: shop\n', 'task.txt': 'Sum.\n' });
  const run = runPaths(root, 'shop');
  base = await makeBase(one, run.bases);
  place = plainPlace((await findSandbox('auto')).kind);
  if (!hasPytest) return;
  const reference = await measureReference({ run }, one, base, place);
  expected = await readReference(join(run.run, reference?.path as string), one);
});
afterAll(() => rm(root, { recursive: true, force: true }));

const hasPytest = existsSync('/usr/bin/pytest-3');

/** The verdict on the reference solution with these files over it, from as many runs as the case says. */
async function judge(files: Record<string, string>): Promise<Verdict> {
  const overlay = await tempFolder(files);
  const solved: [string, string][] = [
    [join(one.folder, 'solution'), '.'],
    [overlay, '.'],
  ];
  const runs = [];
  for (let index = 1; index <= (one.verifier?.reruns ?? 0); index++) {
    const done = [];
    for (const plan of verifierPlans(one, { base, patch: null, overlay: solved }, place, `verifier-run${index}`))
      done.push(await runTestCheck(plan, await tempFolder()));
    runs.push(verifierResults(done));
  }
  return judgeRuns(expected, runs);
}

const outcomes = ({ tests }: Verdict, ...parts: string[]) =>
  tests.filter(({ id }) => parts.every((part) => id.includes(part))).map(({ outcome }) => outcome);
const run = (title: string, action: () => Promise<void>) =>
  test(title, async ({ skip }) => {
    if (!hasPytest && process.env.CI !== 'true') skip('python3-pytest is not installed');
    await action();
  });

run('the reference fixes the expected tests: 1 build check, 28 tests of node, 3 of pytest', async () => {
  expect(expected).toHaveLength(32);
  const roles = (role: string) => expected.filter((row) => row.role === role).length;
  expect([roles('fail-to-pass'), roles('pass-to-pass')]).toEqual([5, 27]);
  expect(await judge({})).toMatchObject({ success: true, runs: 2, flaky: [], raw: { passed: 32, total: 32 } });
});

run('a tree that does not build fails the build check, and no other test leaves the count', async () => {
  const verdict = await judge({ 'src/shop.js': 'export const total = (;\n' });
  expect(outcomes(verdict, 'L1')).toEqual(['crash']);
  expect(verdict).toMatchObject({ success: false, raw: { passed: 3, total: 32 } });
  expect(new Set(outcomes(verdict, 'shop.test.js'))).toEqual(new Set(['missing']));
});

run('a collection error shrinks no denominator: every test of the file is missing, and has failed', async () => {
  const verdict = await judge({ 'shop.py': 'import no_such_module\n' });
  expect(outcomes(verdict, '.py')).toEqual(['missing', 'missing', 'missing']);
  expect(verdict).toMatchObject({ success: false, raw: { passed: 29, total: 32 }, unexpected: [] });
});

run('skipped tests and those expected to fail are no passes, each under its own name', async () => {
  const [node, python] = [solution['src/shop.js'], solution['shop.py']];
  const skipped = await judge({
    'src/shop.js': `${node}export const unavailable = 'not on this machine';\n`,
    'shop.py': `${python}\nunavailable = True\n`,
  });
  expect(outcomes(skipped, '[AC-2] rounds').sort()).toEqual(['passed', 'skipped']);
  expect(outcomes(skipped, 'test_AC_2')).toEqual(['skipped']);
  expect(skipped).toMatchObject({ success: false, raw: { passed: 30, total: 32 } });
  const planned = await judge({
    'src/shop.js': `${node}export const planned = 'later';\n`,
    'shop.py': `${python}\nplanned = True\n`,
  });
  expect(outcomes(planned, '[AC-2] rounds up')).toEqual(['todo']);
  expect(outcomes(planned, 'test_AC_2')).toEqual(['todo']);
  expect(planned.success).toBe(false);
});

run('a tree that differs between runs has its tests named as flaky, and they are no passes', async () => {
  // one of 24 coins falls differently in two runs, but for one time in sixteen million
  const verdict = await judge({
    'src/shop.js': solution['src/shop.js'].replace('bit = () => 0', 'bit = () => (Math.random() < 0.5 ? 0 : 1)'),
  });
  expect(verdict.flaky.length).toBeGreaterThan(0);
  expect(verdict.flaky.every((id) => id.includes('[regression] bit '))).toBe(true);
  expect(verdict).toMatchObject({ success: false, partial: 1, raw: { total: 32 } });
});

run('a test that passed before and is broken is no success, whatever else passes', async () => {
  const verdict = await judge({
    'shop.py': `${await readFile(join(one.folder, 'solution/shop.py'), 'utf8')}\n_sum = total\n\n\ndef total(prices):\n    return _sum(prices) or None\n`,
  });
  expect(verdict).toMatchObject({ success: false, partial: 1, passToPass: { passed: 26, total: 27 } });
});
