import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Agent, findAgent } from '../skill-trial/src/agent.js';
import { type Base, makeBase } from '../skill-trial/src/base.js';
import { type Case, readCase } from '../skill-trial/src/case.js';
import { readExperiment } from '../skill-trial/src/experiment.js';
import { readExtras } from '../skill-trial/src/extras.js';
import { readRequests } from '../skill-trial/src/recorded-requests.js';
import { runSession, type SessionPlan } from '../skill-trial/src/session.js';
import { readSkill, type Skill } from '../skill-trial/src/skill.js';
import { skipWithout } from './installed.js';

// What the requests of one session are for, with the real CLIs: the loop, sub-agents, titles; and MCP servers that every arm gets.
const root = fileURLToPath(new URL('../..', import.meta.url));
let scratch: string;
let one: Case;
let base: Base;
let skill: Skill;

const plan = (turns: string) => `schema_version: 1\ntitle: looks\nturns: ${turns}\nresponse: response.md\n`;
const script = (name: string) => `schema_version: 1\ntitle: ${name}\nload_skills: none\nchoose: [{plan: ${name}}]\nfault: null\n`;
const files = {
  'scripts/delegate.yaml': script('delegate'),
  'scripts/plans/delegate/plan.yaml': plan('[{delegate: [What is 6 times 7?]}, {read: [README.md]}]'),
  'scripts/plans/delegate/response.md': 'Done.\n',
  'scripts/look.yaml': script('look'),
  'scripts/plans/look/plan.yaml': plan('[{read: [README.md]}]'),
  'scripts/plans/look/response.md': 'Done.\n',
  'repo/README.md': 'A service.\n',
};
/** One tool on standard input and output, in as much of MCP as a client needs to list it. */
const server = `import { createInterface } from 'node:readline';
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const results = {
    initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'notes', version: '1' } },
    'tools/list': { tools: [{ name: 'lab_note', description: 'Keeps a note of the lab', inputSchema: { type: 'object', properties: {} } }] },
  };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }));
}
`;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'skill-trial-requests-'));
  for (const [path, text] of Object.entries({ ...files, 'experiment/notes.mjs': server })) {
    await mkdir(dirname(join(scratch, path)), { recursive: true });
    await writeFile(join(scratch, path), text);
  }
  const inventory = await readCase(join(root, 'data/cases/inventory'));
  one = { ...inventory, folder: scratch, repo: { path: 'repo' }, scripts: 'scripts' };
  base = await makeBase(one, join(scratch, 'bases'));
  skill = await readSkill(join(root, 'skills-src/evidence-code-review'));
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

async function run(agent: Agent, scripted: string, mode: 'A' | 'B', more: Partial<SessionPlan> = {}) {
  const target = await mkdtemp(join(scratch, 'session-'));
  const experiment = await readExperiment(root, `inventory-${agent.name}`);
  const skills = mode === 'A' ? [] : [skill];
  const session = await runSession(
    {
      experiment: { ...experiment, model: { ...experiment.model, scripted } },
      ...{ case: one, agent, program: await agent.find(root), base, sandbox: 'private-home' },
      ...{ prompt: one.taskBytes, skills, allSkills: [skill], repeat: 1, seed: 1 },
      ...more,
    },
    target,
  );
  expect(session.outcome.exitCode, await readFile(join(target, 'stderr.txt'), 'utf8')).toBe(0);
  return { ...session, requests: await readRequests(target) };
}

test.for(['claude-code', 'opencode'])(
  "%s: a sub-agent's requests are told apart, and the skills stay the loop's",
  async (name, { skip }) => {
    const agent = findAgent(name);
    await skipWithout(agent, skip);
    const { attestation, requests, trajectory } = await run(agent, 'delegate', 'B');
    expect(attestation).toMatchObject({ problems: [], listed: [skill.name] });
    const kinds = attestation.requests?.map(({ kind }) => kind) ?? [];
    expect(kinds).toContain('sub-agent');
    expect(kinds.filter((kind) => kind === 'main')).toHaveLength(3);
    const call = attestation.requests?.find(({ kind }) => kind === 'sub-agent')?.call;
    const sub = requests.find(({ record }) => record.seq === call)?.request;
    expect(sub?.turns.some((turn) => turn.text.includes('What is 6 times 7?'))).toBe(true);
    expect(sub?.turns.some((turn) => turn.text.includes(one.taskBytes.toString().trim()))).toBe(false);
    expect(trajectory.toolCalls.some((call) => ['Agent', 'Task', 'task'].includes(call.name) && call.failed === false)).toBe(
      true,
    );
  },
);

test('opencode asks for a title beside the loop, without tools, unless it is given one', async ({ skip }) => {
  const agent = findAgent('opencode');
  await skipWithout(agent, skip);
  const untitled: Agent = {
    ...agent,
    launch(request) {
      const launch = agent.launch(request);
      const at = launch.argv.indexOf('--title');
      return { ...launch, argv: launch.argv.toSpliced(at, 2) };
    },
  };
  const { attestation, requests } = await run(untitled, 'look', 'B');
  expect(attestation).toMatchObject({ problems: [], listed: [skill.name], mainRequests: 2 });
  const side = attestation.requests?.filter(({ kind }) => kind === 'side') ?? [];
  expect(side).toHaveLength(1);
  const request = requests.find(({ record }) => record.seq === side[0]?.call)?.request;
  expect(request?.tools).toEqual([]);
  expect(request?.turns.some((turn) => turn.text.includes(one.taskBytes.toString().trim()))).toBe(true);
});

test.for(['claude-code', 'codex'])(
  '%s: an MCP server of the experiment is offered in both modes alike',
  async (name, { skip }) => {
    const agent = findAgent(name);
    await skipWithout(agent, skip);
    const extras = await readExtras(join(scratch, 'experiment'), {
      mcp: { notes: { command: [process.execPath, '{home}/tools/notes.mjs'], env: {} } },
      files: { 'tools/notes.mjs': 'notes.mjs' },
      env: { LAB_MODE: 'notes' },
    });
    const [a, b] = [await run(agent, 'look', 'A', { extras }), await run(agent, 'look', 'B', { extras })];
    for (const { attestation, requests } of [a, b]) {
      expect(attestation.problems).toEqual([]);
      const offered = requests.flatMap(({ request }) => (request === null ? [] : [JSON.stringify(request)]));
      // Claude Code names a tool that it would load when asked for; Codex offers it
      expect(offered.length).toBeGreaterThan(0);
      expect(offered.every((request) => request.includes('lab_note'))).toBe(true);
    }
    expect(a.attestation.tools).toBe(b.attestation.tools);
  },
);
