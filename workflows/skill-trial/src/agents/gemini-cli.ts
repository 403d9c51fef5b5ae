import { join } from 'node:path';
import type { Agent, AgentLaunch, AgentProgram, AgentRequest } from '../agent.js';
import { geminiCliCatalogue } from '../catalogue.js';
import { PrerequisiteError } from '../errors.js';
import { serversInside } from '../extras.js';
import { findPackage } from '../installed-package.js';
import { rootPaths } from '../paths.js';
import { jsonLines, skillOfPath, skillsOfCommand, type ToolCall, type Trajectory } from '../trajectory.js';

const name = '@google/gemini-cli';
const install = `${name}@0.61.0`;
/** Skills inside the program's own package. */
const bundledSkills = ['antigravity-support', 'skill-creator'];

export const geminiCli: Agent = {
  name: 'gemini-cli',
  title: 'Gemini CLI',
  apis: ['google-generative-ai'],
  mechanism: {
    without:
      'skills.enabled false and an empty private GEMINI_CLI_HOME; usage statistics off; a GEMINI.md of the repository has no switch: it is read in every arm',
    with: "skills.enabled true, the arm's skills copied to the private GEMINI_CLI_HOME/.gemini/skills, bundled skills off by name; everything else as in the mode without",
  },
  skillTools: ['activate_skill'],
  catalogue: geminiCliCatalogue,
  canaryFolders: ['.gemini/skills', '.agents/skills'],
  install,
  mcp: true,
  // with 5 MiB it ends well and asks no model: it reckons four letters a token, and a million tokens
  longestPrompt: 4_000_000,
  find,
  launch,
  readEvents,
};

async function find(root: string): Promise<AgentProgram> {
  const paths = rootPaths(root);
  const found = await findPackage(name, [join(paths.agents, 'gemini-cli', 'node_modules'), paths.nodeModules]);
  if (found !== null) return { package: name, ...found, argv: (modules) => ['node', `${modules}/${name}/bundle/gemini.js`] };
  throw new PrerequisiteError('The agent Gemini CLI is not installed', {
    expected: `${install} in .agents/gemini-cli`,
    found: `no ${name} there or in node_modules`,
    next: 'npm run add-agent -- gemini-cli',
  });
}

const config = '.gemini-lab';

function launch({ program, modules, view, model, skills, mcp }: AgentRequest): AgentLaunch {
  const servers = serversInside(mcp, view).map(({ name: server, ...rest }) => [server, { ...rest, trust: true }] as const);
  const settings = {
    // a repository's own .gemini/settings.json could turn them on again: then the attestation finds the bundled ones
    skills: { enabled: skills.length > 0, ...(skills.length === 0 ? {} : { disabled: bundledSkills }) },
    ...(servers.length === 0 ? {} : { mcpServers: Object.fromEntries(servers) }),
    general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, maxAttempts: 3 },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    // a folder that is not trusted gets another set of tools
    security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
  };
  return {
    argv: [...program.argv(modules), '--output-format', 'stream-json', '--approval-mode', 'yolo', '--model', model.id],
    env: {
      GEMINI_CLI_HOME: `${view.home}/${config}`,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
      GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${view.gatewayPort}`,
      // The real key is added by the gateway; the agent holds a word that opens nothing.
      GEMINI_API_KEY: 'lab',
    },
    homeFiles: { [`${config}/.gemini/settings.json`]: `${JSON.stringify(settings, null, 2)}\n` },
    homeSkills: skills.map((skill) => [skill, `${config}/.gemini/skills`]),
  };
}

interface Stats {
  input_tokens?: number;
  output_tokens?: number;
  total_tokens?: number;
  cached?: number;
}

/** gemini-cli's stream-json: the answer in pieces, a tool with its result, and the sums in the last `result` line. */
function readEvents(stdout: string): Trajectory {
  const calls = new Map<string, ToolCall>();
  const loaded: Trajectory['loaded'] = [];
  const times: string[] = [];
  let model: string | null = null;
  let text = '';
  let stop: string | null = null;
  let error: string | null = null;
  let usage: Trajectory['usage'] = null;
  for (const { line, value } of jsonLines(stdout)) {
    if (typeof value.timestamp === 'string') times.push(new Date(value.timestamp).toISOString());
    if (value.type === 'init') model = typeof value.model === 'string' ? value.model : null;
    else if (value.type === 'message' && value.role === 'assistant') text += String(value.content ?? '');
    else if (value.type === 'tool_use') {
      text = '';
      calls.set(String(value.tool_id), {
        line,
        name: String(value.tool_name),
        arguments: (value.parameters ?? {}) as Record<string, unknown>,
        failed: null,
        resultBytes: null,
        resultLines: null,
      });
    } else if (value.type === 'tool_result') {
      const call = calls.get(String(value.tool_id));
      if (call === undefined) continue;
      const { output } = value as { output?: unknown };
      call.failed = value.status !== 'success';
      // the stream leaves out the results of tools that only read
      if (typeof output === 'string' && output !== '') {
        call.resultBytes = Buffer.byteLength(output);
        call.resultLines = output.split('\n').length;
      }
      if (!call.failed) loaded.push(...loadsOf(call, line));
    } else if (value.type === 'error') error = String(value.message ?? 'error');
    else if (value.type === 'result') {
      stop = String(value.status ?? '');
      error = stop === 'success' ? null : ((value.error as { message?: string } | undefined)?.message ?? error ?? stop);
      usage = usageOf(value.stats as Stats | undefined);
    }
  }
  return {
    // an answer counts only when the run came to its end
    response: stop === 'success' ? text : '',
    model,
    startedAt: times[0] ?? null,
    finishedAt: times.at(-1) ?? null,
    // the stream does not tell; the gateway counts
    modelCalls: null,
    toolCalls: [...calls.values()],
    usage,
    loaded,
    stop: error === null ? stop : 'error',
    error,
  };
}

/** A skill is loaded by activate_skill, by reading its SKILL.md, or by a shell command that names it. */
function loadsOf({ name: tool, arguments: input }: ToolCall, line: number): Trajectory['loaded'] {
  if (tool === 'activate_skill') return [{ skill: String(input.name ?? ''), line, how: 'runtime-event' }];
  const read = tool === 'read_file' ? skillOfPath(input.file_path) : null;
  if (read !== null) return [{ skill: read, line, how: 'file-read' }];
  return tool === 'run_shell_command'
    ? skillsOfCommand(input.command).map((skill) => ({ skill, line, how: 'shell-read' as const }))
    : [];
}

/** `input_tokens` includes the cached ones; the output is what is left of the total, thoughts included. */
function usageOf(stats: Stats | undefined): Trajectory['usage'] {
  const { input_tokens: input = null, cached = null, total_tokens: total = null } = stats ?? {};
  return {
    inputUncached: input === null || cached === null ? null : input - cached,
    inputCached: cached,
    cacheCreation: null,
    output: total === null || input === null ? null : total - input,
  };
}
