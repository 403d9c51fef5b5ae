import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Agent, AgentProgram } from './agent.js';
import type { Attestation } from './attestation.js';
import { type Base, makeWorkspace } from './base.js';
import type { CallRecord } from './call-record.js';
import { canaryOf } from './canary.js';
import type { Case } from './case.js';
import { systemClock } from './clock.js';
import { keepBeginning, ownFolder, runContained } from './contained-run.js';
import { type Containment, containmentFile, type LimitHit } from './containment.js';
import { promptPrefix } from './delivery.js';
import { readEventStream } from './event-stream.js';
import type { Experiment } from './experiment.js';
import { type Extras, noExtras } from './extras.js';
import { openGateway } from './gateway.js';
import { hashTree } from './hash.js';
import { budgetOf, openModel, type RunningModel } from './model-server.js';
import { allowedHosts, type NetworkProxy, openNetworkProxy } from './network-proxy.js';
import { keptOutOfReach } from './paths.js';
import type { ProcessOutcome } from './process.js';
import { prettyJson } from './record.js';
import { attestRecording } from './recorded-requests.js';
import { readCalls } from './recording.js';
import { resourceLimitsOf } from './resource-limits.js';
import { doesNotStop, limitsInForce } from './sandbox.js';
import { holdsNetwork, listenFor, proxyVariables, type SandboxKind, type SandboxPlan, sandboxView } from './sandbox-plan.js';
import { redactKey, scanForSecrets } from './secret-scan.js';
import { type Skill, writeSkill } from './skill.js';
import type { Trajectory } from './trajectory.js';
import { layWarm, type Warm } from './warm-tree.js';

export interface SessionPlan {
  experiment: Experiment;
  case: Case;
  agent: Agent;
  program: AgentProgram;
  base: Pick<Base, 'folder' | 'commit'>;
  sandbox: SandboxKind;
  /** Identity of the container image; null or absent: the machine's own system. */
  image?: string | null;
  /** What the case's set-up made; null or absent: it has none. */
  warm?: Warm | null;
  /** The task: what is given on standard input, byte for byte, behind the text of the skills in `inPrompt`. */
  prompt: Uint8Array;
  /** Skills whose text stands in front of the task; absent: none. */
  inPrompt?: Skill[];
  /** Prompts after the first; absent: none. */
  followUps?: string[];
  /** The skills of this arm, and all of the experiment (for the attestation). */
  skills: Skill[];
  allSkills: Skill[];
  repeat: number;
  seed: number;
  /** What the experiment gives every arm beside the task. */
  extras?: Extras;
  onProgress?: (calls: readonly CallRecord[]) => void;
  /** A recording in place of the experiment's own model, for a replay. */
  model?: RunningModel;
  /** The folder to make the session in; a new one of its own where absent. A replay without a sandbox needs the recorded paths. */
  folder?: string;
}

export interface SessionResult {
  outcome: ProcessOutcome;
  trajectory: Trajectory;
  attestation: Attestation;
  calls: CallRecord[];
  argv: string[];
  /** The limit that ended it: one of the gateway's, disk or output; null when none did. */
  limit: string | null;
  /** Limits that it ran into, whether they ended it or not. */
  hits: LimitHit[];
  setupSeconds: number;
  /** How often the key was taken out of which file; {} for nowhere. */
  redacted: Record<string, number>;
  /** Other secrets by their kind and place. */
  secretWarnings: string[];
}

export const sessionPrefix = 'skill-trial-session-';

/**
 * Runs the agent once: a fresh workspace, HOME and TMPDIR, the prompt on standard input, the model behind a recording gateway, all
 * of it in the sandbox. Writes the event stream, calls, bodies, trajectory and attestation into `target`. `capture` sees the
 * workspace before it is removed.
 */
export async function runSession(
  plan: SessionPlan,
  target: string,
  capture?: (workspace: string) => Promise<void>,
): Promise<SessionResult> {
  const from = process.hrtime.bigint();
  const extras = plan.extras ?? noExtras;
  const prompt = Buffer.concat([Buffer.from(promptPrefix(plan.inPrompt ?? [])), plan.prompt]);
  await mkdir(target, { recursive: true });
  if (plan.folder !== undefined) await mkdir(plan.folder);
  const scratch = plan.folder ?? (await mkdtemp(join(tmpdir(), sessionPrefix)));
  const folder = (name: string) => join(scratch, name);
  await ownFolder(scratch);
  await Promise.all(['home', 'tmp'].map((name) => mkdir(folder(name))));
  await makeWorkspace(plan.base, folder('workspace'));
  await layWarm(plan.warm ?? null, folder('workspace'), folder('home'));
  await copySkills(plan.skills, folder('skills'));
  const model = plan.model ?? (await openModel(plan));
  const stop = new AbortController();
  let limit: string | null = null;
  const gateway = await openGateway({
    upstream: { baseUrl: model.baseUrl, api: plan.experiment.model.api, key: model.key },
    listen: listenFor(plan.sandbox, folder('model.sock')),
    dir: target,
    budget: budgetOf(plan.experiment),
    frozen: { model: plan.experiment.model.id, parameters: plan.experiment.model.parameters },
    clock: systemClock,
    onLimit: (ended) => {
      limit = ended.limit;
      stop.abort(`limit: ${ended.limit}`);
    },
  });
  let proxy: NetworkProxy | null = null;
  try {
    const allow = allowedHosts(plan.experiment.network);
    proxy = await openNetworkProxy({
      allow,
      listen: listenFor(plan.sandbox, folder('proxy.sock')),
      dir: target,
      clock: systemClock,
    });
    const modules = plan.program.folder;
    const sandbox: SandboxPlan = {
      kind: plan.sandbox,
      workspace: folder('workspace'),
      home: folder('home'),
      tmp: folder('tmp'),
      skills: plan.skills.length === 0 ? null : folder('skills'),
      readOnly: [[modules, '/lab/node_modules']],
      hide: keptOutOfReach(plan.case.folder),
      gateway:
        gateway.socketPath === null ? { port: Number(new URL(gateway.url as string).port) } : { socket: gateway.socketPath },
      proxy: proxy.way,
      limits: resourceLimitsOf(plan.experiment),
      image: plan.image ?? null,
    };
    const view = sandboxView(sandbox, modules);
    const launch = plan.agent.launch({
      program: plan.program,
      modules: view.modules,
      view,
      model: plan.experiment.model,
      mcp: extras.mcp,
      skills: plan.skills.map((skill) => skill.name),
      followUps: plan.followUps ?? [],
    });
    await placeExtras(extras, sandbox.home);
    if (launch.promptFile !== undefined) {
      await mkdir(dirname(join(sandbox.home, launch.promptFile)), { recursive: true });
      await writeFile(join(sandbox.home, launch.promptFile), prompt);
    }
    for (const [path, text] of Object.entries(launch.homeFiles)) {
      await mkdir(dirname(join(sandbox.home, path)), { recursive: true });
      await writeFile(join(sandbox.home, path), text);
    }
    for (const [skill, below] of launch.homeSkills)
      await cp(join(folder('skills'), skill), join(sandbox.home, below, skill), { recursive: true });
    const canary = canaryOf(plan.experiment.seed);
    for (const below of plan.agent.canaryFolders) {
      await mkdir(join(sandbox.home, below, canary.name), { recursive: true });
      await writeFile(join(sandbox.home, below, canary.name, 'SKILL.md'), canary.text);
    }
    await writeFile(join(target, 'prompt.txt'), prompt);
    const env = {
      PATH: [...(launch.path ?? []), view.path].join(':'),
      HOME: view.home,
      TMPDIR: view.tmp,
      LANG: 'C.UTF-8',
      // npm would ask its registry for a newer npm after a test run: a connection that no agent wanted
      npm_config_update_notifier: 'false',
      ...extras.env,
      ...proxyVariables(sandbox),
      ...launch.env,
    };
    const setupSeconds = Number(process.hrtime.bigint() - from) / 1e9;
    const watch = plan.onProgress === undefined ? undefined : setInterval(() => plan.onProgress?.(gateway.calls()), 500);
    const contained = await runContained({
      sandbox,
      argv: launch.argv,
      env,
      scratch,
      process: {
        stdinFile: join(target, 'prompt.txt'),
        stdoutFile: join(target, 'events.jsonl'),
        stderrFile: join(target, 'stderr.txt'),
        timeoutMs: plan.experiment.limits.wall_seconds * 1000,
        stop: stop.signal,
      },
    }).finally(() => clearInterval(watch));
    const { outcome, hits } = contained;
    limit ??= contained.full;
    await Promise.all(['events.jsonl', 'stderr.txt'].map((name) => keepBeginning(join(target, name), contained.outputBytes)));
    await Promise.all([gateway.close(), proxy.close()]);
    const inForce = await limitsInForce(plan.sandbox);
    const containment: Containment = {
      schemaVersion: 1,
      sandbox: plan.sandbox,
      limits: sandbox.limits,
      inForce,
      doesNotStop: doesNotStop(plan.sandbox, inForce),
      allow,
      networkHeld: holdsNetwork(plan.sandbox),
      ...contained.measured,
      hits,
    };
    await writeFile(join(target, containmentFile), prettyJson(containment));
    await capture?.(folder('workspace'));
    // before anything is derived from these files
    const redacted = await redactKey(target, model.key);
    const secretWarnings = await scanForSecrets(target);
    const calls = await readCalls(target);
    const trajectory = await readEventStream(target, plan.agent);
    const attestation = await attestRecording(target, plan);
    await writeFile(join(target, 'trajectory.json'), prettyJson(trajectory));
    await writeFile(join(target, 'attestation.json'), prettyJson(attestation));
    return { outcome, trajectory, attestation, calls, argv: launch.argv, limit, hits, setupSeconds, redacted, secretWarnings };
  } finally {
    // all of them, whatever the first ones say: a server left open would keep the lab from ending
    await Promise.allSettled([gateway.close(), model.close(), proxy?.close()]);
    await rm(scratch, { recursive: true, force: true });
  }
}

async function placeExtras({ files }: Extras, home: string): Promise<void> {
  for (const { path, content, executable } of files) {
    await mkdir(dirname(join(home, path)), { recursive: true });
    await writeFile(join(home, path), content, { mode: executable ? 0o755 : 0o644 });
  }
}

/** Copies of the frozen skills, checked to be the ones that were read. */
async function copySkills(skills: Skill[], folder: string): Promise<void> {
  await mkdir(folder);
  for (const skill of skills) {
    await writeSkill(skill, join(folder, skill.name));
    if ((await hashTree(join(folder, skill.name))) !== skill.sha256)
      throw new TypeError(`skill ${skill.name} changed while it was copied`);
  }
}
