import type { Tree } from '@nx/devkit';
import leven from 'leven';
import { SettingsError } from '../errors.js';

/** Checks that every generator makes before it writes. A generator writes to the Tree alone: `--dry-run` then shows all of it. */

const slug = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** Throws a SettingsError unless `name` is of [a-z0-9-]. */
export function mustBeSlug(what: string, name: string): void {
  if (slug.test(name)) return;
  throw new SettingsError(`${what} cannot be called "${name}"`, {
    expected: 'small letters, digits and single hyphens between them',
    found: name,
    next: 'choose another name',
  });
}

/** Throws a SettingsError, which names the nearest experiment, unless data/experiments holds this one. */
export function mustBeExperiment(tree: Pick<Tree, 'exists' | 'children'>, name: string): void {
  if (tree.exists(`data/experiments/${name}/experiment.yaml`)) return;
  const known = tree.children('data/experiments').filter((one) => tree.exists(`data/experiments/${one}/experiment.yaml`));
  const nearest = [...known].sort((x, y) => leven(x, name) - leven(y, name))[0];
  throw new SettingsError(`Experiment "${name}" not found`, {
    expected: known.length === 0 ? 'an experiment below data/experiments' : `one of ${known.join(', ')}`,
    found: name,
    next: nearest === undefined ? 'make an experiment first' : `did you mean ${nearest}?`,
  });
}

/** Throws a SettingsError where something stands at a path already: a generator never writes over a person's work. */
export function mustBeFree(tree: Pick<Tree, 'exists'>, path: string): void {
  if (!tree.exists(path)) return;
  throw new SettingsError(`${path} is there already`, {
    expected: 'a name that is free',
    found: 'something under that name',
    next: 'choose another name, or remove it first',
  });
}
