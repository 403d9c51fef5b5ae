import { describe, expect, test } from 'vitest';
import { criticalRisks } from '../src/critical-risk.js';
import type { TrialResult } from '../src/result.js';
import { trialResult } from './fixture.js';

const row = (id: string, weight: number, found: boolean | null, applicable = true) => ({
  id,
  weight,
  found,
  applicable,
  evidence: '',
});
const run = (arm: string, rows: TrialResult['rows'], parts: Partial<TrialResult> = {}) =>
  trialResult({ ...parts, arm, rows } as never);

describe('critical risks', () => {
  test('only rows of weight 3 are critical, and each arm has its fraction', () => {
    const risks = criticalRisks([
      run('A', [row('R1', 3, false), row('R2', 2, true)]),
      run('A', [row('R1', 3, true), row('R2', 2, true)]),
      run('B', [row('R1', 3, true), row('R2', 2, true)]),
    ]);
    expect(risks).toEqual([
      { case: 'c', row: 'R1', arm: 'A', confirmed: 1, runs: 2, fraction: 0.5 },
      { case: 'c', row: 'R1', arm: 'B', confirmed: 1, runs: 1, fraction: 1 },
    ]);
  });

  test('a run that missed every risk is a fraction of 0, not null', () => {
    expect(criticalRisks([run('A', [row('R1', 3, false)])])[0]).toMatchObject({ confirmed: 0, runs: 1, fraction: 0 });
  });

  test('an unscored run is no miss: with none scored the fraction is null', () => {
    const [a, b] = criticalRisks([
      run('A', [row('R1', 3, null)]),
      run('B', [row('R1', 3, true)]),
      run('B', [row('R1', 3, null)]),
    ]);
    expect(a).toMatchObject({ runs: 0, fraction: null });
    expect(b).toMatchObject({ runs: 1, fraction: 1 });
  });

  test('an invalid run is left out', () => {
    const risks = criticalRisks([run('A', [row('R1', 3, true)]), run('A', [row('R1', 3, false)], { valid: false })]);
    expect(risks[0]).toMatchObject({ confirmed: 1, runs: 1 });
  });

  test('a timed-out run stays in', () => {
    const risks = criticalRisks([run('A', [row('R1', 3, true)]), run('A', [row('R1', 3, false)], { status: 'timed-out' })]);
    expect(risks[0]).toMatchObject({ confirmed: 1, runs: 2 });
  });

  test('a critical row that does not apply is no risk of the case', () => {
    expect(criticalRisks([run('A', [row('R1', 3, true, false)])])).toEqual([]);
  });

  test('rows of the same name in two cases stay apart', () => {
    const risks = criticalRisks([
      run('A', [row('R1', 3, true)], { case: 'one' }),
      run('A', [row('R1', 3, false)], { case: 'two' }),
    ]);
    expect(risks.map(({ case: one, fraction }) => [one, fraction])).toEqual([
      ['one', 1],
      ['two', 0],
    ]);
  });

  test('no results, no rows', () => {
    expect(criticalRisks([])).toEqual([]);
  });
});
