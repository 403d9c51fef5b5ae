import { describe, expect, test } from 'vitest';
import { noiseFloors, relabelledDistances } from '../src/noise-floor.js';
import { trialResult } from './fixture.js';

const run = (arm: string, repeat: number, seconds: number | null) =>
  trialResult({ case: 'shop', arm, repeat, values: { elapsed_seconds: seconds } });
const contrast = { arm: 'A-again', control: 'A' };

describe('the distances of medians over all labellings', () => {
  test('1, 2 against 3, 4: six ways, by hand', () => {
    // {1,2}|{3,4}: 2 twice; {1,3}|{2,4}: 1 twice; {1,4}|{2,3}: 0 twice
    expect(relabelledDistances([{ a: [1, 2], b: [3, 4] }])).toEqual({ distances: [0, 0, 1, 1, 2, 2], method: 'exact' });
  });

  test('labels are exchanged within a case: two cases of one against one have four ways', () => {
    // medians of {1 or 2, 10 or 20}
    expect(
      relabelledDistances([
        { a: [1], b: [2] },
        { a: [10], b: [20] },
      ]).distances,
    ).toEqual([4.5, 4.5, 5.5, 5.5]);
  });

  test('equal values are never apart; nulls are left out; without a group there is none', () => {
    expect(relabelledDistances([{ a: [5, 5, null], b: [5] }]).distances).toEqual([0, 0, 0]);
    expect(relabelledDistances([{ a: [null], b: [5] }]).distances).toEqual([]);
    expect(relabelledDistances([]).distances).toEqual([]);
  });

  test('too many ways are drawn from the seed, the same each time, and within the range of all', () => {
    const many = [{ a: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], b: [11, 12, 13, 14, 15, 16, 17, 18, 19, 20] }];
    const first = relabelledDistances(many, { samples: 99 });
    expect(first.method).toBe('monte-carlo');
    expect(first.distances).toHaveLength(99);
    expect(relabelledDistances(many, { samples: 99 })).toEqual(first);
    expect(first.distances.at(-1)).toBeLessThanOrEqual(10);
  });
});

describe('the noise floor of a metric', () => {
  test('three against three: the spread of all runs, the distance, and a p that cannot go below .1', () => {
    const results = [
      run('A', 1, 1),
      run('A', 2, 2),
      run('A', 3, 3),
      run('A-again', 1, 11),
      run('A-again', 2, 12),
      run('A-again', 3, 13),
    ];
    const [floor] = noiseFloors(results, contrast, ['elapsed_seconds']);
    expect(floor).toMatchObject({
      n: { used: 6, total: 6 },
      spread: { min: 1, median: 7, max: 13 },
      a: 2,
      b: 12,
      distance: 10,
      relabelled: { arrangements: 20, method: 'exact', max: 10 },
    });
    expect(floor?.p).toBeCloseTo(0.1, 10);
    expect(floor?.smallestP).toBeCloseTo(0.1, 10);
  });

  test('a metric without a value is null throughout, never 0', () => {
    const [floor] = noiseFloors([run('A', 1, null), run('A-again', 1, null)], contrast, ['elapsed_seconds']);
    expect(floor).toMatchObject({
      n: { used: 0, total: 2 },
      distance: null,
      relabelled: { arrangements: 0, median: null, p95: null },
      p: null,
    });
  });
});
