import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { type FileHandle, open, readdir, readFile } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { PrerequisiteError } from './errors.js';

export interface ProcessPlan {
  argv: string[];
  env: Record<string, string>;
  cwd: string;
  /** A file given on standard input, byte for byte; null: no input. */
  stdinFile: string | null;
  stdoutFile: string;
  stderrFile: string;
  timeoutMs: number;
  /** Ends the process before its time; the reason is kept. */
  stop?: AbortSignal;
  /** Text for file descriptor 3. */
  fd3?: string;
  /** By what its descendants are known; drawn where absent. */
  marker?: string;
}

/** The same shape whatever happened; a non-zero exit is an outcome, not an exception. */
export interface ProcessOutcome {
  exitCode: number | null;
  signal: string | null;
  timedOut: boolean;
  stopped: string | null;
  startedAt: string;
  finishedAt: string;
  /** Seconds by the monotonic clock, around the whole invocation. */
  elapsedSeconds: number;
  /** Processes still alive after the main one ended, which the sweep killed. */
  sweptProcesses: number;
}

const marker = 'SKILL_TRIAL_PROCESS';
const graceMs = 2_000;

/**
 * Runs a program to its end or its limit and leaves nothing of it alive. Agents put each tool in a session of its own, so ending
 * the process group is not enough: every descendant carries a marker in its environment and is found through /proc (where there
 * is a /proc; inside bubblewrap the pid namespace ends them all).
 */
export async function runProcess(plan: ProcessPlan): Promise<ProcessOutcome> {
  const id = plan.marker ?? randomUUID();
  const [stdout, stderr] = [await open(plan.stdoutFile, 'w'), await open(plan.stderrFile, 'w')];
  const startedAt = new Date().toISOString();
  const from = process.hrtime.bigint();
  let timedOut = false;
  let stopped: string | null = null;
  let limit: NodeJS.Timeout | undefined;
  let killTimer: NodeJS.Timeout | undefined;
  let onStop = () => {};
  let input: FileHandle | null = null;
  try {
    input = plan.stdinFile === null ? null : await open(plan.stdinFile, 'r');
    const child = spawn(plan.argv[0] as string, plan.argv.slice(1), {
      cwd: plan.cwd,
      env: { ...plan.env, [marker]: id },
      detached: true,
      stdio: [input === null ? 'ignore' : 'pipe', stdout.fd, stderr.fd, ...(plan.fd3 === undefined ? [] : ['pipe' as const])],
    });
    const end = new Promise<{ exitCode: number | null; signal: string | null }>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
    });
    if (input !== null && child.stdin !== null) {
      // a program may end without reading its input
      pipeline(input.createReadStream({ autoClose: false }), child.stdin).catch(() => undefined);
    }
    if (plan.fd3 !== undefined) {
      const third = child.stdio[3] as Writable;
      third.on('error', () => undefined); // the program ended before it read it: its exit tells
      third.end(plan.fd3);
    }
    const stop = () => {
      signalGroup(child.pid, 'SIGTERM');
      killTimer = setTimeout(() => signalGroup(child.pid, 'SIGKILL'), graceMs);
    };
    // beyond 2^31 - 1 a timer would fire at once
    limit = setTimeout(
      () => {
        timedOut = true;
        stop();
      },
      Math.min(plan.timeoutMs, 2 ** 31 - 1),
    );
    onStop = () => {
      stopped = String(plan.stop?.reason ?? 'stopped');
      stop();
    };
    if (plan.stop?.aborted) onStop();
    plan.stop?.addEventListener('abort', onStop, { once: true });
    const { exitCode, signal } = await end.catch((error: NodeJS.ErrnoException) => {
      throw new PrerequisiteError(`Cannot start ${plan.argv[0]}`, {
        expected: 'an executable program',
        found: error.code === 'ENOENT' ? 'no such program (or folder to start it in)' : error.message,
        next: 'install it, or correct the path',
      });
    });
    clearTimeout(limit);
    clearTimeout(killTimer);
    const elapsedSeconds = Number(process.hrtime.bigint() - from) / 1e9;
    const finishedAt = new Date().toISOString();
    signalGroup(child.pid, 'SIGKILL');
    return { exitCode, signal, timedOut, stopped, startedAt, finishedAt, elapsedSeconds, sweptProcesses: await killMarked(id) };
  } finally {
    clearTimeout(limit);
    clearTimeout(killTimer);
    plan.stop?.removeEventListener('abort', onStop);
    await Promise.all([stdout.close(), stderr.close(), input?.close()]);
  }
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // the group is gone already
  }
}

/** Kills every process whose environment carries this marker; returns how many there were. Looks again until none is left. */
export async function killMarked(id: string): Promise<number> {
  const seen = new Set<number>();
  for (let round = 0; round < 50; round++) {
    const alive = await marked(id);
    if (alive.length === 0) break;
    for (const pid of alive) {
      seen.add(pid);
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // it ended by itself
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return seen.size;
}

async function marked(id: string): Promise<number[]> {
  const entries = await readdir('/proc').catch(() => [] as string[]);
  const found: number[] = [];
  for (const entry of entries) {
    if (!/^\d+$/.test(entry)) continue;
    const environment = await readFile(`/proc/${entry}/environ`, 'latin1').catch(() => '');
    if (!environment.includes(`${marker}=${id}`)) continue;
    const state = await readFile(`/proc/${entry}/stat`, 'latin1').catch(() => '');
    if (state !== '' && !/\) Z /.test(state)) found.push(Number(entry));
  }
  return found;
}
