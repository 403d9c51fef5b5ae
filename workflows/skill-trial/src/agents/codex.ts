import { join } from 'node:path';
import type { Agent, AgentLaunch, AgentProgram, AgentRequest } from '../agent.js';
import { codexCatalogue } from '../catalogue.js';
import { PrerequisiteError } from '../errors.js';
import { serversInside } from '../extras.js';
import { findPackage } from '../installed-package.js';
import { rootPaths } from '../paths.js';
import { jsonLines, skillsOfCommand, type ToolCall, type Trajectory } from '../trajectory.js';

const install = '@openai/codex@0.171.0';
const binary = `@openai/codex-${process.platform}-${process.arch}`;

export const codex: Agent = {
  name: 'codex',
  title: 'Codex',
  apis: ['openai-responses'],
  mechanism: {
    without: 'skills.include_instructions=false and an empty private CODEX_HOME; bundled skills, project documents and rules off',
    with: "the arm's skills copied to the private CODEX_HOME/skills; everything else as in the mode without, but for skills.include_instructions",
  },
  skillTools: [],
  catalogue: codexCatalogue,
  // not .agents/skills: Codex has no switch for it, so that HOME must be the lab's own and hold none
  canaryFolders: ['.codex/skills'],
  install,
  mcp: true,
  // it refuses one more
  longestPrompt: 1 << 20,
  find,
  launch,
  readEvents,
};

async function find(root: string): Promise<AgentProgram> {
  const paths = rootPaths(root);
  const folders = [join(paths.agents, 'codex', 'node_modules'), paths.nodeModules];
  const found = await findPackage('@openai/codex', folders);
  if (found !== null && (await findPackage(binary, [found.folder])) !== null) {
    return { package: '@openai/codex', ...found, argv: (modules) => ['node', `${modules}/@openai/codex/bin/codex.js`] };
  }
  throw new PrerequisiteError('The agent Codex is not installed', {
    expected: `${install} in .agents/codex`,
    found: `no ${found === null ? '@openai/codex' : binary} there or in node_modules`,
    next: 'npm run add-agent -- codex',
  });
}

const config = '.codex-lab';

function launch({ program, modules, view, model, skills, mcp }: AgentRequest): AgentLaunch {
  const { thinking } = model.parameters;
  const provider = [
    'name="lab"',
    `base_url="http://127.0.0.1:${view.gatewayPort}/v1"`,
    'env_key="LAB_MODEL_KEY"',
    'wire_api="responses"',
    'request_max_retries=2',
    'stream_max_retries=2',
    'stream_idle_timeout_ms=60000',
  ].join(',');
  const settings = [
    'model_provider=lab',
    `model_providers.lab={${provider}}`,
    'skills.bundled.enabled=false',
    'project_doc_max_bytes=0',
    'web_search=disabled',
    ...(skills.length === 0 ? ['skills.include_instructions=false'] : []),
    ...serversInside(mcp, view).map(({ name, command, args, env }) => `mcp_servers.${name}=${toml({ command, args, env })}`),
    ...(thinking === undefined ? [] : [`model_reasoning_effort=${thinking === 'off' ? 'none' : thinking}`]),
  ];
  return {
    argv: [
      ...program.argv(modules),
      ...[
        'exec',
        '--json',
        '--ephemeral',
        '--skip-git-repo-check',
        '--ignore-rules',
        '--dangerously-bypass-approvals-and-sandbox',
      ],
      ...['-m', model.id],
      ...settings.flatMap((setting) => ['-c', setting]),
      '-',
    ],
    // The real key is added by the gateway; the agent holds a word that opens nothing.
    env: { CODEX_HOME: `${view.home}/${config}`, LAB_MODEL_KEY: 'lab' },
    homeFiles: { [`${config}/.keep`]: '' },
    homeSkills: skills.map((skill) => [skill, `${config}/skills`]),
  };
}

/** A value as TOML writes it inline: its strings and lists are JSON's. */
function toml(value: object): string {
  const fields = Object.entries(value).map(([key, one]) => {
    const text = one !== null && typeof one === 'object' && !Array.isArray(one) ? toml(one) : JSON.stringify(one);
    return `${JSON.stringify(key)}=${text}`;
  });
  return `{${fields.join(',')}}`;
}

interface Item {
  id?: string;
  type?: string;
  text?: string;
  command?: string;
  aggregated_output?: string;
  exit_code?: number | null;
  message?: string;
}

/** Codex's --json stream: items with a start and an end; usage in turn.completed, whose input includes the cached part. */
function readEvents(stdout: string): Trajectory {
  const calls = new Map<string, ToolCall>();
  const loaded: Trajectory['loaded'] = [];
  let response: string | null = null;
  let stop: string | null = null;
  let error: string | null = null;
  let usage: Trajectory['usage'] = null;
  for (const { line, value } of jsonLines(stdout)) {
    const item = value.item as Item | undefined;
    if (value.type === 'item.completed' && item?.type === 'agent_message') response = item.text ?? null;
    else if (item?.type === 'command_execution' && item.id !== undefined) {
      const call = calls.get(item.id) ?? {
        line,
        name: 'shell',
        arguments: { command: item.command ?? '' },
        failed: null,
        resultBytes: null,
        resultLines: null,
      };
      calls.set(item.id, call);
      if (value.type !== 'item.completed') continue;
      const text = item.aggregated_output ?? '';
      Object.assign(call, {
        failed: item.exit_code !== 0,
        resultBytes: Buffer.byteLength(text),
        resultLines: text === '' ? 0 : text.split('\n').length,
      });
      if (!call.failed) for (const skill of skillsOfCommand(item.command)) loaded.push({ skill, line, how: 'shell-read' });
    } else if (
      value.type === 'item.completed' &&
      item?.id !== undefined &&
      item.type !== undefined &&
      !['reasoning', 'error', 'todo_list'].includes(item.type)
    ) {
      calls.set(item.id, { line, name: item.type, arguments: {}, failed: null, resultBytes: null, resultLines: null });
    } else if (value.type === 'turn.completed') {
      stop = 'completed';
      usage = usageOf(value.usage as Record<string, unknown> | undefined);
    } else if (value.type === 'turn.failed' || value.type === 'error') {
      error = String((value.error as { message?: string } | undefined)?.message ?? value.message ?? 'failed');
    }
  }
  return {
    // an answer counts only when its turn came to an end
    response: stop === 'completed' ? (response ?? '') : '',
    model: null,
    startedAt: null,
    finishedAt: null,
    // the stream does not tell; the gateway counts
    modelCalls: null,
    toolCalls: [...calls.values()],
    usage,
    loaded,
    stop: stop ?? (error === null ? null : 'error'),
    error: stop === 'completed' ? null : error,
  };
}

function usageOf(usage: Record<string, unknown> | undefined): Trajectory['usage'] {
  const figure = (key: string) => (typeof usage?.[key] === 'number' ? (usage[key] as number) : null);
  const [input, cached] = [figure('input_tokens'), figure('cached_input_tokens')];
  return {
    inputUncached: input === null || cached === null ? null : input - cached,
    inputCached: cached,
    cacheCreation: null,
    output: figure('output_tokens'),
  };
}
