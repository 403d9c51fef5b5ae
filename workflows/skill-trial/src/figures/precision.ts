import type { TopLevelSpec } from 'vega-lite';
import { formatValue } from '../number-format.js';
import { pooledPrecision } from '../precision.js';
import type { TrialResult } from '../result.js';
import { chosenByLegend, cutLabels, figureWidth, framed, titled, widthOf } from './frame.js';
import { armsOf, counted, mostRuns, namedRuns } from './runs.js';

type Run = Pick<TrialResult, 'id' | 'case' | 'arm' | 'repeat' | 'valid' | 'precision'>;

/** Findings confirmed and contradicted, a bar a run; a bar an arm where there are many runs. Null where no run has been scored. */
export function precisionFigure(results: readonly Run[]): TopLevelSpec | null {
  const scored = results.flatMap((run) => (run.valid && run.precision !== null ? [{ ...run, precision: run.precision }] : []));
  if (scored.length === 0) return null;
  const byRun = scored.length <= mostRuns;
  const bars = byRun
    ? namedRuns(scored).map(({ run, name }) => ({ name, ...run.precision }))
    : armsOf(scored).map((arm) => {
        const own = scored.filter((run) => run.arm === arm);
        return { name: `${arm} (${counted(own.length, 'run')})`, ...pooledPrecision(own.map((run) => run.precision)) };
      });
  const label = (bar: (typeof bars)[number]) =>
    bar.value === null ? 'nothing checkable' : `${formatValue(bar.value, 'fraction')} confirmed`;
  const parts = bars.flatMap((bar) => [
    { name: bar.name, status: 'confirmed', from: 0, to: bar.confirmed, count: bar.confirmed },
    { name: bar.name, status: 'contradicted', from: bar.confirmed, to: bar.checkable, count: bar.contradicted },
  ]);
  const top = Math.max(1, ...bars.map((bar) => bar.checkable));
  const left = results.length - scored.length;
  const chosen = chosenByLegend('status');
  const names = bars.map((bar) => bar.name);
  const margin = Math.ceil(Math.min(220, Math.max(...names.map(widthOf))) + 50);
  const title = titled('How many findings held?', [
    'Findings that could be checked: confirmed (✓) and contradicted (✗). Unconfirmed ones and style advice are not among them.',
    left === 0 ? null : `Not shown: ${counted(left, 'run')} not scored or invalid.`,
  ]);
  return {
    ...framed(title, { left: margin, right: 24, top: 0, bottom: 90 }),
    description: `Stacked bars of confirmed and contradicted findings by ${byRun ? 'run' : 'arm'}. ${bars
      .slice(0, mostRuns)
      .map((bar) => `${bar.name}: ${bar.confirmed} confirmed, ${bar.contradicted} contradicted`)
      .join('; ')}.`,
    width: figureWidth - margin - 24,
    height: bars.length * 28,
    encoding: {
      y: {
        field: 'name',
        type: 'nominal',
        sort: names,
        title: byRun ? 'run' : 'arm',
        scale: { domain: names },
        axis: { ticks: false, domain: false, titleAngle: 0, titleX: 10 - margin, titleAlign: 'left', ...cutLabels(34) },
      },
      // room at the right for the label
      x: {
        type: 'quantitative',
        scale: { domain: [0, top * 1.3] },
        title: 'findings (number)',
        axis: { format: 'd', tickMinStep: 1, tickCount: 8 },
      },
    },
    layer: [
      {
        data: { values: parts.filter((part) => part.count > 0) },
        mark: { type: 'bar', height: 20, stroke: '#ffffff' },
        params: chosen.params,
        encoding: {
          opacity: chosen.opacity,
          x: { field: 'from', type: 'quantitative' },
          x2: { field: 'to' },
          color: {
            field: 'status',
            type: 'nominal',
            title: 'finding',
            scale: { domain: ['confirmed', 'contradicted'], range: ['#00467F', '#D55E00'] },
            legend: { orient: 'bottom' },
          },
        },
      },
      {
        data: {
          values: parts
            .filter((part) => part.count > 0)
            .map((part) => ({
              ...part,
              middle: (part.from + part.to) / 2,
              text: `${part.status === 'confirmed' ? '✓' : '✗'} ${part.count}`,
              ink: part.status === 'confirmed' ? '#ffffff' : '#000000',
            })),
        },
        mark: { type: 'text' },
        encoding: {
          x: { field: 'middle', type: 'quantitative' },
          text: { field: 'text', type: 'nominal' },
          color: { field: 'ink', type: 'nominal', scale: null },
        },
      },
      {
        data: { values: bars.map((bar) => ({ name: bar.name, at: bar.checkable, text: label(bar) })) },
        mark: { type: 'text', align: 'left', dx: 6 },
        encoding: { x: { field: 'at', type: 'quantitative' }, text: { field: 'text', type: 'nominal' } },
      },
    ],
    resolve: { scale: { color: 'independent' } },
  };
}
