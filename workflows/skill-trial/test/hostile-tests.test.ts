import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Base, makeBase } from '../src/base.js';
import type { Case } from '../src/case.js';
import { containerEngine } from '../src/container.js';
import type { PrerequisiteError } from '../src/errors.js';
import type { ResourceLimits } from '../src/resource-limits.js';
import { findSandbox } from '../src/sandbox.js';
import { runTestCheck } from '../src/test-check.js';
import type { TestResult } from '../src/test-framework.js';
import { checkPrefix } from '../src/tree-run.js';
import { expectTests, judgeRuns } from '../src/verdict.js';
import { Verifier, verifierPlans, verifierResults } from '../src/verifier.js';
import { tempFolder, writeFiles } from './fixture.js';

// An agent's code runs in the verifier. Whatever it does there, the run ends, what it did is told, and nothing of it is left.
const limits: ResourceLimits = { memoryMb: 400, cpus: null, processes: 60, fileMb: 8, diskMb: 64 };
const head = "import { execFileSync, spawn } from 'node:child_process';\nimport * as fs from 'node:fs';\n";
const works = 'export const total = (prices) => prices.reduce((sum, one) => sum + one, 0);\n';

let scratch: string;
let one: Case;
let base: Base;
let ran = 0;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'skill-trial-hostile-'));
  await writeFiles(join(scratch, 'case'), {
    'repo/package.json': '{"type":"module"}',
    'repo/src/shop.js': 'export const total = () => 0;\n',
    'verifier/verifier/shop.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { total } from '../src/shop.js';
test('sums', () => assert.equal(total([1, 2]), 3));
test('[regression] nothing costs nothing', () => assert.equal(total([]), 0));
`,
  });
  one = { name: 'shop', folder: join(scratch, 'case'), repo: { path: 'repo' } } as unknown as Case;
  base = await makeBase(one, join(scratch, 'bases'));
  // what is left in it is left by these runs
  vi.stubEnv('TMPDIR', await mkdtemp(join(scratch, 'tmp-')));
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(scratch, { recursive: true, force: true });
});

const nodeTests = { level: 'L2', framework: 'node-test', command: ['node', '--test', 'verifier/'] };
const build = (script: string) => ({ level: 'L1', framework: 'exit-status', command: ['/bin/sh', '-c', script] });

/** One run of the verifier on what an agent left in src/shop.js: what each test did, the check, and what was left behind. */
async function verify(kind: 'bubblewrap' | 'container', source: string, check: object = nodeTests) {
  const verifier = Verifier.parse({ files: 'verifier', checks: [{ timeout_seconds: 90, ...check }] });
  const agents = await tempFolder({ 'src/shop.js': source });
  ran += 1;
  const place = { sandbox: kind, image: null, limits, warm: null };
  const [plan] = verifierPlans({ ...one, verifier }, { base, patch: null, overlay: [[agents, '.']] }, place, 'verifier');
  const target = join(scratch, `check-${ran}`);
  const done = await runTestCheck(plan as NonNullable<typeof plan>, target);
  const results = verifierResults([done]);
  expect((await readdir(tmpdir())).filter((name) => name.startsWith(checkPrefix))).toEqual([]);
  expect(await containers()).toEqual([]);
  return { done, target, limits: done.limits.map(({ limit }) => limit), verdict: verdictOf(results) };
}

const id = (name: string): TestResult => ({ file: 'L2/verifier/shop.test.js', name, outcome: 'passed', message: null });
const [sums, nothing] = [id('sums'), id('[regression] nothing costs nothing')];

/** The verdict by a reference whose two tests are one of each kind. */
function verdictOf(results: TestResult[]) {
  const floor: TestResult[] = [{ ...sums, outcome: 'assertion' }, nothing];
  const { success, raw, tests } = judgeRuns(
    expectTests(
      [floor, floor],
      [
        [sums, nothing],
        [sums, nothing],
      ],
    ),
    [results],
  );
  return { success, raw, outcomes: tests.map(({ outcome }) => outcome) };
}
const nothingPassed = { success: false, raw: { passed: 0, total: 2 } };

/** Containers of this process that are still there. */
async function containers(): Promise<string[]> {
  const engine = await containerEngine();
  if ('trouble' in engine) return [];
  const [program, ...flags] = engine.call as [string, ...string[]];
  const names = execFileSync(program, [...flags, 'ps', '--all', '--format', '{{.Names}}'], { encoding: 'utf8' });
  return names.split('\n').filter((name) => name.startsWith(`skill-trial-${process.pid}-`));
}

async function alive(word: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry));
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '')));
  return lines.filter((line) => line.includes(word));
}

describe.each(['bubblewrap', 'container'] as const)('an agent’s code in the verifier, in %s', (kind) => {
  const attack = (title: string, action: () => Promise<void>) =>
    test(title, async ({ skip }) => {
      await findSandbox(kind).catch((error: PrerequisiteError) => {
        if (process.env.CI === 'true') throw error;
        skip(`no ${kind}: ${error.found}`);
      });
      await action();
    });

  attack('that does what it should passes', async () => {
    const { done, verdict } = await verify(kind, works);
    expect([done.exitCode, done.timedOut, done.limits]).toEqual([0, false, []]);
    expect(verdict).toMatchObject({ success: true, raw: { passed: 2, total: 2 } });
  });

  attack('that forks without end comes up against the limit on processes, and nothing of it lives on', async () => {
    const word = `7${Math.floor(Math.random() * 1e6)}`;
    const bomb = `${head}execFileSync('/bin/sh', ['-c', 'f() { f ${word} | f ${word} & }; f; while :; do sleep 1; done'], { stdio: 'ignore' });\n${works}`;
    const { verdict, limits: hit } = await verify(kind, bomb, { ...nodeTests, timeout_seconds: 24 });
    expect(verdict).toMatchObject(nothingPassed);
    // an engine's own group is gone with its container, and its count with it
    if (kind === 'bubblewrap') expect(hit).toContain('processes');
    expect(await alive(word)).toEqual([]);
  });

  attack('that eats memory is killed for that', async () => {
    const {
      done,
      verdict,
      limits: hit,
    } = await verify(kind, `const all = [];\nfor (;;) all.push(Buffer.alloc(1 << 24, 1));\n${works}`);
    expect(verdict).toMatchObject(nothingPassed);
    // an engine tells of it only where its first process was the one that was killed
    if (kind === 'bubblewrap') expect(hit).toEqual(['memory']);
    expect(done.tests).toMatchObject([{ outcome: 'collection', message: expect.stringContaining('SIGKILL') }]);
  });

  attack('that never ends is ended, as a test and as a build', async () => {
    const { done, verdict } = await verify(kind, `for (;;);\n${works}`, { ...nodeTests, timeout_seconds: 12 });
    expect(verdict).toMatchObject(nothingPassed);
    expect(done.tests.map(({ outcome }) => outcome)).toEqual(['timeout']);
    const never = await verify(kind, works, { ...build('sleep 600'), timeout_seconds: 2 });
    expect(never.done).toMatchObject({ timedOut: true, tests: [{ outcome: 'crash' }] });
  });

  attack('that fills the disk is ended for that', async () => {
    const fill = `${head}for (let n = 0; ; n++) fs.writeFileSync('fill-' + n, Buffer.alloc(4 << 20));\n${works}`;
    const { done, verdict, limits: hit } = await verify(kind, fill);
    expect(verdict).toMatchObject(nothingPassed);
    expect([hit, done.timedOut]).toEqual([['disk'], false]);
  });

  attack('that prints without end is ended for that, and little of it is kept', async () => {
    for (const [stream, to] of [
      ['stdout', '2>/dev/null'],
      ['stderr', '>&2 2>/dev/null'],
    ]) {
      const { done, target, limits: hit } = await verify(kind, works, build(`while :; do yes much ${to}; done`));
      expect([hit.includes('output'), done.timedOut, done.tests[0]?.outcome]).toEqual([true, false, 'crash']);
      expect((await stat(join(target, `${stream}.txt`))).size).toBeLessThan(9 * 2 ** 20);
    }
  });

  attack('that leaves a process behind has it ended', async () => {
    const word = `7${Math.floor(Math.random() * 1e6)}`;
    const leave = `${head}spawn('setsid', ['sleep', '${word}'], { detached: true, stdio: 'ignore', env: {} }).unref();\n${works}`;
    const { verdict } = await verify(kind, leave);
    expect(verdict.success).toBe(true);
    expect(await alive(word)).toEqual([]);
  });

  attack('that kills whatever it can reach ends the run, and the run alone', async () => {
    for (const target of ['-1', '-process.ppid', '0']) {
      const { done, verdict } = await verify(kind, `process.kill(${target}, 'SIGKILL');\n${works}`);
      expect(verdict, target).toMatchObject(nothingPassed);
      expect([done.exitCode === 0, done.timedOut], target).toEqual([false, false]);
    }
  });

  attack('that puts a pipe, a link or a folder in the place of the report has no test counted', async () => {
    const secret = join(scratch, 'secret.jsonl');
    await writeFile(
      secret,
      [sums, nothing].map((row) => `${JSON.stringify({ ...row, file: '/workspace/verifier/shop.test.js' })}\n`).join(''),
    );
    for (const command of ['mkfifo "$0"', 'ln -s "$1" "$0"', 'mkdir "$0"', 'echo strange > "$0"; echo "[]" >> "$0"']) {
      const check = { level: 'L2', framework: 'junit', command: ['/bin/sh', '-c', command, '{report}', secret] };
      const { done, target, verdict } = await verify(kind, works, check);
      expect(verdict, command).toMatchObject(nothingPassed);
      expect(
        done.tests.filter(({ outcome }) => outcome === 'passed'),
        command,
      ).toEqual([]);
      expect(await readFile(join(target, 'tests.jsonl'), 'utf8'), command).not.toContain('sums');
    }
  });

  attack('that forges passes in the report has no test counted, whatever it spoils beside them', async () => {
    const rows = [sums, nothing].map((row) => ({ ...row, file: '/workspace/verifier/shop.test.js' }));
    // longer than what node's reporter writes over their beginning
    const passes = rows
      .map((row) => `${JSON.stringify(row)}\n`)
      .join('')
      .repeat(20);
    for (const [source, more] of [
      [works, 'strange\n'.repeat(1000)],
      // what a reporter that appends writes next would be glued to it
      ['export const total = () => 1;\n', 'x'],
    ] as const) {
      const report = `fs.appendFileSync('/tmp/tests.jsonl', ${JSON.stringify(passes + more)});\n`;
      const { done, verdict } = await verify(kind, head + report + source);
      expect(done.tests, more).toMatchObject([{ name: 'report', outcome: 'collection' }]);
      expect(verdict, more).toMatchObject(nothingPassed);
    }
  });
});
