import { join } from 'node:path';
import type { Agent, AgentLaunch, AgentProgram, AgentRequest } from '../agent.js';
import { piCatalogue } from '../catalogue.js';
import { PrerequisiteError } from '../errors.js';
import { findPackage } from '../installed-package.js';
import { rootPaths } from '../paths.js';
import { jsonLines, skillOfPath, skillsOfCommand, type ToolCall, type Trajectory } from '../trajectory.js';
import { wireOf } from '../wire.js';

/** pi and its successor, newest first: the first one that is installed and runs on this Node is taken. */
const packages = [
  { name: '@earendil-works/pi-coding-agent', node: [22, 19], flags: ['--no-approve', '--no-mcp'] },
  { name: '@mariozechner/pi-coding-agent', node: [20, 6], flags: [] },
] as const;

export const pi: Agent = {
  name: 'pi',
  title: 'pi',
  apis: ['openai-completions', 'anthropic-messages', 'openai-responses', 'google-generative-ai'],
  mechanism: {
    without:
      '--no-skills and no --skill; context files, system prompt files, extensions, prompt templates and themes off; private HOME and PI_CODING_AGENT_DIR',
    with: '--no-skills and one --skill <folder> for each skill of the arm; everything else as in the mode without',
  },
  skillTools: [],
  catalogue: piCatalogue,
  canaryFolders: ['.agents/skills', '.pi/agent/skills', '.pi-lab/skills'],
  install: '@earendil-works/pi-coding-agent@1.6.0',
  mcp: false,
  find,
  followUpProblem,
  launch,
  readEvents,
};

/** Follow-ups stand on pi's command line, where Linux takes no word of 128 KiB or more; the first prompt comes on standard input. */
function followUpProblem(prompt: string): string | null {
  if (/^[-@]/.test(prompt)) return 'pi takes a prompt that begins with - or @ for an option or a file';
  const bytes = Buffer.byteLength(prompt);
  return bytes < 128 * 1024
    ? null
    : `pi is given a follow-up on its command line, and this one has ${bytes} bytes (at most 131,071)`;
}

async function find(root: string): Promise<AgentProgram> {
  const paths = rootPaths(root);
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  for (const { name, node } of packages) {
    if (major < node[0] || (major === node[0] && minor < node[1])) continue;
    const found = await findPackage(name, [join(paths.agents, 'pi', 'node_modules'), paths.nodeModules]);
    if (found !== null) return { package: name, ...found, argv: (modules) => ['node', `${modules}/${name}/dist/cli.js`] };
  }
  throw new PrerequisiteError('The agent pi is not installed', {
    expected: packages.map((one) => `${one.name} (Node ≥ ${one.node.join('.')})`).join(' or '),
    found: `neither in node_modules, on Node ${process.versions.node}`,
    next: 'npm ci',
  });
}

function launch({ program, modules, view, model, skills, followUps = [] }: AgentRequest): AgentLaunch {
  const config = `${view.home}/.pi-lab`;
  const origin = `http://127.0.0.1:${view.gatewayPort}`;
  const successor = program.package === packages[0].name;
  const { prices } = model;
  const provider = {
    baseUrl: `${origin}${wireOf(model.api).basePath}`,
    // The real key is added by the gateway; the agent holds a word that opens nothing.
    apiKey: 'lab',
    api: model.api,
    models: [
      {
        id: model.id,
        reasoning: model.parameters.thinking !== undefined && model.parameters.thinking !== 'off',
        ...(prices === undefined
          ? {}
          : { cost: { input: prices.input, output: prices.output, cacheRead: prices.cached, cacheWrite: prices.cache_write } }),
      },
    ],
  };
  return {
    argv: [
      ...program.argv(modules),
      '-p',
      '--mode',
      'json',
      '--no-session',
      '--provider',
      'lab',
      '--model',
      model.id,
      '--no-context-files',
      '--no-extensions',
      '--no-prompt-templates',
      '--no-themes',
      '--no-skills',
      // an empty one keeps pi's own text; without it .pi/SYSTEM.md and .pi/APPEND_SYSTEM.md of the repository would be taken
      ...['--system-prompt', '', '--append-system-prompt', ''],
      ...(successor ? packages[0].flags : []),
      ...(model.parameters.thinking === undefined ? [] : ['--thinking', model.parameters.thinking]),
      ...skills.flatMap((skill) => ['--skill', `${view.skills}/${skill}`]),
      // the first word is joined to what comes on standard input, which an empty one leaves as it is
      ...(followUps.length === 0 ? [] : ['', ...followUps]),
    ],
    env: { PI_CODING_AGENT_DIR: config, PI_OFFLINE: '1', PI_TELEMETRY: '0', PI_SKIP_VERSION_CHECK: '1' },
    homeFiles: { '.pi-lab/models.json': `${JSON.stringify({ providers: { lab: provider } }, null, 2)}\n` },
    homeSkills: [],
  };
}

interface PiContent {
  type: string;
  text?: string;
}

/** pi's --mode json stream: message_end carries usage and stop reason, tool_execution_start and _end the tools. */
function readEvents(stdout: string): Trajectory {
  const events = jsonLines(stdout);
  const calls = new Map<string, ToolCall>();
  const loaded: Trajectory['loaded'] = [];
  const assistant: Record<string, unknown>[] = [];
  const times: number[] = [];
  for (const { line, value } of events) {
    if (value.type === 'tool_execution_start') {
      const call: ToolCall = {
        line,
        name: String(value.toolName),
        arguments: (value.args ?? {}) as Record<string, unknown>,
        failed: null,
        resultBytes: null,
        resultLines: null,
      };
      calls.set(String(value.toolCallId), call);
    } else if (value.type === 'tool_execution_end') {
      const call = calls.get(String(value.toolCallId));
      if (call === undefined) continue;
      const text = contentText((value.result as { content?: PiContent[] } | undefined)?.content);
      call.failed = value.isError === true;
      call.resultBytes = Buffer.byteLength(text);
      call.resultLines = text === '' ? 0 : text.split('\n').length;
      const read = call.name === 'read' ? skillOfPath(call.arguments.path) : null;
      if (read !== null && !call.failed) loaded.push({ skill: read, line, how: 'file-read' });
      if (call.name === 'bash' && !call.failed) {
        for (const skill of skillsOfCommand(call.arguments.command)) loaded.push({ skill, line, how: 'shell-read' });
      }
    } else if (value.type === 'message_end') {
      const message = value.message as Record<string, unknown>;
      if (typeof message.timestamp === 'number') times.push(message.timestamp);
      if (message.role === 'assistant') assistant.push(message);
    }
  }
  const last = assistant.at(-1);
  return {
    // a turn that still calls tools is no final answer: the run was cut short
    response: last?.stopReason === 'toolUse' ? '' : contentText(last?.content as PiContent[] | undefined),
    model: typeof last?.model === 'string' ? last.model : null,
    startedAt: times.length === 0 ? null : new Date(times.reduce((a, b) => Math.min(a, b))).toISOString(),
    finishedAt: times.length === 0 ? null : new Date(times.reduce((a, b) => Math.max(a, b))).toISOString(),
    modelCalls: assistant.length,
    toolCalls: [...calls.values()],
    usage: sumOfUsage(assistant),
    loaded,
    stop: typeof last?.stopReason === 'string' ? last.stopReason : null,
    error: typeof last?.errorMessage === 'string' ? last.errorMessage : null,
  };
}

function contentText(content: PiContent[] | undefined): string {
  return (content ?? []).flatMap((part) => (part.type === 'text' && part.text !== undefined ? [part.text] : [])).join('');
}

function sumOfUsage(messages: Record<string, unknown>[]): Trajectory['usage'] {
  const sum = (key: string) => {
    const figures = messages.map((message) => (message.usage as Record<string, unknown> | undefined)?.[key]);
    return figures.length > 0 && figures.every((figure) => typeof figure === 'number')
      ? figures.reduce((a, b) => a + b, 0)
      : null;
  };
  return { inputUncached: sum('input'), inputCached: sum('cacheRead'), cacheCreation: sum('cacheWrite'), output: sum('output') };
}
