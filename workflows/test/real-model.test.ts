import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Report } from 'skill-trial';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadScript } from '../skill-trial/src/script.js';
import { type ScriptedModel, startScriptedModel } from '../skill-trial/src/scripted-model.js';
import { Checkout } from './checkout.js';

// The way to a real model is the way to any server behind base_url. Here a scripted server stands in for it on loopback: the lab is
// told that it is real, so that everything a real one gets (consent, key, decision) is exercised. Nothing is measured.
const scripts = join(fileURLToPath(new URL('../..', import.meta.url)), 'data/cases/inventory/scripts');
const key = 'stand-in-key-0123456789';
let checkout: Checkout;
let server: ScriptedModel;

beforeAll(async () => {
  checkout = await Checkout.make();
  server = await startScriptedModel({ script: await loadScript(scripts, 'b-better'), repeat: 1, seed: 1 });
});
afterAll(async () => {
  await server.close();
  await checkout[Symbol.asyncDispose]();
});

test.each([
  ['openai-completions', '/v1'],
  ['anthropic-messages', ''],
])('with %s behind base_url, a key and --yes the same experiment runs, and a decision is taken', async (api, path) => {
  await checkout.configure('inventory', {
    repeats: 1,
    stability_runs: 1,
    model: {
      id: 'stand-in',
      api,
      base_url: `${server.baseUrl}${path}`,
      key_env: 'STAND_IN_KEY',
      prices: { input: 1, cached: 1, cache_write: 1, output: 1 },
    },
    'limits.cost_usd': 5,
  });
  const without = await checkout.start(['inventory', '--yes']);
  expect(without.code).toBe(1);
  expect(without.text).toContain('the environment variable STAND_IN_KEY');
  const done = await checkout.start(['inventory', '--yes'], { STAND_IN_KEY: key });
  expect(done.code, done.text).toBe(0);
  const report = await checkout.json<Report>('reports/inventory/report.json');
  expect(report.scripted).toBe(false);
  expect(report.trials.every((trial) => trial.valid && trial.status === 'completed')).toBe(true);
  expect(report.decision.descriptive).not.toBe('withheld');
  expect(report.decision.inferential).toBe('not-attainable');
  expect(await checkout.read('reports/inventory/report.md')).not.toContain('SCRIPTED');
  // the key reaches the server and stays out of everything that is kept
  const kept = await checkout.node([
    '-e',
    `
    const { readdirSync, readFileSync } = require('node:fs');
    const { gunzipSync } = require('node:zlib');
    for (const entry of readdirSync('data/runs', { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const bytes = readFileSync(entry.parentPath + '/' + entry.name);
      if ((entry.name.endsWith('.gz') ? gunzipSync(bytes) : bytes).includes(${JSON.stringify(key)})) console.log(entry.name);
    }`,
  ]);
  expect(kept.text).toBe('');
});
