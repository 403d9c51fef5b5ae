import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Replay } from 'skill-trial';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findAgent } from '../skill-trial/src/agent.js';
import type { CallRecord } from '../skill-trial/src/call-record.js';
import { sha256 } from '../skill-trial/src/hash.js';
import { checkRecord } from '../skill-trial/src/record.js';
import { Checkout } from './checkout.js';
import { skipWithout } from './installed.js';

// Each real CLI runs one pair against the scripted model and then again against its own recordings, through the public commands.
const agents = [
  { name: 'pi', experiment: 'inventory' },
  { name: 'claude-code', experiment: 'inventory-claude-code' },
  { name: 'codex', experiment: 'inventory-codex' },
];

let checkout: Checkout;
const record = (experiment: string, trial: string, ...parts: string[]) =>
  checkout.path('data/runs', experiment, 'receipts', trial, ...parts);
const result = (experiment: string) => checkout.json<Replay>('data/runs', experiment, 'replay.json');

beforeAll(async () => {
  checkout = await Checkout.make();
  for (const { experiment } of agents) await checkout.configure(experiment, { repeats: 1 });
});

afterAll(() => checkout[Symbol.asyncDispose]());

test.for(agents)(
  'a pair of $name replays offline, identical to its record, and leaves the record alone',
  async (agent, { skip }) => {
    const { name, experiment } = agent;
    await skipWithout(findAgent(name), skip);
    const ran = await checkout.nx(`${experiment}:run-B`);
    expect(ran.code, ran.text).toBe(0);
    const ledger = await checkout.read('data/runs', experiment, 'ledger.jsonl');
    const done = await checkout.nx(`${experiment}:replay`);
    expect(done.code, done.text).toBe(0);
    const { trials, normalisers } = await result(experiment);
    expect(trials.map(({ trial, outcome }) => [trial, outcome])).toEqual([
      ['inventory.A.1', 'identical'],
      ['inventory.B.1', 'identical'],
    ]);
    for (const { calls, compared, normalised, trial } of trials) {
      expect(calls.asked).toBe(calls.recorded);
      expect(compared.map(({ what }) => what)).toEqual(['agent version', 'status', 'response', 'patch', 'usage', 'content hash']);
      for (const { recorded, replayed } of compared) expect(replayed).toBe(recorded);
      for (const used of Object.keys(normalised)) expect(normalisers.map((row) => row.name)).toContain(used);
      expect(await checkRecord(record(experiment, trial))).toEqual([]);
    }
    expect(await checkout.read('data/runs', experiment, 'ledger.jsonl')).toBe(ledger);
    expect(await readdir(checkout.path('data/runs', experiment, 'scratch'))).toEqual([]);
  },
);

describe('a difference fails the replay, and the diff names it', () => {
  const replayed = () => checkout.node(['workflows/dist/replay.js', 'inventory', 'inventory.B.1']);

  test('one byte of a skill body in a recorded request', async () => {
    const [trial] = (await result('inventory')).trials.filter((one) => one.trial === 'inventory.B.1');
    const folder = checkout.path('data/runs/inventory', trial?.record ?? '');
    const skill = await checkout.read('skills-src/contract-doc-sync/SKILL.md');
    const line = skill.split('\n').find((text) => /^[-\d].{50,}/.test(text) && !/["\\]/.test(text)) as string;
    const altered = `${line.slice(0, -2)}#${line.slice(-1)}`;
    const before = await readFile(join(folder, 'calls.jsonl'), 'utf8');
    const calls = before.trim().split('\n');
    let changed = 0;
    const after = await Promise.all(
      calls.map(async (text) => {
        const call = JSON.parse(text) as CallRecord;
        const body = gunzipSync(await readFile(join(folder, 'bodies', `${call.request}.gz`))).toString('utf8');
        if (!body.includes(line)) return text;
        changed += 1;
        const other = body.replaceAll(line, altered);
        const request = sha256(other);
        await writeFile(join(folder, 'bodies', `${request}.gz`), gzipSync(other));
        return JSON.stringify({ ...call, request });
      }),
    );
    expect(changed).toBeGreaterThan(0);
    // a file of its own: the record and its receipt are two names of one
    await rm(join(folder, 'calls.jsonl'));
    await writeFile(join(folder, 'calls.jsonl'), `${after.join('\n')}\n`);
    const done = await replayed();
    expect(done.code, done.text).toBe(1);
    expect(done.text).toContain(`-${altered}`);
    expect(done.text).toContain(`+${line}`);
    await writeFile(join(folder, 'calls.jsonl'), before);
  });

  test('a flag of the agent', async () => {
    const adapter = 'workflows/skill-trial/dist/agents/pi.js';
    const text = await checkout.read(adapter);
    const changed = text.replace("'--append-system-prompt', ''", "'--append-system-prompt', 'A sentence of another flag.'");
    expect(changed).not.toBe(text);
    const build = async (code: string) => {
      await checkout.write(adapter, code);
      expect(await checkout.node(['workflows/pack.mjs'])).toEqual({ code: 0, text: '' });
    };
    await build(changed);
    const done = await replayed();
    await build(text);
    expect(done.code, done.text).toBe(1);
    expect(done.text).toContain('A sentence of another flag.');
    expect((await result('inventory')).trials).toMatchObject([
      { outcome: 'different', differences: expect.arrayContaining([expect.objectContaining({ call: 1 })]) },
    ]);
  });

  test('a trial without a record is named', async () => {
    const done = await checkout.node(['workflows/dist/replay.js', 'inventory', 'inventory.B.2']);
    expect(done.code).toBe(1);
    expect(done.text).toContain('No valid record of trial inventory.B.2');
  });
});
