import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { PrerequisiteError } from './errors.js';

const run = promisify(execFile);

/** What stands between the agent and the machine. Part of the spec: it can change what the agent does. */
export const SandboxKind = z.enum(['bubblewrap', 'private-home']);
export type SandboxKind = z.infer<typeof SandboxKind>;

/** What each kind does not stop, printed in the lock and the report. */
export const sandboxLimits: Record<SandboxKind, string[]> = {
  bubblewrap: ['a process bomb, where no pids cgroup is at hand', 'a flaw of the kernel'],
  'private-home': [
    'reading any file that the user who runs the lab can read, the rubric and the skills among them',
    'writing outside the workspace',
    'network connections past the gateway',
    'the process table of the machine',
  ],
};

/** Where things are inside: the same in every arm. */
export interface SandboxView {
  workspace: string;
  home: string;
  tmp: string;
  skills: string;
  /** The project's node_modules, read-only. */
  modules: string;
  gatewayPort: number;
}

export interface SandboxPlan {
  kind: SandboxKind;
  workspace: string;
  home: string;
  tmp: string;
  /** Folder of the arm's skills; null: none is mounted. */
  skills: string | null;
  /** Host folders the program needs, read-only, under the same or another name: [host, inside]. */
  readOnly: [string, string][];
  /** Host folders that stay out of reach even where a system folder that is mounted holds them (a checkout below /usr). */
  hide: string[];
  /** The gateway's socket on the host (bubblewrap) or its port on loopback; null: no network at all. */
  gateway: { socket: string } | { port: number } | null;
}

const insidePort = 8080;

/** The paths that a program inside sees. Without bubblewrap they are the host's own. */
export function sandboxView(
  plan: Pick<SandboxPlan, 'kind' | 'workspace' | 'home' | 'tmp' | 'skills' | 'gateway'>,
  hostModules: string,
): SandboxView {
  if (plan.kind === 'bubblewrap') {
    return {
      workspace: '/workspace',
      home: '/home/agent',
      tmp: '/tmp',
      skills: '/skills',
      modules: '/lab/node_modules',
      gatewayPort: insidePort,
    };
  }
  const port = plan.gateway !== null && 'port' in plan.gateway ? plan.gateway.port : 0;
  return {
    workspace: plan.workspace,
    home: plan.home,
    tmp: plan.tmp,
    skills: plan.skills ?? '/nonexistent',
    modules: hostModules,
    gatewayPort: port,
  };
}

/** The command line that runs `argv` inside. */
export function sandboxCommand(
  plan: SandboxPlan,
  argv: string[],
  env: Record<string, string>,
): { argv: string[]; env: Record<string, string>; cwd: string } {
  if (plan.kind === 'private-home') return { argv, env, cwd: plan.workspace };
  const system = [
    '/usr',
    '/bin',
    '/sbin',
    '/lib',
    '/lib64',
    '/lib32',
    '/etc/alternatives',
    '/etc/ssl',
    '/etc/ld.so.cache',
  ].filter((path) => existsSync(path));
  const nodePrefix = dirname(dirname(process.execPath));
  const readOnly: [string, string][] = [
    ...plan.readOnly,
    ...(nodePrefix.startsWith('/usr') ? [] : ([[nodePrefix, nodePrefix]] as [string, string][])),
  ];
  const socket = plan.gateway !== null && 'socket' in plan.gateway ? plan.gateway.socket : null;
  const bwrap = [
    'bwrap',
    '--unshare-all',
    '--unshare-user',
    '--disable-userns',
    '--die-with-parent',
    '--new-session',
    '--cap-drop',
    'ALL',
    '--uid',
    '1000',
    '--gid',
    '1000',
    '--hostname',
    'lab',
    '--clearenv',
    ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]),
    ...system.flatMap((path) => ['--ro-bind', path, path]),
    ...hidden(plan.hide, system),
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    '--bind',
    plan.tmp,
    '/tmp',
    '--bind',
    plan.home,
    '/home/agent',
    '--bind',
    plan.workspace,
    '/workspace',
    ...readOnly.flatMap(([host, inside]) => ['--ro-bind', host, inside]),
    ...hidden(plan.hide, [nodePrefix]),
    ...(plan.skills === null ? [] : ['--ro-bind', plan.skills, '/skills']),
    ...(socket === null ? [] : ['--ro-bind', socket, '/run/model.sock']),
    '--remount-ro',
    '/',
    '--chdir',
    '/workspace',
    '--',
  ];
  const inside = socket === null ? argv : ['/bin/sh', '-c', bridge, 'bridge', ...argv];
  return { argv: [...bwrap, ...inside], env: { PATH: process.env.PATH ?? '/usr/bin:/bin' }, cwd: '/' };
}

/** An empty folder over each of `folders` that one of the mounts would show. */
function hidden(folders: string[], mounts: string[]): string[] {
  const shows = (mount: string, folder: string) => folder.startsWith(`${mount}/`);
  return folders.filter((folder) => mounts.some((mount) => shows(mount, folder))).flatMap((folder) => ['--tmpfs', folder]);
}

/** Opens the one way out (a loopback port that leads to the gateway's socket), waits until it listens, then becomes the program. */
const bridge = [
  `socat TCP-LISTEN:${insidePort},bind=127.0.0.1,fork,reuseaddr UNIX-CONNECT:/run/model.sock </dev/null >/dev/null 2>&1 &`,
  `until socat -u /dev/null TCP:127.0.0.1:${insidePort} 2>/dev/null; do :; done`,
  'exec "$@"',
].join('\n');

export interface SandboxFound {
  kind: SandboxKind;
  version: string | null;
  /** Why not the strongest; null when it is. */
  because: string | null;
}

/** The strongest sandbox this machine has, by the experiment's wish: required refuses anything less than bubblewrap. */
export async function findSandbox(wish: 'required' | 'auto' | 'none'): Promise<SandboxFound> {
  if (wish === 'none') return { kind: 'private-home', version: null, because: 'experiment.yaml says sandbox: none' };
  const missing = await bubblewrapTrouble();
  if (missing === null) return { kind: 'bubblewrap', version: (await run('bwrap', ['--version'])).stdout.trim(), because: null };
  if (wish === 'required') {
    throw new PrerequisiteError('The sandbox is required and not there', {
      expected: 'bwrap and socat that work',
      found: missing,
      next: 'apt-get install bubblewrap socat, or say sandbox: auto in experiment.yaml (the report then says what that does not stop)',
    });
  }
  return { kind: 'private-home', version: null, because: missing };
}

/** What keeps bubblewrap from working here; null when a trial run of it succeeds. */
async function bubblewrapTrouble(): Promise<string | null> {
  if (process.platform !== 'linux') return `bubblewrap is for Linux, this is ${process.platform}`;
  for (const program of ['bwrap', 'socat']) {
    const found = (process.env.PATH ?? '').split(':').some((folder) => folder !== '' && existsSync(join(folder, program)));
    if (!found) return `${program} is not installed`;
  }
  const probe: string[] = [
    '--unshare-all',
    '--unshare-user',
    '--disable-userns',
    '--die-with-parent',
    '--ro-bind',
    '/',
    '/',
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    'true',
  ];
  return run('bwrap', probe).then(
    () => null,
    (error: { stderr?: string }) =>
      `bwrap does not work here: ${(error.stderr ?? '').trim().split('\n')[0] ?? 'no reason given'}`,
  );
}
