import type { Assertion, AssertionKind, Eval, EvalCheck } from './eval.js';
import type { Loss } from './loss-report.js';

/** What a dialect reads from and reports to. */
export interface EvalReading {
  /** The file, as reports name it. */
  file: string;
  note: (status: Loss['status'], what: string, at?: string) => void;
  /** A file beside the one that is read; null where there is none. */
  text: (path: string) => Promise<string | null>;
  /** Names in a folder beside it. */
  list: (folder: string) => Promise<string[]>;
  /** The skill that the place of the file speaks of; null where no skill is there. */
  skillHere: string | null;
}

export type Loose = Record<string, unknown>;

/** An object, not a list. */
export function isObject(value: unknown): value is Loose {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The first of some keys that is there, with its name. */
export function firstOf(object: Loose, keys: readonly string[]): { key: string; value: unknown } | null {
  const key = keys.find((one) => object[one] !== undefined && object[one] !== null);
  return key === undefined ? null : { key, value: object[key] };
}

/** A value as a list of what can be taken for texts; what cannot is named. */
export function texts(value: unknown, note: EvalReading['note'], at: string): string[] {
  if (value === undefined || value === null) return [];
  const list = Array.isArray(value) ? value : [value];
  return list.flatMap((one, index) => {
    if (typeof one === 'string' && one.trim() !== '') return [one];
    if (typeof one === 'number') return [String(one)];
    note('dropped', `${at}[${index}] is ${kindOf(one)}, a text was expected`);
    return [];
  });
}

/** What a value is, in words. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (value === '') return 'an empty text';
  return Array.isArray(value) ? 'a list' : `${typeof value === 'object' ? 'an object' : `a ${typeof value}`}`;
}

/** An eval without anything in it. */
export function emptyEval(): Eval {
  return {
    skill: null,
    id: null,
    name: null,
    turns: [],
    files: [],
    assertions: [],
    shouldTrigger: null,
    expectedOutput: null,
    extra: {},
  };
}

const kinds: AssertionKind[] = ['quality', 'format', 'behavior', 'pattern'];

/** Deterministic assertions, by the names that people give their types. */
const checkTypes: [RegExp, (source: Loose) => EvalCheck | null][] = [
  [/^(regex|regex_match|matches|output_matches|pattern)$/, (one) => pattern(one, 'match')],
  [/^(regex_absent|not_regex|regex_not_match|output_not_matches)$/, (one) => pattern(one, 'no-match')],
  [/^(contains|content_contains|output_contains|code_contains|text_contains|contains_all)$/, (one) => output(one, 'all')],
  [/^contains_any$/, (one) => output(one, 'any')],
  [/^(not_contains|content_absent|content_not_contains|output_not_contains|contains_none|absent)$/, (one) => output(one, 'none')],
  [/^(file_exists|file)$/, (one) => file(one, 'exists')],
  [/^(file_not_exists|file_absent)$/, (one) => file(one, 'absent')],
  [/^file_contains$/, (one) => fileText(one, 'contains')],
  [/^file_not_contains$/, (one) => fileText(one, 'lacks')],
  [/^(file_matches|file_regex)$/, (one) => fileText(one, 'matches')],
  [/^(json_path|json)$/, (one) => jsonPath(one)],
  [/^(command|exit_code|script|shell)$/, (one) => command(one)],
  [/^(exit_success|completed)$/, () => ({ type: 'completed' })],
  [/^(tool_used|tool_call|expect_tool)$/, (one) => tool(one, 'used')],
  [/^(tool_not_used|reject_tool)$/, (one) => tool(one, 'not-used')],
  [/^(skill_activated|skill_loaded|expect_activation)$/, (one) => activation(one)],
];

/** The check that a source's type asks for: null where it needs a judge, a text where it cannot be used. */
export function checkOf(type: string, source: Loose): EvalCheck | null | string {
  const row = checkTypes.find(([names]) => names.test(type.toLowerCase().replaceAll('-', '_')));
  return row === undefined
    ? null
    : (row[1](source) ?? `type ${type}: what it needs (value, pattern, path or command) is missing or cannot be used`);
}

function values(one: Loose): string[] | null {
  const found = firstOf(one, ['values', 'value', 'contains', 'contains_any', 'expected', 'text_to_find', 'pattern'])?.value;
  const list = (Array.isArray(found) ? found : [found]).filter((text): text is string => typeof text === 'string' && text !== '');
  return list.length === 0 ? null : list;
}

function output(one: Loose, of: 'all' | 'any' | 'none'): EvalCheck | null {
  const list = values(one);
  return list === null
    ? null
    : { type: 'output-text', values: list, of, ignore_case: one.case_sensitive === false || one.ignore_case === true };
}

function pattern(one: Loose, expect: 'match' | 'no-match'): EvalCheck | null {
  const found = firstOf(one, ['pattern', 'regex', 'value']);
  if (typeof found?.value !== 'string' || found.value === '') return null;
  // an inline flag of other dialects, which JavaScript has not
  const [, inline = '', rest = found.value] = /^\(\?([ims]+)\)([\s\S]*)$/.exec(found.value) ?? [];
  const flags = [...new Set(`m${inline}${typeof one.flags === 'string' ? one.flags.replace(/[^ims]/g, '') : ''}`)].join('');
  try {
    new RegExp(rest, flags);
  } catch {
    return null;
  }
  return { type: 'output-pattern', pattern: rest, flags, expect };
}

function pathOf(one: Loose): string | null {
  const found = firstOf(one, ['path', 'file', 'filename', 'value'])?.value;
  if (typeof found !== 'string' || found === '') return null;
  const path = found.replace(/^\.\//, '');
  return path.startsWith('/') || path.split('/').includes('..') ? null : path;
}

function file(one: Loose, expect: 'exists' | 'absent'): EvalCheck | null {
  const path = pathOf(one);
  return path === null ? null : { type: 'file', path, expect };
}

function fileText(one: Loose, how: 'contains' | 'lacks' | 'matches'): EvalCheck | null {
  const { value: _value, ...rest } = one;
  const [path, list] = [pathOf(rest), values({ ...one, contains: one.contains ?? one.value })];
  if (path === null || list === null) return null;
  return { type: 'file-text', path, ...(how === 'matches' ? { matches: list[0] as string } : { [how]: list }) };
}

function jsonPath(one: Loose): EvalCheck | null {
  const path = firstOf(one, ['json_path', 'path', 'pointer'])?.value;
  if (typeof path !== 'string') return null;
  const equals = firstOf(one, ['equals', 'value', 'expected']);
  const named = typeof one.file === 'string' ? { file: one.file } : {};
  return { type: 'json', ...named, path: path.replace(/^\$\.?/, ''), ...(equals === null ? {} : { equals: equals.value }) };
}

function command(one: Loose): EvalCheck | null {
  const found = firstOf(one, ['command', 'run', 'cmd', 'script'])?.value;
  if (typeof found !== 'string' || found === '') return null;
  const exit = firstOf(one, ['exit', 'exit_code', 'expected_exit_code'])?.value;
  return { type: 'command', command: found, exit: Number.isInteger(exit) ? (exit as number) : 0, timeout_seconds: 120 };
}

function tool(one: Loose, expect: 'used' | 'not-used'): EvalCheck | null {
  const found = firstOf(one, ['tool', 'name', 'value'])?.value;
  return typeof found === 'string' && found !== '' ? { type: 'tool', tool: found, expect } : null;
}

function activation(one: Loose): EvalCheck | null {
  const found = firstOf(one, ['skill', 'value'])?.value;
  return typeof found === 'string' && found !== '' ? { type: 'activation', skill: found, expect: 'loaded' } : null;
}

/** Assertions of a list as people write it: texts, or objects in one of the known shapes. `at` names the list. */
export function assertionsOf(list: unknown, note: EvalReading['note'], at: string): Assertion[] {
  if (list === undefined || list === null) return [];
  const entries = Array.isArray(list) ? list : [list];
  if (!Array.isArray(list)) note('warned', `${at} is ${kindOf(list)}, a list was expected: taken as its only entry`);
  const made: Assertion[] = [];
  for (const [index, entry] of entries.entries()) {
    const place = `${at}[${index}]`;
    const one = typeof entry === 'string' ? { text: entry } : entry;
    if (!isObject(one)) {
      note('dropped', `${place} is ${kindOf(entry)}, a text or an object was expected`);
      continue;
    }
    const assertion = assertionOf(one, index, place, note);
    if (assertion === null) continue;
    const id = uniqueId(
      assertion.id,
      made.map((other) => other.id),
    );
    if (id !== assertion.id) note('warned', `${place}: id ${assertion.id} is there already, called ${id} here`);
    made.push({ ...assertion, id });
  }
  return made;
}

function assertionOf(one: Loose, index: number, place: string, note: EvalReading['note']): Assertion | null {
  const [text, description] = [one.text, one.description].map((value) =>
    typeof value === 'string' && value.trim() !== '' ? value : null,
  );
  const name = firstOf(one, ['id', 'name'])?.value;
  // a text that is a mere slug is a name: the sentence stands in description
  const isName = text !== null && description !== null && /^[\w-]+$/.test(text as string);
  const sentence =
    (isName ? description : (text ?? description)) ??
    (firstOf(one, ['assertion', 'expectation', 'criterion', 'rubric', 'question', 'statement'])?.value as unknown);
  const id = name !== undefined ? String(name) : isName ? (text as string) : `a${index + 1}`;
  const type = typeof one.type === 'string' ? one.type : null;
  const kind = kinds.find((known) => known === type?.toLowerCase());
  let check: EvalCheck | null | string = null;
  if (isObject(one.check)) {
    const [key] = Object.keys(one.check);
    check = checkOf(typeof one.check.type === 'string' ? one.check.type : (key ?? ''), {
      ...one.check,
      value: one.check[key ?? ''],
    });
    check ??= `a check that is not known: ${JSON.stringify(one.check).slice(0, 80)}`;
  } else if (type !== null && kind === undefined) check = checkOf(type, one);
  const found = check;
  if (typeof check === 'string') {
    note('warned', `${place}: ${check}; left to the judge`);
    check = null;
  }
  if (typeof sentence !== 'string' || sentence.trim() === '') {
    if (check === null) {
      note('dropped', `${place} has no text`);
      return null;
    }
  }
  if (
    type !== null &&
    kind === undefined &&
    found === null &&
    !isObject(one.check) &&
    !/^(semantic|llm|llm_rubric|llm_judge|judge|rubric)$/.test(type.toLowerCase())
  )
    note('warned', `${place}: type ${type} is not known; left to the judge`);
  return {
    id,
    text: typeof sentence === 'string' && sentence.trim() !== '' ? sentence : describeCheck(check as EvalCheck),
    kind: kind ?? (check === null ? 'quality' : 'pattern'),
    ...(check === null ? {} : { check }),
    ...(typeof one.weight === 'number' && one.weight > 0 ? { weight: one.weight } : {}),
  };
}

/** A check in words, for assertions that have no text of their own. */
export function describeCheck({ type, ...rest }: EvalCheck): string {
  return `${type} ${JSON.stringify(rest)}`.slice(0, 200);
}

/** The id, or the first of id-2, id-3 … that is free. */
export function uniqueId(id: string, taken: string[]): string {
  if (!taken.includes(id)) return id;
  for (let at = 2; ; at++) if (!taken.includes(`${id}-${at}`)) return `${id}-${at}`;
}
