import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeSchedule } from '../src/schedule.js';
import { trialSeed } from '../src/spec.js';

type Settings = Parameters<typeof makeSchedule>[0];
const arm = { skills: [] };
const base: Settings = { cases: ['c'], arms: { A: arm, B: arm }, repeats: 3, order: 'alternate', seed: 7 };
const order = (changes: Partial<Settings> = {}) => makeSchedule({ ...base, ...changes });
const short = (changes: Partial<Settings> = {}) =>
  order(changes)
    .map((line) => line.trial.replace(/^c\.(\w+)\.(\d)$/, '$1$2'))
    .join(' ');

describe('alternating order', () => {
  test('one case, three repeats: A1 B1, B2 A2, A3 B3', () => {
    expect(short()).toBe('A1 B1 B2 A2 A3 B3');
  });

  test('one case run once is A then B', () => {
    expect(short({ repeats: 1 })).toBe('A1 B1');
  });

  test('over cases it alternates by case: A B, B A', () => {
    expect(order({ cases: ['one', 'two'], repeats: 1 }).map((line) => line.trial)).toEqual([
      'one.A.1',
      'one.B.1',
      'two.B.1',
      'two.A.1',
    ]);
  });

  test('whatever the number of cases, every case sees both orders in turn', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 2, max: 5 }), (count, repeats) => {
        const cases = Array.from({ length: count }, (_, index) => `case-${index}`);
        const first = order({ cases, repeats }).filter((line) => line.position % 2 === 1);
        for (const one of cases) {
          const arms = first.filter((line) => line.case === one).map((line) => line.arm);
          for (const [index, name] of arms.entries()) if (index > 0) expect(name).not.toBe(arms[index - 1]);
        }
      }),
    );
  });

  test('trials of one block stand together', () => {
    expect(order().map((line) => line.block)).toEqual(['c.1', 'c.1', 'c.2', 'c.2', 'c.3', 'c.3']);
  });
});

describe('seeded order', () => {
  const seeded = (seed: number, repeats = 20) => short({ order: 'seeded', seed, repeats });

  test('it is stable for a seed, and differs between seeds', () => {
    expect(seeded(1)).toBe(seeded(1));
    expect(seeded(1)).not.toBe(seeded(2));
  });

  test('more repeats leave the order of the earlier ones as it was', () => {
    expect(seeded(1, 20).startsWith(seeded(1, 5))).toBe(true);
  });

  test('both orders occur', () => {
    const first = order({ order: 'seeded', repeats: 20 }).filter((line) => line.position % 2 === 1);
    expect(new Set(first.map((line) => line.arm))).toEqual(new Set(['A', 'B']));
  });
});

test('parallel runs have no block: they have no order, and say so', () => {
  expect(order({ order: 'parallel' }).map((line) => line.block)).toEqual(Array(6).fill(null));
});

test('every trial stands in the schedule once, at a position of its own', () => {
  const settings = fc.record({
    count: fc.integer({ min: 1, max: 4 }),
    arms: fc.integer({ min: 2, max: 4 }),
    repeats: fc.integer({ min: 1, max: 4 }),
    kind: fc.constantFrom('alternate' as const, 'seeded' as const, 'parallel' as const),
    seed: fc.nat(),
  });
  fc.assert(
    fc.property(settings, ({ count, arms, repeats, kind, seed }) => {
      const lines = makeSchedule({
        cases: Array.from({ length: count }, (_, index) => `case-${index}`),
        arms: Object.fromEntries(Array.from({ length: arms }, (_, index) => [`X${index}`, arm])),
        repeats,
        order: kind,
        seed,
      });
      expect(new Set(lines.map((line) => line.trial)).size).toBe(count * arms * repeats);
      expect(lines.map((line) => line.position)).toEqual(lines.map((_, index) => index + 1));
    }),
  );
});

test('a trial has a seed of its own: 32 bits from its name and the experiment', () => {
  expect(trialSeed(7, 'c.A.1')).toBe(trialSeed(7, 'c.A.1'));
  expect(new Set([trialSeed(7, 'c.A.1'), trialSeed(7, 'c.A.2'), trialSeed(7, 'c.B.1'), trialSeed(8, 'c.A.1')]).size).toBe(4);
  expect(trialSeed(7, 'c.A.1')).toBeLessThan(2 ** 32);
});
