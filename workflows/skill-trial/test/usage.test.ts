import { describe, expect, test } from 'vitest';
import { CallUsage, peakContext, sumUsage, unknownUsage, usageFromParts, usageFromTotal } from '../src/usage.js';

const first = usageFromParts({ inputUncached: 100, inputCached: 0, cacheCreation: 40, output: 10, reasoning: null });
const second = usageFromParts({ inputUncached: 20, inputCached: 140, cacheCreation: 0, output: 30, reasoning: 5 });

describe('sums', () => {
  test('each figure is summed over the calls', () => {
    expect(sumUsage([first, second])).toEqual({
      inputTotal: 300,
      inputUncached: 120,
      inputCached: 140,
      cacheCreation: 40,
      output: 40,
      reasoning: null,
    });
  });

  test('a figure unknown in one call is null in the sum, and only that figure', () => {
    const sum = sumUsage([first, { ...second, inputCached: null }]);
    expect(sum.inputCached).toBeNull();
    expect(sum.output).toBe(40);
  });

  test('a call without usage makes every sum null, never 0', () => {
    expect(sumUsage([first, null])).toEqual(unknownUsage);
  });

  test('no calls used no tokens', () => {
    expect(sumUsage([]).output).toBe(0);
  });
});

describe('peak context', () => {
  test('it is the largest whole prompt plus its output, cache writes included', () => {
    expect(peakContext([first, second])).toBe(190);
    expect(peakContext([first])).toBe(150);
  });

  test('it is null where one call is unknown, since that may have been the largest', () => {
    expect(peakContext([first, null])).toBeNull();
    expect(peakContext([first, { ...second, output: null }])).toBeNull();
  });

  test('it is null, not 0, without calls', () => {
    expect(peakContext([])).toBeNull();
  });

  test('it is known where the prompt is, even if its cached part is not', () => {
    expect(peakContext([usageFromTotal({ inputTotal: 50, inputCached: null, output: 5, reasoning: null })])).toBe(55);
  });
});

describe('normalised figures', () => {
  test('a prompt figure that includes the cached tokens is split', () => {
    const usage = usageFromTotal({ inputTotal: 100, inputCached: 60, output: 5, reasoning: 2 });
    expect(usage).toEqual({ inputTotal: 100, inputUncached: 40, inputCached: 60, cacheCreation: 0, output: 5, reasoning: 2 });
  });

  test('without a cached figure the split is unknown', () => {
    const usage = usageFromTotal({ inputTotal: 100, inputCached: null, output: 5, reasoning: null });
    expect(usage).toMatchObject({ inputTotal: 100, inputUncached: null, inputCached: null, cacheCreation: null });
  });

  test('more cached tokens than prompt are no figure', () => {
    expect(usageFromTotal({ inputTotal: 10, inputCached: 60, output: 5, reasoning: null })).toMatchObject({
      inputUncached: null,
      inputCached: null,
    });
  });

  test('an unknown key or a negative count is refused', () => {
    expect(CallUsage.safeParse({ ...first, extra: 1 }).success).toBe(false);
    expect(CallUsage.safeParse({ ...first, output: -1 }).success).toBe(false);
  });
});
