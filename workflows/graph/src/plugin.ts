import { dirname, join } from 'node:path';
import type {
  CreateNodesContextV2,
  CreateNodesResultV2,
  CreateNodesV2,
  ProjectConfiguration,
  TargetConfiguration,
} from '@nx/devkit';
import { type Experiment, makeSchedule, readExperiment } from 'skill-trial/settings';
import { conditionsCommand } from './conditions.js';
import { experimentTargets, trialTarget } from './targets.js';

export { listTargets } from './targets.js';
export const name = 'skill-trial';

/** Every data/experiments/<name>/experiment.yaml becomes a project, and each of its trials one of its own. */
export const createNodesV2: CreateNodesV2 = [
  'data/experiments/*/experiment.yaml',
  async (files: readonly string[], _options: unknown, context: CreateNodesContextV2): Promise<CreateNodesResultV2> =>
    Promise.all(files.map(async (file) => [file, { projects: await projectsOf(dirname(file), context.workspaceRoot) }] as const)),
];

async function projectsOf(folder: string, root: string): Promise<Record<string, ProjectConfiguration>> {
  const name = folder.split('/').at(-1) as string;
  // A broken experiment.yaml must not take the other experiments down: its targets stay, and each prints the one clear error.
  const experiment: Experiment | null = await readExperiment(root, name).catch(() => null);
  const schedule = experiment === null ? [] : makeSchedule(experiment);
  const projects: Record<string, ProjectConfiguration> = {
    [folder]: {
      name,
      root: folder,
      tags: ['experiment', ...(experiment?.tags ?? [])],
      targets: experimentTargets(
        name,
        experiment,
        schedule,
        experiment === null ? '' : await conditionsCommand(root, experiment),
      ),
    },
  };
  for (const [index, line] of schedule.entries()) {
    const before = line.block === null ? undefined : schedule[index - 1];
    const target: TargetConfiguration = trialTarget(name, line.trial, before?.trial ?? null, experiment?.order ?? 'alternate');
    const trialRoot = join(folder, 'trials', line.trial);
    projects[trialRoot] = {
      name: `${name}.${line.trial}`,
      root: trialRoot,
      tags: ['trial', `experiment:${name}`, `arm:${line.arm}`, `case:${line.case}`],
      targets: { trial: target },
    };
  }
  return projects;
}
