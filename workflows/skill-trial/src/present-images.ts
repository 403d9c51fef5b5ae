import { readCase } from './case.js';
import { imageId } from './container-image.js';
import type { Experiment } from './experiment.js';
import { rootPaths } from './paths.js';

/**
 * The identity of each image that an experiment and its cases name, by name; null where it is not on this machine yet. What a Dockerfile
 * makes follows from the case's files.
 */
export async function presentImages(experiment: Experiment, root: string): Promise<Record<string, string | null>> {
  const cases = await Promise.all(experiment.cases.map((name) => readCase(rootPaths(root).case(name)).catch(() => null)));
  const names = [experiment.sandbox_image, ...cases.map((one) => one?.environment?.image)].filter((name) => name !== undefined);
  const found: Record<string, string | null> = {};
  for (const name of new Set(names)) found[name] = await imageId(name);
  return found;
}
