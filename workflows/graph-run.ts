import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import type { Lab } from 'skill-trial';
import { followProgress } from './live-progress.js';

export interface GraphRun {
  exitCode: number;
  tasks: number;
  cached: number;
  log: string;
  /** The signal that ended the run; null when it came to its own end. */
  stoppedBy: string | null;
}

/** What a step prints begins with its name; the rest of Nx's output goes to the log alone. */
const ofStep = /^(validate|freeze|discover|run|control|score|analyse|report|verify): /;
const ofCache = /\[(local cache|existing outputs match the cache|remote cache)/;
const ofError = /^(\S*Error: | {2}(expected|found|next): )/;

/** Runs a target of an experiment through Nx and shows one person what happens: the steps' own lines and a live line for the trial. */
export async function runGraph(lab: Lab, target: string, say: (text: string) => void): Promise<GraphRun> {
  const log = join(lab.run.run, 'nx.log');
  await mkdir(dirname(log), { recursive: true });
  await rm(lab.run.progress, { force: true });
  const file = createWriteStream(log);
  const child = spawn(
    process.execPath,
    [
      join(lab.paths.nodeModules, 'nx', 'dist', 'bin', 'nx.js'),
      'run',
      `${lab.experiment.name}:${target}`,
      '--outputStyle=stream-without-prefixes',
    ],
    {
      cwd: lab.root,
      env: {
        ...process.env,
        NX_DAEMON: 'false',
        NX_TUI: 'false',
        NX_ISOLATE_PLUGINS: 'false',
        ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  // Ctrl-C reaches Nx and the runner as well: wait for them, so that nothing of the run is left behind when the prompt returns
  let stoppedBy: string | null = null;
  const onSignal = (signal: NodeJS.Signals) => {
    stoppedBy = signal;
    child.kill(signal);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal);
  const live = followProgress(lab, say);
  let [tasks, cached] = [0, 0];
  let replayed = false;
  const read = (stream: NodeJS.ReadableStream) => {
    const lines = createInterface({ input: stream });
    lines.on('line', (line) => {
      const bare = stripVTControlCharacters(line);
      file.write(`${bare}\n`);
      if (/^> nx run /.test(bare)) {
        tasks += 1;
        if (ofCache.test(bare)) cached += 1;
      }
      // what a cached task printed when it ran is no news
      if (/^> nx run /.test(bare)) replayed = ofCache.test(bare);
      if (!replayed && (ofStep.test(bare) || ofError.test(bare))) live.print(process.stdout.isTTY ? line : bare);
    });
    return new Promise((resolve) => lines.once('close', resolve));
  };
  const [exitCode] = await Promise.all([
    new Promise<number>((resolve) =>
      child.once('close', (code, signal) => {
        if (signal !== null) stoppedBy ??= signal;
        resolve(code ?? 1);
      }),
    ),
    read(child.stdout),
    read(child.stderr),
  ]);
  live.stop();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, onSignal);
  await new Promise((resolve) => file.end(resolve));
  return { exitCode: stoppedBy === null ? exitCode : 1, tasks, cached, log, stoppedBy };
}
