import type { TopLevelSpec } from 'vega-lite';
import { type Contrast, contrastName } from '../comparison.js';
import { type MetricId, metricOf } from '../metric.js';
import type { TrialResult } from '../result.js';
import { summarise } from '../summary.js';
import { titledNarrow, tokenLabels } from './frame.js';
import { armScales, compare, counted } from './runs.js';

type Run = Pick<TrialResult, 'id' | 'case' | 'arm' | 'repeat' | 'status' | 'valid' | 'values'>;

/**
 * What each metric was without and with, a line for each block (the runs of one case and repeat), a panel for each metric. A bar marks
 * the median. A run without its partner stands alone. Null where no value is known.
 */
export function slopesFigure(
  results: readonly Run[],
  contrasts: readonly Contrast[],
  wanted: readonly MetricId[],
): TopLevelSpec | null {
  const many = contrasts.length > 1;
  const panels = contrasts.flatMap((contrast) =>
    wanted.map((id) => {
      const { title, unit } = metricOf(id);
      const values = results.flatMap((run) => {
        const value = run.values[id];
        if (value === null || (run.arm !== contrast.arm && run.arm !== contrast.control)) return [];
        return [
          {
            arm: run.arm,
            block: `${run.case} ${run.repeat}`,
            value,
            end: run.status === 'completed' ? 'completed' : 'cut short',
          },
        ];
      });
      const medians = [contrast.control, contrast.arm].flatMap((arm) => {
        const { median } = summarise(values.filter((one) => one.arm === arm).map((one) => one.value));
        return median === null ? [] : [{ arm, median }];
      });
      return { contrast, name: `${title} (${unit})${many ? `, ${contrastName(contrast)}` : ''}`, values, medians };
    }),
  );
  const drawn = panels.filter((panel) => panel.values.length > 0);
  if (drawn.length === 0) return null;
  const arms = [...new Set(contrasts.flatMap(({ arm, control }) => [control, arm]))].sort(compare);
  const { colour, shape } = armScales(arms);
  const empty = panels.filter((panel) => panel.values.length === 0).map((panel) => panel.name);
  const cut = drawn.some((panel) => panel.values.some((one) => one.end === 'cut short'));
  const invalid = results.filter((run) => !run.valid).length;
  return {
    title: titledNarrow('Time and tokens, run by run', [
      'A line joins the runs of one block (same case and repeat); the bar is the median of the arm.',
      cut ? 'A hollow mark is a run that was cut short: its time ends at the limit.' : null,
      invalid === 0 ? null : `Not shown: ${counted(invalid, 'invalid run')}.`,
      empty.length === 0 ? null : `No values: ${empty.join('; ')}.`,
    ]),
    description: `Slope charts by metric. Medians: ${drawn
      .slice(0, 12)
      .map((panel) => `${panel.name} ${panel.medians.map((one) => `${one.arm} ${Number(one.median.toPrecision(4))}`).join(', ')}`)
      .join('; ')}.`,
    columns: 3,
    bounds: 'flush',
    spacing: { column: 66, row: 60 },
    concat: drawn.map((panel) => {
      const x = {
        field: 'arm',
        type: 'nominal' as const,
        title: null,
        scale: { domain: [panel.contrast.control, panel.contrast.arm], padding: 0.4 },
        axis: { labelAngle: 0, domain: false, ticks: false, labelFontSize: 13 },
      };
      return {
        title: { text: panel.name, fontSize: 12, fontWeight: 'normal' as const, frame: 'group' as const, dx: -30 },
        width: 145,
        height: 130,
        encoding: { x },
        layer: [
          {
            data: { values: panel.values },
            mark: { type: 'line' as const, color: '#999999', strokeWidth: 1.2 },
            encoding: {
              y: {
                field: 'value',
                type: 'quantitative' as const,
                title: null,
                scale: { zero: true, nice: true },
                axis: { tickCount: 4, labelExpr: tokenLabels },
              },
              detail: { field: 'block', type: 'nominal' as const },
            },
          },
          {
            data: { values: panel.medians },
            mark: { type: 'tick' as const, thickness: 3, width: 34, opacity: 1, color: '#222222' },
            encoding: { y: { field: 'median', type: 'quantitative' as const } },
          },
          {
            data: { values: panel.values },
            mark: { type: 'point' as const, size: 60, strokeWidth: 2, opacity: 1, filled: false },
            encoding: {
              y: { field: 'value', type: 'quantitative' as const },
              color: { field: 'arm', type: 'nominal' as const, scale: colour, legend: null },
              fill: { field: 'arm', type: 'nominal' as const, scale: colour, legend: null },
              shape: { field: 'arm', type: 'nominal' as const, scale: shape, legend: null },
              fillOpacity: { condition: { test: "datum.end === 'completed'", value: 1 }, value: 0 },
            },
          },
        ],
      };
    }),
    resolve: { scale: { y: 'independent', x: 'independent' } },
  };
}
