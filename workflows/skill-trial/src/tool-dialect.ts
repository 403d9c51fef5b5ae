import {
  type CatalogueEntry,
  type CatalogueReader,
  claudeCodeCatalogue,
  codexCatalogue,
  geminiCliCatalogue,
  piCatalogue,
} from './catalogue.js';
import type { ModelRequest, Turn } from './model-call.js';
import type { Action } from './script.js';

/** A tool call before it has an id. */
export interface ToolUse {
  name: string;
  arguments: Record<string, unknown>;
}

/** How one agent offers skills and tools to its model. */
export interface ToolDialect {
  agent: string;
  /** Whether a request that offers these tools comes from it. */
  offers(tools: ReadonlySet<string>): boolean;
  catalogue: CatalogueReader;
  load(entry: CatalogueEntry, request: ModelRequest): ToolUse;
  /** Names of the skills whose text is in the conversation. */
  loaded(turns: readonly Turn[]): string[];
  act(action: Action, request: ModelRequest): ToolUse;
}

const pi: ToolDialect = {
  agent: 'pi',
  offers: (tools) => tools.has('read') || tools.has('bash'),
  catalogue: piCatalogue,
  load: ({ location }) => ({ name: 'read', arguments: { path: location } }),
  loaded: skillsRead,
  act(action) {
    if (action.do === 'read') return { name: 'read', arguments: { path: action.path } };
    if (action.do === 'write') return { name: 'write', arguments: { path: action.path, content: action.content } };
    if (action.do === 'delegate') return noSubAgents('pi');
    return { name: 'bash', arguments: { command: action.command } };
  },
};

const claudeCode: ToolDialect = {
  agent: 'claude-code',
  offers: (tools) => tools.has('Read') || tools.has('Bash') || tools.has('Skill'),
  catalogue: claudeCodeCatalogue,
  load: ({ name }) => ({ name: 'Skill', arguments: { skill: name } }),
  loaded: (turns) => [
    ...new Set([
      ...skillsCalled(turns, 'Skill', 'skill', (result) => !result.includes('<tool_use_error>')),
      ...skillsRead(turns),
    ]),
  ],
  act(action, request) {
    if (action.do === 'run') return { name: 'Bash', arguments: { command: action.command } };
    if (action.do === 'delegate') {
      // newer versions call it Agent
      const name = request.tools.find((tool) => ['Agent', 'Task'].includes(tool.name))?.name ?? 'Task';
      return { name, arguments: { description: 'A question', prompt: action.prompt, subagent_type: 'general-purpose' } };
    }
    const file_path = absolute(action.path, request);
    if (action.do === 'read') return { name: 'Read', arguments: { file_path } };
    return { name: 'Write', arguments: { file_path, content: action.content } };
  },
};

const codex: ToolDialect = {
  agent: 'codex',
  offers: (tools) => tools.has('exec_command') || tools.has('shell') || tools.has('shell_command'),
  catalogue: codexCatalogue,
  load: ({ location }, request) => shell(`cat ${quoted(location ?? '')}`, request),
  loaded: skillsRead,
  act(action, request) {
    if (action.do === 'run') return shell(action.command, request);
    if (action.do === 'delegate') return noSubAgents('codex');
    if (action.do === 'read') return shell(`cat ${quoted(action.path)}`, request);
    const folder = action.path.includes('/') ? `mkdir -p ${quoted(action.path.replace(/\/[^/]*$/, ''))} && ` : '';
    return shell(`${folder}printf '%s' ${quoted(action.content)} > ${quoted(action.path)}`, request);
  },
};

const opencode: ToolDialect = {
  agent: 'opencode',
  offers: (tools) => tools.has('webfetch') || tools.has('todowrite'),
  catalogue: piCatalogue,
  load: ({ name }) => ({ name: 'skill', arguments: { name } }),
  loaded: (turns) => [
    ...new Set([...skillsCalled(turns, 'skill', 'name', (result) => result.includes('<skill_content')), ...skillsRead(turns)]),
  ],
  act(action, request) {
    if (action.do === 'run') return { name: 'bash', arguments: { command: action.command, description: 'Runs a command' } };
    if (action.do === 'delegate')
      return { name: 'task', arguments: { description: 'A question', prompt: action.prompt, subagent_type: 'general' } };
    const filePath = absolute(action.path, request);
    if (action.do === 'read') return { name: 'read', arguments: { filePath } };
    return { name: 'write', arguments: { filePath, content: action.content } };
  },
};

const geminiCli: ToolDialect = {
  agent: 'gemini-cli',
  offers: (tools) => tools.has('read_file') || tools.has('run_shell_command'),
  catalogue: geminiCliCatalogue,
  load: ({ name }) => ({ name: 'activate_skill', arguments: { name } }),
  loaded: (turns) => [
    ...new Set([
      ...skillsCalled(turns, 'activate_skill', 'name', (result) => result.includes('<activated_skill')),
      ...skillsRead(turns),
    ]),
  ],
  act(action) {
    if (action.do === 'read') return { name: 'read_file', arguments: { file_path: action.path } };
    if (action.do === 'write') return { name: 'write_file', arguments: { file_path: action.path, content: action.content } };
    if (action.do === 'delegate') return { name: 'invoke_agent', arguments: { agent_name: 'generalist', prompt: action.prompt } };
    return { name: 'run_shell_command', arguments: { command: action.command } };
  },
};

/** Every agent whose tools the scripted model can use, one row each; opencode has pi's names among others of its own. */
export const toolDialects: readonly ToolDialect[] = [opencode, pi, claudeCode, codex, geminiCli];

/** The agent that offers these tools, or null. */
export function dialectOf(request: ModelRequest): ToolDialect | null {
  const names = new Set(request.tools.map((tool) => tool.name));
  return toolDialects.find((row) => row.offers(names)) ?? null;
}

function noSubAgents(agent: string): never {
  throw new TypeError(`a plan delegates, and the scripted model knows no tool of ${agent} for that`);
}

/** The skills that a tool of the agent's own gave the model, as far as its results say so. */
function skillsCalled(turns: readonly Turn[], tool: string, key: string, succeeded: (result: string) => boolean): string[] {
  const calls = turns.flatMap((turn) => turn.toolCalls).filter((call) => call.name === tool);
  const given = calls.filter((call) => turns.some((turn) => turn.toolResultFor === call.id && succeeded(turn.text)));
  return given.map((call) => String((call.arguments as Record<string, unknown>)[key]));
}

/**
 * The skills whose SKILL.md stands in a tool's result: frontmatter with name and description, with or without the line numbers that
 * some agents put before each line.
 */
function skillsRead(turns: readonly Turn[]): string[] {
  const results = turns.filter((turn) => turn.role === 'tool').map((turn) => turn.text.replace(/^[ \t]*\d+[→\t]/gm, ''));
  const heads = results.flatMap((text) => [...text.matchAll(/^---\r?\n([\s\S]*?)^---\s*$/gm)].map((match) => match[1] ?? ''));
  const names = heads
    .filter((head) => /^description:/m.test(head))
    .flatMap((head) => /^name:\s*["']?([a-z0-9-]+)/m.exec(head)?.[1] ?? []);
  return [...new Set(names)];
}

function shell(command: string, { tools }: ModelRequest): ToolUse {
  const name = tools.find((tool) => ['exec_command', 'shell_command', 'shell'].includes(tool.name))?.name ?? 'exec_command';
  if (name === 'exec_command') return { name, arguments: { cmd: command } };
  return { name, arguments: { command: name === 'shell' ? ['bash', '-lc', command] : command } };
}

/** Claude Code wants absolute paths and states its folder among the environment; a path stays relative where it does not. */
function absolute(path: string, { system, turns }: ModelRequest): string {
  const texts = [system, ...turns.filter((turn) => turn.role === 'user').map((turn) => turn.text)];
  for (const text of texts) {
    const folder = /working directory: (\/[^\n]*)/i.exec(text)?.[1]?.trim();
    if (folder !== undefined) return `${folder.replace(/\/$/, '')}/${path}`;
  }
  return path;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
