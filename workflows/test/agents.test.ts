import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile, readlink } from 'node:fs/promises';
import type { Report } from 'skill-trial';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findAgent } from '../skill-trial/src/agent.js';
import { canaryOf } from '../skill-trial/src/canary.js';
import { openLab } from '../skill-trial/src/lab.js';
import { rederiveTrial } from '../skill-trial/src/rederivation.js';
import { readTrial, type SavedTrial } from '../skill-trial/src/trial-record.js';
import { Checkout } from './checkout.js';
import { finishedRun } from './finished-run.js';
import { skipWithout } from './installed.js';

// Each real CLI runs the bundled experiment once in each mode, through the public command, against the scripted model. What is special
// about an agent has happened when its two trials have run (B comes after A); the whole report is that of the run that the tests share.
const agents = [
  { name: 'pi', experiment: 'inventory' },
  { name: 'claude-code', experiment: 'inventory-claude-code' },
  { name: 'codex', experiment: 'inventory-codex' },
  { name: 'opencode', experiment: 'inventory-opencode' },
  { name: 'gemini-cli', experiment: 'inventory-gemini-cli' },
];
const skills = ['behavior-test-design', 'contract-doc-sync', 'evidence-code-review'];

let checkout: Checkout;
let tmp: string;
/** Content hashes by mode, of the agents that have run. */
const contents: Record<string, Record<string, string>> = { A: {}, B: {} };

beforeAll(async () => {
  checkout = await Checkout.make();
  // a folder of its own for the sessions: what is left in it, or runs in it, is theirs
  tmp = checkout.path('tmp');
  await mkdir(tmp);
  for (const { experiment } of agents) await checkout.configure(experiment, { repeats: 1, stability_runs: 1 });
});

afterAll(() => checkout[Symbol.asyncDispose]());

describe.each(agents)('$name', ({ name, experiment }) => {
  const trials: { A?: SavedTrial; B?: SavedTrial } = {};
  const saved = (mode: 'A' | 'B') => trials[mode] as SavedTrial;
  const events = async (trial: SavedTrial) => (await readFile(`${trial.folder}/events.jsonl`, 'utf8')).split('\n');
  const check = (title: string, action: () => Promise<void>) =>
    test(title, async ({ skip }) => {
      await skipWithout(findAgent(name), skip);
      await action();
    });

  check('runs the experiment up to the last trial', async () => {
    const done = await checkout.nx(`${experiment}:run-B`, { TMPDIR: tmp });
    expect(done.code, done.text).toBe(0);
    for (const mode of ['A', 'B'] as const)
      trials[mode] = await readTrial(checkout.path('data/runs', experiment, 'receipts', `inventory.${mode}.1`));
  });

  check('both modes are valid, and the canary reached neither', async () => {
    const canary = canaryOf((await openLab(checkout.root, experiment)).experiment.seed);
    for (const mode of ['A', 'B'] as const) {
      const { record, attestation } = saved(mode);
      expect(record).toMatchObject({ status: 'completed', agent: { name }, arm: mode, attempt: 1 });
      expect(attestation).toMatchObject({ problems: [], forbidden: [{ name: canary.name, call: null }] });
      expect(attestation.delivery).not.toBe('different');
    }
    expect(saved('A').attestation.tools).toBe(saved('B').attestation.tools);
    expect(saved('A').attestation.parameters).toBe(saved('B').attestation.parameters);
    expect(saved('A').attestation.deliveredTask).toBe(saved('B').attestation.deliveredTask);
  });

  check('B lists and loads the three skills, each with the line that shows it; A none', async () => {
    expect([...saved('B').attestation.listed].sort()).toEqual(skills);
    expect(saved('A').attestation).toMatchObject({ listed: [], bodies: [] });
    expect(saved('A').trajectory.loaded).toEqual([]);
    const lines = await events(saved('B'));
    for (const skill of skills) {
      const load = saved('B').trajectory.loaded.find((one) => one.skill === skill);
      expect(load, skill).toBeDefined();
      expect(() => JSON.parse(lines[(load?.line ?? 0) - 1] as string)).not.toThrow();
      expect(saved('B').attestation.bodies.map((one) => one.skill)).toContain(skill);
    }
  });

  check('the figures of the agent and of the gateway agree', async () => {
    for (const mode of ['A', 'B'] as const) {
      const { record, usage, trajectory } = saved(mode);
      expect(record.usageMismatches).toEqual([]);
      expect(trajectory.usage?.output).toBe(usage.output_tokens);
      expect(trajectory.usage?.inputCached).toBe(usage.input_tokens_cached);
      expect(usage.model_calls).toBeGreaterThan(2);
      if (trajectory.modelCalls !== null) expect(trajectory.modelCalls).toBe(usage.model_calls);
    }
  });

  check('response and patch are those of the other agents', async () => {
    for (const mode of ['A', 'B'] as const) {
      const own = saved(mode).record.content;
      for (const [other, content] of Object.entries(contents[mode] ?? {})) expect(own, `as with ${other}`).toBe(content);
      (contents[mode] as Record<string, string>)[name] = own;
    }
    expect(saved('A').record.content).not.toBe(saved('B').record.content);
  });

  check('the records give the same again', async () => {
    const lab = await openLab(checkout.root, experiment);
    for (const mode of ['A', 'B'] as const) expect((await rederiveTrial(lab, saved(mode).folder)).differences).toEqual([]);
  });

  check('nothing of the sessions remains: no folder, no process', async () => {
    expect((await readdir(tmp)).filter((one) => one.startsWith('skill-trial-session-'))).toEqual([]);
    expect(await processesOf(tmp)).toEqual([]);
  });
});

test('the report of a finished run says the same, and no point of its verification fails', async () => {
  await using finished = await finishedRun('inventory');
  const report = await finished.json<Report>('reports/inventory/report.json');
  expect(report.verification.map(({ point, holds }) => [point, holds])).not.toContainEqual([expect.any(Number), false]);
  expect(report.trials.map((trial) => trial.arm)).toEqual(['A', 'B']);
  for (const trial of report.trials) {
    expect(trial.valid).toBe(true);
    expect(trial.activation.map((skill) => skill.skill).sort()).toEqual(skills);
    for (const skill of trial.activation)
      expect(skill).toMatchObject(
        trial.arm === 'B'
          ? { listed: true, loaded: true, evidence: expect.stringMatching(/^events\.jsonl:\d+$/) }
          : { listed: false, loaded: false, evidence: null },
      );
  }
});

test('a process that works in the folder of the sessions would have been found', async () => {
  const child = spawn('sleep', ['60'], { cwd: tmp, stdio: 'ignore' });
  try {
    await new Promise((resolve) => child.once('spawn', resolve));
    expect(await processesOf(tmp)).toHaveLength(1);
  } finally {
    child.kill('SIGKILL');
  }
});

/** Command lines of processes whose arguments, environment, folder or mounts (inside a sandbox, where paths are others) hold a path. */
async function processesOf(path: string): Promise<string[]> {
  const found: string[] = [];
  for (const pid of (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)) {
    const parts = await Promise.all([
      ...['cmdline', 'environ', 'mountinfo'].map((file) => readFile(`/proc/${pid}/${file}`, 'latin1').catch(() => '')),
      readlink(`/proc/${pid}/cwd`).catch(() => ''),
    ]);
    if (parts.some((part) => part.includes(path))) found.push(`${pid} ${parts[0]?.replaceAll('\0', ' ').trim()}`);
  }
  return found;
}
