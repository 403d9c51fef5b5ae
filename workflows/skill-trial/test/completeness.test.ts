import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { completeness, type ScoredRow } from '../src/completeness.js';

const row = (weight: number, found: boolean | null, applicable = true): ScoredRow => ({ id: 'R', weight, found, applicable });
const anyRow: fc.Arbitrary<ScoredRow> = fc.record({
  id: fc.constantFrom('R1', 'R2', 'R3'),
  weight: fc.integer({ min: 1, max: 5 }),
  found: fc.boolean(),
  applicable: fc.boolean(),
});

describe('weighted completeness', () => {
  test.each<[string, ScoredRow[], number | null]>([
    [
      'rows are weighed: 3 + 2 of 11',
      [row(3, true), row(2, true), row(2, false), row(1, false), row(2, false), row(1, false)],
      5 / 11,
    ],
    ['all confirmed is exactly 1', [row(3, true), row(2, true), row(2, true)], 1],
    ['none confirmed is 0, not null', [row(3, false), row(2, false)], 0],
    ['one row', [row(2, true)], 1],
    ['a row that does not apply leaves both sums: 2 of 2, not 2 of 5', [row(3, false, false), row(2, true)], 1],
    ['a confirmed row that does not apply earns nothing: 0 of 2, not 3 of 5', [row(3, true, false), row(2, false)], 0],
    ['0/0 is null: no row applies', [row(3, true, false), row(2, false, false)], null],
    ['0/0 is null: no rows', [], null],
    ['an applicable row that is unscored makes the whole null', [row(3, true), row(1, null)], null],
    ['an unscored row that does not apply is no obstacle', [row(3, true), row(1, null, false)], 1],
  ])('%s', (_claim, rows, expected) => {
    expect(completeness(rows)).toBe(expected);
  });

  test('it lies within 0 and 1, or is null where no row applies', () => {
    fc.assert(
      fc.property(fc.array(anyRow), (rows) => {
        const value = completeness(rows);
        if (rows.some((one) => one.applicable)) expect(value).toSatisfy((share: number) => share >= 0 && share <= 1);
        else expect(value).toBeNull();
      }),
    );
  });

  test('adding a row that does not apply changes nothing', () => {
    fc.assert(
      fc.property(fc.array(anyRow), anyRow, fc.nat(), (rows, extra, at) => {
        const more = rows.toSpliced(at % (rows.length + 1), 0, { ...extra, applicable: false });
        expect(completeness(more)).toBe(completeness(rows));
      }),
    );
  });

  test('confirming one more applicable row never lowers it', () => {
    fc.assert(
      fc.property(fc.array(anyRow, { minLength: 1 }), fc.nat(), (rows, at) => {
        const better = rows.with(at % rows.length, { ...(rows[at % rows.length] as ScoredRow), found: true });
        expect(completeness(better) ?? 0).toBeGreaterThanOrEqual(completeness(rows) ?? 0);
      }),
    );
  });
});
