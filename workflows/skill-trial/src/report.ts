import { relative } from 'node:path';
import { z } from 'zod';
import { AgreementRow } from './agreement-row.js';
import { ConsistencyRow, PooledPrecision, type Published, TrialRow } from './analysis.js';
import { scriptsOf } from './arm.js';
import { AttemptRow, attemptRows } from './attempt-row.js';
import { ComparisonRow } from './comparison.js';
import { Conclusion, conclude } from './conclusion.js';
import { CriticalRisk } from './critical-risk.js';
import { ContrastDecision, Descriptive, decide, Inferential } from './decision.js';
import { Detection, detectFailures } from './detectors.js';
import { contrasts } from './experiment.js';
import { GuessMeasure } from './guess.js';
import { interferenceOf, TrialInterference } from './interference-run.js';
import { limitations } from './limitation.js';
import { Conditions } from './lock.js';
import { Proof, proofOf } from './proof.js';
import { evalsOf, ReportEvals } from './report-evals.js';
import { skillEffectsOf } from './report-skills.js';
import { ScoringState } from './scoring-state.js';
import { SkillEffects } from './skill-effect.js';
import { Statistic } from './statistic.js';
import type { Study } from './study.js';
import { VerdictRow, verdictRows } from './verdict-row.js';
import { VerificationPoint, verifyPoints } from './verification.js';

/** report.json: the machine's view of a report. */
export const Report = z.strictObject({
  schemaVersion: z.literal(1),
  experiment: z.string(),
  title: z.string(),
  question: z.string(),
  /** True: a scripted model was used, and nothing about the skills was measured. */
  scripted: z.boolean(),
  lab: z.string(),
  lock: z.string(),
  frozenAt: z.string(),
  ledgerHead: z.string(),
  arms: z.array(z.strictObject({ name: z.string(), skills: z.array(z.string()), control: z.string().nullable() })),
  conditions: Conditions,
  locks: z.array(z.strictObject({ id: z.string(), frozenAt: z.string(), current: z.boolean(), changes: z.array(z.string()) })),
  attempts: z.array(AttemptRow),
  missing: z.array(z.string()),
  trials: z.array(TrialRow),
  rows: z.array(ComparisonRow),
  statistics: z.array(Statistic),
  precisionPooled: z.array(PooledPrecision),
  criticalRisks: z.array(CriticalRisk),
  consistency: z.array(ConsistencyRow),
  stability: z.array(
    z.strictObject({ content: z.string(), runs: z.int(), green: z.int().nullable(), unsteady: z.array(z.string()) }),
  ),
  verdicts: z.array(VerdictRow).default([]),
  checklist: z.array(z.strictObject({ case: z.string(), item: z.string(), holds: z.boolean() })),
  scoring: z.strictObject({
    scored: z.int(),
    pending: z.int(),
    disputed: z.int(),
    scorers: z.array(z.string()),
    refusedSheets: z.array(z.string()),
    /** open: marks may still change; locked: they may not, and the mapping is sealed; unblinded: scores are shown by arm. */
    state: ScoringState.shape.state,
    /** What decides the state: a scoring desk, or, without one, a sheet for every variant. */
    by: ScoringState.shape.by,
    lockedAt: z.string().nullable(),
    disputes: z.strictObject({ settled: z.int().nonnegative(), open: z.int().nonnegative() }),
    agreement: z.array(AgreementRow),
    guess: GuessMeasure.nullable(),
  }),
  detectors: z.array(Detection),
  verification: z.array(VerificationPoint).length(12),
  decision: z.strictObject({ descriptive: Descriptive, inferential: Inferential, contrasts: z.array(ContrastDecision) }),
  conclusions: z.array(Conclusion),
  limitations: z.array(z.string()),
  figures: z.array(z.strictObject({ name: z.string(), caption: z.string() })),
  /** What tests and a judge say, beside the scores; null in a report made before that step. */
  proof: Proof.nullable().default(null),
  /** Skill by skill, one table for each contrast; [] where no case has a verifier. */
  skills: z.array(SkillEffects).default([]),
  evals: ReportEvals.nullable().default(null),
  /** Runs with skills whose patch shows a name, a line or a file that the task did not ask for. */
  interference: z.array(TrialInterference).default([]),
});
export type Report = z.infer<typeof Report>;

/** Assembles the report from a study and what the notebooks published. Nothing in it depends on when it is assembled. */
export async function assembleReport(
  study: Study,
  published: Published,
  figures: { name: string; caption: string }[],
): Promise<Report> {
  const { lab, lock, results } = study;
  const { experiment } = lab;
  const scripted = scriptsOf(experiment).length > 0;
  const withheld = study.scores?.scoring.state !== 'unblinded';
  const rows = [...published['rows-quality'], ...published['rows-cost']];
  const statistics = [...published['statistics-quality'], ...published['statistics-cost']];
  const pairs = contrasts(experiment);
  const common = { rows, statistics, critical: published['critical-risks'], results };
  const decisions = pairs.map((contrast) =>
    decide({ ...common, contrast, rule: experiment.decision, scripted, cases: experiment.cases.length }),
  );
  const records = [
    lab.run.lock,
    lab.run.schedule,
    lab.run.ledger,
    lab.run.discoveryIndex,
    lab.run.controlIndex,
    lab.run.stabilityIndex,
    lab.run.scores,
  ].map((file) => relative(lab.root, file));
  const main = decisions[0] as ContrastDecision;
  return {
    schemaVersion: 1,
    experiment: experiment.name,
    title: experiment.title,
    question: experiment.question.trim(),
    scripted,
    lab: lock.provenance.lab,
    lock: lock.id,
    frozenAt: lock.frozenAt,
    ledgerHead: study.ledger.at(-1)?.hash ?? '',
    arms: Object.entries(experiment.arms).map(([name, arm]) => ({
      name,
      skills: arm.skills,
      control: pairs.find((pair) => pair.arm === name)?.control ?? null,
    })),
    conditions: lock.conditions,
    locks: lockRows(study),
    attempts: attemptRows(study),
    missing: study.missing,
    trials: published.trials,
    rows,
    statistics,
    precisionPooled: published['precision-pooled'],
    criticalRisks: published['critical-risks'],
    consistency: published.consistency,
    // by content, which would tell a scorer whose tests these are
    stability: (withheld ? [] : (study.stability?.variants ?? [])).map(({ content, green, unsteady }) => ({
      content,
      green,
      unsteady,
      runs: study.stability?.runs ?? 0,
    })),
    verdicts: verdictRows(withheld ? [] : (study.verdicts?.variants ?? [])),
    checklist: study.discovery?.checklist ?? [],
    scoring: {
      scored: results.filter((result) => result.scoring === 'scored').length,
      pending: results.filter((result) => result.scoring === 'pending').length,
      disputed: results.filter((result) => result.scoring === 'disputed').length,
      scorers: [...new Set((study.scores?.variants ?? []).flatMap((variant) => variant.scorers))].sort(),
      refusedSheets: (study.scores?.refused ?? []).map((sheet) => sheet.file),
      ...scoringRow(study.scores),
    },
    detectors: await detectFailures(study),
    verification: await verifyPoints(study, rows),
    decision: { descriptive: main.descriptive, inferential: main.inferential, contrasts: decisions },
    conclusions: pairs.map((contrast, index) =>
      conclude({
        ...common,
        experiment,
        contrast,
        missing: study.missing,
        decision: decisions[index] as ContrastDecision,
        records,
      }),
    ),
    limitations: limitations(study, scripted),
    figures: figures.map(({ name, caption }) => ({ name, caption })),
    proof: await proofOf(study),
    skills: skillEffectsOf(study),
    evals: evalsOf(study),
    interference: await interferenceOf(study),
  };
}

/** How far scoring is, and how well the scorers agree. */
function scoringRow(
  scores: Study['scores'],
): Pick<Report['scoring'], 'state' | 'by' | 'lockedAt' | 'disputes' | 'agreement' | 'guess'> {
  const disputes = scores?.scoring.disputes ?? [];
  const settled = disputes.filter((dispute) => dispute.settled !== null).length;
  return {
    state: scores?.scoring.state ?? 'open',
    by: scores?.scoring.by ?? 'sheets',
    lockedAt: scores?.scoring.lockedAt ?? null,
    disputes: { settled, open: disputes.length - settled },
    agreement: scores?.agreement ?? [],
    guess: scores?.guess ?? null,
  };
}

/** Every lock the experiment had, with what changed from the one before: trials under an older lock stay on the disk. */
function lockRows(study: Study): Report['locks'] {
  return study.locks.map((lock, index) => {
    const before = study.locks[index - 1];
    const keys = Object.keys(lock.conditions) as (keyof Conditions)[];
    const changes =
      before === undefined
        ? []
        : keys.filter((key) => JSON.stringify(lock.conditions[key]) !== JSON.stringify(before.conditions[key]));
    return { id: lock.id, frozenAt: lock.frozenAt, current: index === study.locks.length - 1, changes };
  });
}

/** The JSON Schema of report.json (draft 2020-12). */
export function reportJsonSchema(): unknown {
  return { $id: 'report.schema.json', title: 'Skill Trial report', ...z.toJSONSchema(Report) };
}
