import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Kernel, KernelError, startKernel } from '../src/jupyter.js';
import { decodeMessage, encodeMessage } from '../src/jupyter-message.js';
import { findKernelspec, kernelName } from '../src/kernelspec.js';

const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', LC_ALL: 'C.UTF-8' };
/** Running; an ended process that nobody has waited for yet is not. */
const alive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return !existsSync('/proc/self/stat') || !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};
const folders = () => readdirSync(tmpdir()).filter((name) => name.startsWith(`skill-trial-kernel-${process.pid}-`));

const start = async () => startKernel(await findKernelspec(kernelName), { env });

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

describe('a kernel', () => {
  let kernel: Kernel;
  beforeAll(async () => {
    kernel = await start();
  });
  afterAll(async () => {
    const started = performance.now();
    await kernel.shutdown(50_000);
    // It ends by itself, well within the grace it is given.
    expect(performance.now() - started).toBeLessThan(20_000);
    expect(alive(kernel.pid)).toBe(false);
    expect(folders()).toEqual([]);
  });

  it('keeps what earlier cells declared, and tells stdout, stderr and displays apart in their order', async () => {
    expect(await kernel.execute('const x: number = 40;')).toMatchObject({ status: 'ok', stdout: '', stderr: '' });
    const second = await kernel.execute(`
      import * as tslab from 'tslab';
      console.log('one', x + 2); console.log('two'); console.error('three');
      tslab.display.html('<b>four</b>');
      console.log('five');`);
    expect(second).toMatchObject({ status: 'ok', stdout: 'one 42\ntwo\nfive\n', stderr: 'three\n' });
    expect(second.outputs.map(({ data }) => data)).toEqual([{ 'text/html': '<b>four</b>' }]);
    expect(second.emitted.map((one) => (one.type === 'stream' ? one.text : one.type))).toEqual([
      'one 42\ntwo\n',
      'three\n',
      'display',
      'five\n',
    ]);
  });

  it('reports a failed cell as an outcome, and takes the next one', async () => {
    expect(await kernel.execute('const wrong: number = "text";')).toMatchObject({
      status: 'error',
      stderr: expect.stringContaining("1:7 - Type 'string'"),
    });
    expect(await kernel.execute('throw new Error("on purpose")')).toMatchObject({
      status: 'error',
      stderr: expect.stringContaining('on purpose'),
    });
    expect(await kernel.execute('await new Promise((_, no) => setTimeout(() => no(new Error("later")), 10))')).toMatchObject({
      status: 'error',
    });
    expect(await kernel.execute('1 + 1')).toMatchObject({ status: 'ok', stdout: '2\n', stderr: '' });
  });

  it('gets the environment that it is given and nothing else', async () => {
    expect((await kernel.execute('process.env.VITEST === undefined')).stdout).toBe('true\n');
  });
});

describe('a kernel that cannot go on', () => {
  let kernel: Kernel | undefined;
  afterEach(async () => {
    await kernel?.shutdown();
    await kernel?.shutdown();
    expect(kernel === undefined || !alive(kernel.pid)).toBe(true);
    expect(folders()).toEqual([]);
    kernel = undefined;
  });

  it('because a cell never ends is ended, with all that it started', async () => {
    kernel = await start();
    const child = Number(
      (await kernel.execute(`import { spawn } from 'node:child_process'; spawn('sleep', ['100']).pid`)).stdout,
    );
    expect(alive(child)).toBe(true);
    const started = performance.now();
    await expect(kernel.execute('for (;;) {}', 500)).rejects.toMatchObject({
      kind: 'timeout',
      message: expect.stringContaining('within 0.5 s'),
    });
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(alive(kernel.pid)).toBe(false);
    expect(alive(child)).toBe(false);
    await expect(kernel.execute('1')).rejects.toThrow(KernelError);
  });

  it('because a promise never settles is ended', async () => {
    kernel = await start();
    await expect(kernel.execute('await new Promise(() => {})', 300)).rejects.toMatchObject({ kind: 'timeout' });
  });

  it.each([
    ['process.exit(3)', 'with exit code 3'],
    ["process.kill(process.pid, 'SIGSEGV'); for (;;) {}", 'by SIGSEGV'],
  ])('because it died says how: %s', async (code, how) => {
    kernel = await start();
    await expect(kernel.execute(code)).rejects.toMatchObject({
      kind: 'died',
      message: expect.stringContaining(`the kernel ended ${how}`),
    });
  });

  it('because it did not start says so, with what it printed', async () => {
    const spec = { argv: ['node', '-e', 'console.error("no room"); process.exit(1)'], display_name: 'x', language: 'x' };
    const begin = (argv: string[], startTimeoutMs?: number) =>
      startKernel({ name: 'x', resourceDir: '/', spec: { ...spec, argv } }, { env, startTimeoutMs });
    await expect(begin(spec.argv)).rejects.toMatchObject({ kind: 'start', found: expect.stringContaining('no room') });
    await expect(begin(['/nowhere/node'])).rejects.toMatchObject({ kind: 'start', found: expect.stringContaining('ENOENT') });
    await expect(begin(['node', '-e', 'setInterval(() => {}, 1000)'], 300)).rejects.toMatchObject({ kind: 'start' });
  });

  it('because its lab was killed ends too, even in an endless cell', async () => {
    const lab = spawn(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `import { startKernel } from '${new URL('../dist/jupyter.js', import.meta.url)}';
         import { findKernelspec } from '${new URL('../dist/kernelspec.js', import.meta.url)}';
         const kernel = await startKernel(await findKernelspec('skill-trial'), { env: {} });
         console.log(kernel.pid);
         await kernel.execute('for (;;) {}');`,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const pid = Number(String((await once(lab.stdout, 'data'))[0]));
    expect(alive(pid)).toBe(true);
    await sleep(300);
    lab.kill('SIGKILL');
    await vi.waitFor(() => expect(alive(pid)).toBe(false), { timeout: 20_000 });
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith(`skill-trial-kernel-${lab.pid}-`))).toEqual([]);
  });
});

describe('a message', () => {
  it('that is not signed with the key is none', () => {
    const frames = encodeMessage('key', { id: '1', session: 's', type: 'execute_request', content: { code: '1' } }).map((frame) =>
      Buffer.from(frame),
    );
    expect(decodeMessage('key', frames)).toMatchObject({ type: 'execute_request', content: { code: '1' } });
    expect(decodeMessage('another key', frames)).toBeNull();
    expect(decodeMessage('key', frames.slice(0, 3))).toBeNull();
    expect(decodeMessage('key', [])).toBeNull();
  });
});
