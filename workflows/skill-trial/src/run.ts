// The part of the library that runs a trial: a process is started for each, and loads no figures, notebooks or statistics.

export { LabError } from './errors.js';
export { type Lab, openLab } from './lab.js';
export { outlook, outlookWords, readProgress } from './outlook.js';
export { findRoot } from './paths.js';
export { writeProgress } from './progress.js';
export { recordedTrials } from './receipts.js';
export { trialsOfArm } from './schedule.js';
export { sweepSessions } from './session-sweep.js';
export { runTrials } from './trial.js';
