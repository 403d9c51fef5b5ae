import type { Eval, EvalSet } from '../eval.js';
import { type EvalReading, emptyEval, isObject, kindOf } from '../eval-reading.js';
import { gradersOf, readFiles } from './evals-json.js';

/** Whether a YAML file is skillgrade's: tasks with an instruction. */
export function isSkillgrade(value: unknown): boolean {
  return isObject(value) && Array.isArray(value.tasks) && value.tasks.some((task) => isObject(task) && 'instruction' in task);
}

/** skillgrade's eval.yaml. */
export function readSkillgrade(value: unknown, { file, note }: EvalReading): EvalSet {
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
    if (task.solution !== undefined) note('dropped', `${at}.solution: an eval has no reference run`);
    const modes = Array.isArray(task.workspace) && task.workspace.some((file) => isObject(file) && file.chmod !== undefined);
    if (modes) note('dropped', `${at}.workspace: chmod; files keep the mode they have`);
    evals.push({
      ...emptyEval(),
      name: typeof task.name === 'string' ? task.name : null,
      turns: [task.instruction],
      files: readFiles(task.workspace, `${at}.workspace`, note),
      assertions: gradersOf(task.graders, `${at}.graders`, note),
    });
  }
  return {
    dialect: 'skillgrade',
    file,
    skill: typeof skill === 'string' ? (skill.split('/').at(-1) ?? null) : null,
    deps: [],
    evals,
    extra,
  };
}
