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
  const table = parseCsv(text, where);
  const [first, ...rest] = table;
  if (first === undefined || first.join(',') !== header.join(',')) {
    throw new SettingsError(`${where}:1: wrong header`, {
      expected: header.join(','),
      found: first === undefined ? 'an empty file' : first.join(','),
      next: 'correct the first line',
    });
  }
  const rows = rest.map((cells, index) => {
    const line = `${where}:${index + 2}`;
    if (cells.length !== header.length) {
      throw new SettingsError(`${line}: wrong number of fields`, {
        expected: `${header.length} fields`,
        found: `${cells.length}`,
        next: 'quote a field that holds a comma',
      });
    }
    const [id, requirement, weight, evidence_rule] = cells as [string, string, string, string];
    const number = weight.trim() === '' ? Number.NaN : Number(weight);
    return check({ id, requirement, weight: Number.isNaN(number) ? weight : number, evidence_rule }, RubricRow, line);
  });
  if (rows.length === 0) {
    throw new SettingsError(`${where} has no rows`, {
      expected: 'at least one row',
      found: 'a header only',
      next: 'add the rows',
    });
  }
  const twice = rows.find((row, index) => rows.findIndex((other) => other.id === row.id) !== index);
  if (twice !== undefined) {
    throw new SettingsError(`${where}: id ${twice.id} occurs twice`, {
      expected: 'each id once',
      found: twice.id,
      next: 'rename one',
    });
  }
  return rows;
}

function parseCsv(text: string, where: string): string[][] {
  try {
    return parse(text, { skip_empty_lines: true, relax_column_count: true, bom: true }) as string[][];
  } catch (error) {
    throw new SettingsError(`${where} is not valid CSV`, {
      expected: 'CSV by RFC 4180',
      found: (error as Error).message,
      next: 'correct the quoting on that line',
    });
  }
}
