// The library's one list of exports: what steps, notebooks, the graph plugin and adapters may use.

export { analyseStudy, analysis, costMetrics, qualityMetrics } from './analysis.js';
export { layOutBlind } from './blinding.js';
export { CaseSettings, listCases, readCase } from './case.js';
export { compareArms, testArms } from './comparison.js';
export { completeness } from './completeness.js';
export { consistency } from './consistency.js';
export { runControl, runStability } from './control.js';
export { discover } from './discovery.js';
export { FrozenError, InfrastructureError, LabError, PrerequisiteError, RecordError, SettingsError } from './errors.js';
export { contrasts, Experiment, listExperiments, readExperiment, trialName } from './experiment.js';
export { armColours, armScale, figureTheme, renderFigure } from './figure.js';
export { freeze } from './freeze.js';
// steps
export { type Lab, openLab } from './lab.js';
export { metricOf, metrics } from './metric.js';
export { executeNotebooks, notebookWithOutputs } from './notebook.js';
export { formatDelta, formatValue } from './number-format.js';
// settings
export { findRoot, rootPaths, runPaths } from './paths.js';
export { permutationTest } from './permutation.js';
export { pooledPrecision, precision } from './precision.js';
export { ProgressEvent, writeProgress } from './progress.js';
export { publish, publishFigure, readPublished, showTable } from './publish.js';
export { prettyJson, readJson, writeWhole } from './record.js';
// report
export { assembleReport, Report, reportJsonSchema } from './report.js';
export { readRubric } from './rubric.js';
export { makeSchedule } from './schedule.js';
export { scoreVariants } from './score.js';
export { sweepSessions } from './session.js';
export { readSheets } from './sheet.js';
export { readSkill, readSkills } from './skill.js';
// analysis, for notebooks
export { openStudy, readStudy, type Study, variantsOf } from './study.js';
export { delta, ratio, summarise } from './summary.js';
export { adoptReceipts, runTrials } from './trial.js';
export { version } from './version.js';
