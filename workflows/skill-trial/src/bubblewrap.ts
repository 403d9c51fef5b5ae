import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bridged, mountsOf, type SandboxedCommand, type SandboxPlan } from './sandbox-plan.js';

const run = promisify(execFile);
const shmBytes = 64 * 2 ** 20;

/**
 * bwrap with its arguments on file descriptor 3: what stands in its command line can be read inside, as that of process 1. Its own
 * environment can be read there too, and holds nothing of the host.
 */
export function bubblewrapCommand(plan: SandboxPlan, argv: string[], env: Record<string, string>): SandboxedCommand {
  const { system, lab, hidden } = mountsOf(plan);
  const options = [
    ...['--unshare-all', '--unshare-user', '--disable-userns', '--die-with-parent', '--new-session'],
    ...['--cap-drop', 'ALL', '--uid', '1000', '--gid', '1000', '--hostname', 'lab', '--clearenv'],
    ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]),
    ...system.flatMap((path) => ['--ro-bind', path, path]),
    // /dev is a file system in memory of its own: without a limit it could be filled
    ...['--proc', '/proc', '--dev', '/dev', '--size', String(shmBytes), '--tmpfs', '/dev/shm', '--remount-ro', '/dev'],
    ...['--bind', plan.tmp, '/tmp', '--bind', plan.home, '/home/agent', '--bind', plan.workspace, '/workspace'],
    ...lab.flatMap(([host, inside]) => ['--ro-bind', host, inside]),
    ...hidden.flatMap((path) => ['--tmpfs', path, '--remount-ro', path]),
    ...['--remount-ro', '/', '--chdir', '/workspace'],
  ];
  return {
    argv: ['bwrap', '--args', '3', '--', ...bridged(plan, argv)],
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    cwd: '/',
    fd3: options.map((option) => `${option}\0`).join(''),
  };
}

/** bubblewrap's version, or what keeps it from working here: a trial run decides. */
export async function findBubblewrap(): Promise<{ version: string; image: null } | { trouble: string }> {
  if (process.platform !== 'linux') return { trouble: `bubblewrap is for Linux, this is ${process.platform}` };
  for (const program of ['bwrap', 'socat']) if (!isInstalled(program)) return { trouble: `${program} is not installed` };
  const namespaces = ['--unshare-all', '--unshare-user', '--disable-userns', '--die-with-parent'];
  const mounts = ['--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev'];
  try {
    await run('bwrap', [...namespaces, ...mounts, 'true']);
    return { version: (await run('bwrap', ['--version'])).stdout.trim(), image: null };
  } catch (error) {
    const why = ((error as { stderr?: string }).stderr ?? '').trim().split('\n')[0] ?? 'no reason given';
    return { trouble: `bwrap does not work here: ${why}` };
  }
}

/** Whether a program is on PATH. */
export function isInstalled(program: string): boolean {
  return (process.env.PATH ?? '').split(':').some((folder) => folder !== '' && existsSync(join(folder, program)));
}
