import { formatDistance, formatValue, PrerequisiteError, reachLines, runCalibration, writeProgress } from 'skill-trial';
import { argv, chalk } from 'zx';
import { step } from './step.js';

await step(
  'calibrate',
  'runs the control arm against itself under two labels and prints how far they lie apart by chance; --repeats n',
  async ({ lab, say }) => {
    const repeats = argv.repeats === undefined ? lab.experiment.repeats : Number(argv.repeats);
    if (!Number.isInteger(repeats) || repeats < 1) {
      throw new PrerequisiteError('calibrate --repeats', {
        expected: 'a whole number from 1',
        found: String(argv.repeats),
        next: `npx nx run ${lab.experiment.name}:calibrate --repeats 6`,
      });
    }
    const consent = process.env.SKILL_TRIAL_YES === '1';
    const found = await runCalibration(
      lab,
      repeats,
      { consent, onProgress: (event) => writeProgress(lab.run.progress, event) },
      say,
    );
    if (found.scripted) say(chalk.yellow('SCRIPTED: the noise of this machine and of a script, not of any model'));
    for (const row of found.metrics) {
      const value = (which: number | null) => formatValue(which, row.unit);
      say(
        `${row.title}: ${value(row.spread.median)} (${value(row.spread.min)} to ${value(row.spread.max)}), ${row.n.used} runs; medians ${formatDistance(row.distance, row.unit)} apart, by chance at most ${formatDistance(row.relabelled.p95, row.unit)} in 95 %`,
      );
    }
    for (const line of reachLines(found)) say(line);
    say(`the acceptance rule would have said: ${found.decision.descriptive}, ${found.decision.inferential}`);
    say(`written: ${lab.run.calibrationMarkdown}`);
  },
);
