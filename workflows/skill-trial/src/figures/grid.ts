import type { TopLevelSpec } from 'vega-lite';
import { chosenByLegend, cutLabels, figureWidth, framed, widthOf } from './frame.js';

/** One thing that a cell can say: told by its colour and by the text in it. */
export interface GridState {
  state: string;
  fill: string;
  ink: string;
}

export interface Grid {
  title: { text: string; subtitle?: string[] };
  description: string;
  rows: string[];
  rowTitle: string;
  columns: string[];
  columnTitle: string;
  legend: string;
  states: readonly GridState[];
  cells: { row: string; column: string; state: string; text: string }[];
}

/** A heat map with a text in every cell. */
export function grid({ title, description, rows, rowTitle, columns, columnTitle, legend, states, cells }: Grid): TopLevelSpec {
  const used = states.filter((state) => cells.some((cell) => cell.state === state.state));
  const longest = Math.min(46, Math.max(rowTitle.length, ...rows.map((row) => row.length)));
  const left = Math.ceil(widthOf('x'.repeat(longest))) + 18;
  const step = Math.max(26, Math.min(64, Math.floor((figureWidth - left - 20) / columns.length)));
  const widest = Math.min(22, Math.max(...columns.map((column) => column.length)));
  const slanted = widest * 7 > step;
  // a legend's columns are as wide as Vega thinks that its longest label is
  const legendWidth = Math.max(...used.map(({ state }) => state.length)) * 9.6 + 40;
  const legendColumns = Math.max(1, Math.floor((step * columns.length + 60) / legendWidth));
  const legendLines = Math.ceil(used.length / legendColumns);
  const chosen = chosenByLegend('state');
  const inks = Object.fromEntries(states.map(({ state, ink }) => [state, ink]));
  return {
    ...framed(title, {
      left,
      // room for slanted names, and for the title of a narrow grid
      right: Math.max(slanted ? 70 : 20, 480 - left - step * columns.length),
      top: 26 + (slanted ? widest * 7 : 18),
      bottom: 56 + 20 * legendLines,
    }),
    description,
    width: step * columns.length,
    height: rows.length * 26,
    data: { values: cells.map((cell) => ({ ...cell, ink: inks[cell.state] ?? '#222222' })) },
    encoding: {
      x: {
        field: 'column',
        type: 'nominal',
        sort: columns,
        scale: { domain: columns },
        title: columnTitle,
        axis: {
          orient: 'top',
          labelAngle: slanted ? -45 : 0,
          ...(slanted ? { titleY: -Math.round(widest * 4.6) - 26 } : {}),
          ticks: false,
          domain: false,
          ...cutLabels(22),
        },
      },
      y: {
        field: 'row',
        type: 'nominal',
        sort: rows,
        scale: { domain: rows },
        title: rowTitle,
        axis: {
          ticks: false,
          domain: false,
          titleAngle: 0,
          titleAlign: 'right',
          titleBaseline: 'bottom',
          titleX: -6,
          titleY: -10,
          ...cutLabels(46),
        },
      },
    },
    layer: [
      {
        mark: { type: 'rect', stroke: '#ffffff', strokeWidth: 2 },
        params: chosen.params,
        encoding: {
          opacity: chosen.opacity,
          color: {
            field: 'state',
            type: 'nominal',
            title: legend,
            scale: { domain: used.map(({ state }) => state), range: used.map(({ fill }) => fill) },
            legend: {
              orient: 'bottom',
              direction: 'horizontal',
              symbolType: 'square',
              symbolStrokeColor: '#777777',
              columns: legendColumns,
              labelLimit: 0,
            },
          },
        },
      },
      {
        mark: { type: 'text', fontSize: 12 },
        encoding: { text: { field: 'text', type: 'nominal' }, color: { field: 'ink', type: 'nominal', scale: null } },
      },
    ],
    resolve: { scale: { color: 'independent' } },
  };
}
