import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { isAlive } from './file-lock.js';
import type { ResourceLimits } from './resource-limits.js';

const controllers = ['memory', 'pids', 'cpu'] as const;
type Controller = (typeof controllers)[number];

/** Where groups of each controller can be made; a controller that cannot be used is absent. */
export type CgroupSupport = Partial<Record<Controller, { version: 1 | 2; parent: string }>>;

/** What the kernel counted for one tree of processes; null where it does not count it. */
export interface CgroupReadings {
  peakMemoryBytes: number | null;
  peakProcesses: number | null;
  /** Processes that the kernel killed for want of memory. */
  memoryKills: number | null;
  /** Forks that were refused. */
  refusedForks: number | null;
  /** Periods in which the tree waited for the processor quota. */
  throttledPeriods: number | null;
}

export interface Cgroup {
  /** One folder for each hierarchy: a process joins by writing its number into cgroup.procs of each. */
  folders: string[];
  readings(): Promise<CgroupReadings>;
  /** Kills what is left in it, removes it, and returns how many it killed. */
  close(): Promise<number>;
}

const prefix = 'skill-trial-';
const limitFile = {
  1: { memory: 'memory.limit_in_bytes', pids: 'pids.max', cpu: 'cpu.cfs_quota_us' },
  2: { memory: 'memory.max', pids: 'pids.max', cpu: 'cpu.max' },
} as const;

interface CgroupMount {
  version: 1 | 2;
  controllers: string[];
  point: string;
  /** The group that the mount shows as its top. */
  root: string;
}

/**
 * Which controllers this process can limit a child by: each is tried with a group of its own and a process that joins it, until one is
 * found, and then never again. Version 1 and version 2 may be there side by side.
 */
export const findCgroups = onceFound(tryControllers);

/** Keeps the first answer that names a controller: where a fork was refused for a moment, the next question is a new trial. */
export function onceFound(trial: () => Promise<CgroupSupport>): () => Promise<CgroupSupport> {
  let found: Promise<CgroupSupport> | null = null;
  return () => {
    found ??= trial().then((support) => {
      if (Object.keys(support).length === 0) found = null;
      return support;
    });
    return found;
  };
}

async function tryControllers(): Promise<CgroupSupport> {
  const mounts = readMounts(await readFile('/proc/self/mountinfo', 'utf8').catch(() => ''));
  const own = await readFile('/proc/self/cgroup', 'utf8').catch(() => '');
  const found = async (controller: Controller) => {
    for (const mount of mounts.filter((one) => one.version === 2 || one.controllers.includes(controller))) {
      const parent = await usableParent(mount, controller, ownGroup(own, mount, controller));
      if (parent !== null) return [[controller, { version: mount.version, parent }] as const];
    }
    return [];
  };
  return Object.fromEntries((await Promise.all(controllers.map(found))).flat());
}

function readMounts(mountinfo: string): CgroupMount[] {
  return mountinfo.split('\n').flatMap((line): CgroupMount[] => {
    const [fields, tail] = line.split(' - ');
    const [, , , root = '', point = ''] = (fields ?? '').split(' ');
    const [type, , options = ''] = (tail ?? '').split(' ');
    if (type === 'cgroup2') return [{ version: 2, controllers: [], point, root }];
    return type === 'cgroup' ? [{ version: 1, controllers: options.split(','), point, root }] : [];
  });
}

/** The folder of this process's own group below a mount. */
function ownGroup(text: string, mount: CgroupMount, controller: Controller): string {
  const line = text
    .split('\n')
    .map((one) => one.split(':'))
    .find(([id, names]) => (mount.version === 2 ? id === '0' && names === '' : names?.split(',').includes(controller)));
  const path = line?.slice(2).join(':') ?? '/';
  return join(mount.point, mount.root !== '/' && path.startsWith(mount.root) ? path.slice(mount.root.length) : path);
}

/** Version 2 lets no group with processes have limited children, save the very top: there the group above is tried as well. */
async function usableParent(mount: CgroupMount, controller: Controller, own: string): Promise<string | null> {
  const candidates = mount.version === 1 ? [own] : [own, ...(own.length > mount.point.length ? [dirname(own)] : [])];
  for (const parent of candidates) {
    if (mount.version === 2) await writeFile(join(parent, 'cgroup.subtree_control'), `+${controller}`).catch(() => undefined);
    const probe = join(parent, `${prefix}${process.pid}-${randomUUID().slice(0, 8)}`);
    try {
      await mkdir(probe);
      await stat(join(probe, limitFile[mount.version][controller]));
      await promisify(execFile)('/bin/sh', ['-c', 'echo $$ > "$1"', 'join', join(probe, 'cgroup.procs')]);
      return parent;
    } catch {
      // not here: the next candidate, or none
    } finally {
      await rmdir(probe).catch(() => undefined);
    }
  }
  return null;
}

/** Makes a group with these limits in every hierarchy that is at hand; null where there is none. */
export async function openCgroup(limits: ResourceLimits, support: CgroupSupport): Promise<Cgroup | null> {
  const name = `${prefix}${process.pid}-${randomUUID().slice(0, 8)}`;
  const folders = new Set<string>();
  const at = (controller: Controller) => {
    const found = support[controller];
    return found === undefined ? null : { version: found.version, folder: join(found.parent, name) };
  };
  for (const controller of controllers) {
    const found = at(controller);
    if (found === null) continue;
    if (!folders.has(found.folder)) await mkdir(found.folder);
    folders.add(found.folder);
    for (const [file, value, must] of settings(controller, found.version, limits)) {
      await writeFile(join(found.folder, file), value).catch((error) => {
        if (must) throw error; // swap accounting may be off in the kernel
      });
    }
  }
  if (folders.size === 0) return null;
  const [memory, pids, cpu] = [at('memory'), at('pids'), at('cpu')];
  const number = async (group: typeof memory, file1: string, file2: string, key?: string) => {
    if (group === null) return null;
    const text = await readFile(join(group.folder, group.version === 1 ? file1 : file2), 'utf8').catch(() => '');
    const found = key === undefined ? text.trim() : (new RegExp(`^${key} (\\d+)`, 'm').exec(text)?.[1] ?? '');
    return /^\d+$/.test(found) ? Number(found) : null;
  };
  return {
    folders: [...folders],
    readings: async () => ({
      peakMemoryBytes: await number(memory, 'memory.max_usage_in_bytes', 'memory.peak'),
      peakProcesses: await number(pids, 'pids.peak', 'pids.peak'),
      memoryKills: await number(memory, 'memory.oom_control', 'memory.events', 'oom_kill'),
      refusedForks: await number(pids, 'pids.events', 'pids.events', 'max'),
      throttledPeriods: await number(cpu, 'cpu.stat', 'cpu.stat', 'nr_throttled'),
    }),
    close: () => removeGroups([...folders]),
  };
}

/** What is written to limit a group: [file, value, whether a failure is an error]. */
function settings(controller: Controller, version: 1 | 2, limits: ResourceLimits): [string, string, boolean][] {
  const bytes = String(limits.memoryMb * 2 ** 20);
  if (controller === 'memory') {
    return version === 1
      ? [
          ['memory.limit_in_bytes', bytes, true],
          ['memory.memsw.limit_in_bytes', bytes, false],
        ]
      : [
          ['memory.max', bytes, true],
          ['memory.swap.max', '0', false],
        ];
  }
  if (controller === 'pids') return [['pids.max', String(limits.processes), true]];
  if (limits.cpus === null) return [];
  const period = 100_000;
  const quota = Math.max(1000, Math.round(limits.cpus * period));
  return version === 1
    ? [
        ['cpu.cfs_period_us', String(period), true],
        ['cpu.cfs_quota_us', String(quota), true],
      ]
    : [['cpu.max', `${quota} ${period}`, true]];
}

/** Kills the processes of these groups and removes them; returns how many processes there were. A group that is gone counts for none. */
export async function removeGroups(folders: string[]): Promise<number> {
  const killed = new Set<number>();
  for (let round = 0; round < 100; round++) {
    let left = false;
    for (const folder of folders) {
      const text = await readFile(join(folder, 'cgroup.procs'), 'utf8').catch(() => '');
      for (const pid of text.split('\n').filter((line) => line !== '')) {
        left = true;
        killed.add(Number(pid));
        try {
          process.kill(Number(pid), 'SIGKILL');
        } catch {
          // it ended by itself
        }
      }
      await rmdir(folder).catch((error: NodeJS.ErrnoException) => {
        left ||= error.code !== 'ENOENT';
      });
    }
    if (!left) break;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return killed.size;
}

/** Removes empty groups whose lab has ended; one that still holds a process is not ours to judge by its name alone. */
export async function sweepGroups(support: CgroupSupport): Promise<void> {
  for (const parent of new Set(Object.values(support).map((one) => one.parent))) {
    for (const name of await readdir(parent).catch(() => [] as string[])) {
      const owner = /^skill-trial-(\d+)-[0-9a-f]{8}$/.exec(name)?.[1];
      if (owner !== undefined && !isAlive(Number(owner))) await rmdir(join(parent, name)).catch(() => undefined);
    }
  }
}
