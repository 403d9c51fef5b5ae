import { join } from 'node:path';
import type { Agent, AgentLaunch, AgentProgram, AgentRequest } from '../agent.js';
import { claudeCodeCatalogue } from '../catalogue.js';
import { PrerequisiteError } from '../errors.js';
import { serversInside } from '../extras.js';
import { findPackage } from '../installed-package.js';
import { rootPaths } from '../paths.js';
import { jsonLines, skillOfPath, skillsOfCommand, type ToolCall, type Trajectory } from '../trajectory.js';

const install = '@anthropic-ai/claude-code@2.1.332';
const binary = `@anthropic-ai/claude-code-${process.platform}-${process.arch}`;

export const claudeCode: Agent = {
  name: 'claude-code',
  title: 'Claude Code',
  apis: ['anthropic-messages'],
  mechanism: {
    without:
      '--disable-slash-commands and an empty private CLAUDE_CONFIG_DIR; bundled skills, CLAUDE.md files, memory and project settings off',
    with: "the arm's skills copied to the private CLAUDE_CONFIG_DIR/skills; everything else as in the mode without, but for --disable-slash-commands",
  },
  skillTools: ['Skill'],
  catalogue: claudeCodeCatalogue,
  canaryFolders: ['.claude/skills', '.agents/skills'],
  install,
  mcp: true,
  // with 3 million it says that the prompt is too long and asks no model; of a model that it knows it takes less
  longestPrompt: 2_500_000,
  find,
  launch,
  readEvents,
};

async function find(root: string): Promise<AgentProgram> {
  const paths = rootPaths(root);
  const found = await findPackage(binary, [join(paths.agents, 'claude-code', 'node_modules'), paths.nodeModules]);
  if (found !== null)
    return { package: '@anthropic-ai/claude-code', ...found, argv: (modules) => [`${modules}/${binary}/claude`] };
  throw new PrerequisiteError('The agent Claude Code is not installed', {
    expected: `${install} in .agents/claude-code`,
    found: `no ${binary} there or in node_modules`,
    next: 'npm run add-agent -- claude-code',
  });
}

const config = '.claude-lab';

function launch({ program, modules, view, model, skills, mcp }: AgentRequest): AgentLaunch {
  const servers = serversInside(mcp, view).map(({ name, ...server }) => [name, { type: 'stdio', ...server }] as const);
  return {
    argv: [
      ...program.argv(modules),
      ...['-p', '--output-format', 'stream-json', '--verbose', '--model', model.id],
      ...['--dangerously-skip-permissions', '--no-session-persistence', '--setting-sources', 'user', '--strict-mcp-config'],
      // two skills survive CLAUDE_CODE_DISABLE_BUNDLED_SKILLS
      ...['--settings', JSON.stringify({ skillOverrides: { 'plugin-authoring': 'off', doctor: 'off' } })],
      ...(skills.length === 0 ? ['--disable-slash-commands'] : []),
      ...(servers.length === 0 ? [] : ['--mcp-config', JSON.stringify({ mcpServers: Object.fromEntries(servers) })]),
    ],
    env: {
      CLAUDE_CONFIG_DIR: `${view.home}/${config}`,
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${view.gatewayPort}`,
      // The real key is added by the gateway; the agent holds a word that opens nothing.
      ANTHROPIC_API_KEY: 'lab',
      IS_SANDBOX: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_DISABLE_BUNDLED_SKILLS: '1',
      CLAUDE_CODE_DISABLE_CLAUDE_MDS: '1',
      CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1',
      CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
      CLAUDE_CODE_MAX_RETRIES: '2',
      API_TIMEOUT_MS: '60000',
      DISABLE_AUTOUPDATER: '1',
    },
    homeFiles: { [`${config}/.keep`]: '' },
    homeSkills: skills.map((skill) => [skill, `${config}/skills`]),
  };
}

interface Content {
  type: string;
  text?: string;
  id?: string;
  name?: string;
  input?: Record<string, unknown>;
  tool_use_id?: string;
  is_error?: boolean;
  content?: unknown;
}

/** Claude Code's stream-json: one line per content block; usage stands whole in the last `result` line. */
function readEvents(stdout: string): Trajectory {
  const calls = new Map<string, ToolCall>();
  const messages = new Set<string>();
  const loaded: Trajectory['loaded'] = [];
  let model: string | null = null;
  let response: string | null = null;
  let stop: string | null = null;
  let error: string | null = null;
  let usage: Trajectory['usage'] = null;
  for (const { line, value } of jsonLines(stdout)) {
    const message = value.message as { id?: string; model?: string; content?: Content[] | string } | undefined;
    const parts = Array.isArray(message?.content) ? message.content : [];
    if (value.type === 'assistant') {
      if (message?.id !== undefined) messages.add(message.id);
      model = message?.model ?? model;
      for (const part of parts) {
        if (part.type !== 'tool_use' || part.id === undefined) continue;
        calls.set(part.id, {
          line,
          name: part.name ?? '',
          arguments: part.input ?? {},
          failed: null,
          resultBytes: null,
          resultLines: null,
        });
      }
    } else if (value.type === 'user') {
      for (const part of parts) {
        const call = part.type === 'tool_result' ? calls.get(part.tool_use_id ?? '') : undefined;
        if (call === undefined) continue;
        const text = resultText(part.content);
        Object.assign(call, {
          failed: part.is_error === true,
          resultBytes: Buffer.byteLength(text),
          resultLines: text === '' ? 0 : text.split('\n').length,
        });
        if (!call.failed) loaded.push(...loadsOf(call, line));
      }
    } else if (value.type === 'result') {
      stop = String(value.subtype ?? '');
      if (value.is_error === true) error = String(value.result ?? value.subtype ?? 'error');
      else if (typeof value.result === 'string') response = value.result;
      usage = usageOf(value.modelUsage as Record<string, Record<string, unknown>> | undefined);
    }
  }
  return {
    response: response ?? '',
    model,
    startedAt: null,
    finishedAt: null,
    modelCalls: messages.size,
    toolCalls: [...calls.values()],
    usage,
    loaded,
    stop: error === null ? stop : 'error',
    error,
  };
}

/** A skill is loaded by the Skill tool, by reading its SKILL.md, or by a shell command that names it. */
function loadsOf(call: ToolCall, line: number): Trajectory['loaded'] {
  if (call.name === 'Skill')
    return [{ skill: String(call.arguments.skill ?? call.arguments.command ?? ''), line, how: 'runtime-event' }];
  const read = call.name === 'Read' ? skillOfPath(call.arguments.file_path) : null;
  if (read !== null) return [{ skill: read, line, how: 'file-read' }];
  return call.name === 'Bash'
    ? skillsOfCommand(call.arguments.command).map((skill) => ({ skill, line, how: 'shell-read' as const }))
    : [];
}

function resultText(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map((part: Content) => part.text ?? '').join('') : '';
}

function usageOf(models: Record<string, Record<string, unknown>> | undefined): Trajectory['usage'] {
  const rows = Object.values(models ?? {});
  const sum = (key: string) =>
    rows.length > 0 && rows.every((row) => typeof row[key] === 'number')
      ? rows.reduce((total, row) => total + (row[key] as number), 0)
      : null;
  return {
    inputUncached: sum('inputTokens'),
    inputCached: sum('cacheReadInputTokens'),
    cacheCreation: sum('cacheCreationInputTokens'),
    output: sum('outputTokens'),
  };
}
