import type { FindingMark, Proposal, RowMark, VariantMarks } from 'skill-trial';
import type { CaseView, RubricView } from '../src/desk-view.js';
import { change, type Evidence, type MarkEvent, onItsWay, readStore, type SheetKind, type Side } from './desk-store.js';
import { readDraft, writeDraft } from './row-draft.js';

export type SheetName = SheetKind | 'findings';
export const sheets: SheetName[] = ['review', 'findings', 'tests', 'documentation'];
export const sheetTitles: Record<SheetName, string> = {
  review: 'Review',
  findings: 'Findings',
  tests: 'Tests',
  documentation: 'Documentation',
};

/** A variant as one side of a pair. `scored` is false for a run that delivered nothing: the lab scores it. */
export interface Variant {
  side: Side;
  case: string;
  content: string;
  key: string;
  scored: boolean;
  proposals: Proposal[];
}

const noMarks: VariantMarks = { review: {}, tests: {}, documentation: {}, findings: [], claimsListed: false, notes: '' };

export function marksOf(variant: Pick<Variant, 'key'>): VariantMarks {
  return readStore().marks.marks.variants[variant.key] ?? noMarks;
}

export function notApplicable(name: string): Record<string, string> {
  return readStore().marks.marks.notApplicable[name] ?? {};
}

/** The rows of a sheet that a person marks or reads. */
export function rowsOf(one: CaseView, sheet: SheetKind): RubricView[] {
  return one[sheet];
}

function draftId(variant: Variant, sheet: SheetKind, row: string): string {
  return `${variant.key}/${sheet}/${row}`;
}

type CellEvent = Extract<MarkEvent, { kind: 'mark' | 'accept' }>;

/** A row's mark with what is still on its way: keys come faster than the disk. */
export function markNow(variant: Variant, sheet: SheetKind, row: string): RowMark | undefined {
  const sent = onItsWay(
    (event): event is CellEvent =>
      (event.kind === 'mark' || event.kind === 'accept') &&
      event.case === variant.case &&
      event.content === variant.content &&
      event.sheet === sheet &&
      event.row === row,
  );
  if (sent === null) return marksOf(variant)[sheet][row];
  const { value, evidence } = sent;
  const accepted = sent.kind === 'accept';
  return value === null ? undefined : { value, evidence, note: sent.kind === 'accept' ? sent.reason : sent.note, accepted };
}

/** A finding likewise. */
export function findingNow(variant: Variant, finding: FindingMark): FindingMark {
  const sent = onItsWay(
    (event): event is Extract<MarkEvent, { kind: 'finding' }> =>
      event.kind === 'finding' &&
      event.content === variant.content &&
      event.case === variant.case &&
      event.finding.id === finding.id,
  );
  return sent?.finding ?? finding;
}

/** Evidence and note of a row, marked or not yet. */
export function supportOf(variant: Variant, sheet: SheetKind, row: string): { evidence: Evidence[]; note: string } {
  return markNow(variant, sheet, row) ?? readDraft(draftId(variant, sheet, row));
}

/** Marks a row, or takes its mark away (null); its evidence and note stay with it. */
export function setValue(variant: Variant, sheet: SheetKind, row: string, value: number | boolean | null): void {
  const { evidence, note } = supportOf(variant, sheet, row);
  const id = draftId(variant, sheet, row);
  if (value === null && markNow(variant, sheet, row) === undefined) return;
  change({ kind: 'mark', case: variant.case, content: variant.content, sheet, row, value, evidence, note });
  writeDraft(id, value === null ? { evidence, note } : { evidence: [], note: '' });
}

/** Changes evidence or note of a row: at once where it is marked, with its mark otherwise. */
export function setSupport(
  variant: Variant,
  sheet: SheetKind,
  row: string,
  part: Partial<{ evidence: Evidence[]; note: string }>,
): void {
  const mark = markNow(variant, sheet, row);
  const next = { ...supportOf(variant, sheet, row), ...part };
  if (mark === undefined) {
    writeDraft(draftId(variant, sheet, row), { evidence: next.evidence, note: next.note });
    return;
  }
  change({
    kind: 'mark',
    case: variant.case,
    content: variant.content,
    sheet,
    row,
    value: mark.value,
    evidence: next.evidence,
    note: next.note,
  });
}

export function proposalOf(variant: Variant, sheet: SheetKind, row: string): Proposal | null {
  return variant.proposals.find((one) => one.sheet === sheet && one.row === row) ?? null;
}

export function accept(variant: Variant, proposal: Proposal): void {
  const { sheet, row, value, evidence, reason } = proposal;
  if (value === null) return;
  change({ kind: 'accept', case: variant.case, content: variant.content, sheet, row, value, evidence, reason });
}

export function setFinding(variant: Variant, finding: FindingMark, part: Partial<FindingMark> = {}): void {
  change({
    kind: 'finding',
    case: variant.case,
    content: variant.content,
    finding: { ...findingNow(variant, finding), ...part },
  });
}

/** A finding of the evaluator's own, with a name that none has yet. */
export function addFinding(variant: Variant, evidence: Evidence[]): void {
  const taken = new Set(marksOf(variant).findings.map(({ id }) => id));
  let n = 1;
  while (taken.has(`own-${n}`)) n += 1;
  setFinding(variant, {
    id: `own-${n}`,
    key: `${variant.content.slice(0, 8)}-own-${n}`,
    claim: evidence[0]?.quote.trim().split('\n')[0] || 'A claim in your words',
    status: null,
    row: null,
    evidence,
    note: '',
  });
}

export function placeOf({ file, line, side }: Evidence): string {
  return `${file}${line === null ? '' : `:${line}`}${side === 'base' ? ' (before)' : ''}`;
}
