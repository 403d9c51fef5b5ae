import { parse } from 'csv-parse/sync';
import { z } from 'zod';
import { check, readText, shown } from './document.js';
import { SettingsError } from './errors.js';

export const RubricRow = z.strictObject({
  id: z.string().regex(/^[A-Z][A-Za-z0-9-]*$/, 'an id such as R1'),
  requirement: z.string().min(1),
  weight: z.number({ message: 'a positive number' }).positive('a positive number'),
  evidence_rule: z.string().min(1),
});
export type RubricRow = z.infer<typeof RubricRow>;

const header = ['id', 'requirement', 'weight', 'evidence_rule'];

/** A rubric CSV (`id,requirement,weight,evidence_rule`), at least one row, ids unique. Errors name file, line and field. */
export async function readRubric(path: string): Promise<RubricRow[]> {
  return parseRubric(await readText(path, 'rubric'), shown(path));
}

/** As readRubric, for a text in memory; `where` is the file's name in errors. */
export function parseRubric(text: string, where: string): RubricRow[] {
  const [head, ...rest] = parseCsv(text, where);
  const first = head?.cells;
  if (first === undefined || first.join(',') !== header.join(',')) {
    throw new SettingsError(`${where}:1: wrong header`, {
      expected: header.join(','),
      found: first === undefined ? 'an empty file' : first.join(','),
      next: 'correct the first line',
    });
  }
  const rows = rest.map(({ cells, line: number }) => {
    const line = `${where}:${number}`;
    if (cells.length !== header.length) {
      throw new SettingsError(`${line}: wrong number of fields`, {
        expected: `${header.length} fields`,
        found: `${cells.length}`,
        next: 'quote a field that holds a comma',
      });
    }
    const [id, requirement, weight, evidence_rule] = cells as [string, string, string, string];
    // decimal notation only: 0x3, Infinity and an empty cell are no weights
    const value = /^\s*-?\d+(\.\d+)?\s*$/.test(weight) ? Number(weight) : weight;
    return check({ id, requirement, weight: value, evidence_rule }, RubricRow, line);
  });
  if (rows.length === 0) {
    throw new SettingsError(`${where} has no rows`, {
      expected: 'at least one row',
      found: 'a header only',
      next: 'add the rows',
    });
  }
  const twice = rows.findIndex((row, index) => rows.findIndex((other) => other.id === row.id) !== index);
  if (twice !== -1) {
    throw new SettingsError(`${where}:${rest[twice]?.line}: id ${rows[twice]?.id} occurs twice`, {
      expected: 'each id once',
      found: rows[twice]?.id as string,
      next: 'rename one',
    });
  }
  return rows;
}

/** The cells of each record with the line it begins on: a quoted field may hold line breaks, and empty lines are skipped. */
function parseCsv(text: string, where: string): { cells: string[]; line: number }[] {
  try {
    const records = parse(text, { skip_empty_lines: true, relax_column_count: true, bom: true, info: true });
    return (records as unknown as { record: string[]; info: { lines: number } }[]).map(({ record, info }) => ({
      cells: record,
      line: info.lines - record.join('').split('\n').length + 1,
    }));
  } catch (error) {
    const { message, lines } = error as Error & { lines?: number };
    throw new SettingsError(`${where}${lines === undefined ? '' : `:${lines}`}: not valid CSV`, {
      expected: 'CSV by RFC 4180',
      found: message,
      next: 'correct the quoting there, or on a line before',
    });
  }
}
