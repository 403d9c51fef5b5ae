import type { TopLevelSpec } from 'vega-lite';
import type { ComparisonRow } from '../comparison.js';
import { formatValue } from '../number-format.js';
import { ratio } from '../summary.js';
import { figureWidth, framed, titled, widthOf } from './frame.js';

type Row = Pick<ComparisonRow, 'contrast' | 'title' | 'unit' | 'a' | 'b'>;

/** The medians of an arm as a multiple of its control's, a dumbbell for each metric and contrast. Null where no ratio is known. */
export function dumbbellFigure(rows: readonly Row[]): TopLevelSpec | null {
  const all = rows.map((row) => ({ ...row, ratio: ratio(row.a, row.b) }));
  const known = all.flatMap((row) => (row.ratio === null ? [] : [{ ...row, ratio: row.ratio }]));
  if (known.length === 0) return null;
  const many = new Set(rows.map((row) => row.contrast)).size > 1;
  const name = (row: Row) => (many ? `${row.contrast}: ${row.title}` : row.title);
  const unit = (row: Row) => (row.unit === 'tokens' || row.unit === 'calls' ? ` ${row.unit}` : '');
  const values = known.map((row) => ({
    name: name(row),
    ratio: row.ratio,
    label: `×${row.ratio.toFixed(2)}  (${formatValue(row.a, row.unit)} → ${formatValue(row.b, row.unit)}${unit(row)})`,
  }));
  const unknown = all.filter((row) => row.ratio === null).map(name);
  const top = Math.max(1, ...values.map((value) => value.ratio)) * 1.05;
  const names = values.map((value) => value.name);
  const left = Math.ceil(Math.max(...names.map(widthOf)) + 24);
  const right = Math.ceil(Math.max(...values.map((value) => widthOf(value.label))) + 24);
  const width = Math.max(160, figureWidth - left - right);
  // with a hyphen in an arm's name the contrast's cannot be taken apart
  const [arm, control, ...rest] = (rows[0]?.contrast ?? '').split('-');
  const question =
    many || rest.length > 0
      ? 'What does each arm cost, compared with its control?'
      : `What does ${arm} cost, compared with ${control}?`;
  const title = titled(question, [
    'Medians. The circle at 1 is the control; the diamond is the other arm as a multiple of it.',
    unknown.length === 0 ? null : `No ratio (a side is unknown, or the control is 0): ${unknown.join(', ')}.`,
  ]);
  const y = { field: 'name', type: 'nominal' as const, title: null, sort: names, scale: { domain: names } };
  const ratioOf = { field: 'ratio', type: 'quantitative' as const };
  return {
    ...framed(title, { left, right, top: 0, bottom: 46 }),
    description: `Dumbbell chart of medians as a multiple of the control's. ${values.map((value) => `${value.name}: ${value.label}`).join('; ')}.`,
    width,
    height: values.length * 30,
    data: { values },
    encoding: {
      y: { ...y, axis: { ticks: false, domain: false, labelLimit: 0 } },
      x: {
        type: 'quantitative',
        scale: { domain: [0, top], nice: false },
        title: "multiple of the control's median",
        axis: { tickCount: 5, format: '~g' },
      },
    },
    layer: [
      { mark: { type: 'rule', strokeWidth: 3, color: '#999999' }, encoding: { x: ratioOf, x2: { datum: 1 } } },
      {
        mark: { type: 'point', shape: 'circle', color: '#00467F', size: 90, opacity: 1 },
        encoding: { x: { datum: 1, type: 'quantitative' } },
      },
      { mark: { type: 'point', shape: 'diamond', color: '#D55E00', size: 110, opacity: 1 }, encoding: { x: ratioOf } },
      {
        mark: { type: 'text', align: 'left' },
        encoding: { x: { value: width + 12 }, text: { field: 'label', type: 'nominal' } },
      },
    ],
  };
}
