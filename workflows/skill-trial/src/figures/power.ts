import type { TopLevelSpec } from 'vega-lite';
import { type Design, powerOf } from '../statistics/power.js';
import { framed, titled } from './frame.js';

const effects = [1, 2, 3];
const most = 8;

/**
 * The power of the lab's own test by the number of repeats, with the experiment's cases, for three sizes of effect. Simulated runs, from
 * a fixed seed: 200 experiments a point, so that a point is right to about 7 points either way.
 */
export function powerFigure({ cases, repeats }: Design): TopLevelSpec {
  const upTo = Math.max(most, repeats);
  const values = effects.flatMap((effect) =>
    Array.from({ length: upTo - 1 }, (_, index) => index + 2).map((count) => ({
      repeats: count,
      effect: `${effect} SD`,
      power: powerOf({ cases, repeats: count }, effect, { simulations: 200 }),
    })),
  );
  const title = titled(`What could ${cases === 1 ? 'one case' : `${cases} cases`} show, with how many repeats?`, [
    `Share of simulated experiments in which the planned test rejects at .05. Effects in standard deviations between runs of one arm. The rule is this design: ${repeats} repeats.`,
  ]);
  const label = (effect: string) =>
    values
      .filter((row) => row.effect === effect)
      .map((row) => `${row.repeats}: ${row.power}`)
      .join(', ');
  return {
    ...framed(title, { left: 60, right: 90, top: 0, bottom: 46 }),
    description: `Line chart of power by repeats. ${effects.map((effect) => `${effect} SD: ${label(`${effect} SD`)}`).join('; ')}.`,
    width: 480,
    height: 220,
    data: { values },
    encoding: {
      x: {
        field: 'repeats',
        type: 'quantitative',
        scale: { domain: [2, upTo], nice: false },
        title: 'runs of each arm on each case',
        axis: { tickMinStep: 1, format: 'd' },
      },
      y: {
        field: 'power',
        type: 'quantitative',
        scale: { domain: [0, 1] },
        title: 'power',
        axis: { format: '.0%', tickCount: 5 },
      },
      color: { field: 'effect', type: 'nominal', title: 'effect', scale: { domain: effects.map((one) => `${one} SD`) } },
      shape: { field: 'effect', type: 'nominal', title: 'effect' },
    },
    layer: [
      {
        mark: { type: 'rule', strokeDash: [4, 4] },
        encoding: { x: { datum: repeats }, y: { value: 0 }, y2: { value: 220 }, color: { value: '#777777' } },
      },
      { mark: { type: 'line' }, encoding: { shape: { value: 'circle' } } },
      { mark: { type: 'point', opacity: 1 } },
    ],
  } as TopLevelSpec;
}
