// The light part of the library, for the graph plugin: reading settings and planning, without agents, models or figures.

export { type Experiment, readExperiment } from './experiment.js';
export { findRoot } from './paths.js';
export { makeSchedule } from './schedule.js';
