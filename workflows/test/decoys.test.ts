import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Agent, type AgentLaunch, type AgentProgram, agents } from '../skill-trial/src/agent.js';
import { type Base, captureChange, makeBase } from '../skill-trial/src/base.js';
import { type Case, readCase } from '../skill-trial/src/case.js';
import { PrerequisiteError } from '../skill-trial/src/errors.js';
import { readExperiment } from '../skill-trial/src/experiment.js';
import { attestRecording, runSession, type SessionPlan } from '../skill-trial/src/session.js';
import { readSkill, type Skill } from '../skill-trial/src/skill.js';

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
  page('AGENTS.md', 'repo-agents-md'),
  page('CLAUDE.md', 'repo-claude-md'),
  page('pkg/AGENTS.md', 'nested-agents-md'),
  page('pkg/CLAUDE.md', 'nested-claude-md'),
  page('.pi/SYSTEM.md', 'repo-pi-system'),
  page('.pi/APPEND_SYSTEM.md', 'repo-pi-append'),
  page('.claude/commands/decoy-command.md', 'repo-claude-command'),
];
const above = [
  skill('.agents/skills', 'above-agents'),
  skill('.claude/skills', 'above-claude'),
  page('AGENTS.md', 'above-agents-md'),
  page('CLAUDE.md', 'above-claude-md'),
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
];
/** Codex has no switch for it: HOME is the lab's own and holds none. */
const homeAgents = skill('.agents/skills', 'home-agents');
/** Where an adapter puts the skills of the arm that has them: only the arm without switches them off. */
const inConfig = [skill('.claude-lab/skills', 'config-claude'), skill('.codex-lab/skills', 'config-codex')];
const everyDecoy = [...inRepository, ...above, ...inHome, homeAgents, ...inConfig, ['config-memory'] as const].map(([name]) => ({
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
  await plant(join(one.folder, 'scripts'), [
    ['', 'look.yaml', 'schema_version: 1\ntitle: looks at one file\nload_skills: none\nchoose: [{plan: look}]\nfault: null\n'],
    ['', 'plans/look/plan.yaml', 'schema_version: 1\ntitle: looks\nturns: [{read: [pkg/a.txt]}]\nresponse: response.md\n'],
    ['', 'plans/look/response.md', 'Done.\n'],
  ]);
  skills = [await readSkill(join(root, 'skills-src/evidence-code-review'))];
  const raw = join(scratch, 'raw');
  await cp(join(one.folder, 'repo'), raw, { recursive: true });
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
      launch.homeFiles = {
        ...launch.homeFiles,
        [`.claude-lab/projects/${request.view.workspace.replace(/[^a-zA-Z0-9]/g, '-')}/memory/MEMORY.md`]: `- [x](x.md) — say ${mark('config-memory')}\n`,
      };
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
  const { problems, mainRequests } = await attestRecording(target, plan, plan.skills, everyDecoy);
  expect(mainRequests).toBeGreaterThanOrEqual(1);
  return {
    seen: everyDecoy.filter(({ texts }) => texts.some((text) => bodies.includes(text))).map(({ name }) => name),
    problems,
    response: trajectory.response,
    patch: await readFile(join(target, 'patch.diff'), 'utf8'),
  };
}

test('explore', async () => {
  const out: unknown[] = [];
  const flag =
    (...names: string[]) =>
    (launch: AgentLaunch): AgentLaunch => {
      const argv = [...launch.argv];
      const at = argv.findIndex((_, i) => names.every((n, j) => argv[i + j] === n));
      if (at === -1) throw new Error(`no ${names.join(' ')}`);
      argv.splice(at, names.length);
      return { ...launch, argv };
    };
  const env =
    (name: string) =>
    (launch: AgentLaunch): AgentLaunch => {
      const { [name]: _, ...rest } = launch.env;
      return { ...launch, env: rest };
    };
  const settings = JSON.stringify({ skillOverrides: { 'plugin-authoring': 'off', doctor: 'off' } });
  const rows: [string, string, Trial][] = [];
  for (const a of ['codex']) {
    const h = a === 'codex' ? inHome : [...inHome, homeAgents];
    rows.push(
      [a, 'as is', { mode: 'A', home: [...h, ...inConfig, homeAgents] }],
      [a, 'as is', { mode: 'B', home: h }],
      [a, 'raw base', { mode: 'B', base: 'raw', home: h }],
      [a, 'raw base', { mode: 'A', base: 'raw', home: h }],
    );
  }
  const p = (a: string, l: string, mode: 'A' | 'B', without: (l: AgentLaunch) => AgentLaunch) =>
    rows.push([a, l, { mode, base: 'raw', home: [...inHome, homeAgents, ...(mode === 'A' ? inConfig : [])], without }]);
  p('codex', 'include', 'A', flag('-c', 'skills.include_instructions=false'));
  p('codex', 'docs', 'A', flag('-c', 'project_doc_max_bytes=0'));
  p('codex', 'bundled', 'B', flag('-c', 'skills.bundled.enabled=false'));
  p('codex', 'home', 'A', env('CODEX_HOME'));
  p('claude-code', 'config', 'B', env('CLAUDE_CONFIG_DIR'));
  p('claude-code', 'mds+sources', 'A', (l) => env('CLAUDE_CODE_DISABLE_CLAUDE_MDS')(flag('--setting-sources', 'user')(l)));
  p('claude-code', 'mem', 'A', (l) => env('CLAUDE_CODE_DISABLE_AUTO_MEMORY')(l));
  for (const [name, label, trial] of rows) {
    const agent = agents.find((it) => it.name === name) as Agent;
    const t = Date.now();
    const r = await look(agent, await agent.find(root), trial).catch((e) => ({ error: String(e.message).slice(0, 300) }));
    out.push([name, label, trial.mode, Date.now() - t, r]);
    await writeFile('/tmp/explore-decoys.json', out.map((o) => JSON.stringify(o)).join('\n'));
  }
}, 600_000);
