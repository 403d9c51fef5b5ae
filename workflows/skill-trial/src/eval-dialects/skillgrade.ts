import type { Eval, EvalSet } from '../eval.js';
import { type EvalReading, emptyEval, isObject, kindOf, type Loose } from '../eval-reading.js';
import { gradersOf, readFiles } from './evals-json.js';

/** Whether a YAML file is skillgrade's: tasks with an instruction. */
export function isSkillgrade(value: unknown): boolean {
  return isObject(value) && Array.isArray(value.tasks) && value.tasks.some((task) => isObject(task) && 'instruction' in task);
}

/** skillgrade's eval.yaml: where instruction, rubric or run name a file beside it, its text is meant; a grader prints its score as JSON. */
export async function readSkillgrade(value: unknown, reading: EvalReading): Promise<EvalSet> {
  const { file, note } = reading;
  const { tasks, skill, version: _version, defaults, ...extra } = value as { tasks: unknown[] } & Record<string, unknown>;
  if (isObject(defaults))
    note('dropped', `defaults (${Object.keys(defaults).join(', ')}): set agent, model, repeats and limits in experiment.yaml`);
  const evals: Eval[] = [];
  for (const [index, task] of tasks.entries()) {
    const at = `tasks[${index}]`;
    if (!isObject(task) || typeof task.instruction !== 'string' || task.instruction.trim() === '') {
      note('missing', `${at} is ${kindOf(task)} without an instruction: not imported`);
      continue;
    }
    // looked for, so that it does not come along with the skill
    if (typeof task.solution === 'string') await reading.text(task.solution);
    if (task.solution !== undefined) note('dropped', `${at}.solution: an eval has no reference run`);
    const modes = Array.isArray(task.workspace) && task.workspace.some((file) => isObject(file) && file.chmod !== undefined);
    if (modes) note('dropped', `${at}.workspace: chmod; files keep the mode they have`);
    const graders = await gradersHere(task.graders, `${at}.graders`, reading);
    evals.push({
      ...emptyEval(),
      name: typeof task.name === 'string' ? task.name : null,
      turns: [(await textHere(task.instruction, `${at}.instruction`, reading)) as string],
      files: readFiles(task.workspace, `${at}.workspace`, note),
      ...graders,
    });
  }
  return {
    dialect: 'skillgrade',
    file,
    skill: typeof skill === 'string' ? (/[^/.][^/]*(?=\/*$)/.exec(skill)?.[0] ?? null) : null,
    deps: [],
    evals,
    extra,
  };
}

/** A text, or that of the file beside eval.yaml which it names. */
async function textHere(value: unknown, at: string, reading: EvalReading): Promise<unknown> {
  if (typeof value !== 'string' || !/^\S+$/.test(value.trim())) return value;
  const text = await reading.text(value.trim());
  if (text === null) return value;
  reading.note('mapped', `${at} is the text of ${value.trim()}`);
  return text;
}

/** The graders of a task, and the files that their commands name: hidden from the agent, laid over its files for the grader. */
async function gradersHere(value: unknown, at: string, reading: EvalReading): Promise<Pick<Eval, 'assertions' | 'extra'>> {
  const hidden: Record<string, string> = {};
  const folders = new Map<number, string>();
  const graders: unknown[] = [];
  for (const [index, one] of (Array.isArray(value) ? value : []).entries()) {
    if (!isObject(one)) {
      graders.push(one);
      continue;
    }
    const place = `${at}[${index}]`;
    const grader: Loose = { ...one, rubric: await textHere(one.rubric, `${place}.rubric`, reading) };
    grader.run = await textHere(one.run, `${place}.run`, reading);
    graders.push(grader);
    for (const [path, folder] of String(one.run ?? '').matchAll(/(?<![\w./-])(?:\.\/)?(graders?|checks?|tests?)\/[\w./-]+/g)) {
      if (folder === undefined || (await reading.text(path)) === null) continue;
      folders.set(index, folder);
      for (const name of await reading.list(folder))
        hidden[`${folder}/${name}`] = (await reading.text(`${folder}/${name}`)) ?? '';
    }
  }
  const assertions = gradersOf(value === undefined || Array.isArray(value) ? graders : value, at, reading.note).map((row) => {
    if (row.check?.type !== 'command') return row;
    const files = folders.get(Number(/\d+$/.exec(row.id)?.[0]) - 1);
    return { ...row, check: { ...row.check, min_score: 1, ...(files === undefined ? {} : { files }) } };
  });
  if (assertions.some(({ check }) => check !== undefined)) reading.note('mapped', `${at}: a score of 1 passes, less fails`);
  return { assertions, extra: Object.keys(hidden).length === 0 ? {} : { hidden } };
}
