import { XMLParser } from 'fast-xml-parser';
import { z } from 'zod';
import type { TestOutcome, TestResult } from './test-framework.js';

/** Longest message kept of one failure, in characters. */
const longest = 2_000;
const cut = (message: unknown) => (message === undefined || message === '' ? null : String(message).slice(0, longest));

const timeouts = /^(?:\w*Error: )?(?:thrown: )?"?(?:exceeded timeout of|(?:test|hook) timed out)/i;

/**
 * The kind of a failure: runners that write JUnit or JSON call assertion, crash and timeout alike. The name of the error decides, where the
 * report gives one; else the words of the message. A stack or an excerpt of the source holds words of other tests.
 */
function kindOf({ type, message, body }: { type: string; message: string; body: string }): TestOutcome {
  const head = message.split(/\n\s+at /)[0] as string;
  if (/timeout/i.test(type) || timeouts.test(head)) return 'timeout';
  const names = [type, /^(?:[\w.]+\.)?(\w+)(?: \[\w+\])?: /.exec(head)?.[1], /\bcause: (\w+)/.exec(body)?.[1]];
  for (const name of names) {
    if (name === undefined || name === 'Error') continue;
    if (/Assert|Comparison|^Failed$/.test(name)) return 'assertion';
    if (/(?:Error|Exception)$/.test(name)) return 'crash';
  }
  // go's reports say no more than "Failed" there
  const words = /^(Failed)?$/.test(head) ? body : head;
  return /assert|expect(ed)?\b|toBe|toEqual/i.test(words) ? 'assertion' : 'crash';
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
  const suite = (node: Node, file: string, names: string[]): void => {
    const own = String(node['@file'] ?? file);
    for (const child of asList(node.testsuite as Node | Node[])) suite(child, own, [...names, String(child['@name'] ?? '')]);
    for (const one of asList(node.testcase as Node | Node[])) results.push(junitCase(one, own, names));
  };
  const document = parser.parse(text, true) as Node;
  suite(document, '', []);
  for (const node of asList(document.testsuites as Node | Node[])) suite(node, '', []);
  return results;
}

/** `suites` are the names of the suites around it: they tell its block where the class does not (node writes "test" for every one). */
function junitCase(node: Node, suiteFile: string, suites: string[]): TestResult {
  const inner = (name: string) => {
    const found = asList(node[name] as unknown)[0];
    if (found === undefined) return null;
    const parts = (typeof found === 'object' ? found : { '#text': found }) as Node;
    const [type, message, body] = ['@type', '@message', '#text'].map((key) => String(parts[key] ?? '')) as [
      string,
      string,
      string,
    ];
    return { type, message, body, said: cut([message, body].filter((part) => part !== '').join('\n')) };
  };
  const named = String(node['@classname'] ?? '');
  const classname = named === 'test' ? '' : named;
  const file = String(node['@file'] ?? '') || suiteFile || classname;
  const own = String(node['@name'] ?? '');
  const names = classname === '' ? [...suites, own] : [classname === file ? '' : classname, own];
  const name = names.filter((part) => part !== '').join(' > ');
  const skipped = inner('skipped');
  // expected to fail: pytest's xfail, node's todo
  if (skipped !== null)
    return { file, name, outcome: /xfail|todo/.test(skipped.type) ? 'todo' : 'skipped', message: skipped.said };
  const [error, failure] = [inner('error'), inner('failure')];
  const bad = error ?? failure;
  if (bad === null) return { file, name, outcome: 'passed', message: null };
  // a file that could not be loaded stands under its own name (vitest, node), or says so (pytest, jest)
  const isFile = own === file || own === named || own.startsWith('/');
  if (isFile || bad.message === 'collection failure' || bad.body.trimStart().startsWith('Test suite failed to run'))
    return { file: file || own, name: own, outcome: 'collection', message: bad.said };
  return { file, name, outcome: error === null ? kindOf(bad) : 'crash', message: bad.said };
}

/** The part of jest's JSON (`--json`) that is read; further keys are its own. */
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
          /** test.failing: it is to fail, and passes when it does. */
          failing: z.boolean().nullish(),
          failureMessages: z.array(z.string()).nullish(),
        }),
      ),
    }),
  ),
});

/** The results in the JSON of jest; [] for an empty text. A file that could not be loaded is one `collection` result. */
export function readJestJson(text: string): TestResult[] {
  if (text.trim() === '') return [];
  return readable(() => parseJestJson(text));
}

function parseJestJson(text: string): TestResult[] {
  return JestJson.parse(JSON.parse(text)).testResults.flatMap(({ name: file, message, status, assertionResults }) => {
    if (assertionResults.length === 0 && status === 'failed')
      return [{ file, name: file, outcome: 'collection' as const, message: cut(message ?? '') }];
    const results = assertionResults.map((one): TestResult => {
      const said = (one.failureMessages ?? []).join('\n');
      const passed = one.failing === true ? 'todo' : 'passed';
      const outcomes: Record<string, TestOutcome> = {
        passed,
        failed: kindOf({ type: '', message: said, body: '' }),
        todo: 'todo',
      };
      const outcome = outcomes[one.status] ?? 'skipped';
      return { file, name: [...one.ancestorTitles, one.title].join(' > '), outcome, message: cut(said) };
    });
    // what broke after the tests (afterAll) is told of the file alone
    const broke = status === 'failed' && assertionResults.every((one) => one.status !== 'failed');
    return broke ? [...results, { file, name: file, outcome: 'crash' as const, message: cut(message ?? '') }] : results;
  });
}
