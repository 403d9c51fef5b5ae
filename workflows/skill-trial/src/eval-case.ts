import { stringify } from 'yaml';
import type { Eval, EvalSet } from './eval.js';
import type { Imported, Loss } from './loss-report.js';
import { folderOf, join, normal } from './source-path.js';
import type { SourceTree } from './source-tree.js';

/** Adds the case of one eval: its prompt, its settings, and the files it names, from the first place that has them. */
export async function addCase(
  name: string,
  one: Eval,
  set: EvalSet,
  skill: string,
  skills: string[],
  skillFolder: string,
  tree: SourceTree,
  all: string[],
  made: Imported,
  lose: (status: Loss['status'], what: string) => void,
): Promise<void> {
  const at = `data/cases/${name}`;
  const { hidden, ...extra } = one.extra as { hidden?: Record<string, string> };
  for (const [path, text] of Object.entries(hidden ?? {})) made.files[`${at}/${path}`] = text;
  let delivered = 0;
  for (const file of one.files) {
    if (
      file.text === undefined &&
      (file.named.startsWith('/') || file.named.split('/').includes('..') || /^[A-Za-z]:/.test(file.named))
    ) {
      lose('missing', `eval ${one.id ?? one.name}: file ${file.named} lies outside of the repository: not delivered`);
      continue;
    }
    const to = normal(file.to);
    if (/^([\\/]|[A-Za-z]:)/.test(file.to) || file.to.split(/[\\/]/).includes('..') || to === '') {
      lose('missing', `eval ${one.id ?? one.name}: file ${file.to} would lie outside of the workspace: not delivered`);
      continue;
    }
    if (file.text !== undefined) {
      made.files[`${at}/repo/${to}`] = file.text;
      delivered += 1;
      continue;
    }
    const places: [string, string][] = [
      ['the skill’s folder', skillFolder],
      ['the folder of the evals', folderOf(set.file)],
      ['the root of the repository', ''],
    ];
    const found = places.find(([, folder]) =>
      all.some((path) => path === join(folder, file.named) || path.startsWith(`${join(folder, file.named)}/`)),
    );
    if (found === undefined) {
      lose('missing', `eval ${one.id ?? one.name}: file ${file.named} is in none of ${places.map(([what]) => what).join(', ')}`);
      continue;
    }
    const source = join(found[1], normal(file.named));
    for (const path of all.filter((path) => path === source || path.startsWith(`${source}/`)))
      made.files[`${at}/repo/${to.replace(/\/$/, '')}${path.slice(source.length)}`] = (await tree.read(path)) as Buffer;
    lose('mapped', `eval ${one.id ?? one.name}: file ${file.named} is taken from ${found[0]}`);
    delivered += 1;
  }
  // git keeps no empty folder
  if (delivered === 0) made.files[`${at}/repo/.gitkeep`] = '';
  made.files[`${at}/task.txt`] = one.turns[0] as string;
  const source = { dialect: set.dialect, file: set.file, id: one.id, name: one.name };
  made.files[`${at}/case.yaml`] = stringify(
    {
      schema_version: 1,
      name,
      title: (
        one.name ??
        (one.turns[0] as string)
          .split('\n')
          .find((line) => line.trim() !== '')
          ?.trim() ??
        name
      ).slice(0, 120),
      summary: `Eval ${one.id ?? one.name ?? ''} of skill ${skill}, from ${set.file}`,
      language: 'node',
      repo: { path: 'repo' },
      task: 'task.txt',
      skills,
      eval: {
        source,
        skill,
        ...(one.turns.length > 1 ? { follow_ups: one.turns.slice(1) } : {}),
        assertions: one.assertions,
        ...(one.shouldTrigger === null ? {} : { should_trigger: one.shouldTrigger }),
        ...(one.expectedOutput === null ? {} : { expected_output: one.expectedOutput }),
        ...(Object.keys(extra).length === 0 ? {} : { extra }),
      },
    },
    { lineWidth: 0, aliasDuplicateObjects: false },
  );
}
