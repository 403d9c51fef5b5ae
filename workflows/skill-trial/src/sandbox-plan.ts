import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { ResourceLimits } from './resource-limits.js';

/** What stands between the agent and the machine, strongest first. Part of the spec: it can change what the agent does. */
export const SandboxKind = z.enum(['bubblewrap', 'container', 'sandbox-runtime', 'private-home']);
export type SandboxKind = z.infer<typeof SandboxKind>;

/** What experiment.yaml asks for: a kind by its name, or how strong it must be. */
export const SandboxWish = z.enum(['required', 'auto', 'none', 'bubblewrap', 'container']);
export type SandboxWish = z.infer<typeof SandboxWish>;

/** Where things are inside: the same in every arm. */
export interface SandboxView {
  workspace: string;
  home: string;
  tmp: string;
  skills: string;
  /** The project's node_modules, read-only. */
  modules: string;
  gatewayPort: number;
  /** Where programs are looked for. */
  path: string;
}

/** A server of the lab that the agent may reach: a socket where the sandbox has a network of its own, else a port on loopback. */
export type Way = { socket: string } | { port: number };

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
  /** The way to the model; null: no network at all. */
  gateway: Way | null;
  /** The way to the proxy that logs and judges every other connection; null: none. */
  proxy: Way | null;
  limits: ResourceLimits;
  /** Identity of a container image to run in; null: the machine's own system, read-only. */
  image: string | null;
}

/** How to start a program inside, and what to do when it has ended. */
export interface SandboxedCommand {
  argv: string[];
  env: Record<string, string>;
  cwd: string;
  /** Given on file descriptor 3: what must not stand in a command line that can be read inside. */
  fd3?: string;
  /** Name of the container, for whoever has to remove it after a killed run. */
  container?: string;
}

const [insidePort, insideProxyPort] = [8080, 8081];

/** Whether a kind gives the agent a file tree and a network of its own. */
export function isolates(kind: SandboxKind): boolean {
  return kind === 'bubblewrap' || kind === 'container';
}

/** Where a server of the lab listens for a kind: a socket where the sandbox has a network of its own, else a free port on loopback. */
export function listenFor(kind: SandboxKind, socketPath: string): { socketPath: string } | { host: '127.0.0.1'; port: number } {
  return isolates(kind) ? { socketPath } : { host: '127.0.0.1', port: 0 };
}

/** Whether a kind keeps the agent from every connection but to the lab's own servers. */
export function holdsNetwork(kind: SandboxKind): boolean {
  return kind !== 'private-home';
}

/** The paths that a program inside sees. Without a file tree of its own they are the host's. */
export function sandboxView(
  plan: Pick<SandboxPlan, 'kind' | 'workspace' | 'home' | 'tmp' | 'skills' | 'gateway'> & { image?: string | null },
  hostModules: string,
): SandboxView {
  if (isolates(plan.kind)) {
    return {
      workspace: '/workspace',
      home: '/home/agent',
      tmp: '/tmp',
      skills: '/skills',
      modules: '/lab/node_modules',
      gatewayPort: insidePort,
      path: [...(nodeFolder === null || (plan.image ?? null) !== null ? [] : ['/lab/node/bin']), systemPath].join(':'),
    };
  }
  return {
    workspace: plan.workspace,
    home: plan.home,
    tmp: plan.tmp,
    skills: plan.skills ?? '/nonexistent',
    modules: hostModules,
    gatewayPort: plan.gateway !== null && 'port' in plan.gateway ? plan.gateway.port : 0,
    path: `${dirname(process.execPath)}:${process.env.PATH ?? '/usr/bin:/bin'}`,
  };
}

const systemPath = '/usr/local/bin:/usr/bin:/bin';
/** Where Node lies when it is not part of the system: mounted as /lab/node, since its path may hold the user's name. */
const nodeFolder = process.execPath.startsWith('/usr/') ? null : dirname(dirname(process.execPath));

/** The variables that lead every connection that heeds them to the lab's proxy, and none of those to the model. */
export function proxyVariables(plan: Pick<SandboxPlan, 'kind' | 'proxy'>): Record<string, string> {
  if (plan.proxy === null) return {};
  const address = `http://127.0.0.1:${'port' in plan.proxy ? plan.proxy.port : insideProxyPort}`;
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()]);
  return {
    ...Object.fromEntries(names.map((name) => [name, address])),
    NO_PROXY: '127.0.0.1,localhost',
    no_proxy: '127.0.0.1,localhost',
  };
}

/** What is mounted inside, read-only: folders of the system under their own names, those of the lab, and what of them is covered. */
export function mountsOf(plan: SandboxPlan): { system: string[]; lab: [string, string][]; hidden: string[] } {
  const all = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/lib32', '/etc/alternatives', '/etc/ssl', '/etc/ld.so.cache'];
  const system = plan.image === null ? all.filter((path) => existsSync(path)) : [];
  const socket = (way: Way | null, name: string): [string, string][] =>
    way !== null && 'socket' in way ? [[way.socket, `/run/${name}.sock`]] : [];
  const lab: [string, string][] = [
    ...plan.readOnly,
    ...(nodeFolder === null || plan.image !== null ? [] : ([[nodeFolder, '/lab/node']] as [string, string][])),
    ...(plan.skills === null ? [] : ([[plan.skills, '/skills']] as [string, string][])),
    ...socket(plan.gateway, 'model'),
    ...socket(plan.proxy, 'proxy'),
  ];
  const shown = [...system.map((path): [string, string] => [path, path]), ...lab];
  const hidden = shown.flatMap(([host, inside]) =>
    plan.hide.filter((folder) => folder.startsWith(`${host}/`)).map((folder) => `${inside}${folder.slice(host.length)}`),
  );
  return { system, lab, hidden };
}

/** Opens the ways out (loopback ports that lead to the lab's sockets), waits until they listen, then becomes the program. */
export function bridged(plan: SandboxPlan, argv: string[]): string[] {
  const ports: [Way | null, string, number][] = [
    [plan.gateway, 'model', insidePort],
    [plan.proxy, 'proxy', insideProxyPort],
  ];
  const open = ports.filter(([way]) => way !== null && 'socket' in way);
  if (open.length === 0) return argv;
  const lines = [
    ...open.map(
      ([, name, port]) =>
        `socat TCP-LISTEN:${port},bind=127.0.0.1,fork,reuseaddr UNIX-CONNECT:/run/${name}.sock </dev/null >/dev/null 2>&1 &`,
    ),
    ...open.map(([, , port]) => `until socat -u /dev/null TCP:127.0.0.1:${port} 2>/dev/null; do :; done`),
    'exec "$@"',
  ];
  return ['/bin/sh', '-c', lines.join('\n'), 'bridge', ...argv];
}
