import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isInstalled } from './bubblewrap.js';
import { InfrastructureError } from './errors.js';
import { bridged, mountsOf, type SandboxedCommand, type SandboxPlan } from './sandbox-plan.js';

const run = promisify(execFile);

/** Links of a merged system (`/bin` is `/usr/bin`); where they are folders, they are mounted. */
const systemLinks = ['/bin', '/sbin', '/lib', '/lib64', '/lib32'];
const emptyImage = 'skill-trial-empty:1';

export interface Engine {
  program: 'podman' | 'docker';
  /** Words that every call begins with. */
  call: string[];
  version: string;
}

let engine: Promise<Engine | { trouble: string }> | undefined;

/** The container engine of this machine, or what keeps every one from working; asked once. */
export function containerEngine(): Promise<Engine | { trouble: string }> {
  engine ??= findEngine();
  return engine;
}

/** The first container engine that starts a container here. */
async function findEngine(): Promise<Engine | { trouble: string }> {
  const troubles: string[] = [];
  // crun refuses hosts with cgroup v1; runc and groups made without systemd work there
  const old = ['--cgroup-manager=cgroupfs', '--runtime', 'runc'];
  const ways: [Engine['program'], string[]][] = existsSync('/sys/fs/cgroup/cgroup.controllers')
    ? [
        ['podman', []],
        ['podman', old],
        ['docker', []],
      ]
    : [
        ['podman', old],
        ['docker', []],
      ];
  for (const [program, flags] of ways) {
    if (!isInstalled(program)) {
      troubles.push(`${program} is not installed`);
      continue;
    }
    try {
      const call = [program, ...flags];
      await makeEmptyImage(call);
      const probe = ['run', '--rm', '--network', 'none', '--read-only', ...limits, '-v', '/usr:/usr:ro', ...libraryMounts()];
      await run(program, [...flags, ...probe, emptyImage, '/usr/bin/true'], { timeout: 60_000 });
      return { program, call, version: (await run(program, ['--version'])).stdout.trim() };
    } catch (error) {
      const { stderr = '', message } = error as { stderr?: string; message: string };
      troubles.push(`${program} does not work here: ${(stderr.trim() || message).split('\n').at(-1)}`);
    }
  }
  return { trouble: [...new Set(troubles)].join(', ') };
}

// where the lab's own limits are higher than the engine may set, it would refuse to start
const limits = ['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=1024:1024'];

function libraryMounts(): string[] {
  const folders = systemLinks.filter((path) => existsSync(path) && !lstatSync(path).isSymbolicLink());
  return folders.flatMap((path) => ['-v', `${path}:${path}:ro`]);
}

/** An image with folders and links only: the machine's own system is mounted into it. */
async function makeEmptyImage(call: string[]): Promise<void> {
  const [program, ...flags] = call as [string, ...string[]];
  const there = await run(program, [...flags, 'image', 'inspect', emptyImage]).then(
    () => true,
    () => false,
  );
  if (there) return;
  const folder = await mkdtemp(join(tmpdir(), 'skill-trial-image-'));
  try {
    for (const path of ['usr', 'etc', 'proc', 'dev', 'sys', 'run', 'tmp', 'home/agent', 'workspace', 'skills', 'lab'])
      await mkdir(join(folder, path), { recursive: true });
    for (const path of systemLinks)
      if (existsSync(path) && lstatSync(path).isSymbolicLink()) await symlink(readlinkSync(path), join(folder, path));
    const tar = spawn('tar', ['-C', folder, '-c', '.'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const load = spawn(program, [...flags, 'import', '-', emptyImage], { stdio: [tar.stdout, 'ignore', 'pipe'] });
    let text = '';
    load.stderr?.on('data', (chunk) => (text += chunk));
    const code = await new Promise((resolve, reject) => {
      load.once('error', reject);
      load.once('close', resolve);
    });
    if (code !== 0) throw new Error(text.trim());
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The engine's version and the identity of the image, or what keeps it from working here. */
export async function findContainer(image?: string): Promise<{ version: string; image: string | null } | { trouble: string }> {
  if (process.platform !== 'linux') return { trouble: `containers are used on Linux only, this is ${process.platform}` };
  if (!isInstalled('socat')) return { trouble: 'socat is not installed' };
  const there = await containerEngine();
  if ('trouble' in there) return there;
  if (image === undefined) return { version: there.version, image: null };
  const [program, ...flags] = there.call as [string, ...string[]];
  try {
    const { stdout } = await run(program, [...flags, 'image', 'inspect', '--format', '{{.Id}}', image]);
    return { version: there.version, image: stdout.trim() };
  } catch {
    return { trouble: `${there.program} has no image ${image}: pull it first` };
  }
}

const seen = new Set<string>();

/** A frozen image that is not on this machine is no failure of the agent's. */
async function requireImage({ call, program: name }: Engine, image: string): Promise<void> {
  if (seen.has(image)) return;
  const [program, ...flags] = call as [string, ...string[]];
  await run(program, [...flags, 'image', 'inspect', image]).catch(() => {
    throw new InfrastructureError('The frozen container image is not on this machine', {
      expected: image,
      found: `none of that identity in ${name}`,
      next: 'freeze again, or bring the image here (podman save, podman load)',
    });
  });
  seen.add(image);
}

/** `podman run` (or docker): no network, no capability, a read-only tree, the engine's own limits. */
export async function containerCommand(
  plan: SandboxPlan,
  argv: string[],
  env: Record<string, string>,
): Promise<SandboxedCommand> {
  const there = await containerEngine();
  if ('trouble' in there) throw new Error(there.trouble);
  if (plan.image !== null) await requireImage(there, plan.image);
  const { system, lab, hidden } = mountsOf(plan);
  const name = `skill-trial-${process.pid}-${randomUUID().slice(0, 8)}`;
  const user = `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`;
  const rootless = there.program === 'podman' && process.getuid?.() !== 0;
  const mounts: [string, string, string][] = [
    ...system.filter((path) => !lstatSync(path).isSymbolicLink()).map((path): [string, string, string] => [path, path, 'ro']),
    [plan.tmp, '/tmp', 'rw'],
    [plan.home, '/home/agent', 'rw'],
    [plan.workspace, '/workspace', 'rw'],
    ...lab.map(([host, inside]): [string, string, string] => [host, inside, 'ro']),
  ];
  const { memoryMb, cpus, processes, fileMb } = plan.limits;
  const file = fileMb * 2 ** 20;
  return {
    argv: [
      ...[...there.call, 'run', '--interactive', '--name', name, '--hostname', 'lab', '--network', 'none', '--read-only'],
      ...(there.program === 'podman' ? ['--read-only-tmpfs=false'] : []),
      // what is printed is kept once, by the lab
      ...['--log-driver', 'none'],
      ...['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges', '--shm-size', '64m', ...limits],
      ...['--ulimit', `fsize=${file}:${file}`, '--pids-limit', String(processes)],
      ...['--memory', `${memoryMb}m`, '--memory-swap', `${memoryMb}m`, ...(cpus === null ? [] : ['--cpus', String(cpus)])],
      ...['--user', user, ...(rootless ? ['--userns', 'keep-id'] : [])],
      ...mounts.flatMap(([host, inside, mode]) => ['-v', `${host}:${inside}:${mode}`]),
      // podman would copy into it what it covers
      ...hidden.flatMap((path) => ['--tmpfs', there.program === 'podman' ? `${path}:ro,notmpcopyup` : `${path}:ro`]),
      ...Object.entries(env).flatMap(([key, value]) => ['--env', `${key}=${value}`]),
      ...['--workdir', '/workspace', plan.image ?? emptyImage, ...bridged(plan, argv)],
    ],
    // the engine needs its own home and PATH; nothing of it enters the container
    env: Object.fromEntries(
      ['PATH', 'HOME', 'XDG_RUNTIME_DIR', 'DOCKER_HOST', 'CONTAINER_HOST'].flatMap((key) =>
        process.env[key] === undefined ? [] : [[key, process.env[key] as string]],
      ),
    ),
    cwd: '/',
    container: name,
  };
}

/** Removes a container with all that runs in it; tells whether the kernel killed it for want of memory, null where it is gone. */
export async function removeContainer(name: string): Promise<{ memoryKill: boolean | null }> {
  const there = await containerEngine();
  if ('trouble' in there) return { memoryKill: null };
  const [program, ...flags] = there.call as [string, ...string[]];
  const memoryKill = await run(program, [...flags, 'inspect', '--format', '{{.State.OOMKilled}}', name]).then(
    ({ stdout }) => stdout.trim() === 'true',
    () => null,
  );
  await run(program, [...flags, 'rm', '--force', '--time', '0', name]).catch(() =>
    run(program, [...flags, 'rm', '--force', name]).catch(() => undefined),
  );
  return { memoryKill };
}
