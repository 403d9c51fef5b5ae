import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PrerequisiteError } from '../src/errors.js';
import { isAlive } from '../src/file-lock.js';
import { type ProcessPlan, runProcess } from '../src/process.js';
import { failure, tempFolder } from './fixture.js';

async function run(argv: string[], parts: Partial<ProcessPlan> & { input?: string | Buffer } = {}) {
  const { input, ...plan } = parts;
  const folder = await tempFolder();
  const [stdoutFile, stderrFile, inputFile] = ['out', 'err', 'in'].map((name) => join(folder, name)) as [string, string, string];
  if (input !== undefined) await writeFile(inputFile, input);
  const outcome = await runProcess({
    argv,
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
    cwd: folder,
    stdinFile: input === undefined ? null : inputFile,
    stdoutFile,
    stderrFile,
    timeoutMs: 30_000,
    ...plan,
  });
  return {
    ...outcome,
    folder,
    stdoutFile,
    stdout: () => readFile(stdoutFile, 'utf8'),
    stderr: () => readFile(stderrFile, 'utf8'),
  };
}
/** Starts a child in a session of its own that keeps stdout open, and goes on once it is there with its number in `pid`. */
const detached = "setsid nohup sh -c 'echo $$ > draft; mv draft pid; exec sleep 600' & until [ -f pid ]; do :; done;";
const shell = (script: string, parts: Parameters<typeof run>[1] = {}) => run(['/bin/sh', '-c', script], parts);

test('a non-zero exit is an outcome, with both streams in their files', async () => {
  const done = await shell('echo out; echo err >&2; exit 3');
  expect(done).toMatchObject({ exitCode: 3, signal: null, timedOut: false, stopped: null, sweptProcesses: 0 });
  expect([await done.stdout(), await done.stderr()]).toEqual(['out\n', 'err\n']);
  expect(done.elapsedSeconds).toBeGreaterThan(0);
  expect(Date.parse(done.finishedAt)).toBeGreaterThanOrEqual(Date.parse(done.startedAt));
});

test('exit status 0', async () => {
  expect(await shell('exit 0')).toMatchObject({ exitCode: 0, signal: null });
});

test('a process that a signal ended says which', async () => {
  expect(await shell('kill -9 $$')).toMatchObject({ exitCode: null, signal: 'SIGKILL', timedOut: false });
});

test('standard input is the file byte for byte', async () => {
  const input = Buffer.concat([Buffer.from('first\r\n\0'), Buffer.from([0xff, 0xfe, 0x80]), Buffer.alloc(200_000, 'x')]);
  const done = await run(['cat'], { input });
  expect((await readFile(done.stdoutFile)).equals(input)).toBe(true);
});

test('a program that does not read its input ends all the same', async () => {
  expect(await run(['true'], { input: Buffer.alloc(1_000_000) })).toMatchObject({ exitCode: 0 });
});

test('without input a program reads the end of file at once', async () => {
  expect(await (await run(['cat'])).stdout()).toBe('');
});

test('output larger than 20 MB goes whole into the file', async () => {
  const done = await shell('head -c 22000000 /dev/zero');
  expect(done.exitCode).toBe(0);
  expect((await stat(done.stdoutFile)).size).toBe(22_000_000);
});

test('only the environment given is there', async () => {
  process.env.SKILL_TRIAL_TEST_KEY = 'secret';
  try {
    const done = await run(['env'], { env: { PATH: process.env.PATH ?? '/bin', ONLY: 'this' } });
    expect(await done.stdout()).toContain('ONLY=this');
    expect(await done.stdout()).not.toContain('secret');
  } finally {
    delete process.env.SKILL_TRIAL_TEST_KEY;
  }
});

test('at its limit a process is ended, and that it timed out is said', async () => {
  expect(await shell('exec sleep 600', { timeoutMs: 50 })).toMatchObject({ exitCode: null, signal: 'SIGTERM', timedOut: true });
});

test('a process that traps SIGTERM is killed', async () => {
  const done = await shell('trap "" TERM; echo $$; while :; do sleep 0.05; done', { timeoutMs: 1500 });
  expect(done).toMatchObject({ signal: 'SIGKILL', timedOut: true });
  expect(isAlive(Number(await done.stdout()))).toBe(false);
});

test.runIf(process.platform === 'linux')('a detached child that holds stdout neither survives nor hangs the call', async () => {
  const done = await shell(`${detached} exit 0`);
  const pid = Number((await readFile(join(done.folder, 'pid'), 'utf8')).trim());
  expect(done).toMatchObject({ exitCode: 0, timedOut: false });
  expect(done.sweptProcesses).toBeGreaterThanOrEqual(1);
  expect(pid).toBeGreaterThan(1);
  expect(await runsStill(pid)).toBe(false);
});

test.runIf(process.platform === 'linux')('children in sessions of their own end with a process that timed out', async () => {
  const done = await shell(`${detached} exec sleep 600`, { timeoutMs: 3000 });
  const pid = Number((await readFile(join(done.folder, 'pid'), 'utf8')).trim());
  expect(done.timedOut).toBe(true);
  expect(await runsStill(pid)).toBe(false);
});

test('a stop from outside ends it and keeps the reason', async () => {
  const stop = new AbortController();
  const running = shell('exec sleep 600', { stop: stop.signal });
  stop.abort('the limit on calls');
  expect(await running).toMatchObject({ stopped: 'the limit on calls', timedOut: false, exitCode: null });
});

test('a stop that came before the start ends it too', async () => {
  expect(await shell('exec sleep 600', { stop: AbortSignal.abort('too late') })).toMatchObject({ stopped: 'too late' });
});

test('a limit of a month is not one of a millisecond', async () => {
  expect(await shell('sleep 0.1; exit 0', { timeoutMs: 31 * 24 * 3600 * 1000 })).toMatchObject({ exitCode: 0, timedOut: false });
});

test('a missing program is a PrerequisiteError that names it, and leaves no timer behind', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const before = timers();
  const error = await failure(PrerequisiteError, () => run(['no-such-program-of-the-lab'], { timeoutMs: 3_600_000 }));
  expect(error.message).toContain('Cannot start no-such-program-of-the-lab');
  expect(timers()).toBeLessThanOrEqual(before);
});

test('a missing input file is an error of the caller, not a crash of the lab', async () => {
  await expect(run(['cat'], { stdinFile: '/nonexistent/prompt.txt' })).rejects.toThrow(/ENOENT/);
});

/** Whether a process of that number still runs (one that has ended and is not yet reaped does not). */
async function runsStill(pid: number): Promise<boolean> {
  const text = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => null);
  return text !== null && !/\) [ZX] /.test(text);
}
