import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
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

let kernel: Kernel | undefined;
const start = async () => {
  kernel = await startKernel(await findKernelspec(kernelName), { env });
  return kernel;
};
afterEach(async () => {
  await kernel?.shutdown();
  expect(kernel === undefined || !alive(kernel.pid)).toBe(true);
  expect(folders()).toEqual([]);
  kernel = undefined;
});

describe('a kernel', () => {
  it('keeps what earlier cells declared, and tells stdout, stderr and displays apart in their order', async () => {
    const { execute } = bound(await start());
    expect(await execute('const x: number = 40;')).toMatchObject({ status: 'ok', stdout: '', stderr: '' });
    const second = await execute(`
      import * as tslab from 'tslab';
      console.log('one', x + 2); console.log('two'); console.error('three');
      tslab.display.html('<b>four</b>');
      console.log('five');`);
    expect(second).toMatchObject({ status: 'ok', stdout: 'one 42\ntwo\nfive\n', stderr: 'three\n' });
    expect(second.outputs.map(({ data }) => data)).toEqual([{ 'text/html': '<b>four</b>' }]);
    expect(second.emitted.map((one) => (one.type === 'stream' ? one.text : one.type))).toEqual(['one 42\ntwo\n', 'three\n', 'display', 'five\n']);
  });

  it('reports a failed cell as an outcome, and takes the next one', async () => {
    const { execute } = bound(await start());
    expect(await execute('const wrong: number = "text";')).toMatchObject({ status: 'error', stderr: expect.stringContaining("1:7 - Type 'string'") });
    expect(await execute('throw new Error("on purpose")')).toMatchObject({ status: 'error', stderr: expect.stringContaining('on purpose') });
    expect(await execute('await new Promise((_, no) => setTimeout(() => no(new Error("later")), 10))')).toMatchObject({ status: 'error' });
    expect(await execute('1 + 1')).toMatchObject({ status: 'ok', stdout: '2\n', stderr: '' });
  });

  it("does not give an earlier cell's late output to the next cell", async () => {
    const { execute } = bound(await start());
    await execute('setTimeout(() => console.log("late"), 100); 0');
    expect((await execute('await new Promise((done) => setTimeout(done, 300)); 1')).stdout).not.toContain('0');
  });

  it('is ended, with all it started, when a cell never ends', async () => {
    const { execute } = bound(await start());
    const child = Number((await execute(`import { spawn } from 'node:child_process'; spawn('sleep', ['100']).pid`)).stdout);
    expect(alive(child)).toBe(true);
    const started = performance.now();
    await expect(execute('for (;;) {}', 500)).rejects.toMatchObject({ kind: 'timeout', message: expect.stringContaining('within 0.5 s') });
    expect(performance.now() - started).toBeLessThan(1500);
    expect(alive(kernel?.pid ?? 0)).toBe(false);
    expect(alive(child)).toBe(false);
    await expect(execute('1')).rejects.toThrow(KernelError);
  });

  it('is ended when a promise never settles', async () => {
    const { execute } = bound(await start());
    await expect(execute('await new Promise(() => {})', 300)).rejects.toMatchObject({ kind: 'timeout' });
  });

  it.each([
    ['process.exit(3)', 'with exit code 3'],
    ["process.kill(process.pid, 'SIGSEGV'); for (;;) {}", 'by SIGSEGV'],
  ])('that dies says how: %s', async (code, how) => {
    const { execute } = bound(await start());
    await expect(execute(code)).rejects.toMatchObject({ kind: 'died', message: expect.stringContaining(`the kernel ended ${how}`) });
  });

  it('that cannot start says so, with what it printed', async () => {
    const spec = { argv: ['node', '-e', 'console.error("no room"); process.exit(1)'], display_name: 'x', language: 'x' };
    await expect(startKernel({ name: 'x', resourceDir: '/', spec }, { env })).rejects.toMatchObject({ kind: 'start', found: expect.stringContaining('no room') });
    const missing = { ...spec, argv: ['/nowhere/node'] };
    await expect(startKernel({ name: 'x', resourceDir: '/', spec: missing }, { env })).rejects.toMatchObject({ kind: 'start', found: expect.stringContaining('ENOENT') });
    const mute = { ...spec, argv: ['node', '-e', 'setInterval(() => {}, 1000)'] };
    await expect(startKernel({ name: 'x', resourceDir: '/', spec: mute }, { env, startTimeoutMs: 300 })).rejects.toMatchObject({ kind: 'start' });
  });

  it('gets the environment that it is given and nothing else', async () => {
    const { execute } = bound(await start());
    expect((await execute('process.env.VITEST === undefined')).stdout).toBe('true\n');
  });

  it('shuts down by itself, without being killed', async () => {
    const running = await start();
    await running.execute('1');
    const started = performance.now();
    await running.shutdown();
    expect(performance.now() - started).toBeLessThan(900);
  });
});

describe('a message', () => {
  it('that is not signed with the key is none', () => {
    const frames = encodeMessage('key', { id: '1', session: 's', type: 'execute_request', content: { code: '1' } }).map((frame) => Buffer.from(frame));
    expect(decodeMessage('key', frames)).toMatchObject({ type: 'execute_request', content: { code: '1' } });
    expect(decodeMessage('another key', frames)).toBeNull();
    expect(decodeMessage('key', frames.slice(0, 3))).toBeNull();
    expect(decodeMessage('key', [])).toBeNull();
  });
});

function bound(running: Kernel) {
  return { execute: (code: string, timeoutMs?: number) => running.execute(code, timeoutMs) };
}
