/** How a notebook hands over its results: each under one name, as a file that the report is assembled from. */
import { linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { inspect } from 'node:util';
import type { TopLevelSpec } from 'vega-lite';
import { z } from 'zod';
import { check, shown } from './document.js';
import { LabError } from './errors.js';
import { liveTheme, renderFigure } from './figure.js';
import { canonicalJson } from './hash.js';

const Name = z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'a name of [a-z0-9-]');
const head = { schemaVersion: z.literal(1), name: Name, notebook: z.string().min(1) };

/** A published result. */
export const PublishedValue = z.strictObject({
  ...head,
  value: z.json(),
  unit: z.string().optional(),
  note: z.string().optional(),
});
export type PublishedValue = z.infer<typeof PublishedValue>;

/** A published figure: its spec, not its picture. */
export const PublishedFigure = z.strictObject({ ...head, caption: z.string().min(1), spec: z.record(z.string(), z.json()) });
export type PublishedFigure = z.infer<typeof PublishedFigure>;

/** A result that cannot be published: its name, its value, or a name that another notebook has taken. */
export class PublishError extends LabError {}

/**
 * Publishes a result under a name of [a-z0-9-] and returns it. Only `analyse` (which sets `SKILL_TRIAL_PUBLISH`) makes it write;
 * for a person exploring, the value is all that comes back. What is unknown is null: NaN, infinities and undefined are errors.
 */
export function publish<T>(name: string, value: T, about: { unit?: string; note?: string } = {}): T {
  mustBeJson(name, value);
  write(name, '', (notebook) => PublishedValue.parse({ schemaVersion: 1, name, notebook, value, ...about }));
  return value;
}

/** Publishes a figure and, in a notebook, shows it. It is drawn once here, so that one that cannot be drawn fails in its own cell. */
export async function publishFigure(name: string, spec: TopLevelSpec, caption: string): Promise<void> {
  mustBeJson(name, spec);
  const svg = await renderFigure(spec, { idPrefix: name });
  write(name, 'figures', (notebook) => PublishedFigure.parse({ schemaVersion: 1, name, notebook, caption, spec }));
  displayFigure(spec, svg, caption);
}

/** Shows a figure in a notebook and publishes nothing: for what is about other data than the experiment's. Drawn in any case. */
export async function showFigure(name: string, spec: TopLevelSpec, caption: string): Promise<void> {
  mustBeJson(name, spec);
  const svg = await renderFigure(spec, { idPrefix: name });
  displayFigure(spec, svg, caption);
}

/** JupyterLab and VS Code draw Vega-Lite 5 at most; viewers that draw none show the picture. */
function displayFigure(spec: TopLevelSpec, svg: string, caption: string): void {
  const live = { ...spec, config: { ...liveTheme, ...spec.config } };
  display({ 'application/vnd.vegalite.v5+json': live, 'image/svg+xml': svg, 'text/plain': caption });
}

/** Shows rows as a table: HTML in a notebook, text elsewhere. Columns are the first row's keys unless given. */
export function showTable(rows: readonly object[], columns: readonly string[] = Object.keys(rows[0] ?? {})): void {
  const cells = rows.map((row) => columns.map((column) => cellText((row as Record<string, unknown>)[column])));
  const widths = columns.map((column, index) => Math.max(column.length, ...cells.map((row) => row[index]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((text, index) => text.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd();
  const text = [columns, widths.map((width) => '-'.repeat(width)), ...cells].map(line).join('\n');
  const tag = (name: string, row: readonly string[]) =>
    `<tr>${row.map((one) => `<${name}>${escapeHtml(one)}</${name}>`).join('')}</tr>`;
  const body = cells.map((row) => tag('td', row)).join('');
  const html = `<table><thead>${tag('th', columns)}</thead><tbody>${body}</tbody></table>`;
  if (!display({ 'text/html': html, 'text/plain': text })) console.log(text);
}

/** Everything published below a folder, sorted by name. A file that is not what `publish` writes is an error. */
export function readPublished(dir: string): { values: PublishedValue[]; figures: PublishedFigure[] } {
  return { values: readAll(dir, PublishedValue), figures: readAll(join(dir, 'figures'), PublishedFigure) };
}

function readAll<S extends z.ZodType>(dir: string, schema: S): z.output<S>[] {
  let names: string[];
  try {
    names = readdirSync(dir).filter((name) => name.endsWith('.json'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  return names.sort().map((name) => check(JSON.parse(readFileSync(join(dir, name), 'utf8')), schema, shown(join(dir, name))));
}

function write(name: string, below: string, record: (notebook: string) => object): void {
  if (!Name.safeParse(name).success) {
    throw new PublishError(`"${name}" is no name to publish under`, {
      expected: 'small letters, digits and single hyphens between them',
      found: name,
      next: 'choose another name',
    });
  }
  const root = process.env.SKILL_TRIAL_PUBLISH;
  if (!root) return;
  const notebook = process.env.SKILL_TRIAL_NOTEBOOK || 'unnamed';
  const dir = join(root, below);
  const [file, temporary] = [join(dir, `${name}.json`), join(dir, `.${name}.${process.pid}.tmp`)];
  mkdirSync(dir, { recursive: true });
  writeFileSync(temporary, `${canonicalJson(record(notebook))}\n`);
  try {
    // A link fails where the name is taken, so of two notebooks publishing at the same moment one is refused.
    linkSync(temporary, file);
    rmSync(temporary);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const owner = z.looseObject({ notebook: z.string() }).parse(JSON.parse(readFileSync(file, 'utf8'))).notebook;
    if (owner === notebook) {
      renameSync(temporary, file);
      return;
    }
    rmSync(temporary);
    throw new PublishError(`"${name}" is published twice`, {
      expected: 'one notebook for each name',
      found: `${owner} and ${notebook}`,
      next: 'choose another name in one of them, or analyse anew after moving a cell from one to the other',
    });
  }
}

/** Fails at the first part of a value that JSON would drop or turn into null in silence, and says where it is. */
function mustBeJson(name: string, value: unknown, path = 'value', above: object[] = []): void {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)) return;
  const plain =
    Array.isArray(value) || (typeof value === 'object' && [Object.prototype, null].includes(Object.getPrototypeOf(value)));
  if (!plain || above.includes(value as object)) {
    throw new PublishError(`"${name}" cannot be published: ${path} is no JSON`, {
      expected: 'null (for what is unknown), texts, finite numbers, booleans, lists and plain objects without cycles',
      found: inspect(value, { depth: 0 }),
      next: 'write null for an unknown number, and turn other objects into plain ones',
    });
  }
  const within = [...above, value as object];
  // Array.from, since a hole in a list is undefined too.
  if (Array.isArray(value))
    for (const [index, item] of Array.from(value).entries()) mustBeJson(name, item, `${path}[${index}]`, within);
  else for (const [key, item] of Object.entries(value as object)) mustBeJson(name, item, `${path}.${key}`, within);
}

/** Shows one thing in several representations; false outside a notebook, where nothing happens. */
function display(data: Record<string, unknown>): boolean {
  const require = createRequire(import.meta.url);
  let jupyter: { lastWriteDisplayData: ((content: object, update: boolean) => void) | null } | undefined;
  try {
    // Only the kernel has loaded this module; loading it here would cost a compiler.
    jupyter = require.cache[require.resolve('tslab/dist/jupyter.js')]?.exports;
  } catch {
    return false; // tslab is not installed.
  }
  if (!jupyter?.lastWriteDisplayData) return false;
  jupyter.lastWriteDisplayData({ data, metadata: {}, transient: {} }, false);
  return true;
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '–';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function escapeHtml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
