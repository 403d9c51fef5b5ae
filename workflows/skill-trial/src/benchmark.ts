import { z } from 'zod';
import { modelsOf, scriptsOf } from './arm.js';
import type { EvalSettings } from './eval.js';
import { EvalEffect, type EvalRuns, evalEffects, sortEffects } from './eval-effect.js';
import { contrasts } from './experiment.js';
import { countGrades, TrialGrade } from './grade.js';
import { caseOf, namesOf } from './lab.js';
import { MadeFile, type MadeFiles } from './made-file.js';
import type { Study } from './study.js';
import { TriggerReport, triggerReports } from './trigger-rate.js';

/** One run of an eval, as a benchmark holds it. Tokens and seconds null where unknown. */
export const BenchmarkRun = TrialGrade.extend({
  status: z.string(),
  response: z.string(),
  tokens: z.int().nonnegative().nullable(),
  seconds: z.number().nonnegative().nullable(),
  toolCalls: z.int().nonnegative().nullable(),
  /** What it left in its workspace; absent: nothing, or written before this was kept. */
  files: z.array(MadeFile).optional(),
  /** How many more files it left, which are not named; absent: none. */
  moreFiles: z.int().positive().optional(),
});
export type BenchmarkRun = z.infer<typeof BenchmarkRun>;

export const BenchmarkEval = z.strictObject({
  case: z.string(),
  skill: z.string(),
  /** As its source calls it. */
  id: z.union([z.string(), z.number()]).nullable(),
  name: z.string(),
  prompt: z.string(),
  /** Prompts after the first; absent: none. */
  followUps: z.array(z.string()).optional(),
  /** Runs in the arm that gives the skill, and in its control. */
  with: z.array(BenchmarkRun),
  without: z.array(BenchmarkRun),
  /** Runs in the further arms that give the skill, by the arm's name. */
  further: z.record(z.string(), z.array(BenchmarkRun)),
});
export type BenchmarkEval = z.infer<typeof BenchmarkEval>;

/** How an arm gets its skills: its agent lists them, or their text stands in front of the task. */
const Deliver = z.enum(['catalogue', 'prompt']);

/** The results of the evals of an experiment: what every form of output is made from. */
export const Benchmark = z.strictObject({
  schemaVersion: z.literal(2),
  experiment: z.string(),
  model: z.string(),
  judge: z.string().nullable(),
  /** A scripted model or judge: nothing here is measured. */
  scripted: z.boolean(),
  repeats: z.int().positive(),
  evals: z.array(BenchmarkEval),
  /** Of the first arm with skills against its control. */
  deliver: Deliver,
  effects: z.array(EvalEffect),
  /** Of every further arm against its own control. */
  further: z.array(
    z.strictObject({
      arm: z.string(),
      control: z.string(),
      deliver: Deliver,
      effects: z.array(EvalEffect),
      /** Of an arm whose trigger evals no row before counts; absent where it has none. */
      triggers: z.array(TriggerReport).optional(),
    }),
  ),
  /** Of the first arm with skills. */
  triggers: z.array(TriggerReport),
  /** Runs that count in nothing, and why: what proves them, or the comparison of the arms, failed. Absent: none. */
  invalid: z.array(z.strictObject({ trial: z.string(), problems: z.array(z.string()) })).optional(),
  timedOut: z.strictObject({ with: z.int(), without: z.int() }),
  unscored: z.int().nonnegative(),
});
export type Benchmark = z.infer<typeof Benchmark>;

/** What an iteration is compared by: an earlier version of the lab may have written it. */
export const EarlierBenchmark = z.looseObject({
  evals: z.array(BenchmarkEval.extend({ further: BenchmarkEval.shape.further.default({}) })),
});
export type EarlierBenchmark = z.infer<typeof EarlierBenchmark>;

/**
 * The benchmark of a graded study: the first contrast of its arms, and what the further ones show. Invalid trials are left out.
 * `responses`, `files` and `tokens` hold what each trial answered, left behind and used in all, by its id: a provider may say how long a
 * prompt was and not how much of it was cached.
 */
export function makeBenchmark(
  study: Study,
  responses: Map<string, string>,
  files: Map<string, MadeFiles> = new Map(),
  tokens: Map<string, number | null> = new Map(),
): Benchmark {
  const { lab, grading } = study;
  const [contrast, ...others] = contrasts(lab.experiment);
  const valid = study.results.filter((result) => result.valid);
  const runsOf = (name: string, arm: string | undefined): BenchmarkRun[] =>
    valid.flatMap((result) => {
      const grade = grading?.trials.find((row) => row.trial === result.id);
      if (result.case !== name || result.arm !== arm || grade === undefined) return [];
      const {
        input_tokens_uncached: fresh,
        input_tokens_cached: cached,
        output_tokens: output,
        elapsed_seconds,
        tool_calls,
      } = result.values;
      const made = files.get(result.id) ?? { files: [], more: 0 };
      const split = fresh === null || output === null ? null : fresh + (cached ?? 0) + output;
      return [
        {
          ...grade,
          status: result.status,
          response: responses.get(result.id) ?? '',
          tokens: split ?? tokens.get(result.id) ?? null,
          seconds: elapsed_seconds,
          toolCalls: tool_calls,
          ...(made.files.length === 0 ? {} : { files: made.files }),
          ...(made.more === 0 ? {} : { moreFiles: made.more }),
        },
      ];
    });
  const evals = lab.experiment.cases.flatMap((name): BenchmarkEval[] => {
    const one = caseOf(lab, name);
    if (one.eval === undefined) return [];
    const { skill, source, follow_ups: followUps = [] } = one.eval as EvalSettings;
    return [
      {
        case: name,
        skill,
        id: source?.id ?? null,
        name: source?.name ?? one.title,
        prompt: one.taskBytes.toString('utf8'),
        ...(followUps.length === 0 ? {} : { followUps }),
        with: namesOf(lab, contrast?.arm ?? '', name).length > 0 ? runsOf(name, contrast?.arm) : [],
        without: runsOf(name, contrast?.control),
        further: Object.fromEntries(others.map(({ arm }) => [arm, runsOf(name, arm)])),
      },
    ];
  });
  const margin = lab.experiment.decision.equivalence_margin;
  const deliverOf = (arm: string | undefined) => lab.experiment.arms[arm ?? '']?.deliver ?? 'catalogue';
  const effectsOf = (sides: (one: BenchmarkEval) => EvalRuns) => {
    const scored = evals
      .map((one) => ({ skill: one.skill, ...sides(one) }))
      .filter(({ with: runs, without }) => [...runs, ...without].some(({ assertions }) => assertions.length > 0));
    const skills = [...new Set(scored.map(({ skill }) => skill))];
    return sortEffects(
      evalEffects(
        skills.map((skill) => ({ skill, evals: scored.filter((one) => one.skill === skill) })),
        margin,
      ),
    );
  };
  // a description belongs to one arm: a placebo, an older version or another model of the same name is no run of it
  const triggersOf = (arm: string | undefined) => triggerReports(lab.experiment.cases.flatMap((name) => runsOf(name, arm)));
  const furtherTriggers = (arm: string, before: (typeof contrast)[]) => {
    const triggers = before.some((one) => one?.arm === arm) ? [] : triggersOf(arm);
    return triggers.length === 0 ? {} : { triggers };
  };
  const invalid = study.results
    .filter((result) => !result.valid && caseOf(lab, result.case).eval !== undefined)
    .map(({ id, problems }) => ({ trial: id, problems }));
  const all = { with: countGrades(evals.flatMap((one) => one.with)), without: countGrades(evals.flatMap((one) => one.without)) };
  return {
    schemaVersion: 2,
    experiment: lab.experiment.name,
    model: modelsOf(lab.experiment)
      .map(({ model }) => model.id)
      .join(', '),
    judge: grading?.judge ?? null,
    scripted: scriptsOf(lab.experiment).length > 0 || grading?.judgeScripted === true,
    repeats: lab.experiment.repeats,
    evals,
    deliver: deliverOf(contrast?.arm),
    effects: effectsOf((one) => one),
    further: others.map(({ arm, control }, index) => ({
      ...furtherTriggers(arm, [contrast, ...others.slice(0, index)]),
      arm,
      control,
      deliver: deliverOf(arm),
      effects: effectsOf((one) => ({ with: one.further[arm] ?? [], without: runsOf(one.case, control) })),
    })),
    triggers: triggersOf(contrast?.arm),
    ...(invalid.length === 0 ? {} : { invalid }),
    timedOut: { with: all.with.timedOut, without: all.without.timedOut },
    unscored: all.with.unscored + all.without.unscored,
  };
}

/** Mean of the known values; null where none is. */
export function meanOf(values: (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}
