/** The data that a figure shows, as one table: what a reader checks the picture by. */
import { stringify } from 'csv-stringify/sync';

export interface FigureData {
  columns: string[];
  /** Cells as in the figure's own data; null where a row has no such field. */
  rows: (string | number | boolean | null)[][];
}

/**
 * Every row of a Vega-Lite spec's inline data, each data set once, in the order of the spec. With several sets the first column,
 * `part`, numbers them from 1. Lists and objects within a row are JSON texts.
 */
export function figureData(spec: unknown): FigureData {
  const sets: Record<string, unknown>[][] = [];
  const seen = new Set<string>();
  const walk = (value: unknown): void => {
    if (value === null || typeof value !== 'object') return;
    if (Array.isArray(value)) {
      for (const one of value) walk(one);
      return;
    }
    for (const [key, one] of Object.entries(value)) {
      const values = key === 'data' ? (one as { values?: unknown } | null)?.values : undefined;
      if (!Array.isArray(values)) walk(one);
      else if (values.length > 0 && !seen.has(JSON.stringify(values))) {
        seen.add(JSON.stringify(values));
        sets.push(
          values.map((row) => (row !== null && typeof row === 'object' ? row : { value: row }) as Record<string, unknown>),
        );
      }
    }
  };
  walk(spec);
  const fields = [...new Set(sets.flat().flatMap((row) => Object.keys(row)))];
  const several = sets.length > 1;
  return {
    columns: several ? ['part', ...fields] : fields,
    rows: sets.flatMap((rows, index) =>
      rows.map((row) => [...(several ? [index + 1] : []), ...fields.map((field) => cell(row[field]))]),
    ),
  };
}

function cell(value: unknown): string | number | boolean | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'object' ? JSON.stringify(value) : (value as string | number | boolean);
}

/** The table as CSV. Of a scripted model each line says so; a cell that a spreadsheet would run as a formula is made text. */
export function figureCsv({ columns, rows }: FigureData, scripted: boolean): string {
  const mark = (value: string) => (scripted ? [value] : []);
  return stringify([[...mark('model'), ...columns], ...rows.map((row) => [...mark('SCRIPTED'), ...row.map(csvCell)])], {
    escape_formulas: true,
  });
}

function csvCell(value: FigureData['rows'][number][number]): string | number {
  if (value === null) return '';
  return typeof value === 'boolean' ? String(value) : value;
}
