import { writeReport } from 'skill-trial';
import { step } from './step.js';

await step('report', 'writes report.json, report.md, index.html and the figures', async ({ lab, say }) => {
  const { folder } = await writeReport(lab);
  say(`${folder}/index.html`);
});
