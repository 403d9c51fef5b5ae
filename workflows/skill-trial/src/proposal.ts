import { stat } from 'node:fs/promises';
import { z } from 'zod';
import { Slug } from './case.js';
import { Evidence } from './evidence.js';
import { readJson } from './record.js';

/** The three sheets of a variant: review rows and documentation rows are found or not, test rows earn points. */
export const SheetKind = z.enum(['review', 'tests', 'documentation']);
export type SheetKind = z.infer<typeof SheetKind>;

/** What an automatic check proposes for one row. It counts only once an evaluator accepts it. */
export const Proposal = z.strictObject({
  sheet: SheetKind,
  row: z.string().min(1),
  /** Points for a test row, found or not for the two others; null: the check could not tell. */
  value: z.union([z.number().nonnegative(), z.boolean()]).nullable(),
  reason: z.string().min(1),
  evidence: z.array(Evidence),
});
export type Proposal = z.infer<typeof Proposal>;

/** data/runs/<name>/proposals.json: what the checks of the cases propose, by variant. */
export const Proposals = z.strictObject({
  schemaVersion: z.literal(1),
  variants: z.array(z.strictObject({ content: z.string().regex(/^[0-9a-f]{64}$/), case: Slug, proposals: z.array(Proposal) })),
});
export type Proposals = z.infer<typeof Proposals>;

/** The proposals of a run; none where no check has made any. */
export async function readProposals(file: string): Promise<Proposals> {
  if ((await stat(file).catch(() => null)) === null) return { schemaVersion: 1, variants: [] };
  return readJson(file, Proposals);
}
