/** A table of runs on the disk: JSON lines of up to some thousand runs each, as columns, so that a reader holds one line at a time. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { z } from 'zod';
import { check } from './document.js';
import { RecordError } from './errors.js';
import { MetricId } from './metric.js';
import { type Run, RunTable } from './run-table.js';

/** A column whose every place passes. Millions are checked: no copy, and no object for each, as an array of schemas would make. */
const columnOf = <T>(what: string, passes: (value: unknown) => value is T) =>
  z.custom<T[]>((column) => Array.isArray(column) && column.every(passes), `a column of ${what}`);
const places = columnOf('places, from 0', (value): value is number => Number.isInteger(value) && (value as number) >= 0);
const flags = columnOf('0 or 1', (value): value is 0 | 1 => value === 0 || value === 1);
const numbers = columnOf(
  'numbers, or null for what is not known',
  (value): value is number | null => value === null || typeof value === 'number',
);

/** One line. Every column has a place for each run; `arm` and `case` hold places in `arms` and `cases`. */
export const RunBatch = z
  .strictObject({
    schemaVersion: z.literal(1),
    arms: z.array(z.string()),
    cases: z.array(z.string()),
    arm: places,
    case: places,
    valid: flags,
    cutOff: flags,
    loaded: flags,
    values: z.record(MetricId, numbers),
  })
  .refine(
    ({ arms, cases, arm, values, ...rest }) =>
      [rest.case, rest.valid, rest.cutOff, rest.loaded, ...Object.values(values)].every(
        (column) => column.length === arm.length,
      ) &&
      arm.every((at) => at < arms.length) &&
      rest.case.every((at) => at < cases.length),
    'columns of one length, with names for every arm and case',
  );
export type RunBatch = z.infer<typeof RunBatch>;

/** The lines of a file of runs, for any number of them. */
export function* runLines(runs: Iterable<Run>, most = 5_000): Generator<string> {
  let held: Run[] = [];
  for (const run of runs) {
    held.push(run);
    if (held.length < most) continue;
    yield lineOf(held);
    held = [];
  }
  if (held.length > 0) yield lineOf(held);
}

function lineOf(runs: Run[]): string {
  const [arms, cases] = [[...new Set(runs.map((run) => run.arm))], [...new Set(runs.map((run) => run.case))]];
  const [armAt, caseAt] = [arms, cases].map((names) => new Map(names.map((name, at) => [name, at])));
  const flag = (mark: 'valid' | 'cutOff' | 'loaded') => runs.map((run): 0 | 1 => (run[mark] ? 1 : 0));
  const batch: RunBatch = {
    schemaVersion: 1,
    arms,
    cases,
    arm: runs.map((run) => armAt?.get(run.arm) as number),
    case: runs.map((run) => caseAt?.get(run.case) as number),
    valid: flag('valid'),
    cutOff: flag('cutOff'),
    loaded: flag('loaded'),
    values: Object.fromEntries(MetricId.options.map((id) => [id, runs.map((run) => run.values[id])])) as RunBatch['values'],
  };
  return `${JSON.stringify(batch)}\n`;
}

/** Reads a file of runs, line by line; their evidence is the file. Throws a {@link RecordError} that names the line. */
export async function readRuns(file: string): Promise<RunTable> {
  const table = new RunTable(() => file);
  const { size } = await stat(file);
  let line = 0;
  for await (const bytes of linesOf(file)) {
    line += 1;
    const where = `${file}:${line}`;
    const batch = check(parsed(bytes.toString(), where), RunBatch, where);
    // as many as there will be if every line is like the first
    if (line === 1) table.reserve(Math.ceil((1.05 * size * batch.arm.length) / bytes.length));
    table.addColumns(batch);
  }
  return table;
}

/** The lines of a file. They are long: they come from large pieces, and none is looked at byte by byte but for its end. */
async function* linesOf(file: string): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  for await (const piece of createReadStream(file, { highWaterMark: 2 ** 20 }) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = piece.indexOf(10); end !== -1; end = piece.indexOf(10, from)) {
      yield Buffer.concat([...held, piece.subarray(from, end)]);
      held = [];
      from = end + 1;
    }
    if (from < piece.length) held.push(piece.subarray(from));
  }
  if (held.length > 0) yield Buffer.concat(held);
}

function parsed(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RecordError(`${where} is not JSON`, {
      expected: 'a line of runs as columns',
      found: (error as Error).message,
      next: 'write the file anew (npx nx run <experiment>:analyse)',
    });
  }
}
