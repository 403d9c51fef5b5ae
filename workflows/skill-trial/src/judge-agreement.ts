import { cohenKappa, confusion, gwetAc1, krippendorffAlpha, percentAgreement } from './agreement.js';
import type { JudgeSheet } from './judge-run.js';
import type { Proof } from './proof.js';
import { SheetKind } from './proposal.js';
import type { SavedSheet } from './sheet.js';
import type { Study } from './study.js';

/** The judge's sheets in numbers, and how far they agree with each scorer; null where no judge ran. Agreement only once scoring is open. */
export function judgeOf({ judgement, results }: Study, sheets: SavedSheet[], open: boolean): Proof['judge'] {
  if (judgement === null) return null;
  const { judge: name, scripted, variants } = judgement;
  const total = (pick: (sheet: JudgeSheet) => number | null) =>
    variants.reduce<number | null>(
      (sum, sheet) => (sum === null || pick(sheet) === null ? null : sum + (pick(sheet) as number)),
      0,
    );
  const scorers = [
    ...new Set(sheets.filter((sheet) => variants.some((row) => row.content === sheet.content)).map(({ scorer }) => scorer)),
  ];
  return {
    name,
    scripted,
    only: scorers.length === 0,
    calls: total((sheet) => sheet.calls) ?? 0,
    inputTokens: total((sheet) => sheet.inputTokens),
    outputTokens: total((sheet) => sheet.outputTokens),
    variants: variants.map(({ content, case: one, marks }) => ({
      content,
      case: one,
      trials: results.filter((result) => result.content === content && result.case === one).map((result) => result.id),
      rows: marks.length,
      scored: marks.filter((mark) => mark.value !== null).length,
      unscored: marks.flatMap(({ sheet, row, value, why }) =>
        value === null ? [{ row: `${sheet}.${row}`, why: why ?? '' }] : [],
      ),
    })),
    agreement: (open ? scorers.sort() : []).flatMap((scorer) =>
      SheetKind.options.map((sheet) => {
        const own = sheets.filter((one) => one.scorer === scorer);
        return { scorer, sheet, ...judgeAgreement(judgePairs(variants, own, sheet)) };
      }),
    ),
  };
}

type Pair = [boolean | number, boolean | number];

/** Every row of one sheet that the judge and a scorer both score: what the judge says, what the scorer says. */
export function judgePairs(
  judged: Pick<JudgeSheet, 'content' | 'case' | 'marks'>[],
  sheets: Pick<SavedSheet, 'content' | 'case' | 'rows' | 'tests' | 'documentation'>[],
  kind: SheetKind,
): Pair[] {
  return judged.flatMap(({ content, case: one, marks }) =>
    sheets
      .filter((sheet) => sheet.content === content && sheet.case === one)
      .flatMap((sheet) =>
        marks.flatMap(({ sheet: own, row, value }): Pair[] => {
          if (own !== kind) return [];
          const scored =
            kind === 'tests' ? sheet.tests[row]?.points : (kind === 'review' ? sheet.rows : sheet.documentation)[row]?.found;
          return value === null || scored === undefined ? [] : [[value, scored]];
        }),
      ),
  );
}

/** Percent, Cohen's kappa, Gwet's AC1 and Krippendorff's alpha (nominal) of pairs; null where undefined, with the reason. */
export function judgeAgreement(pairs: Pair[]) {
  const values: (boolean | number)[] = [
    ...new Set([...pairs.flat(), ...(typeof pairs[0]?.[0] === 'boolean' ? [true, false] : [])]),
  ];
  const kappa = cohenKappa(confusion(pairs, 0, 1, values));
  const ac1 = gwetAc1(pairs, values);
  const alpha = krippendorffAlpha(pairs, 'nominal');
  const reasons = Object.entries({ kappa, AC1: ac1, alpha }).flatMap(([name, { reason }]) =>
    reason === null ? [] : [`${name}: ${reason}`],
  );
  return {
    rows: pairs.length,
    same: pairs.filter(([one, two]) => one === two).length,
    percent: percentAgreement(pairs),
    ...{ kappa: kappa.value, ac1: ac1.value, alpha: alpha.value, reasons },
  };
}
