import { replay } from 'skill-trial';
import { chalk } from 'zx';
import { step } from './step.js';

await step(
  'replay',
  'runs recorded valid trials again, offline, with the recording as the model; words after the name choose trials',
  async ({ lab, words, say }) => {
    const { trials } = await replay(lab, words, ({ trial, outcome, reason, calls, normalised, differences }) => {
      const colour = { identical: chalk.green, different: chalk.red, 'not-replayed': chalk.yellow }[outcome];
      const uses = Object.entries(normalised).map(([name, count]) => `${name} ${count}`);
      const detail = reason ?? `${calls.asked} of ${calls.recorded} calls; normalised: ${uses.join(', ') || 'nothing'}`;
      say(`${trial} ${colour(outcome)}: ${detail}`);
      for (const { what, diff } of differences) say(`  ${what}${diff === null ? '' : `\n${diff}`}`);
    });
    const different = trials.filter((one) => one.outcome === 'different').length;
    say(`${trials.length - different} of ${trials.length} trials without a difference; details in ${lab.run.replay}`);
    if (different > 0) process.exitCode = 1;
  },
);
