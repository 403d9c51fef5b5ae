import { isAbsolute, join } from 'node:path';
import { z } from 'zod';
import type { Agent, AgentLaunch, AgentProgram, AgentRequest } from '../agent.js';
import { claudeCodeCatalogue, codexCatalogue, geminiCliCatalogue } from '../catalogue.js';
import { shown } from '../document.js';
import { PrerequisiteError } from '../errors.js';
import { hashTree } from '../hash.js';
import { readLabEvents } from '../lab-events.js';
import { wireApis, wireOf } from '../wire.js';

const words = z.array(z.string().min(1));
const below = z.string().refine((path) => !path.startsWith('/') && !path.split('/').includes('..'), 'a path below HOME');

/**
 * `agent.command` in experiment.yaml: the contract for an agent that has no adapter. Every text may hold `{workspace}`, `{home}`,
 * `{skills}` (the folder of the arm's skills), `{model}`, `{base_url}`, `{prompt_file}` and `{program}`. The prompt also comes on
 * standard input. All of it is in the spec hash, and so is the content of `program`.
 */
export const CommandSettings = z.strictObject({
  title: z.string().min(1),
  version: z.string().min(1),
  /** The folder of the program, absolute or below the experiment's own folder: read-only inside, as `{program}`. */
  program: z.string().min(1),
  argv: words.min(1),
  env: z.record(z.string().regex(/^[A-Z_][A-Z0-9_]*$/), z.string()).default({}),
  /** Where it takes the arm's skills from. Exactly these differ between the modes: `without` and `with` are added to argv. */
  skills: z.strictObject({
    /** mounted: `{skills}`; home: they are copied to this folder below HOME, which is then `{skills}`. */
    from: z.union([z.literal('mounted'), z.strictObject({ home: below })]),
    without: words.default([]),
    with: words.default([]),
    /** A variable that holds the folder; not set in the mode without. */
    env: z.string().optional(),
    /** Tools that belong to its skill mechanism, by name; those may differ between the modes. */
    tools: words.default([]),
    /** Folders below HOME that it would search by default: a canary is planted in each. */
    canary_folders: z.array(below).default([]),
  }),
  /** lab: standard output is JSON Lines as lab-events.ts says; none: it is the final answer, and nothing else is known. */
  events: z.enum(['lab', 'none']).default('none'),
});
export type CommandSettings = z.infer<typeof CommandSettings>;

/** The agent that an experiment describes itself; `folder` is the experiment's. */
export function commandAgent(settings: CommandSettings, folder: string): Agent {
  const { title, version, skills } = settings;
  const from = skills.from === 'mounted' ? 'the mounted folder of skills' : `skills copied to ${skills.from.home} below HOME`;
  const said = (flags: string[]) => (flags.length === 0 ? '' : `, ${flags.join(' ')}`);
  return {
    name: 'command',
    title,
    apis: [...wireApis],
    mechanism: {
      without: `no folder of skills${said(skills.without)}; private HOME`,
      with: `${from}${said(skills.with)}; everything else as in the mode without`,
    },
    skillTools: skills.tools,
    // its form is not known: whatever any known agent would list counts
    catalogue: (request) => [geminiCliCatalogue, claudeCodeCatalogue, codexCatalogue].flatMap((read) => read(request)),
    canaryFolders: skills.canary_folders,
    mcp: false,
    install: null,
    find: () => findProgram(settings.program, version, folder),
    launch: (request) => launch(settings, request),
    readEvents: (stdout) =>
      readLabEvents(settings.events === 'lab' ? stdout : JSON.stringify({ type: 'answer', text: stdout.trim() })),
  };
}

async function findProgram(program: string, version: string, experiment: string): Promise<AgentProgram> {
  const folder = isAbsolute(program) ? program : join(experiment, program);
  const content = await hashTree(folder).catch((error: Error) => {
    throw new PrerequisiteError("The agent's program is not there", {
      expected: `the folder ${shown(folder)} (agent.command.program)`,
      found: error.message,
      next: 'install the program, or correct agent.command.program',
    });
  });
  return { package: program, version: `${version} (${content.slice(0, 16)})`, folder, argv: () => [] };
}

const promptFile = '.lab/prompt.txt';

function launch(settings: CommandSettings, { modules, view, model, skills }: AgentRequest): AgentLaunch {
  const below = settings.skills.from === 'mounted' ? null : settings.skills.from.home;
  const names: Record<string, string> = {
    workspace: view.workspace,
    home: view.home,
    skills: below === null ? view.skills : `${view.home}/${below}`,
    model: model.id,
    base_url: `http://127.0.0.1:${view.gatewayPort}${wireOf(model.api).basePath}`,
    prompt_file: `${view.home}/${promptFile}`,
    program: modules,
  };
  const fill = (text: string) => text.replace(/\{([a-z_]+)\}/g, (whole, name: string) => names[name] ?? whole);
  const template = [...settings.argv, ...(skills.length === 0 ? settings.skills.without : settings.skills.with)];
  const env = Object.fromEntries(Object.entries(settings.env).map(([name, value]) => [name, fill(value)]));
  return {
    argv: template.map(fill),
    env: {
      ...env,
      ...(settings.skills.env === undefined || skills.length === 0 ? {} : { [settings.skills.env]: names.skills as string }),
    },
    homeFiles: {},
    homeSkills: below === null ? [] : skills.map((skill) => [skill, below]),
    ...(JSON.stringify([template, settings.env]).includes('{prompt_file}') ? { promptFile } : {}),
  };
}
