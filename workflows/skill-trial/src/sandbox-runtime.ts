import { homedir } from 'node:os';
import { findRoot } from './paths.js';
import type { SandboxedCommand, SandboxPlan } from './sandbox-plan.js';

// Not a dependency: it is used where the person who runs the lab has installed it. Its name is kept from the compiler.
const name: string = '@anthropic-ai/sandbox-runtime';

interface Manager {
  isSupportedPlatform(): boolean;
  initialize(config: unknown): Promise<void>;
  wrapWithSandbox(command: string, shell?: string, config?: unknown): Promise<string>;
}

async function load(): Promise<Manager | null> {
  return import(name).then(
    (module: { SandboxManager: Manager }) => module.SandboxManager,
    () => null,
  );
}

/** On macOS the profile of @anthropic-ai/sandbox-runtime, if it is installed. UNTESTED: no Mac was at hand. */
export async function findSandboxRuntime(): Promise<{ version: string; image: null } | { trouble: string }> {
  if (process.platform !== 'darwin') return { trouble: `sandbox-runtime is used on macOS only, this is ${process.platform}` };
  const manager = await load();
  if (manager === null) return { trouble: `${name} is not installed (npm install --no-save ${name})` };
  if (!manager.isSupportedPlatform()) return { trouble: `${name} does not support this machine` };
  return { version: `${name} (untested here)`, image: null };
}

/** The program under the runtime's profile: writes to its own three folders, no reads of the checkout or home, loopback only. */
export async function sandboxRuntimeCommand(
  plan: SandboxPlan,
  argv: string[],
  env: Record<string, string>,
): Promise<SandboxedCommand> {
  const manager = (await load()) as Manager;
  const config = {
    network: { allowedDomains: ['127.0.0.1', 'localhost'], deniedDomains: [], allowLocalBinding: true },
    filesystem: {
      denyRead: [...plan.hide.filter((path) => !plan.workspace.startsWith(path)), homedir()],
      // the program itself lies below what is denied
      allowRead: [...plan.readOnly.map(([host]) => host), ...(plan.skills === null ? [] : [plan.skills])],
      allowWrite: [plan.workspace, plan.home, plan.tmp],
      denyWrite: [findRoot()],
    },
  };
  await manager.initialize(config);
  const quoted = argv.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  return { argv: ['/bin/sh', '-c', await manager.wrapWithSandbox(quoted)], env, cwd: plan.workspace };
}
