/** Figures: plain Vega-Lite objects drawn as SVG, the same bytes each time, on any machine. The only module that renders. */
import type { Config, TopLevelSpec } from 'vega-lite';
import { LabError } from './errors.js';
import { hashOf } from './hash.js';

/** A figure that cannot be drawn as meant. */
export class FigureError extends LabError {}

/**
 * The colours of the arms: blue and vermillion of Okabe and Ito's palette, told apart with every common colour blindness; the
 * blue is darkened so that they differ in grey print too. Both stand out from white paper (contrast above 3 to 1).
 */
export const armColours = { A: '#00467F', B: '#D55E00' } as const;

/** The scale to give to a colour that encodes the arm, so that an arm keeps its colour where the other is missing. */
export const armScale = { domain: ['A', 'B'], range: [armColours.A, armColours.B] };

/** As {@link armScale}, for shapes: colour is never the only mark of an arm. */
export const armShapes = { domain: ['A', 'B'], range: ['circle', 'diamond'] };

const ink = '#222222';

/** What all figures share; a spec's own `config` comes before it. */
export const figureTheme: Config = {
  font: 'sans-serif',
  background: '#ffffff',
  padding: 8,
  view: { stroke: null },
  title: { anchor: 'start', color: ink, fontSize: 14, fontWeight: 600, subtitleColor: '#555555', subtitleFontSize: 12 },
  axis: {
    labelColor: ink,
    titleColor: ink,
    labelFontSize: 12,
    titleFontSize: 12,
    titleFontWeight: 'normal',
    gridColor: '#e3e3e3',
  },
  legend: { labelColor: ink, titleColor: ink, labelFontSize: 12, titleFontSize: 12, titleFontWeight: 'normal' },
  header: { labelColor: ink, titleColor: ink, labelFontSize: 12, titleFontSize: 12 },
  text: { color: ink, fontSize: 12 },
  rule: { color: '#777777' },
  point: { filled: true, size: 70 },
  range: {
    category: [armColours.A, armColours.B, '#009E73', '#7A4B8C', '#5C5C5C', '#B07A00'],
    symbol: ['circle', 'diamond', 'square', 'triangle-up', 'cross'],
  },
};

/** For viewers that answer a pointer: a mark tells its row of data. */
export const liveTheme: Config = { ...figureTheme, mark: { tooltip: { content: 'data' } } };

// Vega's random numbers are global: two figures drawn at the same time would share one sequence.
let queue: Promise<unknown> = Promise.resolve();

/**
 * The figure as an SVG text. Its data must be inline: anything that would be fetched, an empty scale or an undefined label is a
 * {@link FigureError} instead of a picture that looks complete. Ids start with `idPrefix` (from the spec's content by
 * default), so that several figures fit into one page.
 */
export function renderFigure(spec: TopLevelSpec, { idPrefix = `f${hashOf(spec).slice(0, 8)}` } = {}): Promise<string> {
  const drawn = queue.then(() => draw(spec, idPrefix));
  queue = drawn.catch(() => {});
  return drawn;
}

/**
 * The figure for a viewer that answers a pointer: Vega's own form of it, drawn as {@link renderFigure} draws it, where a mark tells
 * its row of data. It has been drawn once before, so its problems are known already.
 */
export async function liveFigure(spec: TopLevelSpec): Promise<object> {
  const { compile } = await import('vega-lite');
  return compile(structuredClone(spec), {
    config: liveTheme,
    logger: gather([]),
  }).spec;
}

/** What vega's types leave out. */
interface UntypedVega {
  setRandom(source: () => number): void;
  randomLCG(seed: number): () => number;
  textMetrics: { canvas(use: boolean): void };
}

async function draw(spec: TopLevelSpec, idPrefix: string): Promise<string> {
  // Loaded here and not above: both wait at the top level, which a notebook cell cannot import.
  const [vega, { compile }] = await Promise.all([import('vega'), import('vega-lite')]);
  const problems: string[] = [];
  const logger = gather(problems);
  const loader = vega.loader();
  loader.load = (uri) => Promise.reject(new Error(`"${uri}" would have to be fetched: put the data into the spec`));
  const { setRandom, randomLCG, textMetrics } = vega as unknown as UntypedVega;
  setRandom(randomLCG(42));
  textMetrics.canvas(false); // Widths are estimated: measured ones would depend on the fonts and on whether node-canvas is there.
  let svg: string;
  try {
    // Vega writes marks of its own into the data that it is given.
    const compiled = compile(structuredClone(spec), { config: figureTheme, logger });
    const view = new vega.View(vega.parse(compiled.spec), { renderer: 'none', logger, loader });
    svg = await view.toSVG().finally(() => view.finalize());
  } catch (error) {
    throw failure(spec, problems.length > 0 ? problems : [(error as Error).message]);
  }
  // A misspelt field draws happily; its label gives it away.
  for (const [, label] of svg.matchAll(/<text[^>]*>(undefined|NaN)<\/text>/g))
    problems.push(`the label "${label}": a field that the data do not have`);
  for (const [, address] of svg.matchAll(/<image[^>]* (?:xlink:)?href="(?!data:)([^"]*)"/g))
    problems.push(`an image to fetch from "${address}"`);
  if (problems.length > 0) throw failure(spec, problems);
  return withOwnIds(svg, idPrefix);
}

/** Warnings that mean that something is missing from the picture; the others are about style (a boxplot warns harmlessly). */
const meansMissing = /loading failed|infinite extent|unrecognized|invalid|not valid|unsupported|unknown|missing|dropping|drop /i;

function gather(problems: string[]) {
  const logger = {
    level: (_?: number): number => 0,
    error: (...args: unknown[]) => {
      problems.push(args.map(String).join(' '));
      return logger;
    },
    warn: (...args: unknown[]) => {
      const text = args.map(String).join(' ');
      if (meansMissing.test(text)) problems.push(text);
      return logger;
    },
    info: () => logger,
    debug: () => logger,
  };
  return logger;
}

function failure(spec: TopLevelSpec, problems: string[]): FigureError {
  const title = typeof spec.title === 'string' ? ` "${spec.title}"` : '';
  return new FigureError(`The figure${title} cannot be drawn`, {
    expected: 'a Vega-Lite spec with inline data and every field that it names',
    found: [...new Set(problems)].join('; '),
    next: 'correct the spec or the data',
  });
}

// Vega counts its ids on from one figure to the next, so they are numbered anew in the order of their first appearance.
function withOwnIds(svg: string, prefix: string): string {
  const ids = [...svg.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id);
  const own = new Map([...new Set(ids)].map((id, index) => [id, `${prefix}-${index + 1}`]));
  return svg
    .replace(/(\sid=")([^"]+)(")/g, (_, before, id, after) => before + (own.get(id) ?? id) + after)
    .replace(/(url\(#|href="#)([^")]+)/g, (_, before, id) => before + (own.get(id) ?? id));
}
