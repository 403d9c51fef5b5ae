// The library's one list of exports: what steps, notebooks, the graph plugin and adapters may use.

// settings
export { findRoot, rootPaths, runPaths } from './paths.js';
export { contrasts, Experiment, listExperiments, readExperiment, trialName } from './experiment.js';
export { CaseSettings, listCases, readCase } from './case.js';
export { readSkill, readSkills } from './skill.js';
export { readRubric } from './rubric.js';
export { LabError, FrozenError, InfrastructureError, PrerequisiteError, RecordError, SettingsError } from './errors.js';
export { version } from './version.js';

// steps
export { openLab, type Lab } from './lab.js';
export { freeze } from './freeze.js';
export { discover } from './discovery.js';
export { adoptReceipts, runTrials } from './trial.js';
export { makeSchedule } from './schedule.js';
export { runControl, runStability } from './control.js';
export { layOutBlind } from './blinding.js';
export { readSheets } from './sheet.js';
export { scoreVariants } from './score.js';
export { sweepSessions } from './session.js';
export { ProgressEvent, writeProgress } from './progress.js';

// analysis, for notebooks
export { openStudy, readStudy, variantsOf, type Study } from './study.js';
export { analyseStudy, analysis, costMetrics, qualityMetrics } from './analysis.js';
export { metricOf, metrics } from './metric.js';
export { completeness } from './completeness.js';
export { pooledPrecision, precision } from './precision.js';
export { consistency } from './consistency.js';
export { delta, ratio, summarise } from './summary.js';
export { permutationTest } from './permutation.js';
export { compareArms, testArms } from './comparison.js';
export { formatDelta, formatValue } from './number-format.js';
export { publish, publishFigure, readPublished, showTable } from './publish.js';
export { executeNotebooks, notebookWithOutputs } from './notebook.js';
export { armColours, armScale, figureTheme, renderFigure } from './figure.js';

// report
export { assembleReport, Report, reportJsonSchema } from './report.js';
export { prettyJson, readJson, writeWhole } from './record.js';
