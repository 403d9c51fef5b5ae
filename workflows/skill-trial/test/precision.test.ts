import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pooledPrecision, precision } from '../src/precision.js';
import { FindingStatus } from '../src/sheet.js';

const of = (...statuses: FindingStatus[]) => precision(statuses.map((status) => ({ status })));
const anyFindings = fc.array(fc.record({ status: fc.constantFrom(...FindingStatus.options) }));

describe('precision of one run', () => {
  test('it is confirmed over checkable: 3 of 4', () => {
    expect(of('confirmed', 'confirmed', 'contradicted', 'confirmed')).toEqual({
      confirmed: 3,
      contradicted: 1,
      checkable: 4,
      value: 0.75,
    });
  });

  test('unconfirmed findings and style advice are not checkable', () => {
    expect(of('confirmed', 'unconfirmed', 'style', 'style').value).toBe(1);
  });

  test.each<[string, FindingStatus[]]>([
    ['no findings', []],
    ['style advice alone', ['style']],
    ['unconfirmed findings alone', ['unconfirmed', 'unconfirmed']],
  ])('0/0 is null, never 0 or 1: %s', (_what, statuses) => {
    expect(of(...statuses)).toEqual({ confirmed: 0, contradicted: 0, checkable: 0, value: null });
  });

  test('all contradicted is 0, not null', () => {
    expect(of('contradicted').value).toBe(0);
  });
});

describe('precision pooled over runs', () => {
  test('counts are added first: 1 of 1 and 1 of 3 give 2 of 4, not the mean 2/3', () => {
    expect(pooledPrecision([of('confirmed'), of('confirmed', 'contradicted', 'contradicted')]).value).toBe(0.5);
  });

  test('a run without checkable findings adds nothing', () => {
    const run = of('confirmed', 'contradicted');
    expect(pooledPrecision([run, of('style')])).toEqual(run);
  });

  test('no run at all is null', () => {
    expect(pooledPrecision([]).value).toBeNull();
  });

  test('pooling is the precision of all findings together, in any order', () => {
    fc.assert(
      fc.property(fc.array(anyFindings), (runs) => {
        const pooled = pooledPrecision(runs.map(precision));
        expect(pooled).toEqual(precision(runs.flat()));
        expect(pooledPrecision(runs.toReversed().map(precision))).toEqual(pooled);
      }),
    );
  });
});
