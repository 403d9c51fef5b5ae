import { readStudy, runJudge } from 'skill-trial';
import { step } from './step.js';

await step(
  'judge',
  'lets the judge of experiment.yaml score every variant, blind and beside people, with a budget, records and a ledger of its own',
  async ({ lab, say }) => {
    const { trials } = await readStudy(lab);
    const { judge, scripted, variants } = await runJudge(lab, trials, say);
    if (scripted) say(`${judge} is SCRIPTED: it understands nothing, and its marks measure nothing`);
    for (const { content, marks, calls, inputTokens, outputTokens } of variants) {
      const unscored = marks.filter((mark) => mark.value === null);
      const tokens = inputTokens === null ? 'tokens unknown' : `${inputTokens} + ${outputTokens ?? 'unknown'} tokens`;
      say(`${content.slice(0, 12)}: ${marks.length - unscored.length} of ${marks.length} rows scored; ${calls} calls, ${tokens}`);
      for (const why of new Set(unscored.map((mark) => mark.why)))
        say(
          `  unscored: ${unscored
            .filter((mark) => mark.why === why)
            .map((mark) => mark.row)
            .join(', ')}: ${why}`,
        );
    }
    say('its marks stand beside those of people and count in no score');
  },
);
