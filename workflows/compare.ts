// node workflows/dist/compare.js <before> <after>: what two reports say differently. nx run <experiment>:compare --with <report.json>
import { resolve } from 'node:path';
import { compareReports, differenceMarkdown, differenceText, findRoot, Report, readJson, runPaths } from 'skill-trial';
import { argv } from 'zx';
import { reportingErrors } from './step.js';

const words = argv._.map(String);
const other = argv.with === undefined ? words[1] : String(argv.with);

if (argv.help || words[0] === undefined || other === undefined) {
  console.log(`compare: what two reports say differently, as text or Markdown

  node workflows/dist/compare.js <before/report.json> <after/report.json> [--markdown]
  npx nx run <experiment>:compare --with <before/report.json> [--markdown]`);
  process.exitCode = argv.help ? 0 : 1;
} else {
  await reportingErrors(async () => {
    // as a target: the experiment's own report is the newer one
    const [before, after] =
      argv.with === undefined ? [words[0], other] : [other, runPaths(findRoot(), String(words[0])).reportJson];
    const found = compareReports(await readJson(resolve(String(before)), Report), await readJson(resolve(String(after)), Report));
    process.stdout.write(argv.markdown ? differenceMarkdown(found) : differenceText(found));
  });
}
