import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  bootstrapInterval,
  cohenKappa,
  confusion,
  gwetAc1,
  krippendorffAlpha,
  percentAgreement,
  type Unit,
} from '../src/agreement.js';

// Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, example C: four observers, twelve units, gaps. Gwet (2014),
// Handbook of Inter-Rater Reliability, uses the same ratings (cac.raw4raters of his package irrCAC).
const none = null;
const observers = [
  [1, 2, 3, 3, 2, 1, 4, 1, 2, none, none, none],
  [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, none, 3],
  [none, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, none],
  [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, none],
];
const twelve: Unit<number>[] = Array.from({ length: 12 }, (_, unit) => observers.map((row) => row[unit] ?? null));
// the same paper, example A: two observers, binary data
const ten: Unit<number>[] = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0].map((a, index) => [
  a,
  [1, 1, 1, 0, 0, 1, 0, 0, 0, 0][index] as number,
]);

describe('published examples', () => {
  test('alpha of Krippendorff 2011, example A', () => {
    expect(krippendorffAlpha(ten, 'nominal').value).toBeCloseTo(0.095, 3);
  });

  test.each([
    ['nominal', 0.743],
    ['ordinal', 0.815],
    ['interval', 0.849],
  ] as const)('alpha of Krippendorff 2011, example C, %s', (level, value) => {
    expect(krippendorffAlpha(twelve, level).value).toBeCloseTo(value, 3);
  });

  test('percent agreement and AC1 of Gwet 2014 for the same ratings', () => {
    expect(percentAgreement(twelve)).toBeCloseTo(0.81818, 5);
    expect(gwetAc1(twelve, [1, 2, 3, 4, 5]).value).toBeCloseTo(0.77544, 5);
  });

  test('kappa of Cohen 1960: po .70, pe .41', () => {
    const table = [
      [88, 14, 18],
      [10, 40, 10],
      [2, 6, 12],
    ];
    expect(cohenKappa(table).value).toBeCloseTo(0.492, 3);
  });

  test('kappa of the table of two abstractors in the overview of irrCAC (Gwet)', () => {
    const table = [
      [13, 0, 0],
      [0, 20, 7],
      [0, 4, 56],
    ];
    expect(cohenKappa(table).value).toBeCloseTo(0.7964094, 7);
  });

  test('high agreement, one rare value: kappa falls below 0 while AC1 stays high (Gwet 2002: 118, 5, 2, 0)', () => {
    const units: Unit<boolean>[] = [
      ...Array.from({ length: 118 }, () => [true, true]),
      ...Array.from({ length: 5 }, () => [true, false]),
      ...Array.from({ length: 2 }, () => [false, true]),
    ];
    expect(cohenKappa(confusion(units, 0, 1, [true, false])).value).toBeCloseTo(-0.0234, 4);
    expect(gwetAc1(units, [true, false]).value).toBeCloseTo(0.9408, 4);
  });
});

describe('worked out by hand', () => {
  // four units: agree on true, agree on false, differ, rated by one only
  const units: Unit<boolean>[] = [
    [true, true],
    [false, false],
    [true, false],
    [true, null],
  ];

  test('the confusion table leaves out what one did not rate', () => {
    expect(confusion(units, 0, 1, [true, false])).toEqual([
      [1, 1],
      [0, 1],
    ]);
  });

  test('percent: 2 of 3', () => {
    expect(percentAgreement(units)).toBeCloseTo(2 / 3, 12);
  });

  test('kappa: po 2/3, pe 2/3·1/3 + 1/3·2/3 = 4/9, so 2/5', () => {
    expect(cohenKappa(confusion(units, 0, 1, [true, false])).value).toBeCloseTo(0.4, 12);
  });

  test('alpha: coincidences 2, 1, 1, 2 of 6; Do 2/6, De 2·3·3/30, so 4/9', () => {
    expect(krippendorffAlpha(units, 'nominal').value).toBeCloseTo(4 / 9, 12);
  });

  test('three raters: 3 of 3 pairs agree, then 1 of 3', () => {
    expect(
      percentAgreement([
        ['a', 'a', 'a'],
        ['a', 'a', 'b'],
      ]),
    ).toBeCloseTo((1 + 1 / 3) / 2, 12);
  });
});

describe('where there is nothing to divide by', () => {
  const same: Unit<boolean>[] = [
    [true, true],
    [true, true],
    [true, true],
  ];

  test('everyone agrees on one value: kappa and alpha are undefined and say so, AC1 is 1', () => {
    expect(cohenKappa(confusion(same, 0, 1, [true, false]))).toEqual({
      value: null,
      reason: expect.stringMatching(/one and the same value/),
    });
    expect(krippendorffAlpha(same, 'nominal')).toEqual({
      value: null,
      reason: expect.stringMatching(/one and the same value \(true\)/),
    });
    expect(gwetAc1(same, [true, false])).toEqual({ value: 1, reason: null });
    expect(percentAgreement(same)).toBe(1);
  });

  test('one category only: AC1 is undefined', () => {
    expect(gwetAc1(same, [true]).value).toBeNull();
  });

  test.each<[string, Unit<boolean>[]]>([
    ['no unit', []],
    [
      'units of one rater',
      [
        [true, null],
        [null, false],
      ],
    ],
  ])('%s', (_, units) => {
    expect(percentAgreement(units)).toBeNull();
    expect(cohenKappa(confusion(units, 0, 1, [true, false])).value).toBeNull();
    expect(gwetAc1(units, [true, false]).value).toBeNull();
    expect(krippendorffAlpha(units, 'nominal').value).toBeNull();
    expect(bootstrapInterval(units, (drawn) => krippendorffAlpha(drawn, 'nominal').value, 1)).toMatchObject({
      low: null,
      high: null,
    });
  });

  test('one unit: no alpha, no interval', () => {
    expect(krippendorffAlpha([[true, false]], 'nominal')).toEqual({
      value: null,
      reason: expect.stringMatching(/fewer than two units/),
    });
  });

  test('an interval whose draws are mostly undefined is none', () => {
    expect(bootstrapInterval(same, (drawn) => krippendorffAlpha(drawn, 'nominal').value, 1, 50)).toMatchObject({
      low: null,
      undefinedDraws: 50,
    });
  });
});

describe('the bootstrap interval', () => {
  const alpha = (drawn: Unit<number>[]) => krippendorffAlpha(drawn, 'nominal').value;

  test('the same seed gives the same interval, around the value', () => {
    const one = bootstrapInterval(twelve, alpha, 7);
    expect(bootstrapInterval(twelve, alpha, 7)).toEqual(one);
    expect(bootstrapInterval(twelve, alpha, 8)).not.toEqual(one);
    expect(one.low as number).toBeLessThan(0.743);
    expect(one.high as number).toBeGreaterThan(0.743);
  });

  test('of a mean whose draws are known: all units equal give one point', () => {
    const units: Unit<number>[] = [
      [3, 3],
      [3, 3],
    ];
    expect(bootstrapInterval(units, (drawn) => drawn[0]?.[0] ?? null, 1, 10)).toMatchObject({
      low: 3,
      high: 3,
      undefinedDraws: 0,
    });
  });
});

describe('properties', () => {
  const value = fc.constantFrom<number | null>(0, 1, 2, null);
  const units = fc.array(fc.tuple(value, value, value), { minLength: 1, maxLength: 12 });

  test('no coefficient is above 1, and full agreement on several values gives 1', () => {
    fc.assert(
      fc.property(units, (drawn) => {
        for (const level of ['nominal', 'ordinal', 'interval'] as const)
          expect(krippendorffAlpha(drawn, level).value ?? 1).toBeLessThanOrEqual(1 + 1e-12);
        expect(gwetAc1(drawn, [0, 1, 2]).value ?? 1).toBeLessThanOrEqual(1 + 1e-12);
        const agreed = [[0, 0, 0], [1, 1, 1], ...drawn.map(([a]) => [a, a, a])];
        expect(krippendorffAlpha(agreed, 'interval').value).toBeCloseTo(1, 12);
      }),
    );
  });

  test('the order of raters and of units changes nothing', () => {
    fc.assert(
      fc.property(units, (drawn) => {
        const turned = drawn.map((unit) => [...unit].reverse()).reverse();
        const before = krippendorffAlpha(drawn, 'interval').value;
        const after = krippendorffAlpha(turned, 'interval').value;
        expect(after === null).toBe(before === null);
        expect(after ?? 0).toBeCloseTo(before ?? 0, 10);
        expect(percentAgreement(turned) ?? 0).toBeCloseTo(percentAgreement(drawn) ?? 0, 10);
      }),
    );
  });

  test('two raters and two categories: AC1 is Gwet’s closed form', () => {
    const cell = fc.nat(20);
    fc.assert(
      fc.property(cell, cell, cell, cell, (a, b, c, d) => {
        const n = a + b + c + d;
        if (n === 0) return;
        const times = (count: number, unit: Unit<boolean>) => Array.from({ length: count }, () => unit);
        const drawn = [
          ...times(a, [true, true]),
          ...times(b, [true, false]),
          ...times(c, [false, true]),
          ...times(d, [false, false]),
        ];
        const share = (2 * a + b + c) / (2 * n);
        const pe = 2 * share * (1 - share);
        expect(gwetAc1(drawn, [true, false]).value).toBeCloseTo(((a + d) / n - pe) / (1 - pe), 10);
      }),
    );
  });
});
