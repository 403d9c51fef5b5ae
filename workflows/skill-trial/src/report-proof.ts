import { z } from 'zod';
import { cohenKappa, confusion, gwetAc1, krippendorffAlpha, percentAgreement } from './agreement.js';
import type { JudgeSheet } from './judge-run.js';
import { formatValue } from './number-format.js';
import { PatchSize } from './patch-size.js';
import { readProposals, SheetKind } from './proposal.js';
import { proposalAgreement } from './proposing.js';
import type { Report } from './report.js';
import { type Block, type Content, heading, list, type Section, table, text } from './report-document.js';
import { sheetsOf } from './scoring-state.js';
import type { SavedSheet } from './sheet.js';
import type { Study } from './study.js';

const count = z.int().nonnegative();
const Value = z.union([z.boolean(), z.number()]);

/** What tests and a judge say of the variants, beside the scores: nothing here enters a metric. */
export const Proof = z.strictObject({
  /** By requirement and arm: valid runs whose code passes the hidden tests. */
  requirements: z.array(
    z.strictObject({
      case: z.string(),
      requirement: z.string(),
      arm: z.string(),
      holds: count,
      fails: count,
      error: count,
      runs: count,
    }),
  ),
  /** By mutant and arm: valid runs whose tests catch it. `notTold`: their tests ask for another contract. */
  defects: z.array(
    z.strictObject({
      case: z.string(),
      mutant: z.string(),
      breaks: z.array(z.string()),
      arm: z.string(),
      caught: count,
      missed: count,
      notTold: count,
      runs: count,
    }),
  ),
  /** By run: how much its patch touches. No score takes it as input. */
  patches: z.array(z.strictObject({ trial: z.string(), arm: z.string(), ...PatchSize.shape })),
  proposals: z.strictObject({
    rows: count,
    told: count,
    /** Told proposals beside the sheets, one for each sheet. */
    agree: count,
    differ: z.array(
      z.strictObject({
        content: z.string(),
        case: z.string(),
        sheet: z.string(),
        row: z.string(),
        proposed: Value,
        scorer: z.string(),
        scored: Value,
        reason: z.string(),
      }),
    ),
  }),
  judge: z
    .strictObject({
      name: z.string(),
      scripted: z.boolean(),
      /** True: no person's sheet stands beside it. */
      only: z.boolean(),
      calls: count,
      inputTokens: count.nullable(),
      outputTokens: count.nullable(),
      variants: z.array(
        z.strictObject({
          content: z.string(),
          case: z.string(),
          trials: z.array(z.string()),
          rows: count,
          scored: count,
          unscored: z.array(z.strictObject({ row: z.string(), why: z.string() })),
        }),
      ),
      /** Beside each scorer, by sheet: rows that both scored, on how many they say the same, and coefficients; null where undefined. */
      agreement: z.array(
        z.strictObject({
          scorer: z.string(),
          sheet: SheetKind,
          rows: count,
          same: count,
          percent: z.number().nullable(),
          kappa: z.number().nullable(),
          ac1: z.number().nullable(),
          alpha: z.number().nullable(),
          /** Why a coefficient is undefined. */
          reasons: z.array(z.string()),
        }),
      ),
    })
    .nullable(),
});
export type Proof = z.infer<typeof Proof>;

/**
 * Gathers it from a study; null where the behaviour step has not run. Until the mapping is opened nothing is counted by arm or run,
 * and nothing stands beside a sheet: a scorer would learn the arms, or how others marked.
 */
export async function proofOf(study: Study): Promise<Proof | null> {
  if (study.behaviour === null) return null;
  const open = study.scores?.scoring?.state === 'unblinded';
  const sheets = await sheetsOf(study.lab);
  const { variants } = await readProposals(study.lab.run.proposals);
  const proposals = variants.flatMap((variant) => variant.proposals);
  const beside = open ? proposalAgreement(variants, sheets) : [];
  return {
    ...(open ? armCounts(study) : { requirements: [], defects: [], patches: [] }),
    proposals: {
      rows: proposals.length,
      told: proposals.filter((row) => row.value !== null).length,
      agree: beside.filter((row) => row.agrees === true).length,
      differ: beside.flatMap(({ agrees, proposed, ...row }) =>
        agrees === false && proposed !== null ? [{ ...row, proposed }] : [],
      ),
    },
    judge: judgeOf(study, sheets, open),
  };
}

function armCounts({ lab, behaviour, results }: Study): Pick<Proof, 'requirements' | 'defects' | 'patches'> {
  const valid = results.filter((result) => result.valid);
  const found = (result: { content: string | null; case: string }) =>
    behaviour?.variants.find((row) => row.content === result.content && row.case === result.case);
  const arms = Object.keys(lab.experiment.arms);
  const cells = [...lab.cases.values()].flatMap((one) => arms.map((arm) => ({ one, arm })));
  const runsOf = (one: { name: string }, arm: string) =>
    valid.filter((result) => result.case === one.name && result.arm === arm).flatMap((result) => found(result) ?? []);
  return {
    requirements: cells.flatMap(({ one, arm }) => {
      const runs = runsOf(one, arm);
      return Object.keys(one.hidden).map((requirement) => {
        const outcomes = runs.map((run) => run.requirements.find((row) => row.id === requirement)?.outcome);
        const number = (outcome: string) => outcomes.filter((each) => each === outcome).length;
        const [holds, fails, error] = [number('holds'), number('fails'), number('error')];
        return { case: one.name, requirement, arm, holds, fails, error, runs: runs.length };
      });
    }),
    defects: cells.flatMap(({ one, arm }) => {
      const runs = runsOf(one, arm);
      return one.matrix.map(({ mutant, mustFail }) => {
        const seen = runs.map((run) => run.defects?.mutants.find((row) => row.mutant === mutant)?.caught ?? null);
        const number = (value: boolean | null) => seen.filter((each) => each === value).length;
        const [caught, missed, notTold] = [number(true), number(false), number(null)];
        return { case: one.name, mutant, breaks: mustFail, arm, caught, missed, notTold, runs: runs.length };
      });
    }),
    patches: valid.flatMap((result) => {
      const patch = found(result)?.patch;
      return patch === undefined ? [] : [{ trial: result.id, arm: result.arm, ...patch }];
    }),
  };
}

function judgeOf({ judgement, results }: Study, sheets: SavedSheet[], open: boolean): Proof['judge'] {
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

/** Behaviour, caught defects, size and proposals, and the judge; nothing where the step has not run. */
export function proofSection(report: Report): Section[] {
  const { proof } = report;
  if (proof === null) return [];
  const sealed = proof.patches.length === 0;
  const arms = report.arms.map((arm) => arm.name);
  const grid = <Row extends { case: string; arm: string }>(
    rows: Row[],
    name: (row: Row) => string,
    cell: (row: Row) => string,
  ): Content[][] =>
    [...new Set(rows.map((row) => JSON.stringify([row.case, name(row)])))].map((key) => {
      const [one, title] = JSON.parse(key) as [string, string];
      const of = (arm: string) => rows.find((row) => row.case === one && name(row) === title && row.arm === arm);
      return [`${one} ${title}`, ...arms.map((arm) => (of(arm) === undefined ? 'not available' : cell(of(arm) as Row)))];
    });
  const blocks: Block[] = [
    text('What tests can tell without an opinion. None of it enters a metric above: a person confirms what it proposes.'),
    ...(sealed ? [text('Withheld by arm and run until scoring is unblinded.')] : []),
    table(
      'Requirements that hold in the final code, by hidden tests that no agent sees: runs / valid runs',
      ['Case and requirement', ...arms.map((arm) => `#Arm ${arm}`)],
      grid(
        proof.requirements,
        (row) => row.requirement,
        ({ holds, error, runs }) => `${holds}/${runs}${error > 0 ? ` · ${error} could not be told` : ''}`,
      ),
    ),
    heading('Defects that the runs’ own tests catch'),
    text(
      'Each mutant is the reference solution with one thing broken. A run’s tests have to pass on the reference; one that does not asks for another contract, and is left out: a mutant that it might have caught is “not told”, never “missed”.',
    ),
    table(
      'Mutants caught: runs / valid runs',
      ['Case and mutant (what it breaks)', ...arms.map((arm) => `#Arm ${arm}`)],
      grid(
        proof.defects,
        (row) => `${row.mutant} (${row.breaks.join(', ')})`,
        ({ caught, notTold, runs }) => `${caught}/${runs}${notTold > 0 ? ` · ${notTold} not told` : ''}`,
      ),
    ),
    heading('Size of the patches, reported apart'),
    text('No quality score takes size as its input. Outside: what lies beyond the task’s area, as the case declares it.'),
    table(
      'Files, hunks and lines of each run',
      ['Run', '#Files', '#Hunks', '#Lines added', '#Lines removed', '#Lines outside the area'],
      proof.patches.map((row) => [
        row.trial,
        ...[row.files, row.hunks, row.added, row.removed, row.outside.added + row.outside.removed].map(String),
      ]),
    ),
    heading('What the checks propose, beside the sheets'),
    text(
      `${proof.proposals.told} of ${proof.proposals.rows} proposals could be told. Beside the sheets: ${proof.proposals.agree} agree, ${proof.proposals.differ.length} differ.`,
    ),
    ...(proof.proposals.differ.length === 0
      ? []
      : [
          table(
            'Where a proposal differs from a sheet',
            ['Variant', 'Row', 'Proposed', 'Scored', 'By', 'Why it is proposed'],
            proof.proposals.differ.map((row) => [
              row.content.slice(0, 12),
              row.row,
              String(row.proposed),
              String(row.scored),
              row.scorer,
              row.reason,
            ]),
          ),
        ]),
    ...judgeBlocks(proof.judge),
  ];
  return [{ id: 'behaviour', title: 'What tests prove', blocks }];
}

function judgeBlocks(judge: Proof['judge']): Block[] {
  if (judge === null) return [];
  const tokens = (value: number | null) => formatValue(value, 'tokens');
  return [
    heading(`The judge: ${judge.name}${judge.scripted ? ' (SCRIPTED)' : ''}`),
    ...(judge.scripted ? [text({ strong: 'A SCRIPTED judge understands nothing: its marks measure nothing.' })] : []),
    text(
      `A model that read the redacted variants; it counts in no score. ${judge.calls} calls, ${tokens(judge.inputTokens)} in, ${tokens(judge.outputTokens)} out, in a ledger of its own.${judge.only ? ' Judge only: no person has scored these variants, so nothing says whether it can be trusted.' : ''}`,
    ),
    table(
      'Rows that the judge scored, twice the same and with evidence that exists',
      ['Variant', 'Runs', '#Scored / rows', 'Unscored'],
      judge.variants.map((row) => [
        row.content.slice(0, 12),
        row.trials.join(', '),
        `${row.scored}/${row.rows}`,
        row.unscored.length === 0 ? 'none' : row.unscored.map((one) => `${one.row}: ${one.why}`).join('; '),
      ]),
    ),
    ...(judge.agreement.length === 0
      ? []
      : [
          table(
            'Agreement of the judge with each scorer, over the rows that both scored',
            ['Scorer', 'Sheet', '#Rows', '#Same', '#Percent', '#κ', '#AC1', '#α', 'Undefined'],
            judge.agreement.map((row) => [
              row.scorer,
              row.sheet,
              String(row.rows),
              String(row.same),
              formatValue(row.percent, 'fraction'),
              ...[row.kappa, row.ac1, row.alpha].map((value) => (value === null ? 'undefined' : value.toFixed(2))),
              row.reasons.join('; '),
            ]),
          ),
        ]),
    list(['A judge’s unscored row is no “not found”: it is a row without a verdict.']),
  ];
}
