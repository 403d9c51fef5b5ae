import { readStudy, writeIteration } from 'skill-trial';
import { step } from './step.js';

await step(
  'benchmark',
  'writes benchmark.json, grading.json, benchmark.md and review.html of graded evals',
  async ({ lab, say }) => {
    const written = await writeIteration(await readStudy(lab));
    if (written === null) return say('no case is an eval');
    say(`iteration ${written.number}${written.fresh ? '' : ' (nothing changed)'}: ${written.folder}/review.html`);
  },
);
