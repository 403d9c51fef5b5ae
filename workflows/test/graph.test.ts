import { findRoot, readWorkers } from 'skill-trial';
import { createNodesV2 } from 'skill-trial-graph';
import { expect, test } from 'vitest';

const root = findRoot();

/** Names of the targets that may run beside others, of an experiment's project and of its trials. */
async function sideBySide(name: string): Promise<{ steps: string[]; trials: string[] }> {
  const file = `data/experiments/${name}/experiment.yaml`;
  const [, createNodes] = createNodesV2;
  const [[, { projects = {} }]] = (await createNodes([file], undefined, { workspaceRoot: root } as never)) as never as [
    [string, { projects?: Record<string, { targets: Record<string, { parallelism?: boolean; executor: string }> }> }],
  ];
  const found = { steps: [] as string[], trials: [] as string[] };
  for (const [folder, { targets }] of Object.entries(projects))
    for (const [target, { parallelism, executor }] of Object.entries(targets))
      if (parallelism !== false && executor !== 'nx:noop')
        (folder.includes('/trials/') ? found.trials : found.steps).push(target);
  return found;
}

test('every task of an experiment with an order has the machine to itself', async () => {
  expect(await sideBySide('inventory')).toEqual({ steps: [], trials: [] });
});

test('the trials of one with order: parallel run side by side, eight at once, and no other task does', async () => {
  const { steps, trials } = await sideBySide('runtime-evals');
  expect(steps).toEqual([]);
  expect(trials.length).toBeGreaterThanOrEqual(48);
  delete process.env.NX_PARALLEL;
  expect(await readWorkers(root)).toBe(8);
});
