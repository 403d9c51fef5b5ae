import { randomUUID } from 'node:crypto';
import { readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Cgroup, findCgroups, openCgroup, removeGroups } from './cgroup.js';
import { removeContainer } from './container.js';
import type { Containment, LimitHit } from './containment.js';
import { watchDisk } from './disk-watch.js';
import { isAlive } from './file-lock.js';
import { killMarked, type ProcessOutcome, type ProcessPlan, runProcess } from './process.js';
import type { ResourceLimits } from './resource-limits.js';
import { sandboxCommand } from './sandbox.js';
import { isolates, type SandboxPlan } from './sandbox-plan.js';

export interface ContainedPlan {
  sandbox: SandboxPlan;
  argv: string[];
  env: Record<string, string>;
  /** The session's own folder on the host; what a killed run leaves is noted there. */
  scratch: string;
  process: Pick<ProcessPlan, 'stdinFile' | 'stdoutFile' | 'stderrFile' | 'timeoutMs' | 'stop'>;
}

/**
 * What is printed is read whole, and a container engine passes it on without any limit of its own. A bound of the lab beside file_mb of
 * experiment.yaml, the smaller of which holds: no setting, since what is larger can be no text in memory (decision 0043).
 */
const outputMb = 256;

/**
 * What the process and the kernel told of it; `full` is what there was too much of when the lab ended it for that, and null where it had
 * ended before. What it printed is on the disk as it was, with more than `outputBytes` where it was quick: who reads it reads no more.
 */
export interface ContainedOutcome {
  outcome: ProcessOutcome;
  measured: Pick<Containment, 'peakMemoryBytes' | 'peakProcesses' | 'throttledPeriods' | 'diskBytes'>;
  hits: LimitHit[];
  full: 'disk' | 'output' | null;
  outputBytes: number;
}

const ownerFile = 'owner';
const leftoverFile = 'leftovers.json';

/** Names the process that owns a session's folder: the sweep spares it as long as that process lives. */
export function ownFolder(scratch: string): Promise<void> {
  return writeFile(join(scratch, ownerFile), String(process.pid));
}

/** Runs a program in its sandbox under the limits, and leaves nothing of it: no process, no group, no container. */
export async function runContained(plan: ContainedPlan, watchFor = watchDisk): Promise<ContainedOutcome> {
  const { sandbox, scratch } = plan;
  const { limits } = sandbox;
  const marker = randomUUID();
  const command = await sandboxCommand(sandbox, plan.argv, plan.env);
  // a container engine makes groups of its own
  const cgroup = command.container === undefined ? await openCgroup(limits, await findCgroups()) : null;
  const leftovers: Leftovers = { marker, groups: cgroup?.folders ?? [], container: command.container ?? null };
  await writeFile(join(scratch, leftoverFile), JSON.stringify(leftovers));
  const ending = new AbortController();
  let seen: ContainedOutcome['full'] = null;
  const most = Math.min(limits.fileMb, outputMb);
  const watched = {
    folders: [sandbox.workspace, sandbox.home, sandbox.tmp],
    folderBytes: limits.diskMb * 2 ** 20,
    outputs: [plan.process.stdoutFile, plan.process.stderrFile],
    // where the kernel holds a file to its limit, this is as large as it gets
    outputBytes: most * 2 ** 20 - 1,
  };
  const watch = watchFor(watched, (what) => {
    seen = what;
    ending.abort(`limit: ${what}`);
  });
  // asking the engine costs as much as a start: once, whether the run ends or fails
  let removed: ReturnType<typeof removeContainer> | null = null;
  const close = async () => {
    if (command.container === undefined) return { memoryKill: null };
    removed ??= removeContainer(command.container);
    return removed;
  };
  try {
    const outcome = await runProcess({
      ...plan.process,
      argv: command.container === undefined ? limited(command.argv, cgroup, limits) : command.argv,
      env: command.env,
      cwd: command.cwd,
      ...(command.fd3 === undefined ? {} : { fd3: command.fd3 }),
      marker,
      stop: plan.process.stop === undefined ? ending.signal : AbortSignal.any([plan.process.stop, ending.signal]),
    });
    const readings = (await cgroup?.readings()) ?? null;
    // an agent may clear the environment of its tools, and with it the marker: the group has them all the same. Where the sandbox has a
    // process table of its own they have ended with it, and some may only be on their way out.
    const left = (await cgroup?.close()) ?? 0;
    if (!isolates(sandbox.kind)) outcome.sweptProcesses += left;
    const { memoryKill } = await close();
    const disk = await watch.close();
    // the last look comes after the end, and another limit may have ended it: only what the process was stopped for has ended it
    const full = outcome.stopped === `limit: ${seen}` ? seen : null;
    const tooMuch = (what: 'disk' | 'output', words: string) =>
      hit(what, seen === what ? 1 : 0, words, full === what ? 'it was ended' : 'it was not ended for that');
    const hits: LimitHit[] = [
      ...hit(
        'memory',
        memoryKill === null ? (readings?.memoryKills ?? 0) : Number(memoryKill),
        `over ${limits.memoryMb} MB`,
        'processes killed',
      ),
      ...hit('processes', readings?.refusedForks ?? 0, `over ${limits.processes} processes`, 'forks refused'),
      ...hit('file', disk.largest >= limits.fileMb * 2 ** 20 ? 1 : 0, `a file reached ${limits.fileMb} MB`, 'seen'),
      ...tooMuch('disk', `over ${limits.diskMb} MB in workspace, HOME and TMPDIR`),
      ...tooMuch('output', `${most} MB printed`),
    ];
    return {
      outcome,
      measured: {
        peakMemoryBytes: readings?.peakMemoryBytes ?? null,
        peakProcesses: readings?.peakProcesses ?? null,
        throttledPeriods: readings?.throttledPeriods ?? null,
        diskBytes: disk.bytes,
      },
      hits,
      full,
      outputBytes: most * 2 ** 20,
    };
  } finally {
    await watch.close();
    await cgroup?.close();
    await close();
  }
}

/** Cuts off what was printed beyond the limit: it can be more than a text in memory holds. The hit on the limit says that it was. */
export async function keepBeginning(path: string, bytes: number): Promise<void> {
  if ((await stat(path)).size > bytes) await truncate(path, bytes);
}

function hit(limit: LimitHit['limit'], count: number, what: string, unit: string): LimitHit[] {
  return count === 0 ? [] : [{ limit, count, detail: `${what}: ${unit}` }];
}

/** A shell that joins the groups and limits the size of a file, and then becomes the program: nothing of it runs outside them. */
function limited(argv: string[], cgroup: Cgroup | null, limits: ResourceLimits): string[] {
  const script = [
    'n=$1; shift',
    'while [ "$n" -gt 0 ]; do echo $$ > "$1/cgroup.procs" || exit 125; shift; n=$((n - 1)); done',
    // in blocks of 512 bytes, as POSIX has it
    'ulimit -f "$1"; shift',
    'exec "$@"',
  ].join('\n');
  const folders = cgroup?.folders ?? [];
  return ['/bin/sh', '-c', script, 'limited', String(folders.length), ...folders, String(limits.fileMb * 2048), ...argv];
}

interface Leftovers {
  marker: string;
  groups: string[];
  container: string | null;
}

/**
 * Ends what a killed run left of one session: its processes, its groups, its container, its folder. Returns false, and touches nothing,
 * where the folder names no owner, or an owner that lives: a tree that no record of the lab owns is never deleted.
 */
export async function sweepFolder(scratch: string): Promise<boolean> {
  const owner = Number(await readFile(join(scratch, ownerFile), 'utf8').catch(() => '0'));
  if (!(owner > 0) || isAlive(owner)) return false;
  const left = await readFile(join(scratch, leftoverFile), 'utf8').then(
    (text) => JSON.parse(text) as Leftovers,
    () => null,
  );
  if (left !== null) {
    await killMarked(left.marker);
    await removeGroups(left.groups);
    if (left.container !== null) await removeContainer(left.container);
  }
  await rm(scratch, { recursive: true, force: true });
  return true;
}
