import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Agent, type AgentLaunch, type AgentProgram, agents, findAgent } from '../skill-trial/src/agent.js';
import { type Base, captureChange, hashRepository, makeBase, makeWorkspace } from '../skill-trial/src/base.js';
import { type Case, readCase } from '../skill-trial/src/case.js';
import { readExperiment } from '../skill-trial/src/experiment.js';
import { hashTree } from '../skill-trial/src/hash.js';
import { attestRecording } from '../skill-trial/src/recorded-requests.js';
import { runSession, type SessionPlan } from '../skill-trial/src/session.js';
import { readSkill, type Skill } from '../skill-trial/src/skill.js';
import { skipWithout } from './installed.js';

// Decoys stand wherever an agent could find instructions that are not the treatment. Each has a mark of its own. The sessions run
// without bubblewrap, which would hide the folders above the workspace: what is tested here are the adapters' own switches.
const root = fileURLToPath(new URL('../..', import.meta.url));

const mark = (name: string) => `mark-of-${name}-here`;
const skill = (folder: string, name: string): [string, string, string] => [
  name,
  `${folder}/${name}/SKILL.md`,
  `---\nname: ${name}\ndescription: Waters the ${mark(name)} twice a day. Use when plants are near.\n---\n\nWater them.\n`,
];
const page = (path: string, name: string): [string, string, string] => [name, path, `Say ${mark(name)} in each answer.\n`];

/** Decoys by where they stand: [name, path, text]. */
const inRepository = [
  skill('.pi/skills', 'repo-pi'),
  skill('.agents/skills', 'repo-agents'),
  skill('.claude/skills', 'repo-claude'),
  skill('.codex/skills', 'repo-codex'),
  skill('pkg/.claude/skills', 'nested-claude'),
  skill('pkg/.agents/skills', 'nested-agents'),
  skill('.gemini/skills', 'repo-gemini'),
  skill('.opencode/skills', 'repo-opencode'),
  page('GEMINI.md', 'repo-gemini-md'),
  page('AGENTS.md', 'repo-agents-md'),
  page('CLAUDE.md', 'repo-claude-md'),
  page('pkg/AGENTS.md', 'nested-agents-md'),
  page('pkg/CLAUDE.md', 'nested-claude-md'),
  page('pkg/GEMINI.md', 'nested-gemini-md'),
  page('.pi/SYSTEM.md', 'repo-pi-system'),
  page('.pi/APPEND_SYSTEM.md', 'repo-pi-append'),
  page('.claude/commands/decoy-command.md', 'repo-claude-command'),
];
const above = [
  skill('.agents/skills', 'above-agents'),
  skill('.claude/skills', 'above-claude'),
  page('AGENTS.md', 'above-agents-md'),
  page('CLAUDE.md', 'above-claude-md'),
  page('GEMINI.md', 'above-gemini-md'),
];
const inHome = [
  skill('.claude/skills', 'home-claude'),
  skill('.codex/skills', 'home-codex'),
  skill('.pi/agent/skills', 'home-pi'),
  page('AGENTS.md', 'home-agents-md'),
  page('CLAUDE.md', 'home-claude-md'),
  page('.claude/CLAUDE.md', 'home-claude-user-md'),
  page('.codex/AGENTS.md', 'home-codex-md'),
  page('.pi/agent/AGENTS.md', 'home-pi-md'),
  skill('.pi-lab/skills', 'config-pi'),
  page('.pi-lab/AGENTS.md', 'config-pi-md'),
  page('.claude-lab/CLAUDE.md', 'config-claude-md'),
  page('.codex-lab/AGENTS.md', 'config-codex-md'),
  skill('.config/opencode/skills', 'home-opencode'),
  page('.config/opencode/AGENTS.md', 'home-opencode-md'),
  skill('.gemini/skills', 'home-gemini'),
  page('.gemini/GEMINI.md', 'home-gemini-md'),
  page('.gemini-lab/.gemini/GEMINI.md', 'config-gemini-md'),
];
/** Codex has no switch for it: HOME is the lab's own and holds none. */
const homeAgents = skill('.agents/skills', 'home-agents');
/** Where an adapter puts the skills of the arm that has them: only the arm without switches them off. */
const inConfig = [
  skill('.claude-lab/skills', 'config-claude'),
  skill('.codex-lab/skills', 'config-codex'),
  skill('.gemini-lab/.gemini/skills', 'config-gemini'),
  skill('.opencode-lab/config/opencode/skills', 'config-opencode'),
];
const everyDecoy = [...inRepository, ...above, ...inHome, homeAgents, ...inConfig].map(([name]) => ({
  name,
  texts: [mark(name)],
}));

let scratch: string;
let one: Case;
let skills: Skill[];
/** The base as the lab makes it, and the same repository with its folders of skills. */
let bases: { made: Base; raw: Pick<Base, 'folder' | 'commit'> };

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'skill-trial-decoys-'));
  const inventory = await readCase(join(root, 'data/cases/inventory'));
  one = { ...inventory, folder: join(scratch, 'case'), repo: { path: 'repo' }, scripts: 'scripts' };
  await plant(join(one.folder, 'repo'), [...inRepository, ['', 'pkg/a.txt', 'A file.\n']]);
  await mkdir(join(one.folder, 'repo/tools/.claude'), { recursive: true });
  await symlink('../../pkg/.claude/skills', join(one.folder, 'repo/tools/.claude/skills'));
  await plant(join(one.folder, 'scripts'), [
    ['', 'look.yaml', 'schema_version: 1\ntitle: looks at one file\nload_skills: none\nchoose: [{plan: look}]\nfault: null\n'],
    ['', 'plans/look/plan.yaml', 'schema_version: 1\ntitle: looks\nturns: [{read: [pkg/a.txt]}]\nresponse: response.md\n'],
    ['', 'plans/look/response.md', 'Done.\n'],
  ]);
  skills = [await readSkill(join(root, 'skills-src/evidence-code-review'))];
  const raw = join(scratch, 'raw');
  await cp(join(one.folder, 'repo'), raw, { recursive: true, verbatimSymlinks: true });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: raw, encoding: 'utf8' }).trim();
  git('init', '--quiet');
  git('add', '--all', '--force');
  git('commit', '--quiet', '--message', 'Base');
  bases = { made: await makeBase(one, join(scratch, 'bases')), raw: { folder: raw, commit: git('rev-parse', 'HEAD') } };
  await plant(join(scratch, 'above'), above);
  vi.stubEnv('TMPDIR', join(scratch, 'above'));
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(scratch, { recursive: true, force: true });
});

async function plant(folder: string, decoys: [string, string, string][]): Promise<void> {
  for (const [, path, text] of decoys) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

interface Trial {
  mode: 'A' | 'B';
  base?: 'made' | 'raw';
  home?: [string, string, string][];
  /** Takes a switch away. */
  without?: (launch: AgentLaunch) => AgentLaunch;
}

/** One session among the decoys: the names of those whose mark is in a raw request body, and what the attestation says. */
async function look(agent: Agent, program: AgentProgram, { mode, base = 'made', home = [], without = (it) => it }: Trial) {
  const target = await mkdtemp(join(scratch, `${agent.name}-`));
  const experiment = await readExperiment(root, agent.name === 'pi' ? 'inventory' : `inventory-${agent.name}`);
  const wrapped: Agent = {
    ...agent,
    launch(request) {
      const launch = without(agent.launch(request));
      return { ...launch, homeFiles: { ...launch.homeFiles, ...Object.fromEntries(home.map(([, path, text]) => [path, text])) } };
    },
  };
  const plan: SessionPlan = {
    experiment: { ...experiment, model: { ...experiment.model, scripted: 'look' } },
    case: one,
    agent: wrapped,
    program,
    base: bases[base],
    sandbox: 'private-home',
    prompt: one.taskBytes,
    skills: mode === 'A' ? [] : skills,
    allSkills: skills,
    repeat: 1,
    seed: 1,
  };
  const { trajectory, outcome } = await runSession(plan, target, (workspace) => captureChange(workspace, bases[base], target));
  expect(outcome.exitCode, await readFile(join(target, 'stderr.txt'), 'utf8')).toBe(0);
  let bodies = '';
  for (const name of await readdir(join(target, 'bodies')))
    bodies += gunzipSync(await readFile(join(target, 'bodies', name))).toString('utf8');
  const { problems, mainRequests } = await attestRecording(target, plan, everyDecoy);
  expect(mainRequests).toBeGreaterThan(0);
  return {
    seen: everyDecoy.filter(({ texts }) => texts.some((text) => bodies.includes(text))).map(({ name }) => name),
    problems,
    response: trajectory.response,
    patch: await readFile(join(target, 'patch.diff'), 'utf8'),
  };
}

const flag =
  (...words: string[]) =>
  (launch: AgentLaunch): AgentLaunch => {
    const at = launch.argv.findIndex((_, index) => words.every((word, offset) => launch.argv[index + offset] === word));
    if (at === -1) throw new Error(`the adapter no longer says ${words.join(' ')}`);
    return { ...launch, argv: launch.argv.toSpliced(at, words.length) };
  };
const variable =
  (name: string) =>
  (launch: AgentLaunch): AgentLaunch => {
    if (!(name in launch.env)) throw new Error(`the adapter no longer sets ${name}`);
    const { [name]: _, ...env } = launch.env;
    return { ...launch, env };
  };

/** What Codex takes from HOME without a switch: there the lab's own HOME is the only guard. */
const unguarded: Record<string, string[]> = { codex: ['home-agents', 'config-codex-md'], 'gemini-cli': ['config-gemini-md'] };
/** These have no switch for the repository's folders of skills, which are not in the base. The others do without that. */
const guardedByBase = ['codex', 'gemini-cli'];
/**
 * What is read whatever is set, the repository's own and the same in every arm: opencode the AGENTS.md beside a file that it reads,
 * Gemini CLI each GEMINI.md (context.fileName only adds names).
 */
const fromRepository: Record<string, string[]> = {
  opencode: ['nested-agents-md'],
  'gemini-cli': ['repo-gemini-md', 'nested-gemini-md'],
};
const canary = 'canary-';

interface Switch {
  title: string;
  mode: 'A' | 'B';
  without: (launch: AgentLaunch) => AgentLaunch;
  /** Decoys that then reach the model. */
  decoys: string[];
  /** Other skills that the attestation then names. */
  others?: string[];
}
/** Changes opencode's settings, which it gets in a variable. */
const opencodeSettings =
  (change: (settings: Record<string, Record<string, unknown>>) => void) =>
  (launch: AgentLaunch): AgentLaunch => {
    const settings = JSON.parse(launch.env.OPENCODE_CONFIG_CONTENT as string);
    change(settings);
    return { ...launch, env: { ...launch.env, OPENCODE_CONFIG_CONTENT: JSON.stringify(settings) } };
  };
const geminiFile = '.gemini-lab/.gemini/settings.json';
/** Takes a setting of gemini-cli's away, which it reads from a file. */
const geminiSetting =
  (group: string, name: string) =>
  (launch: AgentLaunch): AgentLaunch => {
    const settings = JSON.parse(launch.homeFiles[geminiFile] as string);
    if (settings[group]?.[name] === undefined) throw new Error(`the adapter no longer sets ${group}.${name}`);
    delete settings[group][name];
    return { ...launch, homeFiles: { ...launch.homeFiles, [geminiFile]: JSON.stringify(settings) } };
  };
const overrides = JSON.stringify({ skillOverrides: { 'plugin-authoring': 'off', doctor: 'off' } });
const switches: Record<string, Switch[]> = {
  pi: [
    {
      title: '--no-skills',
      mode: 'A',
      without: flag('--no-skills'),
      decoys: ['repo-pi', 'repo-agents', 'home-agents', 'config-pi'],
      others: [canary],
    },
    {
      title: '--no-context-files',
      mode: 'A',
      without: flag('--no-context-files'),
      decoys: ['repo-agents-md', 'above-agents-md', 'config-pi-md'],
    },
    { title: '--system-prompt', mode: 'A', without: flag('--system-prompt', ''), decoys: ['repo-pi-system'] },
    { title: '--append-system-prompt', mode: 'A', without: flag('--append-system-prompt', ''), decoys: ['repo-pi-append'] },
  ],
  'claude-code': [
    { title: '--disable-slash-commands', mode: 'A', without: flag('--disable-slash-commands'), decoys: ['config-claude'] },
    {
      title: '--setting-sources user',
      mode: 'B',
      without: flag('--setting-sources', 'user'),
      decoys: ['repo-claude', 'nested-claude', 'repo-claude-command'],
      others: ['decoy-command'],
    },
    {
      title: 'CLAUDE_CODE_DISABLE_CLAUDE_MDS',
      mode: 'A',
      without: variable('CLAUDE_CODE_DISABLE_CLAUDE_MDS'),
      decoys: ['config-claude-md'],
    },
    {
      title: 'both guards of CLAUDE.md files',
      mode: 'A',
      without: (launch) => variable('CLAUDE_CODE_DISABLE_CLAUDE_MDS')(flag('--setting-sources', 'user')(launch)),
      decoys: ['repo-claude-md', 'nested-claude-md', 'above-claude-md', 'config-claude-md'],
    },
    {
      title: 'CLAUDE_CONFIG_DIR',
      mode: 'B',
      without: variable('CLAUDE_CONFIG_DIR'),
      decoys: ['home-claude'],
      others: [canary],
    },
    {
      title: 'CLAUDE_CODE_DISABLE_BUNDLED_SKILLS',
      mode: 'B',
      without: variable('CLAUDE_CODE_DISABLE_BUNDLED_SKILLS'),
      decoys: [],
      others: ['code-review', 'security-review'],
    },
    { title: 'skillOverrides', mode: 'B', without: flag('--settings', overrides), decoys: [], others: ['plugin-authoring'] },
  ],
  codex: [
    {
      title: 'skills.include_instructions=false',
      mode: 'A',
      without: flag('-c', 'skills.include_instructions=false'),
      decoys: ['repo-agents', 'repo-codex', 'config-codex'],
    },
    {
      title: 'project_doc_max_bytes=0',
      mode: 'A',
      without: flag('-c', 'project_doc_max_bytes=0'),
      decoys: ['repo-agents-md'],
    },
    {
      title: 'skills.bundled.enabled=false',
      mode: 'B',
      without: flag('-c', 'skills.bundled.enabled=false'),
      decoys: [],
      others: ['skill-creator', 'skill-installer'],
    },
    {
      title: 'CODEX_HOME',
      mode: 'B',
      without: variable('CODEX_HOME'),
      decoys: ['home-codex', 'home-codex-md'],
      others: [canary],
    },
  ],
  opencode: [
    {
      title: 'permission.skill deny',
      mode: 'A',
      without: opencodeSettings(({ permission }) => {
        delete permission?.skill;
      }),
      decoys: ['config-opencode'],
      others: ['customize-opencode'],
    },
    {
      title: "deny for every skill but the arm's",
      mode: 'B',
      without: opencodeSettings(({ permission }) => {
        Object.assign(permission?.skill ?? {}, { '*': 'allow' });
      }),
      decoys: [],
      others: ['customize-opencode'],
    },
    {
      title: 'both guards of external skills',
      mode: 'A',
      without: (launch) =>
        opencodeSettings(({ permission }) => {
          delete permission?.skill;
        })(variable('OPENCODE_DISABLE_EXTERNAL_SKILLS')(variable('OPENCODE_DISABLE_CLAUDE_CODE')(launch))),
      decoys: ['home-claude', 'home-agents', 'repo-claude', 'repo-agents'],
      others: [canary],
    },
    {
      title: 'OPENCODE_DISABLE_PROJECT_CONFIG',
      mode: 'A',
      without: variable('OPENCODE_DISABLE_PROJECT_CONFIG'),
      decoys: ['repo-agents-md'],
    },
    {
      title: 'OPENCODE_DISABLE_CLAUDE_CODE',
      mode: 'A',
      without: variable('OPENCODE_DISABLE_CLAUDE_CODE'),
      decoys: ['home-claude-user-md'],
    },
    { title: 'XDG_CONFIG_HOME', mode: 'A', without: variable('XDG_CONFIG_HOME'), decoys: ['home-opencode-md'] },
  ],
  'gemini-cli': [
    {
      title: 'skills.enabled false',
      mode: 'A',
      without: geminiSetting('skills', 'enabled'),
      decoys: ['repo-gemini', 'repo-agents', 'config-gemini'],
      others: ['skill-creator', 'antigravity-support'],
    },
    {
      title: 'skills.disabled',
      mode: 'B',
      without: geminiSetting('skills', 'disabled'),
      decoys: [],
      others: ['skill-creator', 'antigravity-support'],
    },
    {
      title: 'GEMINI_CLI_HOME',
      mode: 'B',
      without: (launch) => ({
        ...variable('GEMINI_CLI_HOME')(launch),
        homeFiles: { ...launch.homeFiles, '.gemini/settings.json': launch.homeFiles[geminiFile] as string },
      }),
      decoys: ['home-gemini', 'home-agents'],
      others: [canary],
    },
  ],
};

test('the base has none of the folders of skills, says which, and the capture reports no removal', async () => {
  expect(bases.made.removed).toEqual([
    '.agents/skills',
    '.claude/skills',
    '.codex/skills',
    '.gemini/skills',
    '.opencode/skills',
    '.pi/skills',
    'pkg/.agents/skills',
    'pkg/.claude/skills',
    'tools/.claude/skills',
  ]);
  const tracked = execFileSync('git', ['-C', bases.made.folder, 'ls-tree', '-r', '--name-only', 'HEAD'], { encoding: 'utf8' });
  expect(tracked).not.toContain('skills');
  expect(tracked).toContain('.claude/commands/decoy-command.md');
  expect(await hashRepository(join(one.folder, 'repo'))).toBe(bases.made.content);
  expect(await hashTree(bases.made.folder)).toBe(bases.made.content);
  const [workspace, target] = [join(scratch, 'workspace'), await mkdtemp(join(scratch, 'capture-'))];
  await makeWorkspace(bases.made, workspace);
  await captureChange(workspace, bases.made, target);
  expect(await readFile(join(target, 'patch.diff'), 'utf8')).toBe('');
});

describe.each(agents)('$name', (agent) => {
  const guarded = inHome.filter(([name]) => !unguarded[agent.name]?.includes(name));
  const home = [...guarded, ...(unguarded[agent.name]?.includes('home-agents') ? [] : [homeAgents])];
  const base = guardedByBase.includes(agent.name) ? 'made' : 'raw';
  const check = (title: string, action: (program: AgentProgram) => Promise<void>) =>
    test(title, async ({ skip }) => {
      await skipWithout(agent, skip);
      await action(await agent.find(root));
    });

  for (const mode of ['A', 'B'] as const) {
    check(`mode ${mode}: no decoy reaches the model that has a switch`, async (program) => {
      const found = await look(agent, program, { mode, base, home: [...home, ...(mode === 'A' ? inConfig : [])] });
      const seen = fromRepository[agent.name] ?? [];
      const problems = seen.map((name) => expect.stringMatching(`^${name} reached the model`));
      expect(found).toEqual({ seen, problems, patch: '', response: 'Done.' });
    });
  }

  for (const { title, mode, without, decoys, others = [] } of switches[agent.name] ?? []) {
    check(`without ${title} (mode ${mode}) the attestation names what got in`, async (program) => {
      const planted = [...home, ...(mode === 'A' ? inConfig : [])];
      const { seen, problems } = await look(agent, program, { mode, base: 'raw', home: planted, without });
      expect(seen).toEqual(expect.arrayContaining(decoys));
      for (const name of [...seen, ...others]) expect(problems.join('\n')).toMatch(new RegExp(`^${name}.* request \\d`, 'm'));
      expect(seen.length + others.length).toBeGreaterThan(0);
    });
  }
});

test('what Codex takes from HOME without a switch, and from a repository whose folders were left, is named', async ({ skip }) => {
  const agent = findAgent('codex');
  await skipWithout(agent, skip);
  const found = await look(agent, await agent.find(root), { mode: 'B', base: 'raw', home: [...inHome, homeAgents] });
  expect([...found.seen].sort()).toEqual(['config-codex-md', 'home-agents', 'repo-agents', 'repo-codex']);
  for (const name of found.seen) expect(found.problems).toContainEqual(expect.stringMatching(`^${name} reached the model`));
});
