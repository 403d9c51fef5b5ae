import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { type ContainedOutcome, runContained, sweepFolder } from '../src/contained-run.js';
import type { watchDisk } from '../src/disk-watch.js';
import { PrerequisiteError } from '../src/errors.js';
import { isAlive } from '../src/file-lock.js';
import { defaultLimits, type ResourceLimits } from '../src/resource-limits.js';
import { findSandbox, sandboxCommand } from '../src/sandbox.js';
import { proxyVariables, type SandboxKind, type SandboxPlan, sandboxView } from '../src/sandbox-plan.js';
import { failure, tempFolder } from './fixture.js';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function plan(edit: Partial<SandboxPlan> = {}): Promise<SandboxPlan> {
  const scratch = await mkdtemp(join(tmpdir(), 'skill-trial-sandbox-'));
  folders.push(scratch);
  const [workspace, home, tmp] = ['workspace', 'home', 'tmp'].map((name) => join(scratch, name)) as [string, string, string];
  for (const folder of [workspace, home, tmp]) await mkdir(folder);
  return {
    kind: 'bubblewrap',
    ...{ workspace, home, tmp },
    ...{ skills: null, readOnly: [], hide: [], gateway: null, proxy: null, limits: defaultLimits, image: null },
    ...edit,
  };
}

type Skip = (note: string) => void;

/** Skips where a kind does not work; on CI it must. */
async function need(kind: SandboxKind, skip: Skip): Promise<void> {
  if (kind === 'private-home') return;
  await findSandbox(kind as 'bubblewrap').catch((error: PrerequisiteError) => {
    if (process.env.CI === 'true') throw error;
    skip(`no ${kind}: ${error.found}`);
  });
}

async function inside(
  sandbox: SandboxPlan,
  script: string,
  skip: Skip,
  watch?: typeof watchDisk,
): Promise<ContainedOutcome & { text: string }> {
  await need(sandbox.kind, skip);
  const scratch = await mkdtemp(join(tmpdir(), 'skill-trial-scratch-'));
  folders.push(scratch);
  const [stdoutFile, stderrFile] = [join(scratch, 'out'), join(scratch, 'err')];
  const run = {
    sandbox,
    argv: ['/bin/sh', '-c', script],
    env: { PATH: sandboxView(sandbox, '/m').path },
    scratch,
    process: { stdinFile: null, stdoutFile, stderrFile, timeoutMs: 60_000 },
  };
  const done = await runContained(run, watch);
  return { ...done, text: (await readFile(stdoutFile, 'utf8')) + (await readFile(stderrFile, 'utf8')) };
}

describe.each(['bubblewrap', 'container'] as const)('inside %s', (kind) => {
  test('a checkout below a mounted system folder is out of reach', async ({ skip }) => {
    const checkout = await mkdtemp('/usr/local/skill-trial-test-').catch(() => null);
    if (checkout === null) return skip('/usr/local cannot be written here');
    folders.push(checkout);
    await writeFile(join(checkout, 'reference.md'), 'the answer');
    const script = `cat ${checkout}/reference.md 2>/dev/null || echo out of reach; touch ${checkout}/x 2>/dev/null && echo written; true`;
    expect((await inside(await plan({ kind, hide: [checkout] }), script, skip)).text.trim()).toBe('out of reach');
  });

  test('nothing of the host but the system is there: no other file, no variable, no network', async ({ skip }) => {
    process.env.SKILL_TRIAL_TEST_KEY = 'the key';
    const script =
      'ls -A /home /tmp; cat /proc/[0-9]*/environ | tr "\\0" "\\n"; tail -n +3 /proc/net/dev | grep -v lo:; ls /root 2>/dev/null; true';
    const { text } = await inside(await plan({ kind }), script, skip);
    delete process.env.SKILL_TRIAL_TEST_KEY;
    expect(text).toContain('agent');
    expect(text).not.toMatch(/SKILL_TRIAL_TEST_KEY|the key/);
    if (homedir() !== '/') expect(text).not.toContain(homedir());
    expect(text).not.toMatch(/eth|ens|wlan/);
  });

  test('no command line and no environment inside names a folder of the host', async ({ skip }) => {
    const sandbox = await plan({ kind });
    const { text } = await inside(sandbox, 'cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ | tr "\\0" "\\n"', skip);
    for (const folder of [sandbox.workspace, sandbox.home, join(tmpdir(), 'skill-trial'), process.cwd()])
      expect(text).not.toContain(folder);
  });

  test('only workspace, HOME and TMPDIR can be written', async ({ skip }) => {
    // an engine's own /dev is a file system in memory, small and counted, that its user can write
    const dev = kind === 'container' ? '' : '/dev/x';
    const script = `for f in /workspace/x /home/agent/x /tmp/x; do touch $f || exit 1; done; for f in /x /usr/x /etc/x /home/x /run/x /lab/x ${dev}; do touch $f 2>/dev/null && echo wrote $f; done; echo done`;
    expect((await inside(await plan({ kind }), script, skip)).text.trim()).toBe('done');
  });

  test('the paths are the same in every arm', async () => {
    const sandbox = await plan({ kind });
    expect(sandboxView(sandbox, '/host/modules')).toEqual(sandboxView({ ...sandbox, skills: '/host/skills' }, '/other'));
  });
});

const small: ResourceLimits = { memoryMb: 128, cpus: null, processes: 40, fileMb: 4, diskMb: 64 };

describe.each(['bubblewrap', 'container', 'private-home'] as const)('limits with %s', (kind) => {
  test('a file ends at its largest size', async ({ skip }) => {
    const sandbox = await plan({ kind, limits: small });
    const { hits, text } = await inside(sandbox, 'head -c 9000000 /dev/zero > big; stat -c %s big', skip);
    expect(text).toContain(String(4 * 2 ** 20));
    expect(hits.map((hit) => hit.limit)).toContain('file');
  });

  test('a full disk ends the session, with that reason', async ({ skip }) => {
    const script = 'i=0; while :; do head -c 4000000 /dev/zero > f$i; i=$((i+1)); [ $i -lt 40 ] || exec sleep 600; done';
    const { outcome, full, hits } = await inside(await plan({ kind, limits: small }), script, skip);
    expect([full, outcome.stopped, outcome.timedOut]).toEqual(['disk', 'limit: disk', false]);
    expect(hits.map((hit) => hit.limit)).toEqual(['disk']);
  });

  test('more memory than allowed ends the process that took it', async ({ skip }) => {
    await needs(kind, 'memory', skip);
    const script = `node -e 'const all = []; for (let i = 0; i < 64; i++) all.push(Buffer.alloc(1 << 24, 1)); console.log("took it all")'`;
    const { text, hits, measured } = await inside(await plan({ kind, limits: small }), script, skip);
    expect(text).not.toContain('took it all');
    // an engine tells of a kill only where it hit the program itself
    if (kind === 'container') return;
    expect(hits.map((hit) => hit.limit)).toEqual(['memory']);
    expect(measured.peakMemoryBytes).toBeGreaterThan(100 * 2 ** 20);
  });

  test('a process bomb stays within its number, and leaves no process', async ({ skip }) => {
    await needs(kind, 'processes', skip);
    const bomb = 'i=0; while [ $i -lt 100 ]; do sleep 600 & i=$((i+1)); echo $i; done';
    const { text, hits, measured } = await inside(await plan({ kind, limits: small }), bomb, skip);
    expect(text).not.toMatch(/^40$/m);
    if (kind === 'container') return; // the engine's own group holds it; its counters are gone with the container
    expect(hits.map((hit) => hit.limit)).toEqual(['processes']);
    expect(measured.peakProcesses ?? 0).toBeLessThanOrEqual(40);
  });

  test('a child in a session of its own ends with the program', async ({ skip }) => {
    const mark = `6${Math.floor(Math.random() * 1e6)}`;
    const { outcome } = await inside(
      await plan({ kind }),
      `setsid nohup sleep ${mark} >/dev/null 2>&1 & sleep 0.1; exit 0`,
      skip,
    );
    expect(outcome.exitCode).toBe(0);
    expect(await commandLines()).not.toContainEqual(expect.stringContaining(`sleep\0${mark}`));
  });
});

describe.each(['output', 'disk'] as const)('too much %s', (what) => {
  /** A watch that finds it at one moment alone. */
  const found =
    (when: 'at once' | 'at the end'): typeof watchDisk =>
    (_, onFull) => {
      if (when === 'at once') onFull(what);
      return {
        close: async () => {
          if (when === 'at the end') onFull(what);
          return { bytes: 0, largest: 0 };
        },
      };
    };

  test('of a process that ended by itself is run into, and has not ended it', async ({ skip }) => {
    const sandbox = await plan({ kind: 'private-home' });
    const { outcome, full, hits } = await inside(sandbox, 'echo done', skip, found('at the end'));
    expect([outcome.exitCode, outcome.stopped, full]).toEqual([0, null, null]);
    expect(hits).toMatchObject([{ limit: what, count: 1, detail: expect.stringMatching(/: it was not ended for that$/) }]);
  });

  test('of a process that runs ends it', async ({ skip }) => {
    const sandbox = await plan({ kind: 'private-home' });
    const { outcome, full, hits } = await inside(sandbox, 'exec sleep 600', skip, found('at once'));
    expect([outcome.stopped, full]).toEqual([`limit: ${what}`, what]);
    expect(hits).toMatchObject([{ limit: what, count: 1, detail: expect.stringMatching(/: it was ended$/) }]);
  });
});

/** Skips where the machine has no group for a limit: then it is not in force, and said so. */
async function needs(kind: SandboxKind, limit: 'memory' | 'processes', skip: Skip): Promise<void> {
  if (kind === 'container') return need(kind, skip);
  const { inForce, doesNotStop } = await findSandbox('none');
  if (inForce[limit] !== null) return;
  expect(doesNotStop.join()).toMatch(limit === 'memory' ? 'memory of the machine' : 'process bomb');
  skip(`no cgroup for ${limit}`);
}

async function commandLines(): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry));
  return Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '')));
}

test("without a sandbox the paths are the host's own, and the command is not wrapped", async () => {
  const sandbox = await plan({ kind: 'private-home' });
  expect(sandboxView(sandbox, '/m')).toMatchObject({ workspace: sandbox.workspace, home: sandbox.home, modules: '/m' });
  expect(await sandboxCommand(sandbox, ['true'], { A: '1' })).toEqual({
    argv: ['true'],
    env: { A: '1' },
    cwd: sandbox.workspace,
  });
});

test('the proxy variables lead to the port of the kind, and never to the model', async () => {
  const proxy = { socket: '/s' };
  expect(proxyVariables({ kind: 'bubblewrap', proxy })).toMatchObject({
    HTTPS_PROXY: 'http://127.0.0.1:8081',
    no_proxy: '127.0.0.1,localhost',
  });
  expect(proxyVariables({ kind: 'private-home', proxy: { port: 5 } })).toMatchObject({ http_proxy: 'http://127.0.0.1:5' });
  expect(proxyVariables({ kind: 'private-home', proxy: null })).toEqual({});
});

describe('what is asked for', () => {
  test('none is a private home, and what that does not stop comes first', async () => {
    const found = await findSandbox('none');
    expect(found).toMatchObject({ kind: 'private-home', because: 'experiment.yaml says sandbox: none', image: null });
    expect(found.doesNotStop[0]).toContain('reading any file');
  });

  test('an image that is not there is named, with what to do', async ({ skip }) => {
    await need('container', skip);
    const error = await failure(PrerequisiteError, () => findSandbox('auto', 'localhost/no-such-image:1'));
    expect(error.found).toContain('localhost/no-such-image:1');
  });
});

describe('what a killed run left', () => {
  test('goes with its processes once its owner has ended', async () => {
    const scratch = await tempFolder({ owner: '1999999999', work: 'x' });
    const marker = randomUUID();
    const { spawn } = await import('node:child_process');
    const child = spawn('sleep', ['600'], { env: { PATH: '/usr/bin:/bin', SKILL_TRIAL_PROCESS: marker }, stdio: 'ignore' });
    const ended = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)));
    await new Promise((resolve) => child.once('spawn', resolve));
    await writeFile(join(scratch, 'leftovers.json'), JSON.stringify({ marker, groups: [], container: null }));
    expect(await sweepFolder(scratch)).toBe(true);
    expect(await ended).toBe('SIGKILL');
    expect(isAlive(child.pid as number)).toBe(false);
    await expect(readdir(scratch)).rejects.toThrow(/ENOENT/);
  });

  test.each([
    ['that names no owner', {}],
    ['whose owner lives', { owner: String(process.pid) }],
    ['with an owner that is no number', { owner: 'somebody' }],
  ])('a tree %s stays, whatever it holds', async (_, files) => {
    const scratch = await tempFolder({ ...files, 'workspace/changed.js': 'not committed' });
    expect(await sweepFolder(scratch)).toBe(false);
    expect(await readFile(join(scratch, 'workspace/changed.js'), 'utf8')).toBe('not committed');
  });
});
