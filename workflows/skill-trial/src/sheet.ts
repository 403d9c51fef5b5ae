import { readdir } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { z } from 'zod';
import { type Case, Slug } from './case.js';
import { readText, readYaml, shown } from './document.js';
import { SettingsError } from './errors.js';
import { sha256 } from './hash.js';
import type { RubricRow } from './rubric.js';

/** confirmed and contradicted are checkable; unconfirmed lacks information; style is advice and no defect. */
export const FindingStatus = z.enum(['confirmed', 'unconfirmed', 'contradicted', 'style']);
export type FindingStatus = z.infer<typeof FindingStatus>;

export const Finding = z.strictObject({
  /** The same key in two sheets means the same finding. */
  key: Slug,
  claim: z.string().min(1),
  status: FindingStatus,
  /** The rubric row it belongs to; null for a finding beyond the rubric. */
  row: z.string().nullable(),
  evidence: z.string(),
});
export type Finding = z.infer<typeof Finding>;

const Found = z.strictObject({ found: z.boolean(), evidence: z.string(), note: z.string().optional() });

/** One scorer's sheet for one variant, keyed by the variant's content hash. It never says which arm the variant is. */
export const Sheet = z.strictObject({
  schema_version: z.literal(1),
  case: Slug,
  content: z.string().regex(/^[0-9a-f]{64}$/, 'the content hash of the variant, 64 hex digits'),
  scorer: Slug,
  rows: z.record(z.string(), Found),
  findings: z.array(Finding),
  tests: z.record(z.string(), z.strictObject({ points: z.number().nonnegative('0 or more'), evidence: z.string() })),
  documentation: z.record(z.string(), Found),
  /** Rubric rows that do not apply to this case: the same in every sheet of the case, decided before unblinding. */
  not_applicable: z.array(z.string()),
  notes: z.string(),
});
export type Sheet = z.infer<typeof Sheet>;

export interface SavedSheet extends Sheet {
  /** Path below the checkout. */
  file: string;
  sha256: string;
}

/** Every sheet below a folder, checked against its case's rubrics; [] where the folder does not exist. */
export async function readSheets(root: string, folder: string, cases: Map<string, Case>): Promise<SavedSheet[]> {
  const present = await readdir(folder).catch(() => [] as string[]);
  const names = present.filter((name) => /\.ya?ml$/i.test(name)).sort(); // a name that fits no sheet is refused below, not passed over
  const sheets: SavedSheet[] = [];
  for (const name of names) {
    const file = join(folder, name);
    const sheet = await readYaml(file, Sheet);
    const one = cases.get(sheet.case);
    if (one === undefined) continue; // a sheet of a case that this experiment does not use
    checkSheet(sheet, one, shown(file));
    if (name !== sheetName(sheet))
      fail(shown(file), 'the file name does not fit its content', sheetName(sheet), basename(file), 'rename the file');
    sheets.push({ ...sheet, file: relative(root, file), sha256: sha256(await readText(file, 'sheet')) });
  }
  const byScorer = new Map<string, SavedSheet>();
  for (const sheet of sheets) {
    // two scorers may differ: that is a dispute. One scorer may not.
    const key = `${sheet.case}/${sheet.scorer}`;
    const first = byScorer.get(key) ?? sheet;
    byScorer.set(key, first);
    const [a, b] = [[...first.not_applicable].sort().join(', '), [...sheet.not_applicable].sort().join(', ')];
    if (a !== b)
      fail(
        sheet.file,
        "applicability differs from the scorer's other sheet of the case",
        `${a || 'none'} (as ${basename(first.file)})`,
        b || 'none',
        'decide it once per case, before unblinding',
      );
  }
  return sheets;
}

/** `<first 12 digits of the content hash>.<scorer>.yaml` */
export function sheetName(sheet: Pick<Sheet, 'content' | 'scorer'>): string {
  return `${sheet.content.slice(0, 12)}.${sheet.scorer}.yaml`;
}

/** Holds a sheet against its rubrics: every row present and no other, points within their weight, findings' rows known. */
export function checkSheet(sheet: Sheet, one: Pick<Case, 'rubricRows' | 'rubrics'>, where: string): void {
  const { review, tests, documentation } = one.rubricRows;
  const scored = tests.filter((row) => row.id !== one.rubrics?.control_row);
  sameIds(where, 'rows', Object.keys(sheet.rows), review);
  sameIds(where, 'tests', Object.keys(sheet.tests), scored);
  sameIds(where, 'documentation', Object.keys(sheet.documentation), documentation);
  for (const row of scored) {
    const points = sheet.tests[row.id]?.points as number;
    if (points > row.weight)
      fail(where, `tests.${row.id}.points is too high`, `0 to ${row.weight}`, String(points), 'correct the points');
  }
  for (const row of sheet.not_applicable)
    if (!review.some(({ id }) => id === row))
      fail(where, 'not_applicable names an unknown row', ids(review), row, 'correct the row');
  const keys = new Set<string>();
  for (const finding of sheet.findings) {
    if (keys.has(finding.key)) fail(where, 'a finding occurs twice', 'each key once', finding.key, 'merge the two');
    keys.add(finding.key);
    if (finding.row !== null && !review.some(({ id }) => id === finding.row))
      fail(where, `finding ${finding.key} names an unknown row`, ids(review), finding.row, 'correct the row');
  }
}

function sameIds(where: string, part: string, found: string[], rows: RubricRow[]): void {
  const missing = rows.find((row) => !found.includes(row.id));
  if (missing !== undefined)
    fail(where, `${part}.${missing.id} is missing`, `every row: ${ids(rows)}`, found.join(', ') || 'none', `add ${missing.id}`);
  const unknown = found.find((id) => !rows.some((row) => row.id === id));
  if (unknown !== undefined)
    fail(where, `${part}.${unknown} is no row of the rubric`, ids(rows), unknown, 'remove or correct it');
}

function ids(rows: RubricRow[]): string {
  return rows.map((row) => row.id).join(', ');
}

function fail(where: string, what: string, expected: string, found: string, next: string): never {
  throw new SettingsError(`${where}: ${what}`, { expected, found, next });
}
