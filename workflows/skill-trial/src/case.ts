import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { readText, readYaml, shown } from './document.js';
import { SettingsError } from './errors.js';
import { hashTree, sha256 } from './hash.js';
import { type RubricRow, readRubric } from './rubric.js';

export const Slug = z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'lower-case letters, digits and single hyphens');
const RelativePath = z
  .string()
  .min(1)
  .refine((path) => !path.startsWith('/') && !path.split('/').includes('..'), 'a path inside the case folder');
const Argv = z.array(z.string().min(1)).min(1);

/** data/cases/<case>/case.yaml: a frozen task with its repository, rubrics and checks. */
export const CaseSettings = z.strictObject({
  schema_version: z.literal(1),
  name: Slug,
  title: z.string().min(1),
  summary: z.string().min(1),
  language: z.enum(['node', 'python']),
  /** A folder of the case, or a repository with a commit. */
  repo: z.strictObject({ path: RelativePath.optional(), git: z.string().optional(), commit: z.string().optional() }),
  /** The skills this case is paired with: of an arm's skills only these are given to the agent here. Absent: all of them. */
  skills: z.array(Slug).min(1).optional(),
  task: RelativePath,
  reference: RelativePath,
  rubrics: z.strictObject({
    review: RelativePath,
    tests: RelativePath,
    documentation: RelativePath,
    /** The row of the test rubric that the negative control fills; a scorer leaves it out. */
    control_row: z.string().optional(),
  }),
  tests: z.strictObject({ framework: z.enum(['node-test', 'pytest']), include: z.array(z.string()).min(1) }),
  /** The complete suite's command, run from the repository's top. */
  suite: Argv,
  docs: z.array(z.string()).min(1),
  /** Globs of what the task is about; lines changed elsewhere are reported apart. */
  area: z.array(z.string()).min(1),
  hidden: z.record(z.string(), RelativePath).default({}),
  solution: RelativePath.optional(),
  mutants: RelativePath.optional(),
  /** Words of the reference sheet that no skill may contain. */
  leak_words: z.array(z.string().min(2)).default([]),
  scripts: RelativePath.optional(),
  /** Starting-suite failures known before any run, by test name. None: a red suite is refused. */
  known_failures: z.array(z.string()).default([]),
});
export type CaseSettings = z.infer<typeof CaseSettings>;

export interface Case extends CaseSettings {
  folder: string;
  taskBytes: Buffer;
  rubricRows: { review: RubricRow[]; tests: RubricRow[]; documentation: RubricRow[] };
}

/** A case read whole and checked: every file it names exists, every rubric is complete. */
export async function readCase(folder: string): Promise<Case> {
  const file = join(folder, 'case.yaml');
  const settings = await readYaml(file, CaseSettings);
  if (settings.name !== basename(folder)) {
    throw new SettingsError(`${shown(file)}: name differs from its folder`, {
      expected: basename(folder),
      found: settings.name,
      next: 'rename the folder or the case',
    });
  }
  if (
    (settings.repo.path === undefined) === (settings.repo.git === undefined) ||
    (settings.repo.git === undefined) !== (settings.repo.commit === undefined)
  ) {
    throw new SettingsError(`${shown(file)}: repo is not valid`, {
      expected: 'either path (a folder of the case), or git and commit',
      found: JSON.stringify(settings.repo),
      next: 'keep one of the two',
    });
  }
  const folders = {
    'repo.path': settings.repo.path,
    solution: settings.solution,
    mutants: settings.mutants,
    scripts: settings.scripts,
  };
  for (const [field, path] of Object.entries(folders))
    if (path !== undefined) await requireFolder(join(folder, path), `${shown(file)}: ${field}`);
  for (const path of Object.values(settings.hidden)) await readText(join(folder, path), `${shown(file)}: hidden`);
  await readText(join(folder, settings.reference), `${shown(file)}: reference`);
  const task = await readText(join(folder, settings.task), `${shown(file)}: task`);
  if (task.trim() === '') {
    throw new SettingsError(`${shown(file)}: the task is empty`, {
      expected: 'the task text',
      found: 'an empty file',
      next: `write ${settings.task}`,
    });
  }
  const rubricRows = {
    review: await readRubric(join(folder, settings.rubrics.review)),
    tests: await readRubric(join(folder, settings.rubrics.tests)),
    documentation: await readRubric(join(folder, settings.rubrics.documentation)),
  };
  const loose = Object.keys(settings.hidden).find((id) => !rubricRows.review.some((row) => row.id === id));
  if (loose !== undefined) {
    throw new SettingsError(`${shown(join(folder, settings.rubrics.review))}: row ${loose} is missing`, {
      expected: `a row for each hidden test: ${Object.keys(settings.hidden).join(', ')}`,
      found: rubricRows.review.map((row) => row.id).join(', '),
      next: `add the row, or take ${loose} from hidden in ${shown(file)}`,
    });
  }
  const { control_row } = settings.rubrics;
  if (control_row !== undefined && !rubricRows.tests.some((row) => row.id === control_row)) {
    throw new SettingsError(`${shown(file)}: rubrics.control_row is no row of the test rubric`, {
      expected: `one of ${rubricRows.tests.map((row) => row.id).join(', ')}`,
      found: control_row,
      next: 'correct control_row',
    });
  }
  return { ...settings, folder, taskBytes: await readFile(join(folder, settings.task)), rubricRows };
}

/** Names of the cases below data/cases, sorted. */
export async function listCases(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

/** SHA-256 of each frozen file of a case; `hidden` covers tests, solution and mutants, which no agent sees. */
export async function caseHashes(one: Case) {
  const file = async (path: string) => sha256(await readFile(join(one.folder, path)));
  const hidden = [...Object.values(one.hidden)].sort();
  return {
    settings: await file('case.yaml'),
    task: await file(one.task),
    reference: await file(one.reference),
    review_rubric: await file(one.rubrics.review),
    test_rubric: await file(one.rubrics.tests),
    documentation_rubric: await file(one.rubrics.documentation),
    hidden: sha256((await Promise.all(hidden.map(file))).join('\n')),
    solution: one.solution === undefined ? null : await hashTree(join(one.folder, one.solution)),
    mutants: one.mutants === undefined ? null : await hashTree(join(one.folder, one.mutants)),
  };
}

async function requireFolder(path: string, what: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory()) return;
  throw new SettingsError(`${what} is not a folder`, {
    expected: 'a folder below the case',
    found: found === null ? `nothing at ${shown(path)}` : 'a file',
    next: 'create the folder, or correct the path',
  });
}

/** Where a case keeps what the scripted model does. */
export function scriptsFolder(one: Pick<Case, 'folder' | 'scripts'>): string {
  return join(one.folder, one.scripts ?? 'scripts');
}
