import type { TopLevelSpec } from 'vega-lite';
import { formatValue } from '../number-format.js';
import type { TrialResult } from '../result.js';
import { summarise } from '../summary.js';
import { figureWidth, framed, titled, widthOf } from './frame.js';
import { armScales, armsOf, counted, namedRuns } from './runs.js';

type Run = Pick<TrialResult, 'id' | 'case' | 'arm' | 'repeat' | 'status' | 'valid' | 'values'>;

/** Each run's weighted completeness by arm, the arm's median as a tick. Null where no run has one. */
export function completenessFigure(results: readonly Run[]): TopLevelSpec | null {
  const arms = armsOf(results);
  const named = namedRuns(results);
  const points = named.flatMap(({ run, name }) => {
    const value = run.values.review_completeness;
    if (value === null) return [];
    return [{ run: name, arm: run.arm, value, end: run.status === 'completed' ? 'completed' : 'cut short' }];
  });
  if (points.length === 0) return null;
  const medians = arms.flatMap((arm) => {
    const { median, nUsed, nTotal } = summarise(
      results.filter((run) => run.arm === arm).map((run) => run.values.review_completeness),
    );
    if (median === null) return [];
    return [{ arm, median, label: `median ${formatValue(median, 'fraction')} (${nUsed} of ${counted(nTotal, 'run')})` }];
  });
  const shiftOf = (point: (typeof points)[number]) => {
    const own = points.filter((other) => other.arm === point.arm);
    return (own.indexOf(point) - (own.length - 1) / 2) * Math.min(12, 40 / own.length);
  };
  const unknown = results.length - points.length;
  const invalid = results.filter((run) => !run.valid).length;
  const cut = points.some((point) => point.end === 'cut short');
  const { colour, shape } = armScales(arms);
  const left = Math.ceil(Math.max(48, Math.max(...arms.map(widthOf)) + 40));
  const title = titled('How complete was each review?', [
    'Weight of the rubric rows found, as a share of all that apply. Each mark is one run.',
    unknown === 0
      ? null
      : `Not shown: ${counted(unknown, 'run')} without a value${invalid === 0 ? '' : ` (${invalid} invalid)`}.`,
    cut ? 'A hollow mark is a run that was cut short.' : null,
  ]);
  return {
    ...framed(title, { left, right: 24, top: 0, bottom: 46 }),
    description: `Strip plot of review completeness by arm. ${medians.map((one) => `${one.arm}: ${one.label}`).join('; ')}.`,
    width: figureWidth - left - 24,
    height: arms.length * 84,
    encoding: {
      y: {
        field: 'arm',
        type: 'nominal',
        title: 'arm',
        scale: { domain: arms, paddingInner: 0.5, paddingOuter: 0.3 },
        axis: {
          ticks: false,
          domain: false,
          labelFontSize: 14,
          titleAngle: 0,
          titleX: 10 - left,
          titleAlign: 'left',
          labelPadding: 10,
        },
      },
    },
    layer: [
      {
        data: { values: medians },
        mark: { type: 'tick', thickness: 3, opacity: 1, color: '#222222', bandSize: 40 },
        encoding: { x: { field: 'median', type: 'quantitative' } },
      },
      {
        data: { values: medians },
        mark: { type: 'text', dy: -27, align: { expr: "datum.median > 0.8 ? 'right' : datum.median < 0.2 ? 'left' : 'center'" } },
        encoding: { x: { field: 'median', type: 'quantitative' }, text: { field: 'label', type: 'nominal' } },
      },
      {
        data: { values: points.map((point) => ({ ...point, shift: shiftOf(point) })) },
        // beside each other, or equal values would hide one another
        mark: { type: 'point', yOffset: { expr: 'datum.shift' }, size: 90, opacity: 1, strokeWidth: 2, filled: false },
        encoding: {
          x: {
            field: 'value',
            type: 'quantitative',
            title: 'completeness (% of the applicable weight)',
            scale: { domain: [0, 1] },
            axis: { format: '.0%', tickCount: 6 },
          },
          color: { field: 'arm', type: 'nominal', scale: colour, legend: null },
          shape: { field: 'arm', type: 'nominal', scale: shape, legend: null },
          fill: { field: 'arm', type: 'nominal', scale: colour, legend: null },
          fillOpacity: { condition: { test: "datum.end === 'completed'", value: 1 }, value: 0 },
        },
      },
    ],
  };
}
