import { z } from 'zod';
import { AgreementRow } from './agreement-row.js';
import { type Case, Slug } from './case.js';
import { completeness, type ScoredRow } from './completeness.js';
import { GuessMeasure } from './guess.js';
import { precision } from './precision.js';
import { ScoringState } from './scoring-state.js';
import { Finding, type SavedSheet } from './sheet.js';
import type { VariantChecks } from './variant-checks.js';
import { nothingDelivered } from './variant-content.js';

const ratio = z.number().min(0).max(1).nullable();

/** not-applicable: the case has no rubric, and nothing is left for a person to score. */
export const ScoringStatus = z.enum(['scored', 'pending', 'disputed', 'not-applicable']);

/** One variant's scores. Null: not scored yet (pending), scorers disagree (disputed), or nothing to divide by. */
export const VariantScore = z.strictObject({
  content: z.string(),
  case: Slug,
  status: ScoringStatus,
  /** Who scored; `nothing-delivered` is the lab itself, for a run without answer and without patch. */
  scorers: z.array(z.string()),
  sheets: z.array(z.strictObject({ file: z.string(), sha256: z.string() })),
  rows: z.array(
    z.strictObject({
      id: z.string(),
      weight: z.number(),
      applicable: z.boolean(),
      found: z.boolean().nullable(),
      evidence: z.string(),
    }),
  ),
  completeness: ratio,
  findings: z.array(Finding).nullable(),
  precision: z.strictObject({ confirmed: z.int(), contradicted: z.int(), checkable: z.int(), value: ratio }).nullable(),
  tests: z.strictObject({
    rows: z.array(z.strictObject({ id: z.string(), weight: z.number(), points: z.number().nullable(), evidence: z.string() })),
    /** Null while the negative control is missing: green tests alone earn no verdict. */
    points: z.number().nullable(),
    of: z.number(),
  }),
  documentation: z.strictObject({
    rows: z.array(z.strictObject({ id: z.string(), weight: z.number(), found: z.boolean().nullable(), evidence: z.string() })),
    points: z.number().nullable(),
    of: z.number(),
  }),
});
export type VariantScore = z.infer<typeof VariantScore>;

export const Scores = z.strictObject({
  schemaVersion: z.literal(1),
  variants: z.array(VariantScore),
  /** Sheets whose content is none of this experiment's variants: refused. */
  refused: z.array(z.strictObject({ file: z.string(), content: z.string() })),
  /** Absent in a file of before the desk: taken for open, until the score step writes it anew. */
  scoring: ScoringState.default({ state: 'open', by: 'sheets', evaluators: [], lockedAt: null, disputes: [] }),
  /** Between scorers, by kind of row; [] while scoring is open and with fewer than two scorers. */
  agreement: z.array(AgreementRow).default([]),
  /** Null while the mapping is sealed, and without guesses. */
  guess: GuessMeasure.nullable().default(null),
});
export type Scores = z.infer<typeof Scores>;

/** Scores each variant from the sheets that carry its content hash, and the negative control. A variant without sheet is pending. */
export function scoreVariants(
  variants: { content: string; case: Case }[],
  sheets: SavedSheet[],
  checks: VariantChecks[],
): Pick<Scores, 'schemaVersion' | 'variants' | 'refused'> {
  const known = new Set(variants.map((variant) => variant.content));
  return {
    schemaVersion: 1,
    variants: variants.map((variant) => {
      const own = sheets.filter((sheet) => sheet.content === variant.content && sheet.case === variant.case.name);
      return scoreVariant(
        variant.content,
        variant.case,
        decisive(own),
        checks.find((row) => row.content === variant.content) ?? null,
        applicabilityOf(sheets.filter((sheet) => sheet.case === variant.case.name)),
      );
    }),
    refused: sheets.filter((sheet) => !known.has(sheet.content)).map(({ file, content }) => ({ file, content })),
  };
}

/** The adjudicated sheet alone where there is one, else all of them. */
function decisive(sheets: SavedSheet[]): SavedSheet[] {
  const adjudicated = sheets.filter((sheet) => sheet.scorer === 'adjudicated');
  return adjudicated.length > 0 ? adjudicated : sheets;
}

interface Applicability {
  without: string[];
  disputed: string[];
}

/** Which rows do not apply to a case: as its adjudicated sheets say, else as all sheets say; where these differ the row is disputed. */
function applicabilityOf(sheets: SavedSheet[]): Applicability {
  const said = decisive(sheets).map((sheet) => sheet.not_applicable);
  const named = [...new Set(said.flat())];
  const without = named.filter((id) => said.every((rows) => rows.includes(id)));
  return { without, disputed: named.filter((id) => !without.includes(id)) };
}

function scoreVariant(
  content: string,
  one: Case,
  sheets: SavedSheet[],
  checks: VariantChecks | null,
  applicability: Applicability,
): VariantScore {
  const { review, tests, documentation } = one.rubricRows;
  const empty = content === nothingDelivered && sheets.length === 0;
  /** What all sheets agree on; null without a sheet, or where they differ. */
  const agreed = <T extends { evidence: string }, V>(
    pick: (sheet: SavedSheet) => T | undefined,
    value: (cell: T) => V,
    none: V,
  ) => {
    if (empty) return { value: none, evidence: 'neither an answer nor a change was delivered' };
    const cells = sheets.map(pick).filter((cell) => cell !== undefined);
    const first = cells[0];
    if (first === undefined || cells.some((cell) => value(cell) !== value(first))) return { value: null, evidence: '' };
    return { value: value(first), evidence: first.evidence };
  };
  const rows = review.map(({ id, weight }): ScoredRow & { evidence: string } => {
    const cell = agreed(
      (sheet) => sheet.rows[id],
      (row) => row.found,
      false,
    );
    const applicable = !applicability.without.includes(id);
    // found is unknown as long as it is disputed whether the row applies
    if (applicability.disputed.includes(id)) return { id, weight, applicable, found: null, evidence: '' };
    return { id, weight, applicable, found: cell.value, evidence: cell.evidence };
  });
  const testRows = tests.map(({ id, weight }) => {
    if (id === one.rubrics?.control_row) return controlRow(id, weight, checks, empty);
    const cell = agreed(
      (sheet) => sheet.tests[id],
      (row) => row.points,
      0,
    );
    return { id, weight, points: cell.value, evidence: cell.evidence };
  });
  const docRows = documentation.map(({ id, weight }) => {
    const cell = agreed(
      (sheet) => sheet.documentation[id],
      (row) => row.found,
      false,
    );
    return { id, weight, found: cell.value, evidence: cell.evidence };
  });
  const findings = agreedFindings(sheets, empty);
  const scored = empty || sheets.length > 0;
  const disputed =
    scored &&
    [
      ...rows.filter((row) => row.applicable).map((row) => row.found),
      ...testRows.filter((row) => row.id !== one.rubrics?.control_row).map((row) => row.points),
      ...docRows.map((row) => row.found),
      findings,
    ].some((value) => value === null);
  return {
    content,
    case: one.name,
    status: one.rubrics === undefined ? 'not-applicable' : !scored ? 'pending' : disputed ? 'disputed' : 'scored',
    scorers: empty ? ['nothing-delivered'] : sheets.map((sheet) => sheet.scorer),
    sheets: sheets.map(({ file, sha256: hash }) => ({ file, sha256: hash })),
    rows,
    completeness: completeness(rows),
    findings,
    precision: findings === null ? null : precision(findings),
    tests: {
      rows: testRows,
      points: sumOrNull(testRows.map((row) => row.points)),
      of: tests.reduce((sum, row) => sum + row.weight, 0),
    },
    documentation: {
      rows: docRows,
      points: sumOrNull(docRows.map((row) => (row.found === null ? null : row.found ? row.weight : 0))),
      of: documentation.reduce((sum, row) => sum + row.weight, 0),
    },
  };
}

/** The row that the negative control fills: full weight where a new test fails on the clean base by assertion; null without a control. */
function controlRow(id: string, weight: number, checks: VariantChecks | null, empty: boolean) {
  if (empty) return { id, weight, points: 0, evidence: 'no tests were delivered' };
  if (checks === null) return { id, weight, points: null, evidence: 'withheld: the negative control has not run' };
  if (checks.exposesDefect === null) return { id, weight, points: 0, evidence: 'no new or changed test' };
  return {
    id,
    weight,
    points: checks.exposesDefect ? weight : 0,
    evidence: `checks/${checks.content.slice(0, 16)}/control: ${JSON.stringify(checks.control)}`,
  };
}

/** The findings of one sheet; of several only when they say the same of the same keys. */
function agreedFindings(sheets: SavedSheet[], empty: boolean): VariantScore['findings'] {
  if (empty) return [];
  const first = sheets[0];
  if (first === undefined) return null;
  const gist = (sheet: SavedSheet) => JSON.stringify(sheet.findings.map(({ key, status, row }) => [key, status, row]).sort());
  return sheets.every((sheet) => gist(sheet) === gist(first)) ? first.findings : null;
}

/** Null where a part is unknown, and where there is none. */
function sumOrNull(values: (number | null)[]): number | null {
  return values.length === 0 || values.some((value) => value === null)
    ? null
    : values.reduce<number>((sum, value) => sum + (value as number), 0);
}
