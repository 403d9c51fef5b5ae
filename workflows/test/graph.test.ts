import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findRoot, readWorkers } from 'skill-trial';
import { createNodesV2 } from 'skill-trial-graph';
import { expect, test } from 'vitest';

const root = findRoot();

type Projects = Record<
  string,
  { targets: Record<string, { parallelism?: boolean; executor: string; inputs?: (string | { runtime?: string })[] }> }
>;

/** The projects of one experiment, as Nx gets them. */
async function projectsOf(name: string, workspaceRoot = root): Promise<Projects> {
  const [, createNodes] = createNodesV2;
  const [[, { projects = {} }]] = (await createNodes([`data/experiments/${name}/experiment.yaml`], undefined, {
    workspaceRoot,
  } as never)) as never as [[string, { projects?: Projects }]];
  return projects;
}

/** Names of the targets that may run beside others, of an experiment's project and of its trials. */
async function sideBySide(name: string): Promise<{ steps: string[]; trials: string[] }> {
  const found = { steps: [] as string[], trials: [] as string[] };
  for (const [folder, { targets }] of Object.entries(await projectsOf(name)))
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

test('what of the machine can change a lock is asked once for all experiments of an agent, and by name where one names more', async () => {
  const asked = async (name: string, at = root) =>
    (await projectsOf(name, at))[`data/experiments/${name}`]?.targets.freeze?.inputs?.flatMap((input) =>
      typeof input === 'object' && input.runtime !== undefined ? [input.runtime] : [],
    );
  for (const name of ['inventory', 'requirements', 'runtime-evals'])
    expect(await asked(name)).toEqual(['node workflows/dist/conditions.js --agent=pi']);
  const other = await mkdtemp(join(tmpdir(), 'skill-trial-graph-'));
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(other, path)), { recursive: true });
    await writeFile(join(other, path), text);
  };
  const settings = await readFile(join(root, 'data/experiments/inventory/experiment.yaml'), 'utf8');
  await write('data/experiments/inventory/experiment.yaml', settings);
  await write('data/cases/inventory/case.yaml', 'title: x\nenvironment: {image: here}\n');
  expect(await asked('inventory', other)).toEqual(['node workflows/dist/conditions.js inventory']);
  await write('data/cases/inventory/case.yaml', 'title: x\n');
  await write('data/experiments/inventory/experiment.yaml', settings.replace(/^( {2}B:\n)/m, '$1    skills_from: HEAD\n'));
  expect(await asked('inventory', other)).toEqual(['node workflows/dist/conditions.js inventory']);
  await rm(other, { recursive: true });
});
