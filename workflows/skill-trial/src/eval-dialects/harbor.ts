import { parse, TomlError } from 'smol-toml';
import { SettingsError } from '../errors.js';
import type { EvalSet } from '../eval.js';
import { type EvalReading, emptyEval, isObject } from '../eval-reading.js';

/** The folder that a Harbor task's tests write their reward into, and where they do here. */
const rewards = ['/logs/verifier', '$TMPDIR/verifier'] as const;

function tomlOf(text: string, file: string): Record<string, unknown> {
  try {
    return parse(text) as Record<string, unknown>;
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw new SettingsError(`${file}:${error.line}:${error.column} is not valid TOML`, {
      expected: 'TOML',
      found: error.message.split('\n')[0] ?? error.message,
      next: 'correct that line',
    });
  }
}

/** One Harbor task: instruction.md is the prompt, tests/test.sh the grader, whose reward of 1 is a pass. */
export async function readHarbor(toml: string, reading: EvalReading): Promise<EvalSet | null> {
  const { note } = reading;
  const value = tomlOf(toml, reading.file);
  const prompt = await reading.text('instruction.md');
  if (prompt === null || prompt.trim() === '') {
    note('missing', 'instruction.md: a task without an instruction, not imported');
    return null;
  }
  const names = (await reading.list('tests')).sort();
  const files: Record<string, string> = {};
  for (const name of names) {
    const text = await reading.text(`tests/${name}`);
    if (text !== null) files[name] = text.replaceAll(rewards[0], rewards[1]);
  }
  if (files['test.sh'] === undefined) note('missing', 'tests/test.sh: nothing of the task is scored');
  else note('mapped', `${rewards[0]} is ${rewards[1]} in the tests here`);
  if ((await reading.list('environment')).length > 0)
    note('dropped', 'environment/: tests run in the sandbox of the lab, not in its image');
  if ((await reading.list('solution')).length > 0) note('dropped', 'solution/: an eval has no reference run');
  const settings = Object.keys(value).filter((key) => isObject(value[key]));
  if (settings.length > 0)
    note('dropped', `task.toml: ${settings.map((key) => `[${key}]`).join(', ')}; limits are set in experiment.yaml`);
  const command = [
    `mkdir -p "${rewards[1]}"; bash lab-tests/test.sh`,
    `test "$(head -c 16 "${rewards[1]}/reward.txt" | tr -d '[:space:]' | sed 's/\\.0*$//')" = 1`,
  ].join('; ');
  const folder = reading.file.split('/').at(-2) ?? 'task';
  const graded = files['test.sh'] === undefined ? [] : ['lab-tests'];
  return {
    dialect: 'harbor',
    file: reading.file,
    skill: null,
    deps: [],
    evals: [
      {
        ...emptyEval(),
        id: folder,
        turns: [prompt],
        // what the grader needs is hidden from the agent: files of the check, not of the workspace
        assertions: graded.map((at) => ({
          id: 'reward',
          text: 'the tests of the task give the reward 1',
          kind: 'behavior' as const,
          check: { type: 'command' as const, command, exit: 0, timeout_seconds: 600, files: at },
        })),
        extra: { hidden: Object.fromEntries(Object.entries(files).map(([name, text]) => [`lab-tests/${name}`, text])) },
      },
    ],
    extra: {},
  };
}
