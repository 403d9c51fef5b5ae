import type { Case } from './case.js';
import type { Desk } from './desk.js';
import { type Marks, marksOf } from './mark.js';

export interface VariantProgress {
  case: string;
  content: string;
  done: number;
  total: number;
  /** What is still to do, in words: `review R3`, `finding claim-2`, `the list of claims`. */
  open: string[];
}

export interface Progress {
  done: number;
  total: number;
  variants: VariantProgress[];
  /** Pairs whose guess is still open. */
  guesses: string[];
}

/**
 * How far an evaluator is: every applicable review row, every test row but the negative control's, every documentation row, the list
 * of claims, and each finding's status count one each.
 */
export function progressOf(
  desk: Pick<Desk, 'pairs' | 'variants'> & { lab: { cases: Map<string, Case> } },
  marks: Marks,
): Progress {
  const variants = desk.variants.map(({ case: name, content }): VariantProgress => {
    const one = desk.lab.cases.get(name) as Case;
    const own = marksOf(marks, { case: name, content });
    const skipped = marks.notApplicable[name] ?? {};
    const items: [string, boolean][] = [
      ...one.rubricRows.review
        .filter(({ id }) => !(id in skipped))
        .map(({ id }): [string, boolean] => [`review ${id}`, id in own.review]),
      ...one.rubricRows.tests
        .filter(({ id }) => id !== one.rubrics?.control_row)
        .map(({ id }): [string, boolean] => [`tests ${id}`, id in own.tests]),
      ...one.rubricRows.documentation.map(({ id }): [string, boolean] => [`documentation ${id}`, id in own.documentation]),
      ['the list of claims', own.claimsListed],
      ...own.findings.map(({ id, status }): [string, boolean] => [`finding ${id}`, status !== null]),
    ];
    const open = items.flatMap(([what, done]) => (done ? [] : [what]));
    return { case: name, content, done: items.length - open.length, total: items.length, open };
  });
  return {
    done: variants.reduce((sum, { done }) => sum + done, 0),
    total: variants.reduce((sum, { total }) => sum + total, 0),
    variants,
    guesses: desk.pairs.filter(({ pair, x, y }) => x !== y && !(pair in marks.guesses)).map(({ pair }) => pair),
  };
}
