import { analyse } from 'skill-trial';
import { step } from './step.js';

await step(
  'analyse',
  'executes the notebooks and checks that they published everything the report needs',
  async ({ lab, say }) => {
    const { published, figures } = await analyse(lab, { onStep: say });
    say(`${Object.keys(published).length} values and ${figures.length} figures published`);
  },
);
