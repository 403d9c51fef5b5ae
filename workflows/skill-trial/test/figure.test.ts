import type { TopLevelSpec } from 'vega-lite';
import { describe, expect, it } from 'vitest';
import { armColours, armScale, armShapes, FigureError, renderFigure } from '../src/figure.js';

const points: TopLevelSpec = {
  title: 'Completeness by arm',
  width: 200,
  height: 120,
  data: {
    values: [
      { arm: 'A', y: 0.5 },
      { arm: 'B', y: 0.9 },
      { arm: 'B', y: 0.7 },
    ],
  },
  transform: [{ calculate: 'random()', as: 'jitter' }],
  mark: { type: 'point', clip: true },
  encoding: {
    x: { field: 'arm', type: 'nominal' },
    xOffset: { field: 'jitter', type: 'quantitative' },
    y: { field: 'y', type: 'quantitative', title: 'completeness (share)' },
    color: { field: 'arm', scale: armScale },
    shape: { field: 'arm', scale: armShapes },
  },
};

/** WCAG's relative luminance. */
function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
const contrast = (a: number, b: number) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);

describe('a figure', () => {
  it('has the same bytes each time, random numbers and clipping included, also when drawn beside others', async () => {
    const first = await renderFigure(points);
    const [again, other, third] = await Promise.all([
      renderFigure(points),
      renderFigure({ ...points, title: 'other' }),
      renderFigure(points),
    ]);
    expect(again).toBe(first);
    expect(third).toBe(first);
    expect(other).not.toBe(first);
  });

  it('shows its texts as text, in a generic font', async () => {
    const svg = await renderFigure(points);
    expect(svg).toMatch(/^<svg /);
    expect(svg).toContain('>Completeness by arm</text>');
    expect(svg).toContain('>completeness (share)</text>');
    expect(new Set([...svg.matchAll(/font-family="([^"]+)"/g)].map(([, font]) => font))).toEqual(new Set(['sans-serif']));
  });

  it('draws each arm in its colour', async () => {
    const svg = await renderFigure(points);
    expect(svg).toContain(armColours.A);
    expect(svg).toContain(armColours.B);
  });

  it('has ids that do not collide with those of another figure in one page', async () => {
    const idsOf = (svg: string) => [...svg.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id);
    const one = await renderFigure(points);
    const two = await renderFigure({ ...points, title: 'another' });
    expect(idsOf(one).length).toBeGreaterThan(0);
    expect(idsOf(one).filter((id) => idsOf(two).includes(id))).toEqual([]);
    for (const [, used = ''] of one.matchAll(/url\(#([^)]+)\)/g)) expect(idsOf(one)).toContain(used);
    expect(idsOf(await renderFigure(points, { idPrefix: 'tokens' }))[0]).toBe('tokens-1');
  });

  it.each<[string, TopLevelSpec]>([
    [
      'data at an address',
      { data: { url: 'missing.json' }, mark: 'point', encoding: { x: { field: 'a', type: 'quantitative' } } },
    ],
    [
      'data from the network',
      { data: { url: 'http://127.0.0.1:1/x.csv' }, mark: 'bar', encoding: { y: { field: 'a', type: 'nominal' } } },
    ],
    ['no data', { data: { values: [] }, mark: 'point', encoding: { x: { field: 'a', type: 'quantitative' } } }],
    [
      'a misspelt quantity',
      { data: { values: [{ a: 1 }] }, mark: 'point', encoding: { x: { field: 'b', type: 'quantitative' } } },
    ],
    ['a misspelt name', { data: { values: [{ a: 'x' }] }, mark: 'bar', encoding: { x: { field: 'b', type: 'nominal' } } }],
    [
      'an image to fetch',
      {
        data: { values: [{ a: 'http://127.0.0.1:1/x.png' }] },
        mark: 'image',
        encoding: { url: { field: 'a' }, x: { value: 1 } },
      },
    ],
    ['no mark', { data: { values: [{ a: 1 }] } } as unknown as TopLevelSpec],
  ])('is an error, not a picture that looks complete: %s', async (_, spec) => {
    await expect(renderFigure(spec)).rejects.toThrow(FigureError);
  });

  it('names the figure and what is missing', async () => {
    const spec: TopLevelSpec = {
      title: 'Tokens',
      data: { url: 'tokens.json' },
      mark: 'bar',
      encoding: { x: { field: 'a', type: 'quantitative' } },
    };
    await expect(renderFigure(spec)).rejects.toThrow(/"Tokens"[\s\S]*tokens\.json/);
  });

  it('is drawn after one that failed', async () => {
    const failing = renderFigure({ data: { url: 'x.json' }, mark: 'bar', encoding: { x: { field: 'a', type: 'quantitative' } } });
    const svg = renderFigure(points);
    await expect(failing).rejects.toThrow(FigureError);
    await expect(svg).resolves.toContain('<svg');
  });

  it('is not refused for warnings about style', async () => {
    const values = [1, 2, 3, 4, 9].map((v) => ({ v }));
    await expect(
      renderFigure({ data: { values }, mark: 'boxplot', encoding: { x: { field: 'v', type: 'quantitative' } } }),
    ).resolves.toContain('<svg');
  });
});

describe('the colours of the arms', () => {
  it('stand out from white and from each other in grey print', () => {
    const [a, b] = [luminance(armColours.A), luminance(armColours.B)];
    expect(contrast(a, 1)).toBeGreaterThan(3);
    expect(contrast(b, 1)).toBeGreaterThan(3);
    expect(contrast(a, b)).toBeGreaterThan(2);
  });
});
