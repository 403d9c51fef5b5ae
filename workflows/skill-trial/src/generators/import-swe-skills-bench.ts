// npx nx g skill-trial:import-swe-skills-bench --from <checkout>
import { resolve } from 'node:path';
import type { Tree } from '@nx/devkit';
import type { ModelWish } from '../imported-model.js';
import { describeLosses } from '../loss-report.js';
import { importSweSkillsBench } from '../swe-skills-bench.js';
import { mustBeFree } from './target.js';

export interface ImportOptions extends ModelWish {
  from: string;
  /** Ids, with commas between them. */
  skills?: string;
  batch?: number;
  mirrors?: string;
}

/** Writes the cases, skills and experiments of a benchmark checkout that the user has, and prints what could not be carried over. */
export default async function generateImport(
  tree: Tree,
  { from, skills, batch, mirrors, ...wish }: ImportOptions,
): Promise<void> {
  const made = await importSweSkillsBench({
    ...wish,
    from: resolve(from),
    ...(skills === undefined ? {} : { skills: skills.split(',').map((id) => id.trim()) }),
    ...(batch === undefined ? {} : { batches: [batch] }),
    ...(mirrors === undefined ? {} : { mirrors: resolve(mirrors) }),
  });
  for (const path of Object.keys(made.files)) mustBeFree(tree, path);
  for (const [path, text] of Object.entries(made.files)) tree.write(path, text);
  for (const line of describeLosses(made)) console.log(line);
}
