// The library's one list of exports: what steps, notebooks, the graph plugin and adapters may use.

export { adjudicate, listDisputes, type Verdict } from './adjudication.js';
export { agents, findAgent } from './agent.js';
export { AgreementRow, agreementRows } from './agreement-row.js';
// notebooks and figures
export { type Analysis, analyse, listNotebooks, publishers, readAnalysis } from './analyse.js';
export { analyseStudy, analysis, costMetrics, qualityMetrics } from './analysis.js';
export { armWords, modelOf, modelsOf, scriptsOf } from './arm.js';
export { AtifTrajectory, exportTrajectories } from './atif.js';
export { runBehaviour } from './behaviour-run.js';
export { type BlindDocument, type BlindTestRun, blindDocuments, blindTestRuns } from './blind-artifact.js';
export { type Bundle, makeBundle } from './bundle.js';
export { type BundleVerification, verifyBundle } from './bundle-check.js';
export { Calibration, reachLines, runCalibration } from './calibration.js';
export { CaseSettings, listCases, readCase } from './case.js';
export { type Claim, claimFindings, extractClaims } from './claim.js';
export { systemClock } from './clock.js';
export { compareArms, contrastName } from './comparison.js';
export { completeness } from './completeness.js';
export { consistency } from './consistency.js';
export { runControl, runStability } from './control.js';
// the scoring desk
export {
  type Desk,
  type DeskPair,
  type DeskVariant,
  type EvaluatorMarks,
  evaluatorName,
  listEvaluators,
  mark,
  openDesk,
  proposeFindings,
  readMarks,
} from './desk.js';
export { discover } from './discovery.js';
export { questionsOf } from './discovery-question.js';
export { CellValue, Dispute, DisputePart } from './dispute.js';
export { shown } from './document.js';
export { FrozenError, InfrastructureError, LabError, PrerequisiteError, RecordError, SettingsError } from './errors.js';
export { Evidence, evidenceText } from './evidence.js';
export { exportPair, importPair } from './exchange.js';
export { contrasts, Experiment, listExperiments, readExperiment } from './experiment.js';
export { armColours, armScale, figureTheme, renderFigure } from './figure.js';
export { completenessFigure } from './figures/completeness.js';
export { consistencyFigure } from './figures/consistency.js';
export { dumbbellFigure } from './figures/dumbbell.js';
export { efficiencyFigure } from './figures/efficiency.js';
export { powerFigure } from './figures/power.js';
export { precisionFigure } from './figures/precision.js';
export { rubricFigure } from './figures/rubric.js';
export { slopesFigure } from './figures/slopes.js';
export { trajectoryFigure } from './figures/trajectory.js';
export { freeze } from './freeze.js';
// benches
export { openGateway } from './gateway.js';
export { runGrading } from './grade-run.js';
export { GuessMeasure } from './guess.js';
export { writeIteration } from './iteration.js';
export { runJudge } from './judge-run.js';
export { installKernelspec } from './kernelspec.js';
// steps
export { type Lab, openLab } from './lab.js';
export { findLeaks } from './leak.js';
export { lockScoring } from './locking.js';
export { guessMeasure, type OpenPair, unblind } from './mapping.js';
export { FindingMark, foldMarks, MarkEvent, type Marks, marksOf, type RowMark, type VariantMarks, variantKey } from './mark.js';
export { openGuesses } from './mark-check.js';
export type { Progress, VariantProgress } from './mark-progress.js';
export { MetricId, metricOf, metrics } from './metric.js';
export { executeNotebooks, formatNotebook, notebookWithOutputs, readNotebook, stripOutputs } from './notebook.js';
export { checkNotebooks, describeProblem, type NotebookProblem } from './notebook-check.js';
export { formatDelta, formatDistance, formatValue } from './number-format.js';
export { opening } from './opening.js';
// settings
export { type Outlook, outlook, outlookWords, progressFollower, readProgress, underWay } from './outlook.js';
export { findRoot, rootPaths, runPaths } from './paths.js';
export { permutationTest } from './permutation.js';
export { makePlan, planLines } from './plan.js';
export { pooledPrecision, precision } from './precision.js';
export { ProgressEvent, writeProgress } from './progress.js';
export { Proposal, Proposals, readProposals, SheetKind } from './proposal.js';
export { publish, publishFigure, readPublished, showFigure, showTable } from './publish.js';
// analysis, for notebooks
export { type BenchmarkRow, type EvalRow, readBenchmarkTable, readEvalTable } from './published-tables.js';
export { adoptReceipts, recordedTrials } from './receipts.js';
export { prettyJson, readJson, writeWhole } from './record.js';
export { Replay, replay, TrialReplay } from './replay.js';
export { assembleReport, Report, reportJsonSchema } from './report.js';
// report
export { compareReports, differenceMarkdown, differenceText } from './report-difference.js';
export { readReport, writeReport } from './report-files.js';
export { writeReportIndex } from './report-index.js';
export { printReport } from './report-pdf.js';
export { readRubric } from './rubric.js';
export { readRuns, runLines } from './run-file.js';
export { type Run, RunTable } from './run-table.js';
export { findSandbox, installCommand } from './sandbox.js';
export { makeSchedule, trialsOfArm } from './schedule.js';
export { score } from './score-run.js';
export { DeskLock, readDeskLock } from './scoring-lock.js';
export { ScoringState, scoringState, sheetsOf } from './scoring-state.js';
export { sweepSessions } from './session-sweep.js';
export { Finding, FindingStatus, Sheet } from './sheet.js';
export { calibrate, calibrationTable, scenarios, wilsonCoverage } from './simulation.js';
export { readSkill, readSkills } from './skill.js';
export { readSkillSet, writeSkillSet } from './skill-set.js';
export { testArms } from './statistic.js';
export { costEfficiency, costIncrease, costIncreases, passDifference } from './statistics/efficiency.js';
export { fisherTest } from './statistics/fisher.js';
export { adjustP, repeatsForMany } from './statistics/multiplicity.js';
export { seededRandom } from './statistics/random.js';
export { openStudy, readStudy, type Study, variantsOf } from './study.js';
export { delta, ratio, summarise } from './summary.js';
export { readTimelines, type Timeline } from './timeline.js';
export { runTrials } from './trial.js';
export { trialName } from './trial-name.js';
export { readWorkers } from './turn.js';
export { adviseLab, validateLab } from './validation.js';
export { runVerdicts } from './verdict-run.js';
export { type Verification, verify } from './verify.js';
export { version } from './version.js';
export { visible } from './visible.js';
