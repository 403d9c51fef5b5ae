import { claudeCode } from './agents/claude-code.js';
import { codex } from './agents/codex.js';
import { commandAgent } from './agents/command.js';
import { geminiCli } from './agents/gemini-cli.js';
import { opencode } from './agents/opencode.js';
import { pi } from './agents/pi.js';
import type { CatalogueReader } from './catalogue.js';
import { SettingsError } from './errors.js';
import type { Experiment } from './experiment.js';
import type { Extras } from './extras.js';
import type { SandboxView } from './sandbox-plan.js';
import type { Trajectory } from './trajectory.js';

/** An agent's program as installed here. Version and package are frozen in the lock. */
export interface AgentProgram {
  package: string;
  version: string;
  /** Host folder that must be visible inside, and its name there. */
  folder: string;
  /** The command inside, given the inside name of the node_modules folder that holds it. */
  argv: (modules: string) => string[];
}

export interface AgentRequest {
  program: AgentProgram;
  modules: string;
  view: SandboxView;
  model: Experiment['model'];
  /** MCP servers that the experiment gives every arm; empty for an agent that takes none. */
  mcp: Extras['mcp'];
  /** Names of the arm's skills; each is at `<view.skills>/<name>`. Empty: the mode without skills. */
  skills: string[];
  /** Prompts that follow the first, in one session, each after the answer to the one before; absent: none. */
  followUps?: string[];
}

export interface AgentLaunch {
  argv: string[];
  env: Record<string, string>;
  /** Folders inside that come first in PATH: programs that the agent looks for. */
  path?: string[];
  /** Where below HOME the prompt is placed as a file; absent where it comes on standard input alone. */
  promptFile?: string;
  /** Files to place before the start, by path below HOME. */
  homeFiles: Record<string, string>;
  /** Skills to copy below HOME before the start: [skill, folder below HOME]. */
  homeSkills: [string, string][];
}

/** One coding agent: how it is started in each mode, and how its event stream reads. */
export interface Agent {
  name: string;
  title: string;
  apis: Experiment['model']['api'][];
  /** The exact mechanism, for the lock and the report. */
  mechanism: { without: string; with: string };
  /** What the catalogue mechanism adds to the tools offered, by tool name; those may differ between the modes. */
  skillTools: string[];
  /** The skills that a request of this agent lists. */
  catalogue: CatalogueReader;
  /** Folders below HOME that the agent takes skills from by default and that both modes switch off: a canary is planted in each. */
  canaryFolders: string[];
  /** What `npm run add-agent` installs: the package and version as tested, and what it needs beside it, separated by blanks; null: nothing. */
  install: string | null;
  /** Whether it can be given MCP servers. */
  mcp: boolean;
  find: (root: string) => Promise<AgentProgram>;
  /**
   * The most characters (code points) of a first prompt that it takes, as tried with the version that `install` names; absent: no limit
   * was met with 5 MiB.
   */
  longestPrompt?: number;
  /** Why a prompt cannot be given as a follow-up, null where it can; absent: the agent takes none at all. */
  followUpProblem?: (prompt: string) => string | null;
  launch: (request: AgentRequest) => AgentLaunch;
  readEvents: (stdout: string) => Trajectory;
}

/** Every agent the lab knows: one row each. */
export const agents: Agent[] = [pi, claudeCode, codex, opencode, geminiCli];

/** The agent of an experiment whose folder is `folder`: the one that its settings describe, else the adapter of that name. */
export function agentOf({ agent }: Pick<Experiment, 'agent'>, folder: string): Agent {
  return agent.command === undefined ? findAgent(agent.name) : commandAgent(agent.command, folder);
}

/** The agent of that name; an unknown name is a SettingsError that lists the known ones. */
export function findAgent(name: string): Agent {
  const found = agents.find((agent) => agent.name === name);
  if (found !== undefined) return found;
  throw new SettingsError(`Agent "${name}" is not known`, {
    expected: `one of ${agents.map((agent) => agent.name).join(', ')}`,
    found: name,
    next: 'correct agent.name, or add an adapter (CONTRIBUTING.md)',
  });
}
