import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { consistency, type FindingRun } from '../src/consistency.js';
import { FindingStatus } from '../src/sheet.js';

const run = (arm: string, findings: Record<string, FindingStatus> | null, complete = true): FindingRun => ({
  arm,
  complete,
  findings: findings === null ? null : Object.entries(findings).map(([key, status]) => ({ key, status })),
});
const rowOf = (runs: FindingRun[], key: string, arm: string) => {
  const row = consistency(runs).find((one) => one.key === key && one.arm === arm);
  if (row === undefined) throw new Error(`no row for ${key} in ${arm}`);
  return row;
};

describe('finding consistency', () => {
  test('it is runs that confirmed over all runs of the arm: 2 of 3', () => {
    const row = rowOf([run('A', { x: 'confirmed' }), run('A', { x: 'confirmed' }), run('A', {})], 'x', 'A');
    expect(row).toMatchObject({ confirmed: 2, absent: 1, runs: 3, overAll: 2 / 3, overComplete: 2 / 3 });
  });

  test('contradicted is not absent, and both are runs', () => {
    const row = rowOf([run('A', { x: 'confirmed' }), run('A', { x: 'contradicted' }), run('A', { y: 'confirmed' })], 'x', 'A');
    expect(row).toMatchObject({ confirmed: 1, contradicted: 1, absent: 1, overAll: 1 / 3 });
  });

  test('an incomplete run counts in one fraction and not in the other', () => {
    const row = rowOf([run('A', { x: 'confirmed' }), run('A', { x: 'confirmed' }), run('A', {}, false)], 'x', 'A');
    expect(row).toMatchObject({ runs: 3, completeRuns: 2, overAll: 2 / 3, overComplete: 1 });
  });

  test('a confirmation in an incomplete run counts over all runs only', () => {
    expect(rowOf([run('A', { x: 'confirmed' }, false), run('A', {})], 'x', 'A')).toMatchObject({ overAll: 0.5, overComplete: 0 });
  });

  test('where every run was cut short the fraction over complete runs is null', () => {
    expect(rowOf([run('A', { x: 'confirmed' }, false)], 'x', 'A')).toMatchObject({
      overAll: 1,
      completeRuns: 0,
      overComplete: null,
    });
  });

  test('an unscored run is neither absent nor contradicted: its fractions are null', () => {
    const row = rowOf([run('A', { x: 'confirmed' }), run('A', null)], 'x', 'A');
    expect(row).toMatchObject({ confirmed: 1, absent: 0, unscored: 1, overAll: null, overComplete: null });
  });

  test('an unscored incomplete run leaves the fraction over complete runs known', () => {
    expect(rowOf([run('A', { x: 'confirmed' }), run('A', null, false)], 'x', 'A')).toMatchObject({
      overAll: null,
      overComplete: 1,
    });
  });

  test('a finding of one arm has a row in the other too, with 0 confirmed', () => {
    expect(rowOf([run('A', {}), run('B', { x: 'confirmed' })], 'x', 'A')).toMatchObject({ confirmed: 0, absent: 1, overAll: 0 });
  });

  test('no run and no finding give no row', () => {
    expect(consistency([])).toEqual([]);
    expect(consistency([run('A', {}), run('B', null)])).toEqual([]);
  });

  const findings = fc.option(fc.dictionary(fc.constantFrom('x', 'y', 'z'), fc.constantFrom(...FindingStatus.options)), {
    freq: 6,
  });
  const runs = fc.array(
    fc.tuple(fc.constantFrom('A', 'B'), findings, fc.boolean()).map(([arm, said, complete]) => run(arm, said, complete)),
  );

  test('the order of runs changes nothing, and every run is counted once', () => {
    fc.assert(
      fc.property(runs, (all) => {
        const rows = consistency(all);
        expect(consistency(all.toReversed())).toEqual(rows);
        for (const row of rows)
          expect(row.confirmed + row.unconfirmed + row.contradicted + row.style + row.absent + row.unscored).toBe(row.runs);
      }),
    );
  });
});
