import { join } from 'node:path';
import type { Agent, AgentLaunch, AgentProgram, AgentRequest } from '../agent.js';
import { piCatalogue } from '../catalogue.js';
import { PrerequisiteError } from '../errors.js';
import type { Experiment } from '../experiment.js';
import { serversInside } from '../extras.js';
import { findPackage } from '../installed-package.js';
import { rootPaths } from '../paths.js';
import { jsonLines, skillOfPath, skillsOfCommand, type ToolCall, type Trajectory } from '../trajectory.js';

/** Without ripgrep at hand opencode downloads it when it first searches or loads a skill. */
const install = 'opencode-ai@1.18.33 @vscode/ripgrep@1.18.0';
const binary = `opencode-${process.platform}-${process.arch}`;
const ripgrep = `@vscode/ripgrep-${process.platform}-${process.arch}`;

/** The client inside opencode for each API, and what its base URL ends with. */
const clients: Record<Experiment['model']['api'], { npm: string; path: string }> = {
  'openai-completions': { npm: '@ai-sdk/openai-compatible', path: '/v1' },
  'anthropic-messages': { npm: '@ai-sdk/anthropic', path: '/v1' },
  'openai-responses': { npm: '@ai-sdk/openai', path: '/v1' },
  'google-generative-ai': { npm: '@ai-sdk/google', path: '/v1beta' },
};

export const opencode: Agent = {
  name: 'opencode',
  title: 'opencode',
  apis: Object.keys(clients) as Experiment['model']['api'][],
  mechanism: {
    without:
      "permission.skill deny, and no skills.paths; the project's settings and instructions, skills of other agents, plugins and title request off; private HOME and XDG folders (an AGENTS.md beside a file that it reads has no switch)",
    with: "skills.paths with the arm's folder of skills and permission.skill allow for each by name, deny for every other; everything else as in the mode without",
  },
  skillTools: ['skill'],
  // elements in the system text, as pi has them
  catalogue: piCatalogue,
  canaryFolders: ['.config/opencode/skills', '.config/opencode/skill', '.claude/skills', '.agents/skills'],
  install,
  mcp: true,
  find,
  launch,
  readEvents,
};

async function find(root: string): Promise<AgentProgram> {
  const paths = rootPaths(root);
  const folders = [join(paths.agents, 'opencode', 'node_modules'), paths.nodeModules];
  const found = await findPackage('opencode-ai', folders);
  const missing: string[] = [];
  for (const name of found === null ? ['opencode-ai'] : [binary, ripgrep])
    if (found === null || (await findPackage(name, [found.folder])) === null) missing.push(name);
  if (found !== null && missing.length === 0)
    return { package: 'opencode-ai', ...found, argv: (modules) => [`${modules}/${binary}/bin/opencode`] };
  throw new PrerequisiteError('The agent opencode is not installed', {
    expected: `${install} in .agents/opencode`,
    found: `no ${missing.join(', no ')} there or in node_modules`,
    next: 'npm run add-agent -- opencode',
  });
}

/**
 * At its start opencode installs its plugin package from npm into its settings' folder, and waits for that: half a minute in vain
 * behind a closed network. It takes a folder that looks like this for one where that is done.
 */
const pluginInstalled = {
  '.opencode-lab/config/opencode/node_modules/.keep': '',
  '.opencode-lab/config/opencode/package-lock.json': `${JSON.stringify({ packages: { '': { dependencies: { '@opencode-ai/plugin': '*' } } } })}\n`,
};

function launch({ program, modules, view, model, skills, mcp }: AgentRequest): AgentLaunch {
  const { npm, path } = clients[model.api];
  const { thinking } = model.parameters;
  const servers = serversInside(mcp, view).map(
    ({ name, command, args, env }) =>
      [name, { type: 'local', enabled: true, command: [command, ...args], environment: env }] as const,
  );
  const settings = {
    autoupdate: false,
    share: 'disabled',
    snapshot: false,
    enabled_providers: ['lab'],
    model: `lab/${model.id}`,
    small_model: `lab/${model.id}`,
    provider: {
      lab: {
        npm,
        name: 'lab',
        // The real key is added by the gateway; the agent holds a word that opens nothing.
        options: { baseURL: `http://127.0.0.1:${view.gatewayPort}${path}`, apiKey: 'lab' },
        models: {
          [model.id]: {
            name: model.id,
            tool_call: true,
            // its own defaults for a model that it does not know leave no room for a prompt
            limit: { context: 200_000, output: 32_000 },
            ...(thinking === undefined || thinking === 'off' ? {} : { reasoning: true, options: { reasoningEffort: thinking } }),
          },
        },
      },
    },
    permission: {
      '*': 'allow',
      skill: skills.length === 0 ? 'deny' : { '*': 'deny', ...Object.fromEntries(skills.map((skill) => [skill, 'allow'])) },
    },
    ...(skills.length === 0 ? {} : { skills: { paths: [view.skills] } }),
    ...(servers.length === 0 ? {} : { mcp: Object.fromEntries(servers) }),
  };
  return {
    argv: [
      ...program.argv(modules),
      ...['run', '--format', 'json', '--model', `lab/${model.id}`],
      // a title given is a title not asked of the model
      ...['--title', 'trial'],
    ],
    env: {
      OPENCODE_CONFIG_CONTENT: JSON.stringify(settings),
      XDG_CONFIG_HOME: `${view.home}/.opencode-lab/config`,
      XDG_DATA_HOME: `${view.home}/.opencode-lab/data`,
      XDG_CACHE_HOME: `${view.home}/.opencode-lab/cache`,
      XDG_STATE_HOME: `${view.home}/.opencode-lab/state`,
      OPENCODE_DISABLE_PROJECT_CONFIG: '1',
      OPENCODE_DISABLE_CLAUDE_CODE: '1',
      OPENCODE_DISABLE_EXTERNAL_SKILLS: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
      OPENCODE_PURE: '1',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    },
    path: [`${modules}/${ripgrep}/bin`],
    homeFiles: pluginInstalled,
    homeSkills: [],
  };
}

interface Part {
  tool?: string;
  text?: string;
  reason?: string;
  tokens?: { input?: number; output?: number; reasoning?: number; cache?: { read?: number; write?: number } };
  state?: { status?: string; input?: Record<string, unknown>; output?: string; error?: string };
}

/** opencode's --format json: a tool when it has ended, a text when it is whole, usage at the end of each step (one model call). */
function readEvents(stdout: string): Trajectory {
  const toolCalls: ToolCall[] = [];
  const loaded: Trajectory['loaded'] = [];
  const steps: NonNullable<Part['tokens']>[] = [];
  const times: number[] = [];
  let text = '';
  let stop: string | null = null;
  let error: string | null = null;
  for (const { line, value } of jsonLines(stdout)) {
    const part = (value.part ?? {}) as Part;
    if (typeof value.timestamp === 'number') times.push(value.timestamp);
    if (value.type === 'step_start') text = '';
    else if (value.type === 'text') text += part.text ?? '';
    else if (value.type === 'tool_use') {
      const { status, input = {}, output, error: failure } = part.state ?? {};
      const result = status === 'error' ? (failure ?? '') : (output ?? '');
      const call: ToolCall = {
        line,
        name: part.tool ?? '',
        arguments: input,
        failed: status === 'error',
        resultBytes: Buffer.byteLength(result),
        resultLines: result === '' ? 0 : result.split('\n').length,
      };
      toolCalls.push(call);
      if (!call.failed) loaded.push(...loadsOf(call));
    } else if (value.type === 'step_finish') {
      stop = part.reason ?? null;
      steps.push(part.tokens ?? {});
    } else if (value.type === 'error') error = errorOf(value.error);
  }
  return {
    // a turn that still calls tools is no final answer: the run was cut short
    response: stop === 'stop' && error === null ? text : '',
    model: null,
    startedAt: times.length === 0 ? null : new Date(times.reduce((a, b) => Math.min(a, b))).toISOString(),
    finishedAt: times.length === 0 ? null : new Date(times.reduce((a, b) => Math.max(a, b))).toISOString(),
    modelCalls: steps.length,
    toolCalls,
    usage: {
      inputUncached: sumOf(steps.map((step) => step.input)),
      inputCached: sumOf(steps.map((step) => step.cache?.read)),
      cacheCreation: sumOf(steps.map((step) => step.cache?.write)),
      // its output leaves the reasoning out
      output: sumOf(steps.flatMap((step) => [step.output, step.reasoning])),
    },
    loaded,
    stop: error === null ? stop : 'error',
    error,
  };
}

/** A skill is loaded by the skill tool, by reading its SKILL.md, or by a shell command that names it. */
function loadsOf({ name, arguments: input, line }: ToolCall): Trajectory['loaded'] {
  if (name === 'skill') return [{ skill: String(input.name ?? ''), line, how: 'runtime-event' }];
  const read = name === 'read' ? skillOfPath(input.filePath) : null;
  if (read !== null) return [{ skill: read, line, how: 'file-read' }];
  return name === 'bash' ? skillsOfCommand(input.command).map((skill) => ({ skill, line, how: 'shell-read' as const })) : [];
}

function errorOf(error: unknown): string {
  const { name, data } = (error ?? {}) as { name?: string; data?: { message?: string } };
  return data?.message ?? name ?? JSON.stringify(error ?? 'error');
}

function sumOf(figures: (number | undefined)[]): number | null {
  return figures.length > 0 && figures.every((figure) => figure !== undefined)
    ? (figures as number[]).reduce((a, b) => a + b, 0)
    : null;
}
