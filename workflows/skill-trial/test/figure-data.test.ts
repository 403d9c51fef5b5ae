import { expect, test } from 'vitest';
import { figureCsv, figureData } from '../src/figure-data.js';

test('one data set: its rows as they are, what a row does not have as null', () => {
  const spec = {
    mark: 'point',
    data: {
      values: [
        { arm: 'A', value: 0 },
        { arm: 'B', runs: [1, 2] },
      ],
    },
  };
  expect(figureData(spec)).toEqual({
    columns: ['arm', 'value', 'runs'],
    rows: [
      ['A', 0, null],
      ['B', null, '[1,2]'],
    ],
  });
});

test('several data sets, in layers and panels: numbered, each once, empty ones left out', () => {
  const shared = { values: [{ x: 1 }] };
  const spec = {
    vconcat: [{ data: shared }, { layer: [{ data: shared }, { data: { values: [] } }, { data: { values: [true] } }] }],
  };
  expect(figureData(spec)).toEqual({
    columns: ['part', 'x', 'value'],
    rows: [
      [1, 1, null],
      [2, null, true],
    ],
  });
});

test('no data at all is an empty table', () => {
  expect(figureData({ mark: 'bar' })).toEqual({ columns: [], rows: [] });
});

test('CSV: an unknown is an empty cell, a comma is quoted, a formula is text; only a scripted run is marked', () => {
  const data = {
    columns: ['name', 'n'],
    rows: [
      ['a,b', null],
      ['@SUM(A1)', -2],
    ] as (string | number | null)[][],
  };
  expect(figureCsv(data, false)).toBe('name,n\n"a,b",\n\'@SUM(A1),-2\n');
  expect(figureCsv(data, true).split('\n')[1]).toBe('SCRIPTED,"a,b",');
});
