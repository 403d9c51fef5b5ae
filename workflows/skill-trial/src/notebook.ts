/** Notebooks (nbformat 4.5): reading, executing without Python, and the text that a type checker can read. */
import { basename, extname } from 'node:path';
import { z } from 'zod';
import { convertAhead } from './cell-conversion.js';
import { check, readText, shown } from './document.js';
import { LabError, SettingsError } from './errors.js';
import { KernelError, startKernel } from './jupyter.js';
import type { Execution } from './jupyter-message.js';
import { findKernelspec } from './kernelspec.js';

const Lines = z.union([z.string(), z.array(z.string())]).transform((text) => (typeof text === 'string' ? text : text.join('')));
const Free = z.record(z.string(), z.unknown());
const Id = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'an id of letters, digits, "-" and "_"');

const Output = z.discriminatedUnion('output_type', [
  z.strictObject({ output_type: z.literal('stream'), name: z.enum(['stdout', 'stderr']), text: Lines }),
  z.strictObject({ output_type: z.literal('display_data'), data: Free, metadata: Free }),
  z.strictObject({ output_type: z.literal('execute_result'), data: Free, metadata: Free, execution_count: z.int().nullable() }),
  z.strictObject({ output_type: z.literal('error'), ename: z.string(), evalue: z.string(), traceback: z.array(z.string()) }),
]);
const Cell = z.discriminatedUnion('cell_type', [
  z.strictObject({ cell_type: z.literal('markdown'), id: Id, metadata: Free, source: Lines, attachments: Free.optional() }),
  z.strictObject({ cell_type: z.literal('raw'), id: Id, metadata: Free, source: Lines, attachments: Free.optional() }),
  z.strictObject({
    cell_type: z.literal('code'),
    id: Id,
    metadata: Free,
    source: Lines,
    outputs: z.array(Output),
    execution_count: z.int().nullable(),
  }),
]);

/** A notebook as nbformat 4.5 defines it; texts stored as lists of lines are joined. */
export const Notebook = z.strictObject({
  nbformat: z.literal(4),
  nbformat_minor: z.int().min(5, 'nbformat 4.5 or later, whose cells have ids'),
  metadata: z.looseObject({
    kernelspec: z.looseObject({ name: z.string(), display_name: z.string() }),
    /** `aside`: it is about other data than an experiment's, and `analyse` leaves it out. */
    skill_trial: z.strictObject({ aside: z.boolean() }).optional(),
  }),
  cells: z.array(Cell),
});
export type Notebook = z.infer<typeof Notebook>;
export type NotebookCell = Notebook['cells'][number];

/** What one code cell gave. `cell` is the number Jupyter prints in brackets: code cells, from 1. */
export interface CellResult extends Execution {
  cell: number;
  id: string;
}

/** What executing a notebook gave, cell by cell. */
export interface NotebookRun {
  /** The file's name without `.ipynb`. */
  name: string;
  notebook: Notebook;
  results: CellResult[];
  elapsedMs: number;
}

/** A cell failed. Names the notebook, the cell and, where the kernel tells it, the line; carries what was done until then. */
export class NotebookError extends LabError {
  readonly kind: 'cell' | KernelError['kind'];
  readonly path: string;
  readonly cell: number;
  readonly line: number | null;
  readonly run: NotebookRun;

  constructor(
    path: string,
    failure: { kind: NotebookError['kind']; cell: number; line: number | null; found: string },
    run: NotebookRun,
  ) {
    const place = failure.line === null ? `cell ${failure.cell}` : `cell ${failure.cell}, line ${failure.line}`;
    super(`${shown(path)}, ${place}: ${failure.kind === 'cell' ? 'the cell failed' : 'the cell did not come to its end'}`, {
      expected: 'every cell ends without an error',
      found: failure.found,
      next: `mend the cell; it can be run alone in JupyterLab or VS Code`,
    });
    ({ kind: this.kind, cell: this.cell, line: this.line } = failure);
    [this.path, this.run] = [path, run];
  }
}

/** Where and how a notebook's cells run. */
export interface NotebookOptions {
  /** Added to the small fixed environment that every notebook gets; a person's own variables do not reach the cells. */
  env?: Record<string, string>;
  /** For each cell. */
  timeoutMs?: number;
  /** The checkout whose data the cells read; the repository of this package by default. */
  cwd?: string;
}

/** A notebook's name in records: its file name without the ending. */
export function notebookName(path: string): string {
  return basename(path, extname(path));
}

/** Reads and checks a notebook. */
export async function readNotebook(path: string): Promise<Notebook> {
  const text = await readText(path, 'notebook');
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new SettingsError(`${shown(path)} is not JSON`, {
      expected: 'a notebook (nbformat 4.5)',
      found: (error as Error).message,
      next: 'restore the file, or save it again from JupyterLab or VS Code',
    });
  }
  const notebook = check(json, Notebook, shown(path));
  const ids = notebook.cells.map((cell) => cell.id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice === undefined) return notebook;
  throw new SettingsError(`${shown(path)}: two cells have one id`, {
    expected: 'an id of its own for each cell',
    found: twice,
    next: 'change one of them',
  });
}

/** Executes every code cell in a fresh kernel. The file itself is not touched. Throws a {@link NotebookError} at the first failing cell. */
export async function executeNotebook(path: string, options: NotebookOptions = {}): Promise<NotebookRun> {
  await convertAhead([path], options.cwd).get(path);
  return executeConverted(path, options);
}

async function executeConverted(path: string, options: NotebookOptions): Promise<NotebookRun> {
  const started = performance.now();
  const notebook = await readNotebook(path);
  const run: NotebookRun = { name: notebookName(path), notebook, results: [], elapsedMs: 0 };
  const code = notebook.cells.filter((cell) => cell.cell_type === 'code');
  const found = await findKernelspec(notebook.metadata.kernelspec.name);
  const kernel = await startKernel(found, { cwd: options.cwd, env: cellEnvironment(path, options) });
  try {
    for (const [index, { id, source }] of code.entries()) {
      const cell = index + 1;
      const fail = (kind: NotebookError['kind'], line: number | null, text: string) =>
        new NotebookError(path, { kind, cell, line, found: text }, run);
      let execution: Execution;
      try {
        execution = await kernel.execute(source, options.timeoutMs);
      } catch (error) {
        throw error instanceof KernelError ? fail(error.kind, null, `${error.message.split('\n')[0]} (${error.found})`) : error;
      }
      run.results.push({ cell, id, ...execution });
      // tslab sends no error message: what went wrong is the text on stderr. A compiler error begins with its line; the kernel puts the
      // cell and its line into a stack trace.
      const line = /^(\d+):\d+ - /m.exec(execution.stderr)?.[1] ?? inCell(cell).exec(execution.stderr)?.[1];
      if (execution.status === 'error') throw fail('cell', line === undefined ? null : Number(line), complaint(execution.stderr));
    }
    return run;
  } finally {
    await kernel.shutdown();
    run.elapsedMs = performance.now() - started;
  }
}

/** A line of a stack trace that lies in this cell: the innermost comes first. */
const inCell = (cell: number) => new RegExp(`^\\s+at .*\\bcell-${cell}:(\\d+)\\)?$`, 'm');

// The kernel's own part of a stack trace says nothing about the cell.
function complaint(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => !/^\s+at .*(node_modules|node:|evalmachine)/.test(line));
  return lines.join('\n').trim() || 'no message';
}

/** Executes notebooks, a kernel each, at most `atOnce` at a time; their cells are converted by one compiler, ahead of the kernels. All are run; the first failure (in the order given) is thrown at the end. */
export async function executeNotebooks(paths: string[], options: NotebookOptions = {}, atOnce = 2): Promise<NotebookRun[]> {
  const settled: PromiseSettledResult<NotebookRun>[] = [];
  const waiting = [...paths.entries()];
  const converted = convertAhead(paths, options.cwd);
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [index, path] = next;
      await converted.get(path);
      [settled[index]] = await Promise.allSettled([executeConverted(path, options)]);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return settled.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}

// Language, time zone and colour are fixed, or the outputs would differ from one machine to the next.
function cellEnvironment(path: string, { env, cwd }: NotebookOptions): Record<string, string> {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'SYSTEMROOT'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  const root = cwd === undefined ? {} : { SKILL_TRIAL_ROOT: cwd };
  const fixed = { LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8', TZ: 'UTC', NO_COLOR: '1' };
  return { ...Object.fromEntries(kept), ...fixed, ...root, SKILL_TRIAL_NOTEBOOK: notebookName(path), ...env };
}

/** A copy of the notebook with the outputs of a run; cells that did not run have none. */
export function notebookWithOutputs(notebook: Notebook, results: CellResult[]): Notebook {
  const byId = new Map(results.map((result) => [result.id, result]));
  const cells = stripOutputs(notebook).cells.map((cell): NotebookCell => {
    const result = byId.get(cell.id);
    if (cell.cell_type !== 'code' || !result) return cell;
    const outputs = result.emitted.map((one) => {
      if (one.type === 'stream') return { output_type: 'stream' as const, name: one.name, text: one.text };
      if (one.type === 'display') return { output_type: 'display_data' as const, data: one.data, metadata: one.metadata };
      return { output_type: 'error' as const, ename: one.ename, evalue: one.evalue, traceback: one.traceback };
    });
    return { ...cell, outputs, execution_count: result.cell };
  });
  return { ...notebook, cells };
}

/** A copy without outputs, counts and execution times: what git keeps. */
export function stripOutputs(notebook: Notebook): Notebook {
  const cells = notebook.cells.map((cell): NotebookCell => {
    if (cell.cell_type !== 'code') return cell;
    const { execution: _, ...metadata } = cell.metadata;
    return { ...cell, metadata, outputs: [], execution_count: null };
  });
  return { ...notebook, cells };
}

/** The text of a notebook file as Jupyter itself writes it (sorted keys, texts as lines, one space), so that saving one there changes nothing. */
export function formatNotebook(notebook: Notebook): string {
  const lines = (text: string) => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const ordered = (key: string, value: unknown): unknown => {
    if ((key === 'source' || key === 'text') && typeof value === 'string') return lines(value);
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  };
  return `${JSON.stringify(notebook, ordered, 1)}\n`;
}

/** All code cells as one module for a type checker, and where each of its lines comes from. */
export function cellsAsModule(notebook: Notebook): {
  text: string;
  origin: (line: number) => { cell: number; line: number } | null;
} {
  const origins: { cell: number; line: number }[] = [];
  const sources = notebook.cells.filter((cell) => cell.cell_type === 'code').map((cell) => cell.source.replace(/\n$/, ''));
  for (const [index, source] of sources.entries()) {
    for (const line of source.split('\n').keys()) origins.push({ cell: index + 1, line: line + 1 });
  }
  return { text: [...sources, 'export {};', ''].join('\n'), origin: (line) => origins[line - 1] ?? null };
}
