import type { TopLevelSpec } from 'vega-lite';
import { costEfficiency, costIncrease, type EfficiencyRow, passDifference } from '../statistics/efficiency.js';
import { chosenByLegend, framed, titled } from './frame.js';

/** Gain against cost of many skills, a point each, named by what they are: where ρ < 0 a bare ratio of the two means nothing. Null without a row that has both. */
export function efficiencyFigure(rows: readonly (EfficiencyRow & { skill: string })[], source: string): TopLevelSpec | null {
  const values = rows.flatMap((row) => {
    const [gain, cost] = [passDifference(row), costIncrease(row)];
    return gain === null || cost === null ? [] : [{ skill: row.skill, gain, cost, kind: costEfficiency(gain, cost).label }];
  });
  if (values.length === 0) return null;
  const kinds = [...new Set(values.map((one) => one.kind))].sort();
  const counts = kinds.map((kind) => `${kind}: ${values.filter((one) => one.kind === kind).length}`).join('; ');
  const chosen = chosenByLegend('kind');
  const named = values.filter((one) => one.gain !== 0);
  return {
    ...framed(titled('What did each skill gain, and at what cost?', [`${values.length} skills, one run a side. ${source}`]), {
      left: 60,
      right: 170,
      top: 0,
      bottom: 46,
    }),
    description: `Scatter plot of gain in percentage points against the change of tokens. ${counts}. ${named.map((one) => `${one.skill}: ${one.gain.toFixed(1)} pp, tokens ${(100 * one.cost).toFixed(0)} %`).join('; ')}.`,
    width: 400,
    height: 280,
    data: { values },
    layer: [
      { mark: { type: 'rule' }, encoding: { x: { datum: 0, type: 'quantitative' } } },
      { mark: { type: 'rule' }, encoding: { y: { datum: 0, type: 'quantitative' } } },
      {
        mark: { type: 'point' },
        params: chosen.params,
        encoding: {
          opacity: { condition: { param: 'chosen', value: 0.8 }, value: 0.1 },
          x: { field: 'cost', type: 'quantitative', title: 'change of tokens (ρ)', axis: { format: '.0%' } },
          y: { field: 'gain', type: 'quantitative', title: 'gain, percentage points' },
          color: { field: 'kind', type: 'nominal', title: 'with the skill', scale: { domain: kinds } },
          shape: { field: 'kind', type: 'nominal', title: 'with the skill', scale: { domain: kinds } },
        },
      },
    ],
  } as TopLevelSpec;
}
