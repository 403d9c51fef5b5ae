// The light part of the library, for the graph plugin: reading settings and planning, without agents, models or figures.

export { agentOf, findAgent } from './agent.js';
export { type Experiment, readExperiment } from './experiment.js';
export { findRoot, rootPaths } from './paths.js';
export { presentImages } from './present-images.js';
export { findSandbox } from './sandbox.js';
export { makeSchedule } from './schedule.js';
export { commitOf } from './skill-revision.js';
