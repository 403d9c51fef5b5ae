// npx nx g skill-trial:import-evals --from <file or folder> [--name <experiment>]
import type { Tree } from '@nx/devkit';
import { importEvals } from '../eval-import.js';
import type { ModelWish } from '../imported-model.js';
import { describeLosses } from '../loss-report.js';
import { openSourceTree } from '../source-tree.js';
import { mustBeFree, mustBeSlug } from './target.js';

export interface ImportEvalsOptions extends ModelWish {
  from: string;
  name?: string;
  repeats?: number;
  judge?: string;
}

/**
 * Writes a case for each eval, its skill and one experiment, and prints what could not be carried over. A case or experiment that is
 * there already is refused; a skill that is there already is kept where it is the same, and refused where it is another.
 */
export default async function generateImportEvals(tree: Tree, options: ImportEvalsOptions): Promise<void> {
  if (options.name !== undefined) mustBeSlug('The experiment', options.name);
  const { tree: source, from } = await openSourceTree(options.from);
  const imported = await importEvals(source, { ...options, from });
  for (const name of imported.cases) mustBeFree(tree, `data/cases/${name}/case.yaml`);
  for (const name of imported.experiments) mustBeFree(tree, `data/experiments/${name}/experiment.yaml`);
  for (const [path, content] of Object.entries(imported.files)) {
    const bytes = Buffer.from(content);
    if (path.startsWith('skills-src/') && !(tree.exists(path) && tree.read(path)?.equals(bytes))) mustBeFree(tree, path);
  }
  for (const [path, content] of Object.entries(imported.files)) tree.write(path, Buffer.from(content));
  for (const line of describeLosses(imported)) console.log(line);
}
