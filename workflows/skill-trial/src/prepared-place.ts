import type { Base } from './base.js';
import type { Case } from './case.js';
import { buildImage, dockerfileOf, obtainImage } from './container-image.js';
import { SettingsError } from './errors.js';
import type { Experiment } from './experiment.js';
import type { Lab } from './lab.js';
import { type Place, warmOf } from './place.js';
import { resourceLimitsOf } from './resource-limits.js';
import { findSandbox, type SandboxFound } from './sandbox.js';
import { type FrozenSetUp, setUpCase } from './set-up.js';

/** What of a case's place goes into the lock. */
export interface PreparedPlace {
  place: Place;
  /** The case's own container; null: the experiment's sandbox. */
  environment: SandboxFound | null;
  setUp: FrozenSetUp | null;
}

/** Makes the place of a case: its image pulled or built, its set-up run. `host` is the sandbox of the experiment. */
export async function preparePlace(
  lab: Pick<Lab, 'run' | 'experiment'>,
  one: Case,
  base: Pick<Base, 'folder' | 'commit'>,
  host: SandboxFound,
  onStep?: (text: string) => void,
): Promise<PreparedPlace> {
  const environment = await findEnvironment(lab.experiment, one, onStep);
  const { kind, image } = environment ?? host;
  const common = { sandbox: kind, image, limits: resourceLimitsOf(lab.experiment) };
  const setUp = await setUpCase(lab, one, base, common, onStep);
  return { place: { ...common, warm: warmOf(lab, one.name, setUp) }, environment, setUp };
}

/** The container that a case asks for; null where it asks for none. */
async function findEnvironment(
  { sandbox }: Experiment,
  one: Case,
  onStep: (text: string) => void = () => undefined,
): Promise<SandboxFound | null> {
  if (one.environment === undefined) return null;
  if (sandbox === 'none' || sandbox === 'bubblewrap') {
    throw new SettingsError(`Case ${one.name} has a container environment, and the experiment forbids one`, {
      expected: 'sandbox: required, auto or container in experiment.yaml',
      found: `sandbox: ${sandbox}`,
      next: 'change sandbox, or take environment out of case.yaml',
    });
  }
  const dockerfile = dockerfileOf(one);
  onStep(`environment of case ${one.name}: ${one.environment.image ?? one.environment.dockerfile}`);
  const image = dockerfile === null ? await obtainImage(one.environment.image as string) : await buildImage(one.name, dockerfile);
  return findSandbox('container', image);
}
