import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseDocument, stringify } from 'yaml';
import { z } from 'zod';
import { check } from './document.js';
import { SettingsError } from './errors.js';
import { importedModel, type ModelWish } from './imported-model.js';
import type { Imported, Loss } from './loss-report.js';
import { readRequirementDocument } from './requirement-document.js';
import { slugOf } from './slug.js';
import { BenchEnvironment, type ImportedEnvironment, importEnvironment } from './swe-skills-environment.js';
import { coverageOf } from './test-advice.js';
import { readWrittenTests } from './written-test.js';

/** The keys of the benchmark's configuration that the importer reads; others are its own and are named as dropped. */
const BenchSkill = z.looseObject({
  id: z.string(),
  name: z.string().optional(),
  description: z.string().optional(),
  type: z.string().optional(),
  repo: z.looseObject({ url: z.string(), commit: z.string().optional() }),
  environment: BenchEnvironment.optional(),
  evaluation: z
    .array(
      z.looseObject({
        level: z.string(),
        method: z.string(),
        params: z.looseObject({ test_command: z.string().optional(), timeout: z.number().optional() }).optional(),
      }),
    )
    .default([]),
});
type BenchSkill = z.infer<typeof BenchSkill>;

const BenchConfig = z.looseObject({ skills: z.array(BenchSkill) });

export interface BenchOptions extends ModelWish {
  /** The benchmark's checkout, which the user has. */
  from: string;
  /** Ids to import; all of them where absent. */
  skills?: string[];
  /** Numbers of batches to import; all of them where absent. */
  batches?: number[];
  /** A folder of local mirrors (<owner>+<name> or <name>); a repository found there is used in place of its address. */
  mirrors?: string;
}

/**
 * Makes one case for each skill and batch of a SWE-Skills-Bench checkout, one experiment for each skill, and takes the skills over.
 * Nothing is written: the files are returned. What cannot be carried over is in `losses`.
 */
export async function importSweSkillsBench(options: BenchOptions): Promise<Imported> {
  const losses: Loss[] = [];
  const config = await readConfig(options.from, losses);
  const unknown = options.skills?.filter((id) => !config.some((skill) => skill.id === id)) ?? [];
  if (unknown.length > 0) {
    throw new SettingsError(`Unknown skill ${unknown.join(', ')}`, {
      expected: `ids of ${join(options.from, 'config/benchmark_config.yaml')}: ${config.map(({ id }) => id).join(', ')}`,
      found: unknown.join(', '),
      next: 'correct --skills',
    });
  }
  const files: Imported['files'] = {};
  const [experiments, cases]: [string[], string[]] = [[], []];
  for (const skill of config.filter(({ id }) => options.skills?.includes(id) ?? true)) {
    const made = await importSkill(skill, options, losses);
    if (made === null) continue;
    Object.assign(files, made.files);
    experiments.push(made.experiment);
    cases.push(...made.cases);
  }
  return { files, experiments, cases, losses };
}

/** The configured skills. A key that occurs twice hides the first: the benchmark's own reader takes the last, and so does this one. */
async function readConfig(from: string, losses: Loss[]): Promise<BenchSkill[]> {
  const path = join(from, 'config', 'benchmark_config.yaml');
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text === null) {
    throw new SettingsError('No benchmark checkout', {
      expected: `a checkout with config/benchmark_config.yaml, tasks/, tests/ and skills/`,
      found: `no ${path}`,
      next: 'give --from the folder of a SWE-Skills-Bench checkout',
    });
  }
  const document = parseDocument(text, { uniqueKeys: false });
  for (const error of parseDocument(text, { uniqueKeys: true }).errors)
    if (error.code === 'DUPLICATE_KEY')
      losses.push({
        where: `config/benchmark_config.yaml:${error.linePos?.[0].line}`,
        status: 'warned',
        what: 'a key stands twice; the last one counts, as in the benchmark',
      });
  const broken = document.errors[0];
  if (broken !== undefined)
    throw new SettingsError('config/benchmark_config.yaml is not valid YAML', {
      expected: 'YAML',
      found: broken.message,
      next: 'correct the file',
    });
  return check(document.toJS({ maxAliasCount: 1000 }), BenchConfig, 'config/benchmark_config.yaml').skills;
}

async function importSkill(skill: BenchSkill, { from, batches, mirrors, ...wish }: BenchOptions, losses: Loss[]) {
  const files: Imported['files'] = {};
  const cases: string[] = [];
  const name = slugOf(skill.id);
  const lose = (status: Loss['status'], what: string, where = skill.id) => losses.push({ where, status, what });
  const skillText = await readFile(join(from, 'skills', skill.id, 'SKILL.md'), 'utf8').catch(() => null);
  if (skillText === null) {
    lose('missing', `skills/${skill.id}/SKILL.md: no treatment, not imported`);
    return null;
  }
  files[`skills-src/${name}/SKILL.md`] = skillText.replace(/^(name:).*$/m, `$1 ${name}`);
  if (name !== skill.id) lose('mapped', `the skill is called ${name} here`);
  const others = (await readdir(join(from, 'skills', skill.id))).filter((file) => file !== 'SKILL.md');
  if (others.length > 0) lose('dropped', `further files of the skill: ${others.join(', ')}`);
  if (skill.repo.commit === undefined || !/^[0-9a-f]{40}$/.test(skill.repo.commit)) {
    lose('missing', `the repository is pinned to ${skill.repo.commit ?? 'nothing'}: a full commit is needed, not imported`);
    return null;
  }
  const git = await reachable(skill.repo.url, mirrors);
  if (git !== skill.repo.url) lose('mapped', `${skill.repo.url} is taken from ${git}`);
  const environment = await importEnvironment(skill.environment, from, lose);
  for (const batch of await batchNumbers(from)) {
    if (batches !== undefined && !batches.includes(batch)) continue;
    const task = await readFile(join(from, 'tasks', `batch${batch}`, `${skill.id}.md`), 'utf8').catch(() => null);
    if (task === null) continue;
    const where = `tasks/batch${batch}/${skill.id}.md`;
    const testName = `test_${skill.id.replaceAll('-', '_')}.py`;
    const tests = await readFile(join(from, 'tests', `batch${batch}`, testName), 'utf8').catch(() => null);
    if (tests === null) {
      lose('missing', `tests/batch${batch}/${testName}: a task without tests tells nothing, not imported`, where);
      continue;
    }
    const document = readRequirementDocument(task);
    if (document.criteria.length === 0) lose('warned', 'no acceptance criteria were found in the document', where);
    const criteria = document.criteria.length > 0 ? document.criteria : [{ id: 'AC-1', text: 'as the document says' }];
    const { untested, untraced } = coverageOf(criteria, readWrittenTests(testName, tests) ?? []);
    const traced = untested.length === 0 && untraced.length === 0;
    if (!traced)
      lose(
        'warned',
        `${untested.length} of ${criteria.length} criteria are named by no test, and ${untraced.length} tests name none: coverage is told, and not required`,
        where,
      );
    const one = `swe-${name}-b${batch}`;
    cases.push(one);
    files[`data/cases/${one}/task.txt`] = task;
    files[`data/cases/${one}/verifier/lab-verifier/${testName}`] = tests;
    for (const [path, text] of Object.entries(environment.files)) files[`data/cases/${one}/${path}`] = text;
    files[`data/cases/${one}/case.yaml`] = stringify(
      {
        schema_version: 1,
        name: one,
        title: document.title || skill.name || skill.id,
        summary: skill.description ?? `Imported from a benchmark checkout: ${where}`,
        language: 'python',
        repo: { git, commit: skill.repo.commit },
        ...environment.settings,
        task: 'task.txt',
        skills: [name],
        requirement: {
          type: 'feature',
          ...(skill.type === undefined ? {} : { category: skill.type }),
          criteria,
          ...(traced ? {} : { traced }),
          ...(document.files.length > 0 ? { files: document.files } : {}),
        },
        verifier: { files: 'verifier', workspace: '/workspace', checks: checksOf(skill, testName) },
      },
      { lineWidth: 0 },
    );
  }
  if (cases.length === 0) {
    lose('missing', 'no task with tests in the wanted batches, not imported');
    return null;
  }
  const experiment = `swe-${name}`;
  files[`data/experiments/${experiment}/experiment.yaml`] = experimentText(experiment, name, cases, environment.limits, wish);
  return { files, experiment, cases };
}

/** The benchmark's evaluation levels as checks; a unit test runs by the lab's own pytest command, so that each test is told apart. */
function checksOf(skill: BenchSkill, testName: string) {
  const builds = skill.evaluation.flatMap(({ method, params }) =>
    method === 'build_check' && params?.test_command !== undefined
      ? [
          {
            level: 'L1',
            framework: 'exit-status',
            command: ['bash', '-c', params.test_command],
            timeout_seconds: params.timeout ?? 120,
          },
        ]
      : [],
  );
  const timeout = skill.evaluation.find(({ method }) => method === 'unit_test')?.params?.timeout ?? 600;
  return [
    ...builds,
    {
      level: 'L2',
      framework: 'pytest',
      command: ['python3', '-m', 'pytest', '-q', `lab-verifier/${testName}`],
      timeout_seconds: timeout,
    },
  ];
}

function experimentText(
  experiment: string,
  skill: string,
  cases: string[],
  limits: ImportedEnvironment['limits'],
  wish: ModelWish,
): string {
  return `# Imported from a SWE-Skills-Bench checkout. What is still called set-the-model has to be set before the first freeze.\n${stringify(
    {
      schema_version: 1,
      name: experiment,
      tags: ['swe-skills-bench'],
      title: `Does ${skill} help on its own tasks?`,
      question: `Is the requirement met more often with the skill ${skill} than without it, and at what cost in tokens?`,
      cases,
      arms: { A: { skills: [] }, B: { skills: [skill] } },
      repeats: 3,
      order: 'alternate',
      seed: 1,
      agent: { name: 'claude-code' },
      model: importedModel(wish, 'anthropic-messages'),
      limits: { wall_seconds: 1800, model_calls: 200, ...limits },
      decision: { primary: 'requirement_met', tested_class: `tasks of the kind ${skill} is for`, untested_class: 'other tasks' },
    },
    { lineWidth: 0 },
  )}`;
}

async function batchNumbers(from: string): Promise<number[]> {
  const entries = await readdir(join(from, 'tasks')).catch(() => [] as string[]);
  return entries
    .flatMap((entry) => /^batch(\d+)$/.exec(entry)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

/** A local mirror of a repository where there is one, else its address. */
async function reachable(url: string, mirrors: string | undefined): Promise<string> {
  if (mirrors === undefined) return url;
  const [owner = '', name = ''] = url
    .replace(/\.git$/, '')
    .split(/[/:]/)
    .slice(-2);
  for (const folder of [`${owner}+${name}`, `${name}.git`, name]) {
    const path = join(mirrors, folder);
    if ((await stat(path).catch(() => null))?.isDirectory()) return path;
  }
  return url;
}
