import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { experimentTargets } from '../graph/src/targets.js';
import type { Experiment } from '../skill-trial/src/experiment.js';
import { runPaths } from '../skill-trial/src/paths.js';
import { Checkout } from './checkout.js';

interface Floor {
  metric: string;
  n: { used: number; total: number };
  smallestP: number;
  distance: number;
}

test('the control arm runs against itself once, in records of its own, and the noise floor says that nothing can reject', async () => {
  await using checkout = await Checkout.make();
  const calibrate = () => checkout.node(['workflows/dist/calibrate.js', 'inventory', '--repeats', '1']);
  const first = await calibrate();
  expect(first.code, first.text.slice(-4000)).toBe(0);
  expect(first.text).toMatch(/SCRIPTED/);
  expect(first.text).toMatch(/nothing can reject at \.05/);
  const found = await checkout.json<{ metrics: Floor[] } & Record<string, unknown>>(
    'data/runs/inventory/calibration/calibration.json',
  );
  expect(found).toMatchObject({
    scripted: true,
    labels: ['A', 'A-again'],
    trials: { valid: 2, invalid: [], planned: 2 },
    decision: { inferential: 'not-attainable' },
  });
  for (const metric of ['elapsed_seconds', 'tool_calls', 'review_completeness'])
    expect(found.metrics.find((row) => row.metric === metric)).toMatchObject({ n: { used: 2, total: 2 }, smallestP: 1 });
  // a script played twice: whatever does not hang on a clock is the same
  expect(found.metrics.find((row) => row.metric === 'tool_calls')?.distance).toBe(0);
  expect(existsSync(checkout.path('data/runs/inventory/lock.json'))).toBe(false);

  const ledger = await checkout.read('data/runs/inventory/calibration/ledger.jsonl');
  expect(ledger.match(/"kind":"started"/g)).toHaveLength(2);
  const text = await checkout.read('data/runs/inventory/calibration/calibration.md');
  expect((await calibrate()).code).toBe(0);
  expect((await checkout.read('data/runs/inventory/calibration/ledger.jsonl')).match(/"kind":"started"/g)).toHaveLength(2);
  expect(await checkout.read('data/runs/inventory/calibration/calibration.md')).toBe(text);
});

test('what calibrate writes lies beside its records, in no folder that Nx replaces from its cache', () => {
  const paths = runPaths('/checkout', 'tiny');
  expect(dirname(paths.calibrationJson)).toBe(runPaths('/checkout', 'tiny/calibration').run);
  const experiment = {
    name: 'tiny',
    agent: {},
    arms: { A: { skills: [] } },
    cases: ['one'],
    sheets_from: [],
  } as never as Experiment;
  const targets = Object.values(experimentTargets('tiny', experiment, [], 'true'));
  const owned = targets.flatMap(({ outputs }) => outputs ?? []).map((path) => path.replace('{workspaceRoot}', '/checkout'));
  expect(owned).toContain('/checkout/reports/tiny');
  for (const file of [paths.calibrationJson, paths.calibrationMarkdown])
    expect(owned.filter((folder) => file === folder || file.startsWith(`${folder}/`))).toEqual([]);
});
