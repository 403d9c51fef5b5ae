import { z } from 'zod';
import { Slug } from './case.js';
import { Evidence } from './evidence.js';
import { SheetKind } from './proposal.js';
import { FindingStatus } from './sheet.js';

const Sha = z.string().regex(/^[0-9a-f]{64}$/);
const variant = { case: Slug, content: Sha };

/** A finding while it is being classified: a claim of the response, or one that the evaluator added. */
export const FindingMark = z.strictObject({
  /** Unique within the variant, never changed. */
  id: Slug,
  /** The same key in two variants means the same finding. */
  key: Slug,
  claim: z.string().min(1),
  /** Null: not classified yet. */
  status: FindingStatus.nullable(),
  /** The review row it belongs to; null for a finding beyond the rubric. */
  row: z.string().nullable(),
  evidence: z.array(Evidence),
  note: z.string(),
});
export type FindingMark = z.infer<typeof FindingMark>;

const value = z.union([z.number().nonnegative(), z.boolean()]).nullable();

/** One change of an evaluator's marks. The journal holds nothing else; undo and redo are events too. */
export const MarkEvent = z.discriminatedUnion('kind', [
  /** Sets one row of one sheet: true or false for review and documentation, points for tests, null takes the mark away. */
  z.strictObject({
    kind: z.literal('mark'),
    ...variant,
    sheet: SheetKind,
    row: z.string(),
    value,
    evidence: z.array(Evidence),
    note: z.string(),
  }),
  /** Takes over what a check proposes for a row, as it stands in proposals.json. */
  z.strictObject({
    kind: z.literal('accept'),
    ...variant,
    sheet: SheetKind,
    row: z.string(),
    value,
    evidence: z.array(Evidence),
    reason: z.string(),
  }),
  /** Says of a review row whether it applies to the case: once for all its variants. */
  z.strictObject({ kind: z.literal('applicability'), case: Slug, row: z.string(), applicable: z.boolean(), note: z.string() }),
  /** Adds a finding, or replaces the one with this id. */
  z.strictObject({ kind: z.literal('finding'), ...variant, finding: FindingMark }),
  /** Adds several findings at once, as the starting list of claims; an id that is there already is left alone. */
  z.strictObject({ kind: z.literal('claims'), ...variant, findings: z.array(FindingMark) }),
  z.strictObject({ kind: z.literal('remove-finding'), ...variant, id: Slug }),
  /** Merges findings of one variant: `into` keeps its own words and status and gains the evidence of the others. */
  z.strictObject({ kind: z.literal('merge-findings'), ...variant, into: Slug, from: z.array(Slug).min(1) }),
  z.strictObject({ kind: z.literal('notes'), ...variant, text: z.string() }),
  /** Which side is taken for the arm with skills; null: cannot tell. Once for a pair, before its marks, never undone. */
  z.strictObject({
    kind: z.literal('guess'),
    pair: z.string().regex(/^pair-[0-9a-f]{10}$/),
    side: z.enum(['x', 'y']).nullable(),
  }),
  z.strictObject({ kind: z.literal('undo') }),
  z.strictObject({ kind: z.literal('redo') }),
]);
export type MarkEvent = z.infer<typeof MarkEvent>;

export interface RowMark {
  value: number | boolean;
  evidence: Evidence[];
  note: string;
  /** Whether it was taken over from an automatic check. */
  accepted: boolean;
}

/** What one evaluator has marked of one variant; a row that is absent is not marked yet. */
export interface VariantMarks {
  review: Record<string, RowMark>;
  tests: Record<string, RowMark>;
  documentation: Record<string, RowMark>;
  findings: FindingMark[];
  /** Whether the response was gone through for claims: a variant without findings may simply not have been read. */
  claimsListed: boolean;
  notes: string;
}

/** One evaluator's marks: what the journal's events come to. */
export interface Marks {
  /** Keyed by variantKey. */
  variants: Record<string, VariantMarks>;
  /** Review rows that do not apply, with the reason, by case. */
  notApplicable: Record<string, Record<string, string>>;
  guesses: Record<string, 'x' | 'y' | null>;
  canUndo: boolean;
  canRedo: boolean;
}

/** A variant's key in the marks: the same content under two cases is two variants. */
export function variantKey(one: { case: string; content: string }): string {
  return `${one.case}/${one.content}`;
}

/** The marks of a variant; empty ones where nothing is marked yet. */
export function marksOf(marks: Marks, one: { case: string; content: string }): VariantMarks {
  return (
    marks.variants[variantKey(one)] ?? { review: {}, tests: {}, documentation: {}, findings: [], claimsListed: false, notes: '' }
  );
}

/** What the events come to, in their order. Pure. */
export function foldMarks(events: MarkEvent[]): Marks {
  const done: MarkEvent[] = [];
  let undone: MarkEvent[] = [];
  const guesses: Marks['guesses'] = {};
  for (const event of events) {
    if (event.kind === 'guess') {
      // the first guess stands: a later one may know more
      if (!(event.pair in guesses)) guesses[event.pair] = event.side;
    } else if (event.kind === 'undo') {
      const last = done.pop();
      if (last !== undefined) undone.push(last);
    } else if (event.kind === 'redo') {
      const next = undone.pop();
      if (next !== undefined) done.push(next);
    } else {
      done.push(event);
      undone = [];
    }
  }
  const marks: Marks = { variants: {}, notApplicable: {}, guesses, canUndo: done.length > 0, canRedo: undone.length > 0 };
  for (const event of done) apply(marks, event);
  return marks;
}

function apply(marks: Marks, event: MarkEvent): void {
  if (event.kind === 'guess' || event.kind === 'undo' || event.kind === 'redo') return;
  if (event.kind === 'applicability') {
    const rows = { ...marks.notApplicable[event.case] };
    if (event.applicable) delete rows[event.row];
    else rows[event.row] = event.note;
    marks.notApplicable[event.case] = rows;
    return;
  }
  const own = marksOf(marks, event);
  marks.variants[variantKey(event)] = own;
  const byId = (id: string) => own.findings.find((finding) => finding.id === id);
  switch (event.kind) {
    case 'mark':
    case 'accept':
      if (event.value === null) delete own[event.sheet][event.row];
      else {
        const accepted = event.kind === 'accept';
        const note = event.kind === 'accept' ? event.reason : event.note;
        own[event.sheet][event.row] = { value: event.value, evidence: event.evidence, note, accepted };
      }
      break;
    case 'finding':
      own.findings =
        byId(event.finding.id) === undefined
          ? [...own.findings, event.finding]
          : own.findings.map((finding) => (finding.id === event.finding.id ? event.finding : finding));
      break;
    case 'claims':
      own.claimsListed = true;
      own.findings = [...own.findings, ...event.findings.filter((finding) => byId(finding.id) === undefined)];
      break;
    case 'remove-finding':
      own.findings = own.findings.filter((finding) => finding.id !== event.id);
      break;
    case 'merge-findings': {
      const from = event.from.filter((id) => id !== event.into);
      const gained = from.flatMap((id) => byId(id)?.evidence ?? []);
      own.findings = own.findings
        .filter((finding) => !from.includes(finding.id))
        .map((finding) => (finding.id === event.into ? { ...finding, evidence: [...finding.evidence, ...gained] } : finding));
      break;
    }
    case 'notes':
      own.notes = event.text;
      break;
  }
}
