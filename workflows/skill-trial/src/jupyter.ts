/** A Jupyter client for one kernel, over ZeroMQ: start it, execute cell after cell, shut it down, leave nothing behind. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dealer, Subscriber } from 'zeromq';
import { InfrastructureError } from './errors.js';
import { CellOutcome, decodeMessage, type Execution, encodeMessage } from './jupyter-message.js';
import { type FoundKernelspec, kernelCommand } from './kernelspec.js';

/** The kernel did not start, did not end a cell in time, or ended by itself. */
export class KernelError extends InfrastructureError {
  readonly kind: 'start' | 'timeout' | 'died' | 'closed';

  constructor(kind: KernelError['kind'], what: string, detail: { expected: string; found: string; next: string }) {
    super(what, detail);
    this.kind = kind;
  }
}

/** How a kernel runs. `env` is its whole environment: nothing else is inherited. */
export interface KernelOptions {
  env: Record<string, string>;
  cwd?: string;
  startTimeoutMs?: number;
}

interface Pending {
  id: string;
  outcome: CellOutcome;
  resolve: (execution: Execution) => void;
  reject: (error: KernelError) => void;
}

const ports = { shell_port: 1, iopub_port: 2, stdin_port: 3, control_port: 4, hb_port: 5 };

// A process group of its own does not get the terminal's Ctrl-C, so what is left when this process exits is ended then. (Where it
// is killed without a word, kernel.cjs notices.)
const living = new Map<number, string>();
process.on('exit', () => {
  for (const [pid, folder] of living) {
    endGroup(pid);
    rmSync(folder, { recursive: true, force: true });
  }
});

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Already gone.
  }
}

/** Starts a kernel and waits until it answers. The caller shuts it down, after a failure too. */
export async function startKernel(found: FoundKernelspec, options: KernelOptions): Promise<Kernel> {
  // The path of a socket has room for about 100 bytes; a long TMPDIR would not fit.
  const parent = tmpdir().length < 60 ? tmpdir() : '/tmp';
  const folder = await mkdtemp(join(parent, `skill-trial-kernel-${process.pid}-`));
  // Sockets in a folder of our own instead of ports: nothing to collide with, and no other user can connect.
  const key = randomUUID();
  const connection = {
    transport: 'ipc',
    ip: join(folder, 'k'),
    ...ports,
    key,
    signature_scheme: 'hmac-sha256',
    kernel_name: found.name,
  };
  await writeFile(join(folder, 'connection.json'), JSON.stringify(connection), { mode: 0o600 });
  const [command = '', ...args] = kernelCommand(found, join(folder, 'connection.json'));
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: { ...found.spec.env, ...options.env },
    detached: true, // A process group: what a cell started ends with its kernel.
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const kernel = new Kernel(child, folder, key);
  try {
    await kernel.connect(options.startTimeoutMs ?? 30_000);
    return kernel;
  } catch (error) {
    await kernel.shutdown(0);
    throw error;
  }
}

/** One running kernel, made by {@link startKernel}. */
export class Kernel {
  readonly pid: number;
  readonly #folder: string;
  readonly #key: string;
  readonly #exited: Promise<void>;
  readonly #session = randomUUID();
  #shell: Dealer | undefined;
  #iopub: Subscriber | undefined;
  #pending: Pending | undefined;
  #ended: KernelError | undefined;
  #failedBefore = false;
  #said = '';

  constructor(child: ChildProcess, folder: string, key: string) {
    this.pid = child.pid ?? 0;
    this.#folder = folder;
    this.#key = key;
    if (this.pid > 0) living.set(this.pid, folder);
    const listen = (text: Buffer) => {
      this.#said = (this.#said + text).slice(-2000);
    };
    child.stdout?.on('data', listen);
    child.stderr?.on('data', listen);
    this.#exited = new Promise((resolve) => {
      const end = (how: string) => {
        living.delete(this.pid);
        const found = this.#said.trim() === '' ? how : `${how}; it said: ${this.#said.trim()}`;
        this.#end('died', `the kernel ended ${how}`, found);
        resolve();
      };
      child.once('error', (error) => end(`before it started: ${error.message}`));
      child.once('exit', (code, signal) => end(code === null ? `by ${signal}` : `with exit code ${code}`));
    });
  }

  /** Connects, and waits until both channels carry messages: a late subscription would miss the first cell's output. */
  async connect(timeoutMs: number): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    const wait = async () => {
      if (this.#ended) throw new KernelError('start', 'The notebook kernel did not start', this.#ended);
      if (performance.now() > deadline) {
        const found = `no answer within ${timeoutMs} ms; it said: ${this.#said.trim() || 'nothing'}`;
        throw new KernelError('start', 'The notebook kernel did not start', {
          expected: 'a kernel that answers',
          found,
          next: 'see what it said',
        });
      }
      await sleep(10);
    };
    while (!this.#address(ports.shell_port) || !this.#address(ports.iopub_port)) await wait();
    const zmq = await import('zeromq');
    this.#shell = new zmq.Dealer({ linger: 0 });
    this.#iopub = new zmq.Subscriber({ linger: 0 });
    this.#iopub.subscribe();
    this.#shell.connect(this.#address(ports.shell_port) ?? '');
    this.#iopub.connect(this.#address(ports.iopub_port) ?? '');
    void this.#receive(this.#shell);
    void this.#receive(this.#iopub);
    let ready = false;
    const probe = this.#expect();
    probe.answer.then(
      () => {
        ready = true;
      },
      () => {},
    );
    for (let tick = 0; !ready; tick += 1) {
      if (tick % 20 === 0) await this.#send('kernel_info_request', probe.id, {});
      await wait();
    }
  }

  /** Executes one cell. A cell that does not end within `timeoutMs` throws, and its kernel is ended. */
  async execute(code: string, timeoutMs = 60_000): Promise<Execution> {
    if (this.#failedBefore) await sleep(250); // tslab aborts what comes within 200 ms of a failed cell.
    if (this.#ended) throw this.#ended;
    const { id, answer } = this.#expect();
    const timer = setTimeout(() => {
      this.#end('timeout', `a cell did not end within ${timeoutMs / 1000} s`, 'a cell still running; its kernel was ended');
      endGroup(this.pid);
    }, timeoutMs);
    try {
      await this.#send('execute_request', id, {
        code,
        silent: false,
        store_history: true,
        allow_stdin: false,
        stop_on_error: true,
      });
      const execution = await answer;
      this.#failedBefore = execution.status === 'error';
      return execution;
    } catch (error) {
      if (this.#ended) await this.#exited;
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Asks the kernel to end, ends it after `graceMs`, and removes its folder. Safe to call twice. */
  async shutdown(graceMs = 1000): Promise<void> {
    if (!this.#ended && graceMs > 0) {
      await this.#send('shutdown_request', randomUUID(), { restart: false });
      await Promise.race([this.#exited, sleep(graceMs, undefined, { ref: false })]);
    }
    this.#end('closed', 'the kernel was shut down', 'a kernel shut down before');
    if (living.has(this.pid)) endGroup(this.pid);
    await this.#exited;
    this.#shell?.close();
    this.#iopub?.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  // Jupyter joins folder and number with "-", tslab with ":"; the one that exists is the one the kernel bound.
  #address(port: number): string | undefined {
    const path = ['-', ':'].map((join) => `${this.#folder}/k${join}${port}`).find(existsSync);
    return path === undefined ? undefined : `ipc://${path}`;
  }

  #expect(): { id: string; answer: Promise<Execution> } {
    const id = randomUUID();
    const answer = new Promise<Execution>((resolve, reject) => {
      this.#pending = { id, outcome: new CellOutcome(), resolve, reject };
    });
    return { id, answer };
  }

  async #send(type: string, id: string, content: object): Promise<void> {
    await this.#shell?.send(encodeMessage(this.#key, { id, session: this.#session, type, content }));
  }

  async #receive(socket: Dealer | Subscriber): Promise<void> {
    for await (const frames of socket) {
      const message = decodeMessage(this.#key, frames);
      const pending = this.#pending;
      // What an earlier cell still prints after its end is nobody's output: it would come at a different place each time.
      if (!message || !pending || message.request !== pending.id) continue;
      if (!pending.outcome.take(message)) continue;
      this.#pending = undefined;
      pending.resolve(pending.outcome.execution);
    }
  }

  #end(kind: KernelError['kind'], what: string, found: string): void {
    if (this.#ended) return;
    this.#ended = new KernelError(kind, what, {
      expected: 'a kernel that runs until it is shut down',
      found,
      next: 'mend the cell, or give it more time',
    });
    const pending = this.#pending;
    this.#pending = undefined;
    pending?.reject(this.#ended);
  }
}
