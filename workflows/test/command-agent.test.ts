import { cp, mkdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Report } from 'skill-trial';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AtifTrajectory } from '../skill-trial/src/atif.js';
import { readTrial } from '../skill-trial/src/trial-record.js';
import { Checkout } from './checkout.js';

// The whole inventory experiment with an agent that has no adapter: the contract of agent.command, through the public commands.
const name = 'inventory-command';
const tiny = fileURLToPath(new URL('tiny-agent', import.meta.url));
let checkout: Checkout;

beforeAll(async () => {
  checkout = await Checkout.make();
  await mkdir(checkout.path('data/experiments', name));
  await cp(tiny, checkout.path('data/experiments', name, 'tiny-agent'), { recursive: true });
  await checkout.write(
    `data/experiments/${name}/experiment.yaml`,
    (await checkout.read('data/experiments/inventory-claude-code/experiment.yaml')).replaceAll('inventory-claude-code', name),
  );
  await checkout.configure(name, {
    repeats: 1,
    stability_runs: 1,
    'limits.wall_seconds': 300,
    'model.api': 'openai-completions',
    'agent.name': 'command',
    'agent.command': {
      title: 'Tiny agent',
      version: '1',
      program: 'tiny-agent',
      argv: ['node', '{program}/agent.mjs', '--model', '{model}', '--url', '{base_url}'],
      env: { AGENT_KEY: 'lab' },
      skills: { from: { home: '.tiny/skills' }, with: ['--skills', '{skills}'], canary_folders: ['.agents/skills'] },
      events: 'lab',
    },
  });
});
afterAll(() => checkout[Symbol.asyncDispose]());

test('an agent without an adapter runs the whole experiment, and its records are those of the others', async () => {
  const done = await checkout.nx(`${name}:verify`);
  expect(done.code, done.text).toBe(0);
  const report = await checkout.json<Report>('reports', name, 'report.json');
  expect(report.verification.map(({ point, holds }) => [point, holds])).not.toContainEqual([expect.any(Number), false]);
  const [a, b] = await Promise.all(
    ['A', 'B'].map((mode) => readTrial(checkout.path('data/runs', name, 'receipts', `inventory.${mode}.1`))),
  );
  expect(a?.attestation).toMatchObject({ problems: [], listed: [], bodies: [], delivery: 'exact' });
  expect(b?.attestation).toMatchObject({ problems: [] });
  expect(b?.attestation.listed).toHaveLength(3);
  expect(b?.trajectory.loaded.map(({ how }) => how)).toEqual(['file-read', 'file-read', 'file-read']);
  for (const trial of [a, b]) {
    expect(trial?.record.usageMismatches).toEqual([]);
    expect(trial?.trajectory.usage?.output).toBe(trial?.usage.output_tokens);
    expect(trial?.trajectory.modelCalls).toBe(trial?.usage.model_calls);
    expect(trial?.record.agent.version).toMatch(/^1 \([0-9a-f]{16}\)$/);
  }
}, 600_000);

test('each trial is exported as an ATIF trajectory with the figures of the ledger', async () => {
  const done = await checkout.nx(`${name}:trajectories`);
  expect(done.code, done.text).toBe(0);
  for (const mode of ['A', 'B']) {
    const text = await readFile(checkout.path('reports', name, 'trajectories', `inventory.${mode}.1`, 'trajectory.json'), 'utf8');
    const { steps, final_metrics, agent, notes } = AtifTrajectory.parse(JSON.parse(text));
    const { usage, record } = await readTrial(checkout.path('data/runs', name, 'receipts', `inventory.${mode}.1`));
    expect(steps.map((step) => step.source).slice(0, 3)).toEqual(['system', 'user', 'agent']);
    expect(steps.filter((step) => step.source === 'agent')).toHaveLength(Number(usage.model_calls));
    expect(steps.flatMap((step) => (step.source === 'agent' ? (step.tool_calls ?? []) : [])).length).toBe(
      steps.flatMap((step) => (step.source === 'agent' ? (step.observation?.results ?? []) : [])).length,
    );
    expect(final_metrics?.total_completion_tokens).toBe(usage.output_tokens);
    expect(agent).toMatchObject({ name: 'command', version: record.agent.version });
    expect(notes).toContain('SCRIPTED');
  }
  const wrong = await checkout.node(['workflows/dist/export-trajectory.js', name, 'inventory.A.9']);
  expect(wrong.code).toBe(1);
});

test('a changed program is another spec: what was frozen is not run with it', async () => {
  const file = checkout.path('data/experiments', name, 'tiny-agent/agent.mjs');
  const before = await checkout.json<{ hash: string }>('data/runs', name, 'specs/inventory.A.1.json');
  await checkout.write(`data/experiments/${name}/tiny-agent/agent.mjs`, `${await readFile(file, 'utf8')}\n// changed\n`);
  const done = await checkout.nx(`${name}:freeze`);
  expect(done.code, done.text).toBe(0);
  expect((await checkout.json<{ hash: string }>('data/runs', name, 'specs/inventory.A.1.json')).hash).not.toBe(before.hash);
});
