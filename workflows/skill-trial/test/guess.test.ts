import { describe, expect, test } from 'vitest';
import { measureGuesses } from '../src/guess.js';
import { wilsonInterval } from '../src/statistics/wilson.js';

const truth = new Map<string, 'x' | 'y'>([
  ['p1', 'x'],
  ['p2', 'y'],
  ['p3', 'x'],
]);

describe('guesses', () => {
  test('worked out by hand: 3 of 4 named sides right, one could not tell, one of another pair', () => {
    const measure = measureGuesses(truth, [
      { name: 'ann', guesses: { p1: 'x', p2: 'y', p3: null } },
      { name: 'bob', guesses: { p1: 'y', p3: 'x', old: 'x' } },
    ]);
    expect(measure).toMatchObject({
      pairs: 3,
      guesses: 4,
      correct: 3,
      cannotTell: 1,
      accuracy: 0.75,
      evaluators: [
        { name: 'ann', guesses: 2, correct: 2, cannotTell: 1 },
        { name: 'bob', guesses: 2, correct: 1, cannotTell: 0 },
      ],
      caution: expect.stringContaining('can be guessed'),
    });
    expect(measure?.low).toBeCloseTo(0.3006, 4);
    expect(measure?.high).toBeCloseTo(0.9544, 4);
  });

  test('nobody guessed: null, and so is the accuracy where nobody named a side', () => {
    expect(measureGuesses(truth, [])).toBeNull();
    expect(measureGuesses(truth, [{ name: 'ann', guesses: { old: 'x' } }])).toBeNull();
    expect(measureGuesses(truth, [{ name: 'ann', guesses: { p1: null } }])).toMatchObject({
      guesses: 0,
      cannotTell: 1,
      accuracy: null,
      low: null,
      high: null,
    });
  });

  // Newcombe 1998, Statistics in Medicine 17: 857-872, table I, method 3
  test.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])('the score interval of %d of %d', (successes, n, low, high) => {
    const interval = wilsonInterval(successes, n);
    expect(interval?.low).toBeCloseTo(low, 4);
    expect(interval?.high).toBeCloseTo(high, 4);
  });
});
