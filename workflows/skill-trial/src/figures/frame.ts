import type { TopLevelSpec } from 'vega-lite';

/** Width of a whole figure, in pixels. */
export const figureWidth = 640;
/** What a character of a label takes on the average. Vega's own estimate, half as much again, would leave a third of a figure empty. */
const characterWidth = 6.4;

/** About how wide a text is, in pixels. */
export function widthOf(text: string): number {
  return text.length * characterWidth;
}

/** A title with lines below it, broken to fit; no line where there is nothing to say. `longest` is in characters. */
export function titled(text: string, lines: (string | null)[], longest = 96): { text: string; subtitle?: string[] } {
  const subtitle = lines.flatMap((line) => (line === null ? [] : broken(line, longest)));
  return subtitle.length === 0 ? { text } : { text, subtitle };
}

/** As {@link titled}, for figures of several plots: Vega estimates the title's width and makes the figure as wide. */
export function titledNarrow(text: string, lines: (string | null)[]): { text: string; subtitle?: string[] } {
  return titled(text, lines, 66);
}

function broken(line: string, longest: number): string[] {
  const parts: string[] = [];
  for (const word of line.split(' ')) {
    const last = parts.at(-1);
    if (last !== undefined && last.length + word.length < longest) parts[parts.length - 1] = `${last} ${word}`;
    else parts.push(word);
  }
  return parts;
}

/** A click on a legend's entry keeps what it names and fades the rest, where the viewer answers clicks; drawn once, all is shown. */
export function chosenByLegend(field: string) {
  return {
    params: [{ name: 'chosen', select: { type: 'point' as const, fields: [field] }, bind: 'legend' as const }],
    opacity: { condition: { param: 'chosen', value: 1 }, value: 0.15 },
  };
}

export interface Margins {
  left: number;
  right: number;
  /** Between title and plot: what an axis above takes. */
  top: number;
  /** Below the plot: axis and legend. */
  bottom: number;
}

/** The parts of a spec that give a single plot fixed margins and a title at the left edge. */
export function framed(
  title: { text: string; subtitle?: string[] },
  { left, right, top, bottom }: Margins,
): Pick<TopLevelSpec, 'autosize' | 'padding' | 'title'> {
  return {
    autosize: { type: 'none' },
    padding: { left: Math.ceil(left), right: Math.ceil(right), top: 28 + 15 * (title.subtitle?.length ?? 0) + top, bottom },
    title: { ...title, frame: 'group', dx: 10 - left, subtitlePadding: 4 },
  };
}

/** An axis' `labelExpr` that cuts labels to a number of characters. Vega's own limit goes by its estimate and cuts far too much. */
export function cutLabels(longest: number): { labelExpr: string; labelLimit: 0 } {
  return {
    labelExpr: `length(datum.label) > ${longest} ? slice(datum.label, 0, ${longest - 1}) + '…' : datum.label`,
    labelLimit: 0,
  };
}

/** An axis' `labelExpr` for counts: 0, 500, 5k. */
export const tokenLabels = "format(datum.value, datum.value < 1000 ? '~g' : '~s')";
