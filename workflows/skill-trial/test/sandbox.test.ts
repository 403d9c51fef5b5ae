import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { findSandbox, type SandboxPlan, sandboxCommand, sandboxView } from '../src/sandbox.js';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function plan(edit: Partial<SandboxPlan> = {}): Promise<SandboxPlan> {
  const scratch = await mkdtemp(join(tmpdir(), 'skill-trial-sandbox-'));
  folders.push(scratch);
  const [workspace, home, tmp] = ['workspace', 'home', 'tmp'].map((name) => join(scratch, name)) as [string, string, string];
  for (const folder of [workspace, home, tmp]) await mkdir(folder);
  return { kind: 'bubblewrap', workspace, home, tmp, skills: null, readOnly: [], hide: [], gateway: null, ...edit };
}

async function inside(sandbox: SandboxPlan, script: string, skip: (note: string) => void): Promise<string> {
  const found = await findSandbox('auto');
  if (found.kind !== 'bubblewrap') {
    if (process.env.CI === 'true') throw new Error(`bubblewrap must work in CI: ${found.because}`);
    skip(`no bubblewrap: ${found.because}`);
  }
  const { argv, env, cwd } = sandboxCommand(sandbox, ['/bin/sh', '-c', script], { PATH: '/usr/bin:/bin' });
  return execFileSync(argv[0] as string, argv.slice(1), { env, cwd, encoding: 'utf8' });
}

describe('inside bubblewrap', () => {
  test('a checkout below a mounted system folder is out of reach', async ({ skip }) => {
    const checkout = await mkdtemp('/usr/local/skill-trial-test-').catch(() => null);
    if (checkout === null) return skip('/usr/local cannot be written here');
    folders.push(checkout);
    await writeFile(join(checkout, 'reference.md'), 'the answer');
    const script = `cat ${checkout}/reference.md 2>/dev/null || echo out of reach`;
    expect((await inside(await plan({ hide: [checkout] }), script, skip)).trim()).toBe('out of reach');
  });

  test('nothing of the host but the system is there: no other file, no variable, no process, no network', async ({ skip }) => {
    const script =
      'ls /home /tmp; env | cut -d= -f1 | sort | tr "\\n" " "; ls /proc | grep -c "^[0-9]"; cat /proc/net/dev | grep -v lo: | tail -n +3 | wc -l';
    const out = await inside(await plan(), script, skip);
    expect(out).toContain('agent');
    expect(out).toMatch(/PATH PWD/);
    expect(out.trim().endsWith('0')).toBe(true);
  });

  test('only workspace, HOME and TMPDIR can be written', async ({ skip }) => {
    const script =
      'for f in /workspace/x /home/agent/x /tmp/x; do touch $f || exit 1; done; for f in /x /usr/x /etc/x /home/x; do touch $f 2>/dev/null && echo wrote $f; done; echo done';
    expect((await inside(await plan(), script, skip)).trim()).toBe('done');
  });

  test('the paths are the same in every arm', async () => {
    const sandbox = await plan();
    expect(sandboxView(sandbox, '/host/modules')).toEqual(sandboxView({ ...sandbox, skills: '/host/skills' }, '/other'));
  });
});

test("without bubblewrap the paths are the host's own, and the command is not wrapped", async () => {
  const sandbox = await plan({ kind: 'private-home' });
  expect(sandboxView(sandbox, '/m')).toMatchObject({ workspace: sandbox.workspace, home: sandbox.home, modules: '/m' });
  expect(sandboxCommand(sandbox, ['true'], { A: '1' })).toEqual({ argv: ['true'], env: { A: '1' }, cwd: sandbox.workspace });
});
