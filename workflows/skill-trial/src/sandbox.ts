import { bubblewrapCommand, findBubblewrap } from './bubblewrap.js';
import { findCgroups } from './cgroup.js';
import { containerCommand, findContainer } from './container.js';
import { PrerequisiteError } from './errors.js';
import { type LimitsInForce, notLimited } from './resource-limits.js';
import { isolates, type SandboxedCommand, type SandboxKind, type SandboxPlan, type SandboxWish } from './sandbox-plan.js';
import { findSandboxRuntime, sandboxRuntimeCommand } from './sandbox-runtime.js';

/** What each kind does not stop, whatever the limits: printed in the lock and the report. */
const notStopped: Record<SandboxKind, string[]> = {
  bubblewrap: [
    'a flaw of the kernel',
    "reading in /proc/self/mountinfo in which folders of the machine the session and the agent's program lie",
  ],
  container: [
    'a flaw of the kernel or of the container engine',
    "reading in /proc/self/mountinfo in which folders of the machine the session and the agent's program lie",
  ],
  'sandbox-runtime': [
    'reading files outside the checkout and the home folder',
    'the process table of the machine',
    'anything that this kind fails to hold: it is untested here',
  ],
  'private-home': [
    'reading any file that the user who runs the lab can read, the rubric and the skills among them',
    'writing outside the workspace',
    'network connections past the gateway',
    'the process table of the machine',
  ],
};

/** The full list for a kind and the limits in force; which comes first is what point 4 of the report quotes. */
export function doesNotStop(kind: SandboxKind, force: LimitsInForce): string[] {
  return [...notStopped[kind], ...notLimited(force)];
}

/** The command that runs `argv` inside. */
export async function sandboxCommand(plan: SandboxPlan, argv: string[], env: Record<string, string>): Promise<SandboxedCommand> {
  return commands[plan.kind](plan, argv, env);
}

const commands: Record<
  SandboxKind,
  (plan: SandboxPlan, argv: string[], env: Record<string, string>) => SandboxedCommand | Promise<SandboxedCommand>
> = {
  bubblewrap: bubblewrapCommand,
  container: containerCommand,
  'sandbox-runtime': sandboxRuntimeCommand,
  'private-home': (plan, argv, env) => ({ argv, env, cwd: plan.workspace }),
};

export interface SandboxFound {
  kind: SandboxKind;
  version: string | null;
  /** Why not the strongest; null when it is, or when experiment.yaml names this kind. */
  because: string | null;
  /** Identity of the container image that experiment.yaml names; null: none. */
  image: string | null;
  inForce: LimitsInForce;
  doesNotStop: string[];
}

/** Each kind's trouble with this machine, or its version; private-home always works. */
const finders: [SandboxKind, (image?: string) => Promise<{ version: string; image: string | null } | { trouble: string }>][] = [
  ['bubblewrap', findBubblewrap],
  ['container', findContainer],
  ['sandbox-runtime', findSandboxRuntime],
];

/**
 * The strongest sandbox that this machine has, by the experiment's wish: `required` refuses anything but bubblewrap or a container,
 * a kind's own name anything else. An image can only be run by a container engine.
 */
export async function findSandbox(wish: SandboxWish, image?: string): Promise<SandboxFound> {
  if (wish === 'none') return found('private-home', null, 'experiment.yaml says sandbox: none', null);
  const named = wish === 'bubblewrap' || wish === 'container' ? wish : image === undefined ? null : 'container';
  const troubles: string[] = [];
  for (const [kind, find] of finders) {
    if (named !== null && kind !== named) continue;
    if (wish === 'required' && !isolates(kind)) continue;
    const result = await find(image);
    if ('version' in result) return found(kind, result.version, troubles.length === 0 ? null : troubles.join('; '), result.image);
    troubles.push(result.trouble);
  }
  if (named !== null || wish === 'required') {
    throw new PrerequisiteError('The sandbox is required and not there', {
      expected: named ?? 'bwrap and socat that work, or a container engine',
      found: troubles.join('; '),
      next: `${installCommand(named === 'container' ? ['podman', 'runc', 'socat'] : ['bubblewrap', 'socat'])}, or say sandbox: auto in experiment.yaml (the report then says what that does not stop)`,
    });
  }
  return found('private-home', null, troubles.join('; '), null);
}

async function found(
  kind: SandboxKind,
  version: string | null,
  because: string | null,
  image: string | null,
): Promise<SandboxFound> {
  const inForce = await limitsInForce(kind);
  return { kind, version, because, image, inForce, doesNotStop: doesNotStop(kind, inForce) };
}

/** By what each limit is held for a kind. A container engine makes its own groups. */
export async function limitsInForce(kind: SandboxKind): Promise<LimitsInForce> {
  const always = { file: process.platform === 'win32' ? null : 'RLIMIT_FSIZE', disk: 'a look every half second' };
  if (kind === 'container')
    return { ...always, memory: 'container engine', cpus: 'container engine', processes: 'container engine' };
  const support = await findCgroups();
  const by = (one: { version: number } | undefined) => (one === undefined ? null : `cgroup v${one.version}`);
  return { ...always, memory: by(support.memory), cpus: by(support.cpu), processes: by(support.pids) };
}

/** The command that gets Debian packages, as this user has to type it. */
export function installCommand(packages: string[]): string {
  return `${process.getuid?.() === 0 ? '' : 'sudo '}apt-get install ${packages.join(' ')}`;
}
