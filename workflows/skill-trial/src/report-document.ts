/**
 * A report as a document, before it is Markdown or HTML, so that both say the same. All text in it is plain: the renderers escape.
 * Links name a record's path or a place in the page, never an address: nothing from outside can become one.
 */
export type Inline =
  | string
  | { code: string }
  | { strong: string }
  | { link: string; path: string }
  | { link: string; anchor: string; title: string }
  | { mark: Mark; text: string }
  /** Both arms on one scale; pages draw it, Markdown leaves its column out. */
  | { strip: Strip };
export type Mark = 'yes' | 'no' | 'unknown';
export type Content = Inline | Inline[];

export interface Strip {
  max: number;
  a: { value: number; min: number; max: number } | null;
  b: { value: number; min: number; max: number } | null;
  label: string;
}

export interface Column {
  title: string;
  numeric?: boolean;
  drawing?: boolean;
}

export interface Table {
  kind: 'table';
  caption: string;
  columns: Column[];
  /** The first cell of a row is its heading. */
  rows: { id?: string; cells: Content[] }[];
}

export type Block =
  | { kind: 'text'; content: Content }
  | { kind: 'heading'; text: string }
  | { kind: 'list'; items: Content[] }
  | { kind: 'facts'; pairs: [string, Content][] }
  | Table
  | { kind: 'code'; text: string }
  | { kind: 'details'; summary: string; blocks: Block[] }
  | { kind: 'figures' };

export interface Section {
  id: string;
  title: string;
  blocks: Block[];
}

export const text = (content: Content): Block => ({ kind: 'text', content });
export const heading = (words: string): Block => ({ kind: 'heading', text: words });
export const list = (items: Content[]): Block => ({ kind: 'list', items });
export const details = (summary: string, blocks: Block[]): Block => ({ kind: 'details', summary, blocks });
export const record = (path: string, label = path): Inline => ({ link: label, path });

/** A table from column titles and rows; `#` before a title makes its column one of numbers. */
export function table(caption: string, titles: string[], rows: Content[][]): Table {
  return {
    kind: 'table',
    caption,
    columns: titles.map((title) => (title.startsWith('#') ? { title: title.slice(1), numeric: true } : { title })),
    rows: rows.map((cells) => ({ cells })),
  };
}

/** ✓, ✗ or ?, always with its words. */
export function mark(holds: boolean | null, yes: string, no: string, unknown = 'cannot be told'): Inline {
  if (holds === null) return { mark: 'unknown', text: unknown };
  return holds ? { mark: 'yes', text: yes } : { mark: 'no', text: no };
}

export const signs: Record<Mark, string> = { yes: '✓', no: '✗', unknown: '?' };

/** The inlines with a separator between them. */
export function joined(items: Inline[], separator = ', '): Inline[] {
  return items.flatMap((item, index) => (index === 0 ? [item] : [separator, item]));
}

/** A record's path below the checkout as a relative address; a path that climbs stays below the root. */
export function recordHref(path: string, root: string): string {
  const parts = path.split(/[/\\]/).filter((part) => part !== '' && part !== '.' && part !== '..');
  return root + parts.map((part) => encodeURIComponent(part).replace(/[!'()*]/g, percent)).join('/');
}

function percent(sign: string): string {
  return `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
}
