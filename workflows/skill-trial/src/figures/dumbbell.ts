import type { TopLevelSpec } from 'vega-lite';
import type { ComparisonRow } from '../comparison.js';
import { formatValue } from '../number-format.js';
import { ratio } from '../summary.js';
import { armScales, titled } from './runs.js';

type Row = Pick<ComparisonRow, 'contrast' | 'metric' | 'title' | 'unit' | 'a' | 'b'>;

/** The medians of an arm as a multiple of its control's, a dumbbell a metric, a panel a contrast. Null where no ratio is known. */
export function dumbbellFigure(rows: readonly Row[]): TopLevelSpec | null {
  const all = rows.map((row) => ({ ...row, ratio: ratio(row.a, row.b) }));
  const known = all.flatMap((row) => (row.ratio === null ? [] : [{ ...row, ratio: row.ratio }]));
  if (known.length === 0) return null;
  const contrasts = [...new Set(known.map((row) => row.contrast))];
  const names = [...new Set(known.map((row) => row.title))];
  const left = all.filter((row) => row.ratio === null);
  const values = known.map((row) => ({
    metric: row.title,
    contrast: row.contrast,
    ratio: row.ratio,
    end: Math.max(1, row.ratio),
    label: `×${row.ratio.toFixed(2)}  (${formatValue(row.a, row.unit)} → ${formatValue(row.b, row.unit)}${/^(tokens|calls)$/.test(row.unit) ? ` ${row.unit}` : ''})`,
  }));
  const top = Math.max(1, ...values.map((value) => value.ratio)) * 1.05;
  // the colour of an arm, where its name can be told from the contrast's
  const arms = contrasts.map((contrast) => contrast.split('-')[0] as string);
  const { colour, shape } = armScales([...new Set(arms)]);
  const mark = (contrast: string) => {
    const at = colour.domain.indexOf(contrast.split('-')[0] as string);
    return { colour: colour.range[at] as string, shape: shape.range[at] as string };
  };
  return {
    title: titled('What did the skills cost, compared with the control?', [
      'Medians. 1 (circle) is the control; the other mark is the arm with skills as a multiple of it.',
      left.length === 0
        ? null
        : `No ratio (unknown, or the control is 0): ${[...new Set(left.map((row) => row.title))].join(', ')}.`,
    ]),
    description: `Dumbbell chart of medians as a multiple of the control's. ${values.map((value) => `${value.contrast} ${value.metric}: ${value.label}`).join('; ')}.`,
    vconcat: contrasts.map((contrast) => {
      const own = values.filter((value) => value.contrast === contrast);
      return {
        title: { text: `${contrast.replace('-', ' against ')}`, fontSize: 12, fontWeight: 'normal' as const },
        width: 300,
        height: { step: 30 },
        data: { values: own },
        encoding: {
          y: {
            field: 'metric',
            type: 'nominal' as const,
            title: null,
            sort: names,
            axis: { ticks: false, domain: false, labelLimit: 200 },
          },
          x: {
            type: 'quantitative' as const,
            scale: { domain: [0, top], nice: false },
            title: "multiple of the control's median",
            axis: { tickCount: 6 },
          },
        },
        layer: [
          {
            mark: { type: 'rule' as const, strokeWidth: 3, color: '#999999' },
            encoding: { x: { field: 'ratio', type: 'quantitative' as const }, x2: { datum: 1 } },
          },
          {
            mark: { type: 'point' as const, shape: 'circle', color: '#555555', size: 80 },
            encoding: { x: { datum: 1, type: 'quantitative' as const } },
          },
          {
            mark: { type: 'point' as const, shape: mark(contrast).shape, color: mark(contrast).colour, size: 110 },
            encoding: { x: { field: 'ratio', type: 'quantitative' as const } },
          },
          {
            mark: { type: 'text' as const, align: 'left' as const, x: 312 },
            encoding: { text: { field: 'label', type: 'nominal' as const }, x: { value: 312 } },
          },
        ],
      };
    }),
  };
}
