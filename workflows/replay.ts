import { replay } from 'skill-trial';
import { sayReplay } from './replay-line.js';
import { step } from './step.js';

await step(
  'replay',
  'runs recorded valid trials again, offline, with the recording as the model; words after the name choose trials',
  async ({ lab, words, say }) => {
    const { trials } = await replay(lab, words, (trial) => sayReplay(trial, say));
    const different = trials.filter((one) => one.outcome === 'different').length;
    say(`${trials.length - different} of ${trials.length} trials without a difference; details in ${lab.run.replay}`);
    if (different > 0) process.exitCode = 1;
  },
);
