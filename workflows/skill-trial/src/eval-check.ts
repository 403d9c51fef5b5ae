import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import picomatch from 'picomatch';
import type { EvalCheck } from './eval.js';
import type { Trajectory } from './trajectory.js';
import type { TrialStatus } from './trial-record.js';

/** What is left of a run, for checks to look at. */
export interface RunOutput {
  response: string;
  status: TrialStatus;
  trajectory: Pick<Trajectory, 'toolCalls' | 'loaded'>;
  /** Paths of the final tree; `tree` is its folder. Null where no check asks for it. */
  tree: { folder: string; paths: string[] } | null;
  /** Runs a command in the final tree. */
  run: (check: Extract<EvalCheck, { type: 'command' }>) => Promise<CommandOutcome>;
}

/** What a command left; `tail` is its last line. */
export interface CommandOutcome {
  exitCode: number | null;
  timedOut: boolean;
  stdout: string;
  tail: string;
}

export interface CheckOutcome {
  passed: boolean | null;
  evidence: string;
}

/** Whether a check looks at the files that a run left. */
export function needsTree({ type, ...rest }: EvalCheck): boolean {
  return type === 'file' || type === 'file-text' || (type === 'json' && (rest as { file?: string }).file !== undefined);
}

type Checker<Type extends EvalCheck['type']> = (
  check: Extract<EvalCheck, { type: Type }>,
  output: RunOutput,
) => CheckOutcome | Promise<CheckOutcome>;

/** One row for each kind of check. */
const checkers: { [Type in EvalCheck['type']]: Checker<Type> } = {
  file: ({ path, expect }, output) => {
    const found = matching(output, path);
    const passed = expect === 'exists' ? found.length > 0 : found.length === 0;
    return { passed, evidence: found.length === 0 ? `no ${path}` : `${found.slice(0, 5).join(', ')}` };
  },
  'file-text': async ({ path, contains = [], lacks = [], matches }, output) => {
    const [file] = matching(output, path);
    if (file === undefined) return { passed: false, evidence: `no ${path}` };
    const text = await readFile(join(output.tree?.folder as string, file), 'utf8');
    const missing = contains.filter((one) => !text.includes(one));
    const present = lacks.filter((one) => text.includes(one));
    const unmatched = matches !== undefined && !new RegExp(matches, 'm').test(text);
    const problems = [
      ...missing.map((one) => `without ${JSON.stringify(one)}`),
      ...present.map((one) => `with ${JSON.stringify(one)}`),
      ...(unmatched ? [`nothing matches ${matches}`] : []),
    ];
    return {
      passed: problems.length === 0,
      evidence: problems.length === 0 ? `${file} is as asserted` : `${file}: ${problems.join('; ')}`,
    };
  },
  'output-text': ({ values, of, ignore_case }, { response }) => {
    const plain = (text: string) => (ignore_case ? text.toLowerCase() : text);
    const found = values.filter((value) => plain(response).includes(plain(value)));
    const passed = of === 'none' ? found.length === 0 : of === 'any' ? found.length > 0 : found.length === values.length;
    const absent = values.filter((value) => !found.includes(value));
    return {
      passed,
      evidence: `in the answer: ${quoted(found)}${of === 'all' && absent.length > 0 ? `; not: ${quoted(absent)}` : ''}`,
    };
  },
  'output-pattern': ({ pattern, flags, expect }, { response }) => {
    const found = new RegExp(pattern, flags).exec(response);
    return {
      passed: (found !== null) === (expect === 'match'),
      evidence:
        found === null ? `nothing in the answer matches ${pattern}` : `the answer holds ${quoted([found[0].slice(0, 200)])}`,
    };
  },
  json: async ({ file, path, equals }, output) => {
    const [found] = file === undefined ? [] : matching(output, file);
    if (file !== undefined && found === undefined) return { passed: false, evidence: `no ${file}` };
    const text =
      found === undefined ? jsonText(output.response) : await readFile(join(output.tree?.folder as string, found), 'utf8');
    let value: unknown;
    try {
      value = JSON.parse(text.replace(/^\uFEFF/, ''));
    } catch {
      return { passed: false, evidence: `${file ?? 'the answer'} is no JSON` };
    }
    const at = valueAtPath(value, path);
    const shown = JSON.stringify(at)?.slice(0, 200) ?? 'nothing';
    const passed = equals === undefined ? at !== undefined : JSON.stringify(at) === JSON.stringify(equals);
    return { passed, evidence: `${path === '' ? 'the value' : path} is ${shown}` };
  },
  command: async (check, { run }) => {
    const { exitCode, timedOut, stdout, tail } = await run(check);
    if (timedOut) return { passed: null, evidence: `the command did not end within ${check.timeout_seconds} s` };
    if (check.min_score !== undefined) return scored(stdout, check.min_score, `exit status ${exitCode}: ${tail}`);
    return { passed: exitCode === check.exit, evidence: `exit status ${exitCode}${tail === '' ? '' : `: ${tail}`}` };
  },
  tool: ({ tool, expect }, { trajectory }) => {
    const calls = trajectory.toolCalls.filter(({ name }) => name.toLowerCase() === tool.toLowerCase());
    return {
      passed: calls.length > 0 === (expect === 'used'),
      evidence:
        calls.length === 0
          ? `no call of ${tool}`
          : `${calls.length} calls of ${tool}, the first in events.jsonl:${calls[0]?.line}`,
    };
  },
  activation: ({ skill, expect }, { trajectory }) => {
    const load = trajectory.loaded.find((one) => one.skill === skill);
    return {
      passed: (load !== undefined) === (expect === 'loaded'),
      evidence: load === undefined ? `${skill} was not loaded` : `${skill} was loaded: events.jsonl:${load.line} (${load.how})`,
    };
  },
  completed: (_check, { status }) => ({ passed: status === 'completed', evidence: `the run ended: ${status}` }),
};

/** What a check says of a run. */
export async function runCheck(check: EvalCheck, output: RunOutput): Promise<CheckOutcome> {
  return (checkers[check.type] as Checker<EvalCheck['type']>)(check, output);
}

function matching({ tree }: RunOutput, path: string): string[] {
  const plain = path.replace(/^\.\//, '');
  const matches = picomatch(plain, { dot: true });
  return (tree?.paths ?? []).filter((one) => one === plain || matches(one));
}

/** A grader's own verdict: the score in the JSON that it prints, whole or as its last line. Without one there is no verdict. */
function scored(stdout: string, least: number, otherwise: string): CheckOutcome {
  for (const text of [stdout, stdout.trim().split('\n').at(-1) ?? '']) {
    try {
      const { score, details } = JSON.parse(text) as { score?: unknown; details?: unknown };
      if (typeof score !== 'number') continue;
      const said = typeof details === 'string' ? `: ${details.slice(0, 200)}` : '';
      return { passed: score >= least, evidence: `score ${score} (from ${least} on it passes)${said}` };
    } catch {}
  }
  return { passed: null, evidence: `no JSON with a score was printed; ${otherwise}` };
}

function quoted(texts: string[]): string {
  return texts.length === 0 ? 'nothing' : texts.map((text) => JSON.stringify(text)).join(', ');
}

/** The answer where it is JSON, else its first fenced block. */
function jsonText(response: string): string {
  return /```(?:json)?\s*\n([\s\S]*?)\n```/.exec(response)?.[1] ?? response;
}

/** The value at `a.b[0]`; undefined where there is none. */
function valueAtPath(value: unknown, path: string): unknown {
  const keys = path.match(/[^.[\]]+/g) ?? [];
  return keys.reduce<unknown>(
    (at, key) =>
      typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[key.replace(/^['"]|['"]$/g, '')] : undefined,
    value,
  );
}
