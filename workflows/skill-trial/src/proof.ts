import { z } from 'zod';
import { judgeOf } from './judge-agreement.js';
import { PatchSize } from './patch-size.js';
import { readProposals, SheetKind } from './proposal.js';
import { proposalAgreement } from './proposing.js';
import { sheetsOf } from './scoring-state.js';
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
