import { XMLParser } from 'fast-xml-parser';
import { z } from 'zod';
import type { TestOutcome, TestResult } from './test-framework.js';

/** Longest message kept of one failure, in characters. */
const longest = 2_000;
const cut = (message: unknown) => (message === undefined || message === '' ? null : String(message).slice(0, longest));

/** The kind of a failure by its text: runners that write JUnit or JSON call assertion and crash alike. */
function kindOf(text: string): TestOutcome {
  return /assert|expect(ed)?\b|toBe|toEqual/i.test(text) ? 'assertion' : 'crash';
}

const asList = <T>(value: T | T[] | undefined): T[] => (value === undefined ? [] : Array.isArray(value) ? value : [value]);

/** A report that a kill cut short, or that is none, says so as one result: no test of it counts as run. */
function readable(read: () => TestResult[]): TestResult[] {
  try {
    return read();
  } catch (error) {
    return [
      { file: '', name: 'report', outcome: 'collection', message: cut(`the report cannot be read: ${(error as Error).message}`) },
    ];
  }
}

type Node = Record<string, unknown>;

/** The results in a JUnit XML report, whichever runner wrote it; [] where the text holds no report. */
export function readJunit(text: string): TestResult[] {
  if (text.trim() === '') return [];
  return readable(() => parseJunit(text));
}

function parseJunit(text: string): TestResult[] {
  // attribute values stay text: a name such as 007 is no number
  const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '@', parseAttributeValue: false });
  const results: TestResult[] = [];
  const suite = (node: Node, file: string): void => {
    const own = String(node['@file'] ?? file);
    for (const child of asList(node.testsuite as Node | Node[])) suite(child, own);
    for (const one of asList(node.testcase as Node | Node[]))
      results.push(junitCase(one, String(one['@file'] ?? '') || own || String(one['@classname'] ?? '')));
  };
  const document = parser.parse(text, true) as Node;
  suite(document, '');
  for (const node of asList(document.testsuites as Node | Node[])) suite(node, '');
  return results;
}

function junitCase(node: Node, file: string): TestResult {
  const inner = (name: string) => {
    const found = asList(node[name] as unknown)[0];
    if (found === undefined) return null;
    const {
      '@message': message,
      '@type': type,
      '#text': body,
    } = (typeof found === 'object' ? found : { '#text': found }) as Node;
    return { message: [message, body].filter((part) => part !== undefined && part !== '').join('\n'), type: String(type ?? '') };
  };
  const classname = String(node['@classname'] ?? '');
  const name = [classname === file ? '' : classname, String(node['@name'] ?? '')].filter((part) => part !== '').join(' > ');
  const skipped = inner('skipped');
  if (skipped !== null) return { file, name, outcome: 'skipped', message: cut(skipped.message) };
  const error = inner('error');
  if (error !== null) return { file, name, outcome: 'crash', message: cut(error.message) };
  const failure = inner('failure');
  if (failure !== null)
    return { file, name, outcome: kindOf(`${failure.type} ${failure.message}`), message: cut(failure.message) };
  return { file, name, outcome: 'passed', message: null };
}

/** The part of the JSON that jest (`--json`) and vitest (`--reporter=json`) write alike; further keys are theirs. */
const JestJson = z.looseObject({
  testResults: z.array(
    z.looseObject({
      name: z.string(),
      message: z.string().nullish(),
      status: z.string().optional(),
      assertionResults: z.array(
        z.looseObject({
          ancestorTitles: z.array(z.string()),
          title: z.string(),
          status: z.string(),
          failureMessages: z.array(z.string()).nullish(),
        }),
      ),
    }),
  ),
});

/** The results in the JSON of jest or vitest; [] for an empty text. A file that could not be loaded is one `collection` result. */
export function readJestJson(text: string): TestResult[] {
  if (text.trim() === '') return [];
  return readable(() => parseJestJson(text));
}

function parseJestJson(text: string): TestResult[] {
  return JestJson.parse(JSON.parse(text)).testResults.flatMap(({ name: file, message, status, assertionResults }) => {
    if (assertionResults.length === 0 && status === 'failed')
      return [{ file, name: file, outcome: 'collection' as const, message: cut(message ?? '') }];
    return assertionResults.map((one): TestResult => {
      const said = (one.failureMessages ?? []).join('\n');
      const outcomes: Record<string, TestOutcome> = { passed: 'passed', failed: kindOf(said), todo: 'todo' };
      const outcome = outcomes[one.status] ?? 'skipped';
      return { file, name: [...one.ancestorTitles, one.title].join(' > '), outcome, message: cut(said) };
    });
  });
}
