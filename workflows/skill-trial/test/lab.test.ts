import { describe, expect, it } from 'vitest';
import { namesOf } from '../src/lab.js';

const lab = (paired?: string[]) =>
  ({
    experiment: { arms: { A: { skills: [] }, B: { skills: ['review', 'docs', 'tests'] }, C: { skills: ['docs'] } } },
    cases: new Map([['shop', { skills: paired }]]),
  }) as never as Parameters<typeof namesOf>[0];

describe("an arm's skills on a case", () => {
  it('are all of the arm where the case is paired with none', () => {
    expect(namesOf(lab(), 'B', 'shop')).toEqual(['review', 'docs', 'tests']);
    expect(namesOf(lab(), 'A', 'shop')).toEqual([]);
  });

  it('are those the case is paired with, in the order of the arm, and never one that the arm lacks', () => {
    expect(namesOf(lab(['tests', 'review']), 'B', 'shop')).toEqual(['review', 'tests']);
    expect(namesOf(lab(['tests', 'review']), 'C', 'shop')).toEqual([]);
    expect(namesOf(lab(['tests']), 'A', 'shop')).toEqual([]);
  });
});
