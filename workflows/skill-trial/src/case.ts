import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { readText, readYaml, shown } from './document.js';
import { Environment, SetUp } from './environment.js';
import { SettingsError } from './errors.js';
import { EvalSettings } from './eval.js';
import { checkProofs, type MatrixRow, readMatrix } from './matrix.js';
import { Requirement } from './requirement.js';
import { type RubricRow, readRubric } from './rubric.js';
import { TestFrameworkName } from './test-framework.js';
import { Verifier } from './verifier.js';

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
  /** The container that its sessions and its tests run in. Absent: the experiment's sandbox. */
  environment: Environment.optional(),
  /** Run once, before anything is measured: what the repository needs installed or built. */
  setup: SetUp.optional(),
  task: RelativePath,
  /** What the rubric was made from; a person's, never shown to the agent. */
  reference: RelativePath.optional(),
  /** For cases that people (or a judge) score. */
  rubrics: z
    .strictObject({
      review: RelativePath,
      tests: RelativePath,
      documentation: RelativePath,
      /** The row of the test rubric that the negative control fills; a scorer leaves it out. */
      control_row: z.string().optional(),
    })
    .optional(),
  /** For requirement-driven cases: what the task asks, and the tests that tell whether it was delivered. */
  requirement: Requirement.optional(),
  verifier: Verifier.optional(),
  /** For evals of a skill: what is asserted of the output, and by what. */
  eval: EvalSettings.optional(),
  /** The repository's own tests; with `suite`, or neither. */
  tests: z
    .strictObject({ framework: TestFrameworkName.exclude(['exit-status']), include: z.array(z.string()).min(1) })
    .optional(),
  /** The complete suite's command, run from the repository's top. */
  suite: Argv.optional(),
  docs: z.array(z.string()).default([]),
  /** Globs of what the task is about; lines changed elsewhere are reported apart. */
  area: z.array(z.string()).min(1).default(['**']),
  hidden: z.record(z.string(), RelativePath).default({}),
  solution: RelativePath.optional(),
  mutants: RelativePath.optional(),
  /** The public entry point that the documentation has to name: a module as it is imported from the repository's top, and a name in it. */
  entry: z.strictObject({ module: z.string().min(1), name: z.string().min(1) }).optional(),
  /** What the mutants and the documentation checks say of the rows of the rubrics; a person confirms what they propose. */
  proofs: z
    .strictObject({
      /** By row of the test rubric: the points that a variant's tests earn by catching any or all of some mutants. */
      tests: z
        .record(
          z.string(),
          z
            .array(
              z.strictObject({
                points: z.number().positive('a positive number'),
                any: z.array(z.string()).min(1).optional(),
                all: z.array(z.string()).min(1).optional(),
              }),
            )
            .min(1),
        )
        .default({}),
      /** By kind of check: the row of the documentation rubric that it speaks of. */
      documentation: z
        .strictObject({
          entry: z.string().optional(),
          example: z.string().optional(),
          guarantees: z.string().optional(),
          commands: z.string().optional(),
        })
        .default({}),
    })
    .default({ tests: {}, documentation: {} }),
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
  /** The rows of mutants/matrix.csv; [] for a case without mutants. */
  matrix: MatrixRow[];
}

/** A case whose tests can be run: the repository's own, or a verifier's in their place. */
export interface TestedCase extends Omit<Case, 'suite' | 'tests'> {
  suite: string[];
  tests: { framework: TestFrameworkName; include: string[] };
}

/** Whether the repository of a case has tests of its own. */
export function hasTests(one: Case): one is Case & TestedCase {
  return one.tests !== undefined && one.suite !== undefined;
}

/** The case as one whose tests can be run; for cases that are known to have them. */
export function testedCase(one: Case): TestedCase {
  if (!hasTests(one)) throw new TypeError(`the repository of case ${one.name} has no tests`);
  return one;
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
  if (settings.reference !== undefined) await readText(join(folder, settings.reference), `${shown(file)}: reference`);
  if (settings.verifier?.files !== undefined)
    await requireFolder(join(folder, settings.verifier.files), `${shown(file)}: verifier.files`);
  if (settings.environment?.dockerfile !== undefined)
    await readText(join(folder, settings.environment.dockerfile), `${shown(file)}: environment.dockerfile`);
  const task = await readText(join(folder, settings.task), `${shown(file)}: task`);
  if (task.trim() === '') {
    throw new SettingsError(`${shown(file)}: the task is empty`, {
      expected: 'the task text',
      found: 'an empty file',
      next: `write ${settings.task}`,
    });
  }
  requireMeasure(settings, shown(file));
  const rubricRows = await readRubrics(folder, settings, shown(file));
  const matrix = settings.mutants === undefined ? [] : await readMatrix(join(folder, settings.mutants), settings.hidden);
  checkProofs(settings, rubricRows, matrix, shown(file));
  return { ...settings, folder, taskBytes: await readFile(join(folder, settings.task)), rubricRows, matrix };
}

/** A case measures something, and says as much of its repository's tests as it takes to run them. */
function requireMeasure({ rubrics, verifier, eval: own, skills, tests, suite }: CaseSettings, where: string): void {
  if (own !== undefined && !(skills ?? [own.skill]).includes(own.skill)) {
    throw new SettingsError(`${where}: eval.skill is none of the case's skills`, {
      expected: `one of ${skills?.join(', ')}`,
      found: own.skill,
      next: 'name it under skills, or correct eval.skill',
    });
  }
  if (rubrics === undefined && verifier === undefined && own === undefined) {
    throw new SettingsError(`${where} measures nothing`, {
      expected: 'rubrics (people score), a verifier (tests tell) or an eval (assertions tell)',
      found: 'none of them',
      next: 'add one, or several',
    });
  }
  if ((tests === undefined) !== (suite === undefined)) {
    throw new SettingsError(`${where}: tests and suite belong together`, {
      expected: 'both, or neither for a repository without tests',
      found: tests === undefined ? 'suite alone' : 'tests alone',
      next: `add ${tests === undefined ? 'tests' : 'suite'}`,
    });
  }
}

/** The rows of the three rubrics, each [] for a case without rubrics; rows that the settings name exist. */
async function readRubrics(folder: string, { rubrics, hidden }: CaseSettings, where: string): Promise<Case['rubricRows']> {
  if (rubrics === undefined) return { review: [], tests: [], documentation: [] };
  const rows = {
    review: await readRubric(join(folder, rubrics.review)),
    tests: await readRubric(join(folder, rubrics.tests)),
    documentation: await readRubric(join(folder, rubrics.documentation)),
  };
  const loose = Object.keys(hidden).find((id) => !rows.review.some((row) => row.id === id));
  if (loose !== undefined) {
    throw new SettingsError(`${shown(join(folder, rubrics.review))}: row ${loose} is missing`, {
      expected: `a row for each hidden test: ${Object.keys(hidden).join(', ')}`,
      found: rows.review.map((row) => row.id).join(', '),
      next: `add the row, or take ${loose} from hidden in ${where}`,
    });
  }
  const { control_row } = rubrics;
  if (control_row !== undefined && !rows.tests.some((row) => row.id === control_row)) {
    throw new SettingsError(`${where}: rubrics.control_row is no row of the test rubric`, {
      expected: `one of ${rows.tests.map((row) => row.id).join(', ')}`,
      found: control_row,
      next: 'correct control_row',
    });
  }
  return rows;
}

/** Names of the cases below data/cases, sorted. */
export async function listCases(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
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
