import { writeReport, writeReportIndex } from 'skill-trial';
import { step } from './step.js';

await step(
  'report',
  'writes report.json with its schema, report.md, index.html, junit.xml and the figures with their data',
  async ({ lab, say }) => {
    const { folder } = await writeReport(lab);
    await writeReportIndex(lab.root);
    say(`${folder}/index.html`);
  },
);
