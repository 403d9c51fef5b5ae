import { describe, expect, test } from 'vitest';
import { defectMatrix } from '../src/defect-matrix.js';
import { proposalAgreement, proposalsOf, testPlace } from '../src/proposing.js';
import { requirementsOf } from '../src/requirement-result.js';
import type { TestResult } from '../src/test-framework.js';

const result = (name: string, outcome: TestResult['outcome'], file = 't.test.js'): TestResult => ({
  file,
  name,
  outcome,
  message: outcome === 'passed' ? null : `${name} said no\nsecond line`,
});

describe('requirements, by hidden tests', () => {
  const hidden = { R1: 'hidden/R1.js', R2: 'hidden/R2.js', R3: 'hidden/R3.js', R4: 'hidden/R4.js' };
  const tests = [
    result('a', 'passed', 'hidden/R1.js'),
    result('b', 'passed', 'hidden/R1.js'),
    result('c', 'passed', 'hidden/R2.js'),
    result('d', 'crash', 'hidden/R2.js'),
    result('e', 'assertion', 'hidden/R2.js'),
    result('f', 'collection', 'hidden/R3.js'),
  ];

  test('hold where all pass, fail by assertion, and are an error where nothing can be told', () => {
    expect(requirementsOf({ tests, timedOut: false }, hidden)).toEqual([
      { id: 'R1', outcome: 'holds', passed: 2, tests: 2, evidence: null },
      { id: 'R2', outcome: 'fails', passed: 1, tests: 3, evidence: 'hidden/R2.js: e: assertion: e said no' },
      { id: 'R3', outcome: 'error', passed: 0, tests: 1, evidence: 'hidden/R3.js: f: collection: f said no' },
      { id: 'R4', outcome: 'error', passed: 0, tests: 0, evidence: 'hidden/R4.js: no test ran' },
    ]);
  });
  test('a run cut by its time limit says so, and a case without hidden tests has no requirement', () => {
    expect(requirementsOf({ tests: [], timedOut: true }, { R1: 'r.js' })[0]?.evidence).toBe(
      'r.js: no test ran before the time limit',
    );
    expect(requirementsOf({ tests, timedOut: false }, {})).toEqual([]);
  });
});

const mutant = (name: string, own: TestResult[] | null, starting: TestResult[] = []) => ({
  mutant: name,
  breaks: ['R1'],
  own: own === null ? null : { tests: own },
  starting: { tests: starting },
});
const caught = (matrix: ReturnType<typeof defectMatrix>) => matrix.mutants.map((row) => row.caught);

describe('the defect matrix', () => {
  const reference = { tests: [result('levels', 'passed'), result('error', 'passed')] };

  test('a mutant is caught by a test that passes on the reference and not on it, by crash as by assertion', () => {
    const matrix = defectMatrix(reference, [
      mutant('m1', [result('levels', 'assertion'), result('error', 'passed')]),
      mutant('m2', [result('levels', 'passed'), result('error', 'crash')]),
      mutant('m3', [result('levels', 'passed'), result('error', 'passed')]),
    ]);
    expect(matrix.status).toBe('comparable');
    expect(caught(matrix)).toEqual([true, true, false]);
    expect(matrix.mutants[0]?.by.map((one) => one.test)).toEqual(['levels']);
  });
  test('what the starting suite fails on as well is no merit of the variant', () => {
    const matrix = defectMatrix(reference, [mutant('m1', [result('levels', 'assertion')], [result('levels', 'assertion')])]);
    expect(caught(matrix)).toEqual([false]);
  });
  test('a test that fails on the reference asks for another contract: left out, and a mutant not caught is then not told', () => {
    const differing = { tests: [result('levels', 'passed'), result('code', 'assertion')] };
    const matrix = defectMatrix(differing, [
      mutant('m1', [result('levels', 'assertion'), result('code', 'assertion')]),
      mutant('m2', [result('levels', 'passed'), result('code', 'assertion')]),
    ]);
    expect(matrix.status).toBe('contract differs');
    expect(matrix.differing.map((one) => one.test)).toEqual(['code']);
    expect(caught(matrix)).toEqual([true, null]);
  });
  test('no test passes on the reference: nothing can be told; no new test: nothing is caught', () => {
    const none = defectMatrix({ tests: [result('code', 'collection')] }, [mutant('m1', null)]);
    expect([none.status, ...caught(none)]).toEqual(['not told', null]);
    const empty = defectMatrix(null, [mutant('m1', null)]);
    expect([empty.status, ...caught(empty)]).toEqual(['no tests', false]);
    expect(defectMatrix({ tests: [result('later', 'skipped')] }, []).status).toBe('no tests');
  });
});

describe('proposals', () => {
  const row = (id: string, weight: number) => ({ id, requirement: id, weight, evidence_rule: id });
  const one = {
    rubrics: { review: 'r', tests: 't', documentation: 'd', control_row: 'T6' },
    rubricRows: { review: [], tests: [row('T2', 2), row('T3', 3), row('T6', 3)], documentation: [row('D3', 1), row('D4', 1)] },
    proofs: {
      tests: {
        T1: [{ points: 1, any: ['skip', 'amount'] }],
        T2: [
          { points: 1, all: ['sign'] },
          { points: 1, all: ['kind'] },
        ],
        T3: [{ points: 3, all: ['skip', 'amount'] }],
      },
      documentation: { example: 'D3', guarantees: 'D4' },
    },
  };
  const documentation = {
    files: ['README.md'],
    named: true,
    entries: [],
    examples: [
      { file: 'README.md', line: 9, outcome: 'different' as const, expected: '{"a":1}', actual: '{"b":1}', error: null },
    ],
    guarantees: [{ file: 'README.md', line: 3, word: 'always', negated: false, quote: 'It is always atomic.' }],
    commands: [],
  };
  const checks = { exposesDefect: true, control: { assertion: 2 } };
  const reference = { tests: [result('levels', 'passed'), result('zero', 'passed')] };
  const failing = (...names: string[]) =>
    ['levels', 'zero'].map((name) => result(name, names.includes(name) ? 'assertion' : 'passed'));
  const valuesOf = (mutants: Parameters<typeof defectMatrix>[1], tests = reference) =>
    Object.fromEntries(
      proposalsOf(one, { defects: defectMatrix(tests, mutants), documentation }, checks, new Map()).map(({ row: id, value }) => [
        id,
        value,
      ]),
    );

  test('points are earned by the mutants that are caught; the control fills its own row', () => {
    const mutants = [
      mutant('skip', failing('levels')),
      mutant('amount', failing('levels')),
      mutant('sign', failing('zero')),
      mutant('kind', failing()),
    ];
    expect(valuesOf(mutants)).toEqual({ T1: 1, T2: 1, T3: 3, T6: 3, D3: false, D4: false });
  });
  test('a call asserted without its quantity is caught in part: a person judges', () => {
    const mutants = [
      mutant('skip', failing('levels')),
      mutant('amount', failing()),
      mutant('sign', failing()),
      mutant('kind', failing()),
    ];
    expect(valuesOf(mutants)).toMatchObject({ T1: 1, T2: 0, T3: null });
  });
  test('a mutant that another contract may have caught leaves the row open', () => {
    const tests = { tests: [...reference.tests, result('code', 'assertion')] };
    expect(
      valuesOf(
        [mutant('skip', failing()), mutant('amount', failing()), mutant('sign', failing('zero')), mutant('kind', failing())],
        tests,
      ),
    ).toMatchObject({
      T1: null,
      T2: null,
      T3: null,
    });
  });
  test('the evidence names file, line and what stands there, also for a parameter of pytest', () => {
    const files = new Map([['tests/test_a.py', 'import x\n\ndef test_zero(n):\n    assert n\n']]);
    expect(testPlace({ file: 'tests/test_a.py', test: 'TestA::test_zero[0]' }, files)).toEqual({
      file: 'tests/test_a.py',
      line: 3,
      side: 'result',
      quote: 'def test_zero(n):',
    });
    expect(testPlace({ file: 'tests/test_a.py', test: 'built from parts' }, files).line).toBe(null);
  });
  test('agreement with sheets: agrees, differs, not told; a row that no sheet scores is left out', () => {
    const found = (value: boolean) => ({ found: value, evidence: '' });
    const sheet = {
      content: 'c',
      case: 'x',
      scorer: 'ann',
      rows: {},
      tests: { T1: { points: 1, evidence: '' }, T2: { points: 2, evidence: '' } },
      documentation: { D3: found(true) },
    };
    const proposal = (kind: 'tests' | 'documentation', id: string, value: number | boolean | null) => ({
      sheet: kind,
      row: id,
      value,
      reason: 'r',
      evidence: [],
    });
    const proposals = [
      proposal('tests', 'T1', 1),
      proposal('tests', 'T2', null),
      proposal('tests', 'T6', 3),
      proposal('documentation', 'D3', false),
    ];
    const rows = proposalAgreement(
      [
        { content: 'c', case: 'x', proposals },
        { content: 'other', case: 'x', proposals },
      ],
      [sheet],
    );
    expect(rows.map((each) => [each.row, each.agrees])).toEqual([
      ['T1', true],
      ['T2', null],
      ['D3', false],
    ]);
  });
});
