import type { FindingStatus } from './sheet.js';

export interface Precision {
  confirmed: number;
  contradicted: number;
  /** confirmed + contradicted; unconfirmed findings and style advice are not checkable. */
  checkable: number;
  /** confirmed / checkable, 0 to 1; 0/0 is null, never 0 or 1. */
  value: number | null;
}

/** finding_precision of one run (decision 0019, part 6). */
export function precision(findings: { status: FindingStatus }[]): Precision {
  const count = (status: FindingStatus) => findings.filter((finding) => finding.status === status).length;
  return ofCounts(count('confirmed'), count('contradicted'));
}

/** Precision pooled over runs: the counts are added first. It weighs runs by their number of claims, as the per-run median does not. */
export function pooledPrecision(runs: Pick<Precision, 'confirmed' | 'contradicted'>[]): Precision {
  return ofCounts(
    runs.reduce((sum, run) => sum + run.confirmed, 0),
    runs.reduce((sum, run) => sum + run.contradicted, 0),
  );
}

function ofCounts(confirmed: number, contradicted: number): Precision {
  const checkable = confirmed + contradicted;
  return { confirmed, contradicted, checkable, value: checkable === 0 ? null : confirmed / checkable };
}
