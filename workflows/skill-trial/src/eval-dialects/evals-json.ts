import type { Assertion, Eval, EvalSet } from '../eval.js';
import {
  assertionsOf,
  checkOf,
  type EvalReading,
  emptyEval,
  firstOf,
  isObject,
  kindOf,
  type Loose,
  texts,
  uniqueId,
} from '../eval-reading.js';

const promptKeys = ['prompt', 'input', 'user_request', 'question', 'query', 'task', 'user_prompt', 'instruction'];
const listKeys = ['evals', 'cases', 'test_cases', 'tests', 'scenarios'];
const criteriaKeys = ['assertions', 'expectations', 'expected_behavior', 'expected_behaviors', 'criteria', 'checks', 'rubric'];
const followUpKeys = ['follow_ups', 'follow_up_prompts', 'followups', 'turns'];
const known = [
  ...promptKeys,
  ...criteriaKeys,
  ...followUpKeys,
  'id',
  'name',
  'files',
  'expected_output',
  'ground_truth',
  'graders',
  'should_trigger',
  'skill',
];

/** Where the list of evals of an evals.json stands: its key, '' for a list at the top; null for a file of another form. */
export function evalList(value: unknown): { key: string; list: unknown[] } | null {
  if (Array.isArray(value)) return { key: '', list: value };
  if (!isObject(value)) return null;
  const key = listKeys.find((one) => Array.isArray(value[one]));
  return key === undefined ? null : { key, list: value[key] as unknown[] };
}

/** evals.json in its four dialects and the mixtures of them that people write. */
export function readEvalsJson(value: unknown, reading: EvalReading): EvalSet {
  const { key, list } = evalList(value) as { key: string; list: unknown[] };
  const top = isObject(value) ? value : {};
  if (key !== 'evals') reading.note('mapped', key === '' ? 'the list at the top is read as evals' : `${key} is read as evals`);
  const skill = firstOf(top, ['skill_name', 'skill', 'name'])?.value;
  if (skill !== undefined && typeof skill !== 'string')
    reading.note('warned', `skill_name is ${kindOf(skill)}, a text was expected: the folder's name is taken`);
  const evals: Eval[] = [];
  const ids: string[] = [];
  for (const [index, entry] of list.entries()) {
    const at = `${key || 'entry'}[${index}]`;
    const one = typeof entry === 'string' ? { prompt: entry } : entry;
    if (!isObject(one)) {
      reading.note('dropped', `${at} is ${kindOf(entry)}, an object was expected`);
      continue;
    }
    const made = readEval(one, at, reading);
    if (made === null) continue;
    const id = made.id === null ? null : String(made.id);
    if (id !== null && ids.includes(id)) {
      const other = uniqueId(id, ids);
      reading.note('warned', `${at}: id ${id} is there already; this one is called ${other}`);
      made.id = other;
    }
    if (made.id === null) reading.note('warned', `${at} has no id; its place is its id`);
    ids.push(String(made.id ?? ''));
    evals.push(made);
  }
  const { [key]: _list, skill_name: _name, skill: _skill, skill_deps, ...extra } = top;
  return {
    dialect: dialectOf(top, key, list),
    file: reading.file,
    skill: typeof skill === 'string' && skill.trim() !== '' ? skill : null,
    deps: texts(skill_deps, reading.note, 'skill_deps'),
    evals,
    extra,
  };
}

/** Which of the four it is, by its keys. */
function dialectOf(top: Loose, key: string, list: unknown[]): string {
  const entries = list.filter(isObject);
  const typed = entries.some(
    (one) => Array.isArray(one.assertions) && one.assertions.some((row) => isObject(row) && 'type' in row),
  );
  if ('skill_deps' in top || typed || entries.some((one) => Array.isArray(one.graders))) return 'pi';
  if (key === 'cases' && entries.some((one) => 'ground_truth' in one || 'expected_behavior' in one)) return 'benchflow';
  return entries.some((one) => 'assertions' in one) ? 'agentskills' : 'skill-creator';
}

function readEval(one: Loose, at: string, { note }: EvalReading): Eval | null {
  const prompt = firstOf(one, promptKeys);
  const turns = typeof prompt?.value === 'string' ? [prompt.value] : texts(prompt?.value, note, `${at}.${prompt?.key}`);
  const first = turns[0] ?? '';
  if (first.trim() === '') {
    note('missing', `${at} has no prompt (looked for ${promptKeys.join(', ')}): not imported`);
    return null;
  }
  if (prompt?.key !== 'prompt') note('mapped', `${at}.${prompt?.key} is read as the prompt`);
  for (const key of followUpKeys) turns.push(...texts(one[key], note, `${at}.${key}`));
  const id = one.id === undefined || one.id === null ? null : one.id;
  if (id !== null && typeof id !== 'string' && typeof id !== 'number')
    note('warned', `${at}.id is ${kindOf(id)}, a number or a text was expected: its place is its id`);
  const assertions: Assertion[] = [];
  for (const key of criteriaKeys) {
    // true or false says whether something is expected, not what
    if (typeof one[key] === 'boolean') note('dropped', `${at}.${key} is ${one[key]}: no criterion can be read from it`);
    else
      for (const row of assertionsOf(one[key], note, `${at}.${key}`))
        assertions.push({
          ...row,
          id: uniqueId(
            row.id,
            assertions.map((other) => other.id),
          ),
        });
  }
  for (const row of gradersOf(one.graders, `${at}.graders`, note))
    assertions.push({
      ...row,
      id: uniqueId(
        row.id,
        assertions.map((other) => other.id),
      ),
    });
  const expected = firstOf(one, ['expected_output', 'ground_truth'])?.value;
  const expectedOutput = typeof expected === 'string' && expected.trim() !== '' ? expected : null;
  const should = typeof one.should_trigger === 'boolean' ? one.should_trigger : null;
  if (should === null && one.should_trigger !== undefined && one.should_trigger !== null)
    note('dropped', `${at}.should_trigger is ${kindOf(one.should_trigger)}, true or false was expected`);
  if (assertions.length === 0 && should === null)
    note(
      'warned',
      `${at} has no criterion${expectedOutput === null ? '' : '; its expected_output is kept for people and is not made one'}: nothing of it is scored`,
    );
  const extra = Object.fromEntries(Object.entries(one).filter(([key]) => !known.includes(key)));
  if (Object.keys(extra).length > 0)
    note('mapped', `${at}: ${Object.keys(extra).join(', ')} kept as they are, nothing follows from them`);
  return {
    ...emptyEval(),
    skill: typeof one.skill === 'string' && one.skill.trim() !== '' ? one.skill : null,
    id: typeof id === 'string' || typeof id === 'number' ? id : null,
    name: typeof one.name === 'string' && one.name.trim() !== '' ? one.name : null,
    turns,
    files: readFiles(one.files, `${at}.files`, note),
    assertions,
    shouldTrigger: should,
    expectedOutput,
    extra,
  };
}

/** Files by name, or as {path, content}; `{path, source}` names another place than it goes to. */
export function readFiles(value: unknown, at: string, note: EvalReading['note']): Eval['files'] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    note('dropped', `${at} is ${kindOf(value)}, a list was expected`);
    return [];
  }
  return value.flatMap((one, index): Eval['files'] => {
    if (typeof one === 'string' && one.trim() !== '') return [{ named: one, to: one }];
    if (isObject(one)) {
      const [to, from] = [firstOf(one, ['path', 'dest', 'name'])?.value, firstOf(one, ['source', 'src', 'path'])?.value];
      const content = firstOf(one, ['content', 'contents', 'text'])?.value;
      if (typeof to === 'string' && typeof content === 'string') return [{ named: to, to, text: content }];
      if (typeof from === 'string') return [{ named: from, to: typeof to === 'string' ? to : from }];
    }
    note('dropped', `${at}[${index}] is ${kindOf(one)}, a path was expected`);
    return [];
  });
}

/** `graders[]` of pi and skillgrade: a command to run, or a rubric for a judge. */
export function gradersOf(value: unknown, at: string, note: EvalReading['note']): Assertion[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    note('dropped', `${at} is ${kindOf(value)}, a list was expected`);
    return [];
  }
  return value.flatMap((one, index): Assertion[] => {
    const id = `grader-${index + 1}`;
    if (!isObject(one)) {
      note('dropped', `${at}[${index}] is ${kindOf(one)}, an object was expected`);
      return [];
    }
    const weight = typeof one.weight === 'number' && one.weight > 0 ? { weight: one.weight } : {};
    const check = typeof one.run === 'string' ? checkOf('command', one) : null;
    if (check !== null && typeof check !== 'string') {
      if (one.setup !== undefined) note('dropped', `${at}[${index}].setup: the sandbox has no network to set up from`);
      return [{ id, text: `the command succeeds: ${one.run}`.slice(0, 500), kind: 'pattern', check, ...weight }];
    }
    if (typeof one.rubric === 'string' && one.rubric.trim() !== '') return [{ id, text: one.rubric, kind: 'quality', ...weight }];
    note('dropped', `${at}[${index}] has neither run nor rubric`);
    return [];
  });
}
