// node workflows/dist/export-trajectory.js <experiment> [trial …]: recorded trials in the Agent Trajectory Interchange Format.
import { exportTrajectories } from 'skill-trial';
import { step } from './step.js';

await step(
  'trajectories',
  'writes each recorded trial, or those named, as an ATIF trajectory.json',
  async ({ lab, words, say }) => {
    for (const { trial, file, steps } of await exportTrajectories(lab, words)) say(`${trial}: ${steps} steps, ${file}`);
  },
);
