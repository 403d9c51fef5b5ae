import { describe, expect, test } from 'vitest';
import { type SkillRun, skillEffects } from '../src/skill-effect.js';
import { combineEffects } from '../src/skill-set.js';

const run = (skill: string, withSkill: boolean, met: boolean, category: string | null = null): SkillRun => ({
  skill,
  category,
  case: `${skill}-case`,
  withSkill,
  met,
  items: { passed: met ? 4 : 2, total: 4 },
  tokens: withSkill ? 150 : 100,
});
const better = (skill: string, repeats: number, category: string | null = null) =>
  Array.from({ length: repeats }).flatMap(() => [run(skill, false, false, category), run(skill, true, true, category)]);

describe('the skills of several experiments as one table', () => {
  const report = (experiment: string, runs: SkillRun[]) => ({ experiment, skills: [skillEffects('B-A', runs)] });

  test('are what one experiment with all of them would have said', () => {
    const runs = [better('a', 3, 'X'), better('b', 3, 'Y'), better('c', 2, 'Y')];
    const apart = combineEffects(runs.map((own, index) => report(`exp-${index}`, own)));
    expect(apart).toEqual([skillEffects('B-A', runs.flat())]);
  });

  test('are corrected for the number of skills in the set, not in each experiment', () => {
    const one = report('one', better('a', 4));
    const p = one.skills[0]?.rows[0]?.p as number;
    expect(one.skills[0]?.rows[0]?.pHolm).toBeCloseTo(p);
    const [table] = combineEffects([one, report('two', better('b', 4)), report('three', better('c', 4))]);
    expect(table?.rows.map(({ pHolm }) => pHolm)).toEqual([3, 3, 3].map((m) => expect.closeTo(m * p)));
    expect(table?.needed.p).toBeCloseTo(0.05 / 3);
  });

  test('name the experiment where two measured the same skill, and keep contrasts apart', () => {
    const tables = combineEffects([
      report('one', better('a', 1)),
      report('two', better('a', 1)),
      { experiment: 'three', skills: [skillEffects('C-A', better('a', 1))] },
    ]);
    expect(tables.map(({ contrast, rows }) => [contrast, rows.map(({ skill }) => skill)])).toEqual([
      ['B-A', ['a (one)', 'a (two)']],
      ['C-A', ['a']],
    ]);
    expect(combineEffects([])).toEqual([]);
  });
});
