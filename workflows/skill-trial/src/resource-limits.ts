import { z } from 'zod';
import type { Experiment } from './experiment.js';

/** What one session may use of the machine. MB are 2^20 bytes. */
export const ResourceLimits = z.strictObject({
  memoryMb: z.int().positive(),
  /** null: not limited. */
  cpus: z.number().positive().nullable(),
  /** Processes and threads of the tree together: the kernel counts both. */
  processes: z.int().positive(),
  /** The largest single file. */
  fileMb: z.int().positive(),
  /** Workspace, HOME and TMPDIR together. */
  diskMb: z.int().positive(),
});
export type ResourceLimits = z.infer<typeof ResourceLimits>;

/** Room enough for every agent tested; cpus stay free, since a quota would change the times that are measured. */
export const defaultLimits: ResourceLimits = { memoryMb: 4096, cpus: null, processes: 512, fileMb: 1024, diskMb: 4096 };

/** The limits that experiment.yaml declares, the rest by default. */
export function resourceLimitsOf({ limits }: Pick<Experiment, 'limits'>): ResourceLimits {
  return {
    memoryMb: limits.memory_mb ?? defaultLimits.memoryMb,
    cpus: limits.cpus ?? defaultLimits.cpus,
    processes: limits.processes ?? defaultLimits.processes,
    fileMb: limits.file_mb ?? defaultLimits.fileMb,
    diskMb: limits.disk_mb ?? defaultLimits.diskMb,
  };
}

/** By what each limit is held on this machine; null: by nothing. */
export const LimitsInForce = z.strictObject({
  memory: z.string().nullable(),
  cpus: z.string().nullable(),
  processes: z.string().nullable(),
  file: z.string().nullable(),
  disk: z.string().nullable(),
});
export type LimitsInForce = z.infer<typeof LimitsInForce>;

/** What stays open where a limit is held by nothing. */
export function notLimited(force: LimitsInForce): string[] {
  return [
    ...(force.processes === null ? ['a process bomb: no pids cgroup can be written here'] : []),
    ...(force.memory === null ? ['using up the memory of the machine: no memory cgroup can be written here'] : []),
    ...(force.cpus === null ? ['using all processors: no cpu cgroup can be written here'] : []),
    ...(force.disk === null ? ['filling the disk'] : []),
  ];
}
