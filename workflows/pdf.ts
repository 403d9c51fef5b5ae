import { printReport, shown } from 'skill-trial';
import { step } from './step.js';

await step('pdf', 'prints the report to report.pdf, with Chromium', async ({ lab, say }) => say(shown(await printReport(lab))));
