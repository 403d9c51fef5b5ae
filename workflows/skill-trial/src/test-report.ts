import { XMLParser } from 'fast-xml-parser';
import { z } from 'zod';
import { type TestOutcome, type TestResult, unreadable } from './test-framework.js';

/** Longest message kept of one failure, in characters. */
const longest = 2_000;
const cut = (message: unknown) => (message === undefined || message === '' ? null : String(message).slice(0, longest));

const timeouts = /^(?:\w*Error: )?(?:thrown: )?"?(?:exceeded timeout of|(?:test|hook) timed out)/i;

/**
 * Errors by which a test says that something is not as expected, by the last part of their names: AssertionError of Java, Python and
 * JavaScript, JUnit's ComparisonFailure, RSpec's ExpectationNotMetError, PHPUnit's ExpectationFailedException, Spock's
 * ConditionNotSatisfiedError, opentest4j's MultipleFailuresError, ScalaTest's TestFailedException, pytest's Failed; REQUIRE and CHECK of
 * Catch2 and doctest.
 */
const assertions =
  /[Aa]ssert|Comparison|Expectation|ConditionNotSatisfied|MultipleFailures|^TestFailedException$|^Failed$|^(?:REQUIRE|CHECK)(?:_|$)/;
/** Packages whose errors are all of that kind, whatever they are called (xUnit's EqualException, Mockito's WantedButNotInvoked). */
const assertionPackages = /^Xunit\.Sdk\.|^org\.mockito\.exceptions\.verification\./;
/** Says nothing: any error may be called so. */
const bare = /^(?:Error|Exception)$/;
/** Words that an assertion alone begins a line with. */
const asserted = /^[ \t]*(?:assertion (?:failed|`)|Assert\.\w+(?:\(\))? fail|Failed asserting that|Error: expect\()/im;

/**
 * The kind of a failure: runners that write JUnit or JSON call assertion, crash and timeout alike. The name of the error decides, where the
 * report gives one; else the words of the message. A stack or an excerpt of the source holds words of other tests.
 */
function kindOf({ type, message, body: whole }: { type: string; message: string; body: string }): TestOutcome {
  // the code under test may have written either, of any length
  const [head, body] = [message.slice(0, longest).split(/\n[ \t]+at /)[0] as string, whole.slice(0, 10 * longest)];
  if (/timeout/i.test(type) || timeouts.test(head)) return 'timeout';
  if (assertionPackages.test(type)) return 'assertion';
  const names = [
    type.split(/[.\\:]+/).at(-1),
    /^(?:[\w.]+\.)?(\w+)(?: \[\w+\])?: /.exec(head)?.[1],
    /\bcause: (\w+)/.exec(body)?.[1],
    // go's reports say no more than "Failed", and hold any output
    head === 'Failed' ? undefined : /^[ \t]*(\w*(?:Error|Exception|Failure))(?: \[\w+\])?: /m.exec(body)?.[1],
  ];
  for (const name of names) {
    if (name === undefined || bare.test(name)) continue;
    if (assertions.test(name)) return 'assertion';
    if (/(?:Error|Exception)$/.test(name)) return asserted.test(head) ? 'assertion' : 'crash';
  }
  const words = /^(Failed)?$/.test(head) ? body : head;
  return /assert|expect(ed)?\b|toBe|toEqual/i.test(words) || asserted.test(body) ? 'assertion' : 'crash';
}

const asList = <T>(value: T | T[] | undefined): T[] => (value === undefined ? [] : Array.isArray(value) ? value : [value]);

/** A report that a kill cut short, or that is none, says so as one result: no test of it counts as run. */
function readable(read: () => TestResult[]): TestResult[] {
  try {
    return read();
  } catch (error) {
    return [unreadable(`the report cannot be read: ${(error as Error).message}`.slice(0, longest))];
  }
}

type Node = Record<string, unknown>;

/** The results in a JUnit XML report, whichever runner wrote it; [] where the text holds no report. */
export function readJunit(text: string): TestResult[] {
  if (text.trim() === '') return [];
  return readable(() => parseJunit(text));
}

/** Characters of all names together: a suite's stands in those of all its tests, and a report could fill the memory with it. */
const mostOfNames = 2 ** 27;

/** One testcase with what stands around it. `suites` are the names of the suites. */
interface JunitCase {
  node: Node;
  file: string;
  named: string;
  own: string;
  suites: string[];
}

function parseJunit(text: string): TestResult[] {
  // attribute values stay text: a name such as 007 is no number
  const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '@', parseAttributeValue: false });
  const cases: JunitCase[] = [];
  const suite = (node: Node, suiteFile: string, suites: string[]): void => {
    const above = String(node['@file'] ?? suiteFile);
    for (const child of asList(node.testsuite as Node | Node[])) suite(child, above, [...suites, String(child['@name'] ?? '')]);
    for (const one of asList(node.testcase as Node | Node[])) {
      const [named, own] = [String(one['@classname'] ?? ''), String(one['@name'] ?? '')];
      const file = String(one['@file'] ?? '') || above || (named === 'test' ? '' : named);
      cases.push({ node: one, file, named, own, suites });
    }
  };
  const document = parser.parse(text, true) as Node;
  suite(document, '', []);
  for (const node of asList(document.testsuites as Node | Node[])) suite(node, '', []);
  const places = new Map<string, number>();
  for (const { file, named } of cases)
    for (const place of new Set([file, named])) places.set(place, (places.get(place) ?? 0) + 1);
  let length = 0;
  return cases.map((one) => {
    const result = junitCase(one, places);
    length += result.name.length;
    if (length > mostOfNames) throw new Error(`the names of its tests are longer than ${mostOfNames} characters`);
    return result;
  });
}

const sourceFile = /\.(?:[cm]?[jt]sx?|py|rb|php|exs?|go|rs|java|kt|scala|groovy|cs|swift|dart|lua)$/;

/**
 * Whether a failure stands under the name of a file, which could not be loaded (vitest, node). A test may be called like its class (CTest)
 * or like a path of the web: no file is loaded in which other tests have run, and a source has a suffix.
 */
function isFile({ file, named, own }: JunitCase, places: Map<string, number>): boolean {
  const itself = own === file || own === named;
  const others = (places.get(own) ?? 0) - (itself ? 1 : 0);
  return (itself || own.startsWith('/')) && sourceFile.test(own) && others === 0;
}

/** The suites' names tell a test's block where the class does not: node writes "test" for every one. */
function junitCase(one: JunitCase, places: Map<string, number>): TestResult {
  const { node, file, named, own, suites } = one;
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
  const classname = named === 'test' ? '' : named;
  const names = classname === '' ? [...suites, own] : [classname === file ? '' : classname, own];
  const name = names.filter((part) => part !== '').join(' > ');
  const skipped = inner('skipped');
  // expected to fail: pytest's xfail, node's todo
  if (skipped !== null)
    return { file, name, outcome: /xfail|todo/.test(skipped.type) ? 'todo' : 'skipped', message: skipped.said };
  const [error, failure] = [inner('error'), inner('failure')];
  const bad = error ?? failure;
  if (bad === null) return { file, name, outcome: 'passed', message: null };
  // pytest and jest say so of a file that could not be loaded
  if (isFile(one, places) || bad.message === 'collection failure' || bad.body.trimStart().startsWith('Test suite failed to run'))
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
