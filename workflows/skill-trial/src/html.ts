import { visibleLines } from './visible.js';

/** HTML made with a tagged template: every value is escaped, and its invisible characters shown, unless it is {@link Html} already. */
export class Html {
  constructor(readonly text: string) {}
}

type Value = Html | string | number | null | undefined | false | Value[];

/** Attributes must stand in quotes in the template; null, undefined and false print nothing. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(parts.map((part, index) => part + print(values[index])).join(''));
}

/** Text that is HTML already and is trusted; nothing from outside may come through here. */
export function raw(text: string): Html {
  return new Html(text);
}

/** A script or data of the page, trusted as {@link raw} is. Its end tag is written here alone: bundlers rewrite it inside a tagged template. */
export function script(content: string, type?: string): Html {
  return new Html(`<script${type === undefined ? '' : ` type="${type}"`}>${content}</script>`);
}

function print(value: Value): string {
  if (value === null || value === undefined || value === false) return '';
  if (Array.isArray(value)) return value.map(print).join('');
  return value instanceof Html ? value.text : escapeHtml(String(value));
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export function escapeHtml(text: string): string {
  return visibleLines(text).replace(/[&<>"']/g, (sign) => entities[sign] as string);
}
