import { describe, expect, it } from 'vitest';
import { readJestJson, readJunit } from '../src/test-report.js';

const short = (results: ReturnType<typeof readJunit>) => results.map(({ file, name, outcome }) => [file, name, outcome]);

describe('a JUnit report', () => {
  it('reads every runner’s nesting: suites within suites, one suite, one case', () => {
    const text = `<?xml version="1.0"?>
      <testsuites name="all"><testsuite name="outer" file="a_test.go">
        <testcase classname="pkg" name="adds &amp; counts" time="0.1"/>
        <testsuite name="inner"><testcase name="fails"><failure type="AssertionError" message="expected 2">at line 3</failure></testcase>
        <testcase name="007"><error message="boom"/></testcase><testcase name="later"><skipped/></testcase></testsuite>
      </testsuite></testsuites>`;
    expect(short(readJunit(text))).toEqual([
      ['a_test.go', 'outer > inner > fails', 'assertion'],
      ['a_test.go', 'outer > inner > 007', 'crash'],
      ['a_test.go', 'outer > inner > later', 'skipped'],
      ['a_test.go', 'pkg > adds & counts', 'passed'],
    ]);
    expect(short(readJunit('<testsuite><testcase classname="T" name="one"/></testsuite>'))).toEqual([['T', 'one', 'passed']]);
  });

  it('calls a failure without an assertion in it a crash', () => {
    const [result] = readJunit(
      '<testsuite><testcase name="x"><failure message="TypeError: no such method"/></testcase></testsuite>',
    );
    expect(result).toMatchObject({ outcome: 'crash', message: 'TypeError: no such method' });
  });

  it('goes by the name of the error where there is one, not by words of the source that stand in its text', () => {
    const outcome = (type: string, message: string, body = '') =>
      readJunit(
        `<testsuite><testcase name="x"><failure type="${type}" message="${message}">${body}</failure></testcase></testsuite>`,
      )[0]?.outcome;
    expect(outcome('org.opentest4j.AssertionFailedError', 'no')).toBe('assertion');
    expect(outcome('org.junit.ComparisonFailure', 'no')).toBe('assertion');
    expect(outcome('java.lang.NullPointerException', 'expected a value')).toBe('crash');
    expect(outcome('', 'KeyError: 1', 'assert table[1] == 2')).toBe('crash');
    expect(outcome('', 'Failed', 'Error: Not equal: expected: 1')).toBe('assertion');
    expect(outcome('', 'Failed', 'panic: nil')).toBe('crash');
    expect(outcome('', '', 'Not equal: expected: 1')).toBe('assertion');
    expect(outcome('testTimeoutFailure', 'x')).toBe('timeout');
  });

  it('holds no test where it is empty or cut short', () => {
    expect(readJunit('')).toEqual([]);
    expect(readJunit('<testsuite><testcase name="x">').map((one) => one.outcome)).toEqual(['collection']);
  });
});

describe('the JSON of jest', () => {
  const report = (results: unknown[]) => JSON.stringify({ numTotalTests: 1, testResults: results });

  it('names tests by their titles and tells assertion from crash', () => {
    const text = report([
      {
        name: '/workspace/cart.test.js',
        status: 'failed',
        assertionResults: [
          { ancestorTitles: ['cart'], title: 'adds', status: 'passed', failureMessages: [] },
          { ancestorTitles: ['cart'], title: 'total', status: 'failed', failureMessages: ['AssertionError: expected 1 to be 2'] },
          { ancestorTitles: [], title: 'loads', status: 'failed', failureMessages: ['TypeError: x is undefined'] },
          { ancestorTitles: [], title: 'later', status: 'pending', failureMessages: null },
          { ancestorTitles: [], title: 'some day', status: 'todo' },
        ],
      },
    ]);
    expect(short(readJestJson(text))).toEqual([
      ['/workspace/cart.test.js', 'cart > adds', 'passed'],
      ['/workspace/cart.test.js', 'cart > total', 'assertion'],
      ['/workspace/cart.test.js', 'loads', 'crash'],
      ['/workspace/cart.test.js', 'later', 'skipped'],
      ['/workspace/cart.test.js', 'some day', 'todo'],
    ]);
  });

  it('shows a file that could not be loaded, and a report that cannot be read', () => {
    const text = report([{ name: 'a.test.js', status: 'failed', message: 'Cannot find module', assertionResults: [] }]);
    expect(readJestJson(text)).toEqual([
      { file: 'a.test.js', name: 'a.test.js', outcome: 'collection', message: 'Cannot find module' },
    ]);
    expect(readJestJson('{"testResults": [').map((one) => one.outcome)).toEqual(['collection']);
    expect(readJestJson('')).toEqual([]);
  });
});
