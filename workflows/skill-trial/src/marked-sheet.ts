import type { Case } from './case.js';
import type { Desk } from './desk.js';
import { evidenceText } from './evidence.js';
import { type FindingMark, type Marks, marksOf, type RowMark, variantKey } from './mark.js';
import type { Sheet } from './sheet.js';

/**
 * The key of every finding, by evaluator, then by `<variant key>/<finding id>`. Evaluators name the links between variants without
 * seeing each other's names: where a later one (by name) has linked the very same findings, the earlier one's key is taken, so that
 * two names for one thing are no dispute. Claims of the response are the same finding for all; an added one is its evaluator's own.
 */
export function alignKeys(all: { evaluator: string; marks: Marks }[]): Map<string, Map<string, string>> {
  const known = new Map<string, string>(); // the members of a group, joined, to its key
  const aligned = new Map<string, Map<string, string>>();
  for (const { evaluator, marks } of [...all].sort((a, b) => (a.evaluator < b.evaluator ? -1 : 1))) {
    const groups = new Map<string, { place: string; member: string }[]>();
    for (const [variant, own] of Object.entries(marks.variants))
      for (const { id, key } of own.findings) {
        const place = `${variant}/${id}`;
        groups.set(key, [
          ...(groups.get(key) ?? []),
          { place, member: id.startsWith('claim-') ? place : `${place} of ${evaluator}` },
        ]);
      }
    const keys = new Map<string, string>();
    for (const [key, members] of groups) {
      const group = members
        .map(({ member }) => member)
        .sort()
        .join('\n');
      const taken = known.get(group) ?? key;
      known.set(group, taken);
      for (const { place } of members) keys.set(place, taken);
    }
    aligned.set(evaluator, keys);
  }
  return aligned;
}

/** An evaluator's finished marks of one variant as a sheet. Throws a TypeError where a row is not marked: progress is checked before. */
export function markedSheet(
  variant: { case: string; content: string },
  one: Case,
  evaluator: string,
  marks: Marks,
  keys: Map<string, string>,
): Sheet {
  const own = marksOf(marks, variant);
  const skipped = marks.notApplicable[variant.case] ?? {};
  const notApplicable = one.rubricRows.review.map(({ id }) => id).filter((id) => id in skipped);
  const reasons = notApplicable.map((id) => `${id} does not apply: ${skipped[id] || 'no reason given'}`);
  const found = (marks: Record<string, RowMark>, id: string) => {
    const { value, evidence, note, accepted } = marked(marks, id);
    return {
      found: value as boolean,
      evidence: evidenceText(evidence, accepted ? note : ''),
      ...(accepted || note === '' ? {} : { note }),
    };
  };
  return {
    schema_version: 1,
    case: variant.case,
    content: variant.content,
    scorer: evaluator,
    rows: Object.fromEntries(
      one.rubricRows.review.map(({ id }) => [id, id in skipped ? { found: false, evidence: '' } : found(own.review, id)]),
    ),
    findings: own.findings.map((finding) => ({
      key: keys.get(`${variantKey(variant)}/${finding.id}`) ?? finding.key,
      claim: finding.claim,
      status: classified(finding),
      row: finding.row,
      evidence: evidenceText(finding.evidence, finding.note),
    })),
    tests: Object.fromEntries(
      one.rubricRows.tests
        .filter(({ id }) => id !== one.rubrics?.control_row)
        .map(({ id }) => {
          const { value, evidence, note } = marked(own.tests, id);
          return [id, { points: value as number, evidence: evidenceText(evidence, note) }];
        }),
    ),
    documentation: Object.fromEntries(one.rubricRows.documentation.map(({ id }) => [id, found(own.documentation, id)])),
    not_applicable: notApplicable,
    notes: [own.notes.trim(), ...reasons].filter((text) => text !== '').join('\n'),
  };
}

/** Every variant of the desk as a sheet of this evaluator. */
export function markedSheets(
  desk: Pick<Desk, 'lab'>,
  variants: { case: string; content: string }[],
  evaluator: string,
  marks: Marks,
  keys: Map<string, string>,
): Sheet[] {
  return variants.map((variant) => markedSheet(variant, desk.lab.cases.get(variant.case) as Case, evaluator, marks, keys));
}

function marked(marks: Record<string, RowMark>, id: string): RowMark {
  const mark = marks[id];
  if (mark === undefined) throw new TypeError(`row ${id} is not marked`);
  return mark;
}

function classified({ id, status }: FindingMark) {
  if (status === null) throw new TypeError(`finding ${id} is not classified`);
  return status;
}
