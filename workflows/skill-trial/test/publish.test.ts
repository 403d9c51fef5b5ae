import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TopLevelSpec } from 'vega-lite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FigureError } from '../src/figure.js';
import { PublishError, publish, publishFigure, readPublished, showTable } from '../src/publish.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'publish-'));
  vi.stubEnv('SKILL_TRIAL_PUBLISH', dir);
  vi.stubEnv('SKILL_TRIAL_NOTEBOOK', '2-completeness');
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(dir, { recursive: true });
});

const bar: TopLevelSpec = {
  data: { values: [{ arm: 'A', n: 1 }] },
  mark: 'bar',
  encoding: { x: { field: 'arm' }, y: { field: 'n', type: 'quantitative' } },
};

describe('publish', () => {
  it('writes one canonical file and returns the value', () => {
    const value = { b: [1, null, 'x'], a: true };
    expect(publish('review-completeness', value)).toBe(value);
    expect(readdirSync(dir)).toEqual(['review-completeness.json']);
    expect(readFileSync(join(dir, 'review-completeness.json'), 'utf8')).toBe(
      '{"name":"review-completeness","notebook":"2-completeness","schemaVersion":1,"value":{"a":true,"b":[1,null,"x"]}}\n',
    );
  });

  it('keeps the unit and the note', () => {
    publish('median-time', 12.5, { unit: 's', note: 'n = 3' });
    expect(readPublished(dir).values).toEqual([
      { schemaVersion: 1, name: 'median-time', notebook: '2-completeness', value: 12.5, unit: 's', note: 'n = 3' },
    ]);
  });

  it('writes nothing for a person exploring', () => {
    vi.stubEnv('SKILL_TRIAL_PUBLISH', '');
    expect(publish('x', 1)).toBe(1);
    expect(readdirSync(dir)).toEqual([]);
  });

  it('lets a notebook publish its own name again', () => {
    publish('x', 1);
    publish('x', 2);
    expect(readPublished(dir).values.map(({ value }) => value)).toEqual([2]);
    expect(readdirSync(dir)).toEqual(['x.json']);
  });

  it('refuses a name that another notebook has published, and keeps the first', () => {
    publish('x', 1);
    vi.stubEnv('SKILL_TRIAL_NOTEBOOK', '3-consistency');
    expect(() => publish('x', 2)).toThrow(/"x" is published twice[\s\S]*2-completeness and 3-consistency/);
    expect(readPublished(dir).values.map(({ value }) => value)).toEqual([1]);
    expect(readdirSync(dir)).toEqual(['x.json']);
  });

  it.each(['', 'Upper', 'a.b', '../x', 'a_b', '-a', 'a--b', 'a/b'])('refuses the name "%s"', (name) => {
    expect(() => publish(name, 1)).toThrow(PublishError);
    expect(readdirSync(dir)).toEqual([]);
  });

  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  it.each<[string, unknown, string]>([
    ['NaN', { rows: [{ p: 1 }, { p: Number.NaN }] }, 'value.rows[1].p'],
    ['Infinity', [Number.POSITIVE_INFINITY], 'value[0]'],
    ['undefined', { a: { b: undefined } }, 'value.a.b'],
    ['a hole in a list', Object.assign([1], { 2: 3 }), 'value[1]'],
    ['undefined as a whole', undefined, 'value'],
    ['a date', { at: new Date(0) }, 'value.at'],
    ['a map', new Map(), 'value'],
    ['a bigint', { n: 1n }, 'value.n'],
    ['a function', { f: () => 1 }, 'value.f'],
    ['a cycle', cycle, 'value.self'],
  ])('refuses %s and says where, with or without a folder to write to', (_, value, path) => {
    expect(() => publish('x', value)).toThrow(`${path} is no JSON`);
    vi.stubEnv('SKILL_TRIAL_PUBLISH', '');
    expect(() => publish('x', value)).toThrow(PublishError);
    expect(readdirSync(dir)).toEqual([]);
  });

  it('takes the same object at two places, which is no cycle', () => {
    const shared = { a: 1 };
    expect(publish('x', [shared, shared])).toHaveLength(2);
  });
});

describe('publishFigure', () => {
  it('stores the spec and the caption, not the picture', async () => {
    await publishFigure('runs', bar, 'Runs by arm');
    expect(readPublished(dir).figures).toEqual([
      { schemaVersion: 1, name: 'runs', notebook: '2-completeness', caption: 'Runs by arm', spec: bar },
    ]);
    expect(readdirSync(join(dir, 'figures'))).toEqual(['runs.json']);
  });

  it('fails for a figure that cannot be drawn, and stores nothing', async () => {
    await expect(
      publishFigure('runs', { data: { url: 'x.json' }, mark: 'bar', encoding: { x: { field: 'a' } } }, 'c'),
    ).rejects.toThrow(FigureError);
    expect(readPublished(dir)).toEqual({ values: [], figures: [] });
  });

  it('refuses a name that another notebook has published', async () => {
    await publishFigure('runs', bar, 'c');
    vi.stubEnv('SKILL_TRIAL_NOTEBOOK', '4-time');
    await expect(publishFigure('runs', bar, 'c')).rejects.toThrow(PublishError);
  });
});

describe('showTable', () => {
  it('prints plain text outside a notebook, with a dash for what is unknown', () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {});
    showTable([
      { arm: 'A', tokens: null },
      { arm: 'B', tokens: 12 },
    ]);
    expect(log.mock.calls).toEqual([['arm  tokens\n---  ------\nA    –\nB    12']]);
    log.mockRestore();
  });
});
