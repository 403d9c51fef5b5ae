import { describe, expect, test } from 'vitest';
import { compareArms } from '../src/comparison.js';
import { criticalRisks } from '../src/critical-risk.js';
import { anyDifference, type DecisionInput, decide, scoredRuns } from '../src/decision.js';
import { DecisionRule } from '../src/decision-rule.js';
import { MetricId } from '../src/metric.js';
import type { TrialResult } from '../src/result.js';
import { testArms } from '../src/statistic.js';
import { trialResult } from './fixture.js';

/** One arm's runs, by column: quality, critical risk confirmed, findings confirmed and contradicted, seconds, uncached tokens. */
interface Figures {
  quality: (number | null)[];
  critical?: (boolean | null)[];
  confirmed?: number;
  contradicted?: number;
  seconds?: number;
  tokens?: number | null;
}

const contrast = { arm: 'B', control: 'A' };
const rule = DecisionRule.parse({ tested_class: 'small services', untested_class: 'the rest' });

function runs(arm: string, figures: Figures, one = 'c'): TrialResult[] {
  const { quality, critical = quality.map(() => true), confirmed = 4, contradicted = 0, seconds = 100, tokens = 1000 } = figures;
  return quality.map((value, index) =>
    trialResult({
      case: one,
      arm,
      repeat: index + 1,
      values: { review_completeness: value, elapsed_seconds: seconds, input_tokens_uncached: tokens },
      rows: [{ id: 'R1', weight: 3, applicable: true, found: critical[index] ?? null, evidence: '' }],
      precision: value === null ? null : { confirmed, contradicted, checkable: confirmed + contradicted, value: null },
      scoring: value === null ? 'pending' : 'scored',
    }),
  );
}

function decideOn(results: TrialResult[], parts: Partial<DecisionInput> = {}) {
  return decide({
    rule,
    contrast,
    rows: compareArms(results, [contrast], MetricId.options, {}),
    statistics: testArms(results, [contrast], MetricId.options),
    critical: criticalRisks(results),
    results,
    scripted: false,
    cases: new Set(results.map((result) => result.case)).size,
    ...parts,
  });
}
const low = [0.4, 0.4, 0.5];
const high = [0.8, 0.9, 0.7];
const decided = (a: Figures, b: Figures, parts: Partial<DecisionInput> = {}) =>
  decideOn([...runs('A', a), ...runs('B', b)], parts);

describe('the descriptive decision', () => {
  test.each<[string, string, Figures, Figures]>([
    ['accept', 'better, nothing lost, within every budget', { quality: low }, { quality: high }],
    ['restrict', 'better, at more than three times the time', { quality: low }, { quality: high, seconds: 301 }],
    ['restrict', 'better, at more than three times the uncached input', { quality: low }, { quality: high, tokens: 3001 }],
    ['accept', 'better, at exactly three times the time', { quality: low }, { quality: high, seconds: 300 }],
    ['revise', 'no difference at all', { quality: low }, { quality: low }],
    ['revise', 'better by less than the declared amount', { quality: [0.4, 0.4, 0.4] }, { quality: [0.45, 0.45, 0.45] }],
    ['revise', 'better, but a critical finding was lost', { quality: low }, { quality: high, critical: [true, true, false] }],
    ['reject', 'better, bought with false findings', { quality: low }, { quality: high, contradicted: 2 }],
    ['accept', 'one false finding of five is exactly the threshold', { quality: low }, { quality: high, contradicted: 1 }],
    ['reject', 'worse by the declared amount', { quality: high }, { quality: low }],
    [
      'accept',
      'better by exactly the declared amount, whatever 0.9 - 0.8 is in binary',
      { quality: [0.8, 0.8, 0.8] },
      { quality: [0.9, 0.9, 0.9] },
    ],
    ['reject', 'worse by exactly the declared amount', { quality: [0.9, 0.9, 0.9] }, { quality: [0.8, 0.8, 0.8] }],
    ['revise', 'a better median whose gain half of the runs do not share', { quality: [0.5, 0.5] }, { quality: [0.5, 0.9] }],
    [
      'pending',
      'nothing is scored yet',
      { quality: [null, null, null] },
      { quality: [null, null, null], critical: [null, null, null] },
    ],
    ['pending', 'one run of the arm is not scored', { quality: low }, { quality: [0.8, null, 0.9] }],
    [
      'pending',
      'the critical risk is unscored in the control',
      { quality: low, critical: [null, null, null] },
      { quality: high },
    ],
    ['pending', 'the tokens are unknown', { quality: low, tokens: null }, { quality: high }],
  ])('%s: %s', (descriptive, _why, a, b) => {
    expect(decided(a, b).descriptive).toBe(descriptive);
  });

  test('with a threshold of 0 any loss is a reject and no change is a revise', () => {
    const zero = { rule: { ...rule, min_improvement: 0 } };
    expect(decided({ quality: [0.5] }, { quality: [0.4] }, zero).descriptive).toBe('reject');
    expect(decided({ quality: [0.5] }, { quality: [0.5] }, zero).descriptive).toBe('revise');
    expect(decided({ quality: [0.5] }, { quality: [0.6] }, zero).descriptive).toBe('accept');
  });

  test('a case without critical rows is judged by the other criteria', () => {
    expect(decided({ quality: low }, { quality: high }, { critical: [] }).descriptive).toBe('accept');
  });

  test('no result at all is pending', () => {
    expect(decideOn([])).toMatchObject({ descriptive: 'pending', inferential: 'pending' });
  });

  test('an invalid run takes no part, however good its findings', () => {
    const results = [
      ...runs('A', { quality: low }),
      ...runs('B', { quality: high, contradicted: 9 }).map((run) => ({
        ...run,
        valid: false,
        values: { ...run.values, review_completeness: null },
      })),
    ];
    expect(decideOn(results).descriptive).toBe('pending');
  });

  test('every criterion prints the figures it was held against', () => {
    const { criteria } = decided({ quality: low }, { quality: high });
    expect(criteria).toHaveLength(5);
    expect(criteria[0]?.figures).toBe("review_completeness: 0.4 → 0.8, needed 0.1; 3 of 3 runs above the control's median");
  });
});

describe('a scripted model', () => {
  test.each<[string, Figures, Figures]>([
    ['better', { quality: low }, { quality: high }],
    ['worse', { quality: high }, { quality: low }],
    ['unscored', { quality: [null] }, { quality: [null] }],
  ])('withholds both decisions and still shows the criteria: %s', (_what, a, b) => {
    const decision = decided(a, b, { scripted: true });
    expect(decision).toMatchObject({ descriptive: 'withheld', inferential: 'withheld' });
    expect(decision.criteria).toHaveLength(5);
  });
});

describe('the inferential decision', () => {
  test('one case with three repeats can never earn a verdict', () => {
    expect(decided({ quality: [0, 0, 0] }, { quality: [1, 1, 1] }).inferential).toBe('not-attainable');
  });

  test('one case with ten repeats cannot either: it says nothing of other cases', () => {
    const [zeros, ones] = [Array<number>(5).fill(0), Array<number>(5).fill(1)];
    expect(decided({ quality: zeros }, { quality: ones }).inferential).toBe('not-attainable');
  });

  const twoCases = (a: number[], b: number[]) =>
    ['one', 'two'].flatMap((one) => [...runs('A', { quality: a }, one), ...runs('B', { quality: b }, one)]);

  test('two cases that separate fully are supported', () => {
    expect(decideOn(twoCases([0, 0.1, 0.2], [0.8, 0.9, 1])).inferential).toBe('supported');
  });

  test('two cases without a difference are not distinguishable, never "no difference"', () => {
    expect(decideOn(twoCases([0.4, 0.5, 0.6], [0.4, 0.5, 0.6])).inferential).toBe('not-distinguishable');
  });

  test('an unscored metric is pending', () => {
    expect(decided({ quality: [null] }, { quality: [null] }).inferential).toBe('pending');
  });
});

describe('differences and scored runs', () => {
  const rowsOf = (a: Figures, b: Figures) => compareArms([...runs('A', a), ...runs('B', b)], [contrast], MetricId.options, {});

  test('a difference of cost alone is no difference of quality', () => {
    expect(anyDifference(rowsOf({ quality: low }, { quality: low, seconds: 900 }), contrast)).toBe(false);
    expect(anyDifference(rowsOf({ quality: low }, { quality: high }), contrast)).toBe(true);
  });

  test('an unknown delta is no difference', () => {
    expect(anyDifference(rowsOf({ quality: [null] }, { quality: high }), contrast)).toBe(false);
  });

  test('scored runs are counted of all', () => {
    expect(scoredRuns([...runs('A', { quality: [0.5, null] })])).toEqual({ used: 1, total: 2 });
  });
});
