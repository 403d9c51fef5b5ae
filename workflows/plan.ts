import { existsSync } from 'node:fs';
import { makePlan, planLines, readStudy, scriptsOf } from 'skill-trial';
import { step } from './step.js';

await step(
  'plan',
  'says what the design can show before it is run: smallest p, detectable effect, repeats or cases needed, time and cost',
  async ({ lab, say }) => {
    // without a lock nothing was run, and the estimates are unknown
    const earlier = existsSync(lab.run.lock) ? (await readStudy(lab)).results : [];
    for (const line of planLines(makePlan(lab.experiment, earlier))) say(line);
    if (scriptsOf(lab.experiment).length > 0) say('time and cost are those of a SCRIPTED model');
  },
);
