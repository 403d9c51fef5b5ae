import { readFile } from 'node:fs/promises';
import { type Experiment, rootPaths } from 'skill-trial/settings';

/**
 * The command whose output tells the graph what of this machine can change an experiment's lock. Nx runs one command once, however
 * many tasks name it: experiments that name nothing of their own (a program, an image, a revision) share that of their agent.
 */
export async function conditionsCommand(root: string, experiment: Experiment): Promise<string> {
  const { name, agent, arms, cases, sandbox_image } = experiment;
  const own =
    agent.command !== undefined ||
    sandbox_image !== undefined ||
    Object.values(arms).some((arm) => arm.skills_from !== undefined) ||
    (await Promise.all(cases.map((one) => hasEnvironment(rootPaths(root).case(one))))).some(Boolean);
  return `node workflows/dist/conditions.js ${own ? name : `--agent=${agent.name}`}`;
}

/** Whether a case may name an image: told by its text, since reading it whole would cost the graph a second for some hundred cases. */
async function hasEnvironment(folder: string): Promise<boolean> {
  const text = await readFile(`${folder}/case.yaml`, 'utf8').catch(() => '');
  return /^\s*["']?environment["']?\s*:/m.test(text) || text.trimStart().startsWith('{');
}
