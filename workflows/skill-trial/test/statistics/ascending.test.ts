import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ascending } from '../../src/statistics/ascending.js';
import { seededRandom } from '../../src/statistics/random.js';

const bytes = (values: Float64Array) => Buffer.from(values.buffer, values.byteOffset, values.byteLength);

/** More values than are compared at once, drawn from some different ones. */
function manyOf(different: number[], seed: number): Float64Array {
  const random = seededRandom(seed);
  return Float64Array.from({ length: 20_001 }, () => different[random.below(different.length)] as number);
}

describe('sorted values', () => {
  test('are those of the plain sort, bit for bit: ties, both zeros, infinities, the smallest and the largest', () => {
    const value = fc.oneof(fc.double({ noNaN: true }), fc.constantFrom(0, -0, 1, 0.1 + 0.2, 0.3));
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 60 }), fc.integer(), (different, seed) => {
        const many = manyOf(different, seed);
        expect(bytes(ascending(many.slice())).equals(bytes(many.slice().sort()))).toBe(true);
      }),
      { numRuns: 10 },
    );
  });

  test('also where nearly all differ, where none does, of a part of an array, and of few', () => {
    const random = seededRandom(5);
    const all = Float64Array.from({ length: 60_000 }, () => random.next() - 0.5);
    const tokens = Float64Array.from({ length: 60_000 }, () => random.below(30_000));
    for (const many of [all, tokens, manyOf([7], 1), all.subarray(1, 50_000), all.subarray(0, 3), new Float64Array()])
      expect(bytes(ascending(many.slice())).equals(bytes(many.slice().sort()))).toBe(true);
    const [whole, expected] = [tokens.slice(), tokens.slice()];
    expected.subarray(10, 50_000).sort();
    ascending(whole.subarray(10, 50_000));
    expect(bytes(whole).equals(bytes(expected))).toBe(true);
  });
});
