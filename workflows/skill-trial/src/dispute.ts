import { z } from 'zod';
import { Slug } from './case.js';
import { type Finding, FindingStatus, type SavedSheet } from './sheet.js';

export const DisputePart = z.enum(['review', 'tests', 'documentation', 'finding', 'applicability']);
export type DisputePart = z.infer<typeof DisputePart>;

/** Points of a test row; found or not, applicable or not; a finding's status, or `absent` where a scorer does not list it. */
export const CellValue = z.union([z.boolean(), z.number().nonnegative(), FindingStatus, z.literal('absent')]);
export type CellValue = z.infer<typeof CellValue>;

const place = {
  case: Slug,
  /** Null for applicability, which is the case's. */
  content: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
  part: DisputePart,
  /** The rubric row, or the finding's key. */
  id: z.string(),
};

/** A decision about one cell, with its reason: one line of desk/adjudications.jsonl. */
export const Adjudication = z.strictObject({
  schemaVersion: z.literal(1),
  at: z.iso.datetime(),
  by: Slug,
  ...place,
  value: CellValue,
  /** The rubric row of a finding; null beyond the rubric, and for every other part. */
  row: z.string().nullable(),
  reason: z.string().min(1),
});
export type Adjudication = z.infer<typeof Adjudication>;

/** A cell on which scorers differ. */
export const Dispute = z.strictObject({
  ...place,
  values: z.array(z.strictObject({ scorer: Slug, value: CellValue, row: z.string().nullable(), evidence: z.string() })),
  /** The last decision about it; null while it is open. */
  settled: Adjudication.nullable(),
});
export type Dispute = z.infer<typeof Dispute>;

type Cell = Omit<Dispute, 'settled'>;

/** Every cell that the scorers of a variant filled, in the order of the sheets; adjudicated sheets are no scorer's. */
export function cellsOf(sheets: SavedSheet[]): Cell[] {
  const own = sheets.filter((sheet) => sheet.scorer !== 'adjudicated');
  const variants = new Map<string, SavedSheet[]>();
  const cases = new Map<string, SavedSheet[]>();
  for (const sheet of own) {
    variants.set(`${sheet.case}/${sheet.content}`, [...(variants.get(`${sheet.case}/${sheet.content}`) ?? []), sheet]);
    cases.set(sheet.case, [...(cases.get(sheet.case) ?? []), sheet]);
  }
  return [
    ...[...cases.values()].flatMap(applicabilityCells),
    ...[...variants.values()].flatMap((scored) => [...rowCells(scored), ...findingCells(scored)]),
  ];
}

/**
 * The cells on which scorers differ, with the last decision about each. A row that was settled as not applicable is disputed no
 * longer.
 */
export function disputesOf(sheets: SavedSheet[], adjudications: Adjudication[]): Dispute[] {
  const last = (cell: Pick<Cell, 'case' | 'content' | 'part' | 'id'>) =>
    adjudications.findLast((one) => sameCell(one, cell)) ?? null;
  return cellsOf(sheets)
    .filter(({ values }) => values.some(({ value, row }) => value !== values[0]?.value || row !== values[0]?.row))
    .filter((cell) => cell.part !== 'review' || last({ ...cell, part: 'applicability', content: null })?.value !== false)
    .map((cell) => ({ ...cell, settled: last(cell) }));
}

export function sameCell(
  a: Pick<Cell, 'case' | 'content' | 'part' | 'id'>,
  b: Pick<Cell, 'case' | 'content' | 'part' | 'id'>,
): boolean {
  return a.case === b.case && a.content === b.content && a.part === b.part && a.id === b.id;
}

/** Applicability is decided once a case: each scorer says one thing in all sheets of the case (readSheets refuses others). */
function applicabilityCells(sheets: SavedSheet[]): Cell[] {
  const first = sheets[0] as SavedSheet;
  const perScorer = [...new Map(sheets.map((sheet) => [sheet.scorer, sheet])).values()];
  return Object.keys(first.rows).map((id) => ({
    case: first.case,
    content: null,
    part: 'applicability',
    id,
    values: perScorer.map((sheet) => ({
      scorer: sheet.scorer,
      value: !sheet.not_applicable.includes(id),
      row: null,
      evidence: '',
    })),
  }));
}

/** A review row has a value from those scorers only who take it for applicable. */
function rowCells(sheets: SavedSheet[]): Cell[] {
  const { case: name, content, rows, tests, documentation } = sheets[0] as SavedSheet;
  const cell = (
    part: DisputePart,
    id: string,
    pick: (sheet: SavedSheet) => { value: CellValue; evidence: string },
    by = sheets,
  ): Cell => ({
    case: name,
    content,
    part,
    id,
    values: by.map((sheet) => ({ scorer: sheet.scorer, row: null, ...pick(sheet) })),
  });
  const found = (row: { found: boolean; evidence: string } | undefined) => ({
    value: row?.found ?? false,
    evidence: row?.evidence ?? '',
  });
  return [
    ...Object.keys(rows)
      .map((id) =>
        cell(
          'review',
          id,
          (sheet) => found(sheet.rows[id]),
          sheets.filter((sheet) => !sheet.not_applicable.includes(id)),
        ),
      )
      .filter(({ values }) => values.length > 0),
    ...Object.keys(tests).map((id) =>
      cell('tests', id, (sheet) => ({ value: sheet.tests[id]?.points ?? 0, evidence: sheet.tests[id]?.evidence ?? '' })),
    ),
    ...Object.keys(documentation).map((id) => cell('documentation', id, (sheet) => found(sheet.documentation[id]))),
  ];
}

function findingCells(sheets: SavedSheet[]): Cell[] {
  const { case: name, content } = sheets[0] as SavedSheet;
  const keys = [...new Set(sheets.flatMap((sheet) => sheet.findings.map(({ key }) => key)))];
  const said = (finding: Finding | undefined) => ({
    value: finding?.status ?? ('absent' as const),
    row: finding?.row ?? null,
    evidence: finding?.evidence ?? '',
  });
  return keys.map((key) => ({
    case: name,
    content,
    part: 'finding',
    id: key,
    values: sheets.map((sheet) => ({ scorer: sheet.scorer, ...said(sheet.findings.find((one) => one.key === key)) })),
  }));
}
