import type { Assertion, Eval, EvalSet } from '../eval.js';
import { checkOf, type EvalReading, emptyEval, isObject, kindOf, type Loose, texts } from '../eval-reading.js';
import { readFiles } from './evals-json.js';

/** Whether a YAML file is waza's: tasks beside graders, with a configuration of its own. */
export function isWaza(value: unknown): boolean {
  return isObject(value) && Array.isArray(value.tasks) && isObject(value.config) && typeof value.skill === 'string';
}

/** waza's eval.yaml with its task files; graders of the eval count for every task. */
export async function readWaza(value: unknown, reading: EvalReading): Promise<EvalSet> {
  const { note } = reading;
  const { skill, tasks, graders, config, name: _name, version: _version, metrics, ...extra } = value as Loose;
  if (metrics !== undefined) note('dropped', 'metrics: the lab reports its own');
  const settings = Object.keys(config as Loose);
  if (settings.length > 0) note('dropped', `config (${settings.join(', ')}): set repeats, limits and model in experiment.yaml`);
  const common = waGraders(graders, 'graders', note);
  const evals: Eval[] = [];
  for (const [index, entry] of (tasks as unknown[]).entries()) {
    const named = typeof entry === 'string' ? await tasksAt(entry, reading) : [{ at: `tasks[${index}]`, task: entry }];
    if (named.length === 0) note('missing', `tasks[${index}]: nothing at ${entry}`);
    for (const { at, task } of named) {
      const one = await readTask(task, at, common, reading);
      if (one !== null) evals.push(one);
    }
  }
  return { dialect: 'waza', file: reading.file, skill: skill as string, deps: [], evals, extra };
}

/** The task files that an entry names; `*` stands for every YAML file of a folder. */
async function tasksAt(entry: string, reading: EvalReading): Promise<{ at: string; task: unknown }[]> {
  const { parse } = await import('yaml');
  const folder = entry.includes('/') ? entry.slice(0, entry.lastIndexOf('/')) : '.';
  const names = entry.includes('*')
    ? (await reading.list(folder)).filter((name) => /\.ya?ml$/.test(name)).map((name) => `${folder}/${name}`)
    : [entry];
  const found = [];
  for (const name of names.sort()) {
    const text = await reading.text(name);
    if (text === null) continue;
    try {
      found.push({ at: name, task: parse(text) as unknown });
    } catch (error) {
      reading.note('missing', `${name} is not valid YAML (${String((error as Error).message).split('\n')[0]}): not imported`);
    }
  }
  return found;
}

async function readTask(task: unknown, at: string, common: Assertion[], reading: EvalReading): Promise<Eval | null> {
  const { note } = reading;
  const inputs = isObject(task) && isObject(task.inputs) ? task.inputs : null;
  if (!isObject(task) || inputs === null) {
    note('missing', `${at} is ${kindOf(task)} without inputs: not imported`);
    return null;
  }
  const beside = at.includes('/') ? at.slice(0, at.lastIndexOf('/') + 1) : '';
  const fromFile =
    typeof inputs.prompt_file === 'string'
      ? ((await reading.text(`${beside}${inputs.prompt_file}`)) ?? (await reading.text(inputs.prompt_file)))
      : null;
  const prompt = typeof inputs.prompt === 'string' ? inputs.prompt : fromFile;
  if (prompt === null || prompt.trim() === '') {
    note(
      'missing',
      `${at} has no inputs.prompt${inputs.prompt_file === undefined ? '' : ` and no ${inputs.prompt_file}`}: not imported`,
    );
    return null;
  }
  const expected = isObject(task.expected) ? task.expected : {};
  const own = [...waGraders(task.graders, `${at}.graders`, note), ...expectations(expected, at, note)];
  const assertions = [...common, ...own].map((one, index) => ({ ...one, id: `${index + 1}-${one.id}` }));
  if (assertions.length === 0 && typeof expected.should_trigger !== 'boolean')
    note('warned', `${at} has no criterion: nothing of it is scored`);
  return {
    ...emptyEval(),
    id: typeof task.id === 'string' || typeof task.id === 'number' ? task.id : null,
    name: typeof task.name === 'string' ? task.name : null,
    turns: [prompt, ...texts(inputs.follow_up_prompts, note, `${at}.inputs.follow_up_prompts`)],
    files: readFiles(inputs.files, `${at}.inputs.files`, note),
    assertions,
    shouldTrigger: typeof expected.should_trigger === 'boolean' ? expected.should_trigger : null,
  };
}

/** waza's `expected`: texts that the output holds or does not hold, and what behaviour is expected. */
function expectations(expected: Loose, at: string, note: EvalReading['note']): Assertion[] {
  const rows: [string, string][] = [
    ['output_contains', 'output_contains'],
    ['output_not_contains', 'output_not_contains'],
  ];
  const { output_contains: _a, output_not_contains: _b, should_trigger: _c, outcomes, ...rest } = expected;
  if (outcomes !== undefined) note('dropped', `${at}.expected.outcomes`);
  if (Object.keys(rest).length > 0) note('dropped', `${at}.expected: ${Object.keys(rest).join(', ')}`);
  return rows.flatMap(([key, type]) =>
    texts(expected[key], note, `${at}.expected.${key}`).flatMap((value): Assertion[] => {
      const check = checkOf(type, { value });
      return check === null || typeof check === 'string' ? [] : [{ id: key, text: `${key}: ${value}`, kind: 'pattern', check }];
    }),
  );
}

/** What is read of a grader's `config`. */
const read = [
  ...['regex_match', 'must_match', 'pattern', 'regex_not_match', 'must_not_match', 'contains', 'not_contains'],
  ...['must_exist', 'must_not_exist', 'required_skills', 'prompt', 'rubric'],
];

/** Graders with their `config`; a regular expression or text list may hold several. */
function waGraders(value: unknown, at: string, note: EvalReading['note']): Assertion[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((one, index): Assertion[] => {
    if (!isObject(one)) return [];
    const config = isObject(one.config) ? one.config : {};
    const id = typeof one.name === 'string' ? one.name : `grader-${index + 1}`;
    const weight = typeof one.weight === 'number' && one.weight > 0 ? { weight: one.weight } : {};
    const made: Assertion[] = [];
    const add = (type: string, source: Loose, text: string) => {
      const check = checkOf(type, source);
      if (check !== null && typeof check !== 'string')
        made.push({ id: `${id}-${made.length + 1}`, text, kind: 'pattern', check, ...weight });
    };
    for (const pattern of texts(config.regex_match ?? config.must_match ?? config.pattern, note, at))
      add('regex', { pattern }, `matches ${pattern}`);
    for (const pattern of texts(config.regex_not_match ?? config.must_not_match, note, at))
      add('regex_absent', { pattern }, `does not match ${pattern}`);
    for (const text of texts(config.contains, note, at)) add('contains', { value: text }, `contains ${text}`);
    for (const text of texts(config.not_contains, note, at)) add('not_contains', { value: text }, `does not contain ${text}`);
    for (const path of texts(config.must_exist, note, at)) add('file_exists', { path }, `${path} exists`);
    for (const path of texts(config.must_not_exist, note, at)) add('file_absent', { path }, `${path} does not exist`);
    for (const skill of texts(config.required_skills, note, at)) add('skill_activated', { skill }, `loads the skill ${skill}`);
    for (const rubric of texts(config.prompt ?? config.rubric, note, at))
      made.push({ id: `${id}-${made.length + 1}`, text: rubric, kind: 'quality', ...weight });
    const unread = Object.keys(config).filter((key) => !read.includes(key));
    if (made.length === 0) note('dropped', `${at}[${index}] (type ${one.type}): nothing in its config can be read`);
    else if (unread.length > 0) note('dropped', `${at}[${index}] (type ${one.type}): ${unread.join(', ')} of its config`);
    return made;
  });
}
