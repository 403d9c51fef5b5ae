import { z } from 'zod';
import {
  bootstrapInterval,
  type Coefficient,
  cohenKappa,
  confusion,
  gwetAc1,
  krippendorffAlpha,
  type Level,
  pairable,
  percentAgreement,
  type Unit,
} from './agreement.js';
import { type CellValue, cellsOf, DisputePart } from './dispute.js';
import { FindingStatus, type SavedSheet } from './sheet.js';

const number = z.number().nullable();
const reason = z.string().nullable();

/** How well the scorers agree on one kind of row. Null where a figure is undefined; `reason` says why. */
export const AgreementRow = z.strictObject({
  part: DisputePart,
  raters: z.array(z.string()),
  /** Cells that two scorers or more filled. */
  units: z.int().nonnegative(),
  /** Mean share of agreeing pairs of scorers. */
  percent: number,
  /** For each two scorers: counts, rows by the first one's value, columns by the second's; and Cohen's kappa of them. */
  pairs: z.array(
    z.strictObject({
      first: z.string(),
      second: z.string(),
      values: z.array(z.string()),
      table: z.array(z.array(z.int().nonnegative())),
      kappa: z.strictObject({ value: number, reason }),
    }),
  ),
  ac1: z.strictObject({ value: number, reason }),
  /** nominal for all but points, which are ordered and have distances. */
  alpha: z.array(
    z.strictObject({
      level: z.enum(['nominal', 'ordinal', 'interval']),
      value: number,
      reason,
      /** Percentile bootstrap over units, 95 %. */
      interval: z.strictObject({
        low: number,
        high: number,
        draws: z.int().positive(),
        undefinedDraws: z.int().nonnegative(),
        reason,
      }),
    }),
  ),
});
export type AgreementRow = z.infer<typeof AgreementRow>;

const levels: Record<DisputePart, Level[]> = {
  review: ['nominal'],
  tests: ['ordinal', 'interval'],
  documentation: ['nominal'],
  finding: ['nominal'],
  applicability: ['nominal'],
};

/** What could be said of a row; of points, whatever was said. */
const choices: Record<DisputePart, CellValue[] | null> = {
  review: [true, false],
  tests: null,
  documentation: [true, false],
  finding: [...FindingStatus.options, 'absent'],
  applicability: [true, false],
};

/**
 * Agreement between the scorers for each kind of row; [] with fewer than two scorers. The unit is a variant's row (a case's, for
 * applicability; a variant's finding, for findings). Points of rows with different weights are taken together. The seed makes the
 * bootstrap the same every time.
 */
export function agreementRows(sheets: SavedSheet[], seed: number): AgreementRow[] {
  const raters = [...new Set(sheets.map(({ scorer }) => scorer))].filter((name) => name !== 'adjudicated').sort();
  if (raters.length < 2) return [];
  const cells = cellsOf(sheets);
  return DisputePart.options.flatMap((part) => {
    const units: Unit<CellValue>[] = cells
      .filter((cell) => cell.part === part)
      .map(({ values }) => raters.map((rater) => values.find(({ scorer }) => scorer === rater)?.value ?? null));
    return units.length === 0 ? [] : [agreementRow(part, raters, units, seed)];
  });
}

function agreementRow(part: DisputePart, raters: string[], units: Unit<CellValue>[], seed: number): AgreementRow {
  const said = [...new Set(units.flat())].filter((value) => value !== null).sort((a, b) => Number(a) - Number(b));
  const categories = choices[part] ?? said;
  return {
    part,
    raters,
    units: pairable(units).length,
    percent: percentAgreement(units),
    pairs: raters.flatMap((first, i) =>
      raters.slice(i + 1).map((second, j) => {
        const table = confusion(units, i, i + 1 + j, categories);
        return { first, second, values: categories.map(String), table, kappa: cohenKappa(table) };
      }),
    ),
    ac1: gwetAc1(units, categories),
    alpha: levels[part].map((level) => {
      const alpha: Coefficient = krippendorffAlpha(units, level);
      return { level, ...alpha, interval: bootstrapInterval(units, (drawn) => krippendorffAlpha(drawn, level).value, seed) };
    }),
  };
}
