import { describe, expect, it } from 'vitest';
import { readJestJson, readJunit } from '../src/test-report.js';

const kind = (type: string, message: string, body: string) =>
  readJunit(
    `<testsuite><testcase name="x"><failure type="${type}" message="${message}">${body}</failure></testcase></testsuite>`,
  )[0]?.outcome;
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
    const outcome = (type: string, message: string, body = '') => kind(type, message, body);
    expect(outcome('org.opentest4j.AssertionFailedError', 'no')).toBe('assertion');
    expect(outcome('org.junit.ComparisonFailure', 'no')).toBe('assertion');
    expect(outcome('java.lang.NullPointerException', 'expected a value')).toBe('crash');
    expect(outcome('', 'KeyError: 1', 'assert table[1] == 2')).toBe('crash');
    expect(outcome('', 'Failed', 'Error: Not equal: expected: 1')).toBe('assertion');
    expect(outcome('', 'Failed', 'panic: nil')).toBe('crash');
    expect(outcome('', '', 'Not equal: expected: 1')).toBe('assertion');
    expect(outcome('testTimeoutFailure', 'x')).toBe('timeout');
  });

  it.each([
    ['RSpec::Expectations::ExpectationNotMetError', 'expected: 2', ''],
    ['PHPUnit\\Framework\\ExpectationFailedException', '', 'CartTest::testSum Failed asserting that 1 matches 2.'],
    ['Minitest::Assertion', 'no', ''],
    ['Xunit.Sdk.EqualException', 'Values differ', ''],
    ['Xunit.Sdk.XunitException', 'no', ''],
    ['failure', 'Assert.Equal() Failure: Values differ', ''],
    ['NUnit.Framework.AssertionException', 'no', ''],
    ['Microsoft.VisualStudio.TestTools.UnitTesting.AssertFailedException', 'no', ''],
    ['org.opentest4j.MultipleFailuresError', 'Multiple Failures (2 failures)', ''],
    ['org.spockframework.runtime.ConditionNotSatisfiedError', 'Condition not satisfied', ''],
    ['org.scalatest.exceptions.TestFailedException', '1 did not equal 2', ''],
    ['org.mockito.exceptions.verification.WantedButNotInvoked', 'Wanted but not invoked', ''],
    ['REQUIRE', 'total == 2', 'FAILED'],
    ['CHECK_EQ', 'total == 2', ''],
    ['assertion error', 'no', ''],
    ['Exception', 'Expected 1 to equal 2', ''],
    ['System.Exception', 'Expected 1 to equal 2', ''],
    ['Acme.OddException', 'Assert.AreEqual failed. Expected 1', ''],
    ['', 'Uncaught error', 'AssertionError: Values are not equal.'],
    ['FAILURE', 'cart.spec.ts:3:1 sums', '  cart.spec.ts:3:1\n    Error: expect(received).toBe(expected)'],
    [
      'test failure',
      'thread t panicked at src/lib.rs:5:9',
      'thread t panicked at src/lib.rs:5:9:\nassertion `left == right` failed',
    ],
  ])('calls %s (%s) an assertion', (type, message, body) => {
    expect(kind(type, message, body)).toBe('assertion');
  });

  it.each([
    ['NoMethodError', 'undefined method expect', ''],
    ['RSpec::Core::Example::SomeError', 'expected', ''],
    ['TypeError', 'Expected BEGIN_OBJECT but was STRING', ''],
    ['com.acme.assertions.NullPointerException', 'expected a value', ''],
    ['System.NullReferenceException', 'no', 'at Xunit.Assert.Equal'],
    ['Exception', 'boom', 'in expect.py'],
    ['failed', 'boom', ''],
    ['', 'Uncaught error', 'TypeError: x is not a function'],
    ['test failure', 'thread t panicked at src/lib.rs:5:9', 'index out of bounds'],
  ])('calls %s (%s) a crash', (type, message, body) => {
    expect(kind(type, message, body)).toBe('crash');
  });

  it('takes a name for a file that could not be loaded only where it looks like one, and no other test is in it', () => {
    const failing = (attributes: string) => `<testcase ${attributes}><failure message="boom"/></testcase>`;
    const outcomes = (cases: string) => readJunit(`<testsuite>${cases}</testsuite>`).map(({ name, outcome }) => [name, outcome]);
    expect(outcomes(failing('name="a.test.js" classname="a.test.js"'))).toEqual([['a.test.js', 'collection']]);
    expect(outcomes(failing('name="/workspace/a.test.js" classname="test"'))).toEqual([['/workspace/a.test.js', 'collection']]);
    // CTest calls the class as the test
    expect(outcomes(failing('name="cart" classname="cart"'))).toEqual([['cart', 'crash']]);
    expect(outcomes(failing('name="/users returns 404" classname="test"'))).toEqual([['/users returns 404', 'crash']]);
    expect(outcomes(failing('name="/users" file="a.js"'))).toEqual([['/users', 'crash']]);
    const beside = '<testcase name="sums" classname="a.test.js"/>';
    expect(outcomes(beside + failing('name="a.test.js" classname="a.test.js"'))).toEqual([
      ['sums', 'passed'],
      ['a.test.js', 'crash'],
    ]);
  });

  it('is refused, not read for minutes, where the code under test made it to fill time or memory', () => {
    const many = '<testcase name="x"><failure/></testcase>'.repeat(2000);
    const suite = `<testsuite><testsuite name="${'n'.repeat(100_000)}">${many}</testsuite></testsuite>`;
    expect(readJunit(suite)).toMatchObject([{ name: 'report', outcome: 'collection' }]);
    // each would be looked through from every one of its lines
    const lines = '\n '.repeat(200_000);
    const text = JSON.stringify({
      testResults: [
        { name: 'a.js', assertionResults: [{ ancestorTitles: [], title: 'x', status: 'failed', failureMessages: [lines] }] },
      ],
    });
    expect(readJestJson(text)).toMatchObject([{ outcome: 'crash' }]);
    expect(kind('', 'boom', lines)).toBe('crash');
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
