import { expect, test } from 'vitest';
import { collectResults, type ResultInput } from '../src/result.js';
import type { SavedTrial } from '../src/trial-record.js';

interface Given {
  one: string;
  arm: string;
  repeat?: number;
  lock?: string;
  task?: string | null;
  tools?: string;
}

/** Trials of two models: arm C has one of its own. */
function results(given: Given[], extra: Partial<ResultInput> = {}) {
  const trials = given.map(({ one, arm, repeat = 1, lock = 'present', task = 'task', tools = 'tools' }) => ({
    folder: `/root/data/runs/x/trials/${arm}`,
    record: {
      id: `${one}.${arm}.${repeat}`,
      case: one,
      arm,
      repeat,
      lock,
      content: `${one}${arm}`,
      baseCommit: one,
      status: 'completed',
      providerFailures: null,
      secretWarnings: [],
      redacted: {},
      usageMismatches: [],
    },
    usage: { tool_calls: null },
    attestation: { problems: [], deliveredTask: task, tools, parameters: null },
    trajectory: { loaded: [], response: '' },
  }));
  const settings = { model: { id: 'one' }, arms: { A: {}, B: {}, C: { model: { id: 'another' } } } };
  return collectResults({
    root: '/root',
    lock: { conditions: { settings } } as never,
    schedule: trials.map(
      ({ record }) => ({ trial: record.id, case: record.case, arm: record.arm, repeat: record.repeat }) as never,
    ),
    trials: trials as never as SavedTrial[],
    checks: [],
    verdicts: [],
    grades: [],
    scores: [],
    withheld: false,
    skills: [],
    given: () => [],
    ...extra,
  });
}

test('what must be equal is compared within a case, tools within its arms of one model, and the unknown with nothing', () => {
  const problems = (given: Given[]) => results(given).map((result) => result.problems);
  const differs = (what: string) => [`${what} differs between the trials of case one`];
  expect(
    problems([
      { one: 'one', arm: 'A' },
      { one: 'one', arm: 'B', task: 'longer' },
      { one: 'one', arm: 'C', task: null },
      { one: 'two', arm: 'A', task: 'another case' },
    ]),
  ).toEqual([differs('the delivered task'), differs('the delivered task'), [], []]);
  // the other model has other tools, and may
  expect(
    problems([
      { one: 'one', arm: 'A' },
      { one: 'one', arm: 'B' },
      { one: 'one', arm: 'C', tools: 'own' },
    ]),
  ).toEqual([[], [], []]);
  expect(
    problems([
      { one: 'one', arm: 'A' },
      { one: 'one', arm: 'B', tools: 'own' },
    ])[0],
  ).toEqual(differs('the set of tools offered'));
});

test('trials are concurrent where all of their block ran under one lock', () => {
  const given: Given[] = [
    { one: 'one', arm: 'A', lock: 'earlier' },
    { one: 'one', arm: 'B' },
    { one: 'one', arm: 'A', repeat: 2 },
    { one: 'one', arm: 'B', repeat: 2 },
    { one: 'two', arm: 'A', lock: 'earlier' },
  ];
  expect(results(given).map(({ concurrent }) => concurrent)).toEqual([false, false, true, true, true]);
});

test('a grade is the first of its trial and content, and none while scoring is withheld', () => {
  const grade = (content: string, assertions: number) =>
    ({ trial: 'one.A.1', content, assertions: Array(assertions), records: [] }) as never;
  const grades = [grade('another', 1), grade('oneA', 2), grade('oneA', 3)];
  const of = (withheld: boolean) => results([{ one: 'one', arm: 'A' }], { grades, withheld })[0]?.grade?.assertions.length;
  expect([of(false), of(true)]).toEqual([2, undefined]);
});
