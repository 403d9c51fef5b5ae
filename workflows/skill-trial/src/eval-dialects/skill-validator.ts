import type { Assertion, Eval, EvalSet } from '../eval.js';
import { checkOf, type EvalReading, emptyEval, isObject, kindOf, texts, uniqueId } from '../eval-reading.js';
import { readFiles } from './evals-json.js';

/** Whether a YAML file is the dotnet skill-validator's. */
export function isSkillValidator(value: unknown): boolean {
  return isObject(value) && Array.isArray(value.scenarios);
}

/** The skill-validator's eval.yaml: scenarios with assertions, a rubric, tools that are expected or rejected. */
export function readSkillValidator(value: unknown, { file, note }: EvalReading): EvalSet {
  const { scenarios, ...extra } = value as { scenarios: unknown[] };
  const evals: Eval[] = [];
  for (const [index, one] of scenarios.entries()) {
    const at = `scenarios[${index}]`;
    if (!isObject(one) || typeof one.prompt !== 'string' || one.prompt.trim() === '') {
      note('missing', `${at} is ${kindOf(one)} without a prompt: not imported`);
      continue;
    }
    const assertions: Assertion[] = [];
    const add = (row: Assertion) =>
      assertions.push({
        ...row,
        id: uniqueId(
          row.id,
          assertions.map(({ id }) => id),
        ),
      });
    for (const [place, row] of (Array.isArray(one.assertions) ? one.assertions : []).entries()) {
      const check = isObject(row) && typeof row.type === 'string' ? checkOf(row.type, row) : null;
      if (check === null || typeof check === 'string')
        note('dropped', `${at}.assertions[${place}]: ${check ?? 'a type that is not known'}`);
      else {
        const { type, ...rest } = row as Record<string, unknown>;
        add({ id: String(type), text: `${type} ${Object.values(rest).join(' ')}`.trim(), kind: 'pattern', check });
      }
    }
    for (const text of texts(one.rubric, note, `${at}.rubric`)) add({ id: 'rubric', text, kind: 'quality' });
    for (const tool of texts(one.expect_tools, note, `${at}.expect_tools`))
      add({ id: `uses-${tool}`, text: `uses the tool ${tool}`, kind: 'behavior', check: { type: 'tool', tool, expect: 'used' } });
    for (const tool of texts(one.reject_tools, note, `${at}.reject_tools`))
      add({
        id: `avoids-${tool}`,
        text: `does not use the tool ${tool}`,
        kind: 'behavior',
        check: { type: 'tool', tool, expect: 'not-used' },
      });
    const setup = isObject(one.setup) ? one.setup : {};
    if (setup.commands !== undefined) note('dropped', `${at}.setup.commands: an eval's workspace is its files`);
    if (setup.copy_test_files !== undefined) note('dropped', `${at}.setup.copy_test_files: name the files instead`);
    for (const key of ['timeout', 'max_turns', 'max_tokens'])
      if (one[key] !== undefined) note('dropped', `${at}.${key} ${one[key]}: limits are set for all evals in experiment.yaml`);
    evals.push({
      ...emptyEval(),
      name: typeof one.name === 'string' ? one.name : null,
      turns: [one.prompt],
      files: readFiles(setup.files, `${at}.setup.files`, note),
      assertions,
      shouldTrigger: typeof one.expect_activation === 'boolean' ? one.expect_activation : null,
    });
  }
  return { dialect: 'skill-validator', file, skill: null, deps: [], evals, extra };
}
