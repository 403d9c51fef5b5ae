import { randomUUID } from 'node:crypto';
import { readCase } from './case.js';
import { builtName, dockerfileOf, imageId } from './container-image.js';
import type { Experiment } from './experiment.js';
import { rootPaths } from './paths.js';

/**
 * The identity of each image that an experiment and its cases name or build, by name. One that is not on this machine has another
 * value in every call: freeze has to pull or build it, and no freeze that was made before the image was there may stand for that.
 */
export async function presentImages(
  experiment: Pick<Experiment, 'cases' | 'sandbox_image'>,
  root: string,
  identify: (name: string) => Promise<string | null> = imageId,
): Promise<Record<string, string>> {
  const named = await Promise.all(
    experiment.cases.map(async (name) => {
      const one = await readCase(rootPaths(root).case(name)).catch(() => null);
      const dockerfile = one === null ? null : dockerfileOf(one);
      // a Dockerfile that is not there is refused by validate and freeze, with the reason
      return dockerfile === null ? one?.environment?.image : await builtName(name, dockerfile).catch(() => undefined);
    }),
  );
  const names = [experiment.sandbox_image, ...named].filter((name) => name !== undefined);
  const found: Record<string, string> = {};
  for (const name of new Set(names)) found[name] = (await identify(name)) ?? `absent ${randomUUID()}`;
  return found;
}
