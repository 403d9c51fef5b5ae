import type { TopLevelSpec } from 'vega-lite';
import { plotWidth } from './runs.js';

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
  const labels = Math.min(260, Math.max(...rows.map((row) => row.length)) * 6.2 + 10);
  const step = Math.max(24, Math.min(72, Math.floor((plotWidth + 80 - labels) / columns.length)));
  const slanted = Math.max(...columns.map((column) => column.length)) * 6.5 > step;
  const inks = Object.fromEntries(states.map(({ state, ink }) => [state, ink]));
  return {
    title: { ...title, frame: 'group' },
    description,
    width: { step },
    height: { step: 26 },
    data: { values: cells.map((cell) => ({ ...cell, ink: inks[cell.state] ?? '#222222' })) },
    encoding: {
      x: {
        field: 'column',
        type: 'nominal',
        sort: columns,
        scale: { domain: columns },
        title: columnTitle,
        axis: { orient: 'top', labelAngle: slanted ? -45 : 0, ticks: false, domain: false, labelLimit: 140 },
      },
      y: {
        field: 'row',
        type: 'nominal',
        sort: rows,
        scale: { domain: rows },
        title: rowTitle,
        axis: {
          labelLimit: 260,
          ticks: false,
          domain: false,
          titleAngle: 0,
          titleAlign: 'left',
          titleAnchor: 'end',
          titleY: -14,
          titleX: -labels,
        },
      },
    },
    layer: [
      {
        mark: { type: 'rect', stroke: '#ffffff', strokeWidth: 2 },
        encoding: {
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
              columns: 4,
              labelLimit: 260,
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
