import { expect, it } from 'vitest';
import { alwaysLoad, neverActivate } from '../src/detectors.js';
import { type ArmDiscovery, checklistOf } from '../src/discovery.js';
import { questionsOf } from '../src/discovery-question.js';

const lab = (evals: boolean) =>
  ({
    experiment: {
      arms: {
        A: { skills: [] },
        B: { skills: ['tea', 'cake'], note: 'both', control: 'A' },
        C: { skills: ['tea', 'cake'], deliver: 'prompt' },
      },
    },
    cases: new Map(
      [['tea-1', 'tea'] as const, ['tea-2', 'tea'] as const, ['cake-1', 'cake'] as const].map(([name, skill]) => [
        name,
        { skills: [skill], ...(evals ? { eval: {} } : {}) },
      ]),
    ),
  }) as never as Parameters<typeof questionsOf>[0];
const asked = (evals: boolean) => questionsOf(lab(evals)).map((group) => group.map((one) => `${one.case}.${one.arm}`).join(' '));

it('asks the evals once for each set of skills and way of delivery', () => {
  expect(asked(true)).toEqual(['tea-1.A tea-2.A cake-1.A', 'tea-1.B tea-2.B', 'tea-1.C tea-2.C', 'cake-1.B', 'cake-1.C']);
});

it('asks every arm of every other case', () => {
  expect(asked(false)).toHaveLength(9);
});

it('asks evals whose case.yaml names its place in the same words each for itself where the places differ', () => {
  const experiment = { arms: { A: { skills: [] } } };
  const own = { skills: ['tea'], eval: {}, environment: { dockerfile: 'container/Dockerfile' }, setup: { command: 'make' } };
  const cases = new Map(['one', 'two', 'three'].map((name) => [name, own]));
  const groups = (places?: Record<string, unknown>) =>
    questionsOf({ experiment, cases } as never, places === undefined ? undefined : (name) => places[name]).map((group) =>
      group.map((row) => row.case).join(' '),
    );
  const [first, second] = [
    { image: 'sha256:1', warm: 'a' },
    { image: 'sha256:2', warm: 'a' },
  ];
  expect(groups({ one: first, two: second, three: { ...first } })).toEqual(['one three', 'two']);
  expect(groups({ one: first, two: first, three: { ...first, warm: 'b' } })).toEqual(['one two', 'three']);
  // before the freeze, for the estimate of what is asked at most
  expect(groups()).toEqual(['one', 'two', 'three']);
});

/** A discovery of one case by arm: the skills that each arm offers, all of them listed and named unless told otherwise. */
function discovered(arms: Record<string, { intended: string[]; listed?: string[] }>) {
  const rows = Object.entries(arms).map(([arm, { intended, listed = intended }]) => {
    const probeLoaded = intended.length === 0 ? null : [];
    return { case: 'tea-1', arm, intended, listed, named: intended, problems: [], probeLoaded } as never as ArmDiscovery;
  });
  const lab = {
    experiment: { cases: ['tea-1'] },
    cases: new Map([['tea-1', {}]]),
    skills: new Map(['tea', 'cake'].map((name) => [name, { name }])),
  } as never as Parameters<typeof checklistOf>[0];
  return { rows, ticks: checklistOf(lab, rows).map(({ item, holds }) => `${holds ? 'yes' : 'no'}: ${item}`) };
}

it('lists in the checklist the skills that an arm offers, and no skill that stands in front of the task only', () => {
  const { ticks } = discovered({ A: { intended: [] }, B: { intended: ['tea'] }, C: { intended: [] } });
  expect(ticks).toContain('yes: tea is listed');
  expect(ticks.join()).not.toContain('cake');
  expect(discovered({ A: { intended: [] }, B: { intended: ['tea'], listed: [] } }).ticks).toContain('no: tea is listed');
});

it('says that there is nothing to load where every arm with skills has them in front of the task', () => {
  const { rows, ticks } = discovered({ A: { intended: [] }, B: { intended: [] } });
  expect(ticks).toEqual([
    'yes: no arm offers a skill to load, and none is listed',
    'yes: all skills are disabled in the arms without them',
  ]);
  expect(discovered({ A: { intended: [] }, B: { intended: [], listed: ['tea'] } }).ticks[0]).toMatch(/^no: /);
  expect(alwaysLoad({ discovery: { arms: rows } } as never)).toMatchObject({
    detected: null,
    evidence: expect.stringContaining('nothing to load'),
  });
});

it('tells a skill that no run loaded from one that none could load', () => {
  const lab = { experiment: { arms: { A: { skills: [] }, B: { skills: ['tea', 'cake'], control: 'A' } } } };
  const found = (...runs: [skill: string, given: boolean, loaded: boolean][][]) => {
    const results = runs.map((rows) => ({
      arm: 'B',
      activation: rows.map(([skill, given, loaded]) => ({ skill, given, loaded })),
    }));
    const { detected, evidence } = neverActivate({ lab, results } as never);
    return [detected, evidence];
  };
  expect(found([['tea', false, false]], [['tea', false, false]])).toEqual([null, expect.stringContaining('nothing to load')]);
  expect(found([['tea', true, false]], [['tea', true, true]])).toEqual([
    false,
    'each skill was loaded in at least one of 2 runs',
  ]);
  expect(
    found([
      ['tea', true, true],
      ['cake', true, false],
    ]),
  ).toEqual([true, 'no event or request shows a load of cake']);
  expect(found()).toEqual([null, expect.stringContaining('no run')]);
});
