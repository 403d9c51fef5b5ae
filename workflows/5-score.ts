import { score } from 'skill-trial';
import { step } from './step.js';

await step('score', 'lays out the blinded variants and reads the score sheets; none yet is "pending"', async ({ lab, say }) => {
  const scores = await score(lab);
  for (const row of scores.variants)
    say(`${row.content.slice(0, 12)}: ${row.status}${row.scorers.length === 0 ? '' : ` by ${row.scorers.join(', ')}`}`);
  if (scores.refused.length > 0)
    say(`${scores.refused.length} sheet(s) left out: they score other content than these variants (the report names them)`);
  const pending = scores.variants.filter((row) => row.status === 'pending').length;
  if (pending > 0)
    say(
      `${pending} variant(s) pending: read data/runs/${lab.experiment.name}/blind and write sheets to data/experiments/${lab.experiment.name}/sheets`,
    );
});
