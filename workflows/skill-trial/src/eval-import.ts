import { stringify } from 'yaml';
import { LabError, SettingsError } from './errors.js';
import type { EvalSet } from './eval.js';
import { addCase } from './eval-case.js';
import { uniqueId } from './eval-reading.js';
import { addSkill, findSkill, type ImportedSkills, skillsNamed } from './eval-skill.js';
import { evalFileName, readEvalFile } from './eval-source.js';
import { importedModel, type ModelWish } from './imported-model.js';
import type { Imported, Loss } from './loss-report.js';
import { slugOf } from './slug.js';
import { folderOf, normal, textOf } from './source-path.js';
import type { SourceTree } from './source-tree.js';

export interface EvalImportOptions extends ModelWish {
  /** A file of evals, or a folder in which files of evals and skills lie; below the tree's root. */
  from: string;
  /** Name of the experiment; the skill's (or the folder's) where absent. */
  name?: string;
  repeats?: number;
  /** The id of the judge, at the same provider; the measured model where absent. */
  judge?: string;
}

/**
 * Reads the evals of other projects into cases, takes their skills over and makes one experiment of them. Nothing is written: the
 * files are returned, with what could not be carried over. A file that cannot be read at all is an error where it is the only one.
 */
export async function importEvals(tree: SourceTree, options: EvalImportOptions): Promise<Imported> {
  const losses: Loss[] = [];
  const sets: EvalSet[] = [];
  const skillsMade: ImportedSkills = { folders: new Map(), evals: new Set(), sets: new Map() };
  const all = await tree.list('');
  const named = all.includes(options.from) ? [options.from] : evalFilesBelow(all, options.from);
  if (named.length === 0) {
    throw new SettingsError(`No evals below ${options.from || '.'}`, {
      expected: 'evals.json, a trigger file, eval.yaml or task.toml',
      found: 'none',
      next: 'give --from a file of evals, or a folder that holds some',
    });
  }
  for (const file of named) {
    const note: (status: Loss['status'], what: string, at?: string) => void = (status, what, at) =>
      losses.push({ where: at ?? file, status, what });
    const beside = (path: string) => normal(`${folderOf(file)}/${path}`);
    const here = findSkill(null, file, all);
    const isOwnFolder =
      here !== null &&
      here !== folderOf(file) &&
      !all.some((path) => (path === 'SKILL.md' || path.endsWith('/SKILL.md')) && path.startsWith(`${folderOf(file)}/`));
    if (isOwnFolder) skillsMade.evals.add(`${folderOf(file)}/`);
    const reading = {
      file,
      note,
      text: async (path: string) => {
        const bytes = await tree.read(beside(path));
        if (bytes !== null) skillsMade.evals.add(beside(path));
        return textOf(bytes);
      },
      list: async (folder: string) => {
        const found = await tree.list(beside(folder));
        for (const path of found) skillsMade.evals.add(path);
        return found.map((path) => path.slice(beside(folder).length + 1));
      },
      skillHere: here === null ? null : ((here === '' ? tree.skill : here.split('/').at(-1)) ?? null),
    };
    try {
      const set = await readEvalFile((await tree.read(file)) as Buffer, reading);
      if (set === null) continue;
      const parts = bySkill(set);
      for (const part of parts) {
        const isHere = part.skill === null || slugOf(part.skill) === slugOf(reading.skillHere ?? '');
        if (parts.length === 1 || isHere || skillsNamed(part.skill as string, all).length > 0) sets.push(part);
        else note('missing', `no SKILL.md of ${part.skill}: ${part.evals.length} evals that name it are not imported`);
      }
    } catch (error) {
      if (named.length === 1 || !(error instanceof LabError)) throw error;
      note('missing', `${error.message.split('\n')[0]}: ${error.found}`);
    }
  }
  const made: Imported = { files: {}, experiments: [], cases: [], losses };
  const skills: string[] = [];
  for (const set of sets) skills.push(...(await addSet(set, tree, all, made, skillsMade)));
  if (made.cases.length === 0) {
    throw new SettingsError(`Nothing below ${options.from || '.'} can be imported`, {
      expected: 'evals with a prompt, and the SKILL.md of their skill',
      found: losses.find(({ status }) => status === 'missing')?.what ?? 'no eval',
      next: 'correct the source',
    });
  }
  const experiment =
    options.name ??
    `evals-${sets.length === 1 || new Set(skills).size === 1 ? skills[0] : slugOf(options.from.split('/').at(-1) ?? '') || 'imported'}`;
  made.experiments.push(experiment);
  made.files[`data/experiments/${experiment}/experiment.yaml`] = experimentText(
    experiment,
    [...new Set(skills)],
    made.cases,
    sets,
    options,
  );
  return made;
}

/** The files of evals below a folder; the tasks of a waza eval are not evals of their own. */
function evalFilesBelow(all: string[], from: string): string[] {
  const prefix = from === '' || from === '.' ? '' : `${from}/`;
  return all
    .filter((path) => path.startsWith(prefix) && evalFileName.test(path.split('/').at(-1) as string))
    .filter(
      (path) =>
        !/(^|\/)(tasks|fixtures|node_modules|iteration-\d+)\//.test(path.slice(prefix.length)) || path.endsWith('/task.toml'),
    )
    .sort();
}

/** A set for each skill that its evals name; most name none, and stay in one. */
function bySkill(set: EvalSet): EvalSet[] {
  const named = [...new Set(set.evals.map(({ skill }) => skill ?? set.skill))];
  if (named.length === 0) return [set];
  return named.map((skill) => ({ ...set, skill, evals: set.evals.filter((one) => (one.skill ?? set.skill) === skill) }));
}

/** Adds one set: its skill, what that depends on, and a case for each eval. Returns the names of the skills. */
async function addSet(
  set: EvalSet,
  tree: SourceTree,
  all: string[],
  made: Imported,
  skillsMade: ImportedSkills,
): Promise<string[]> {
  const lose = (status: Loss['status'], what: string, where = set.file) => made.losses.push({ where, status, what });
  const skillFolder = findSkill(set.skill, set.file, all);
  if (skillFolder === null) {
    lose('missing', `no SKILL.md of ${set.skill ?? 'a skill'} beside, above or below: without a treatment nothing is imported`);
    return [];
  }
  const names: string[] = [];
  for (const [index, folder] of [skillFolder, ...set.deps.map((dep) => skillsNamed(dep, all)[0] ?? null)].entries()) {
    if (folder === null) {
      lose('missing', `skill_deps: no SKILL.md of ${set.deps[index - 1]}; the skill runs without it`);
      continue;
    }
    const name = await addSkill(folder, index === 0 ? set.skill : null, tree, all, made, skillsMade, lose);
    if (name === null && index === 0) return [];
    if (name !== null) names.push(name);
  }
  const skill = names[0] as string;
  const written = JSON.stringify([skill, set.evals]);
  const twin = skillsMade.sets.get(written);
  if (twin !== undefined) {
    lose('dropped', `the same evals of ${skill} as in ${twin}`);
    return names;
  }
  skillsMade.sets.set(written, set.file);
  if (set.skill !== null && slugOf(set.skill) !== skill) lose('mapped', `skill ${set.skill} is called ${skill} here`);
  if (Object.keys(set.extra).length > 0)
    lose('mapped', `${Object.keys(set.extra).join(', ')} kept as they are, nothing follows from them`);
  for (const [index, one] of set.evals.entries()) {
    const wanted = `${skill}-${slugOf(String(one.id ?? one.name ?? index + 1)) || index + 1}`.slice(0, 80);
    if (/^\/[a-z]/i.test(one.turns[0] as string))
      lose(
        'warned',
        `eval ${one.id ?? one.name ?? index + 1} begins with "/": an agent may take it for a command of its own and get other words in each arm`,
      );
    const name = uniqueId(set.dialect === 'triggers' ? `${wanted}-trigger` : wanted, made.cases);
    made.cases.push(name);
    await addCase(name, one, set, skill, names, skillFolder, tree, all, made, lose);
  }
  return names;
}

function experimentText(name: string, skills: string[], cases: string[], sets: EvalSet[], options: EvalImportOptions): string {
  const { repeats = 1 } = options;
  const dialect = sets.map((set) => set.dialect).find((one) => one === 'agentskills' || one === 'pi') ?? 'skill-creator';
  return `# Imported evals. What is still called set-the-model has to be set before the first freeze.\n${stringify(
    {
      schema_version: 1,
      name,
      tags: ['evals'],
      title:
        skills.length === 1
          ? `What ${skills[0]} changes on its own evals`
          : `What ${skills.length} skills change on their own evals`,
      question: 'How many of their assertions hold with the skill and without it, and at what cost in tokens and time?',
      cases,
      arms: { A: { skills: [] }, B: { skills } },
      repeats,
      order: 'parallel',
      seed: 1,
      agent: { name: 'pi' },
      model: importedModel(options, 'openai-completions'),
      judge: { model: importedModel({ ...options, model: options.judge ?? options.model }, 'openai-completions') },
      limits: { wall_seconds: 600, model_calls: 60 },
      evals: { dialect },
      decision: { primary: 'assertions_passed', tested_class: 'these evals', untested_class: 'any other task' },
    },
    { lineWidth: 0 },
  )}`;
}
