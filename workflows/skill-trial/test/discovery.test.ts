import { expect, it } from 'vitest';
import { questionsOf } from '../src/discovery.js';

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
