// The lab's own error rates: many simulated experiments through its real decision rule, written beside this file as a table.
// node workflows/dist/bench/calibration.js [experiments a row, 1000]
import { join } from 'node:path';
import { calibrate, calibrationTable, findRoot, scenarios, wilsonCoverage, writeWhole } from 'skill-trial';

const experiments = Number(process.argv[2] ?? 1000);
const rows = scenarios.map((one, index) => {
  const row = calibrate(one, experiments, 1000 + index);
  console.log(`${one.title}, ${one.cases} × ${one.repeats}: ${row.supported} of ${experiments} supported`);
  return row;
});
const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
const wilson = [1, 3, 6, 10, 20, 50].map((n) => {
  const { mean, least } = wilsonCoverage(n);
  return `| ${n} | ${percent(mean)} | ${percent(least)} |`;
});
const text = `# How often the lab is wrong

Made by \`node workflows/dist/bench/calibration.js ${experiments}\`; the seeds are fixed, so it comes out the same. Simulated agents with a known effect, in standard deviations between the runs of one arm on one case, in the order of the lab's own schedule, through its own comparison, tests and decision rule. Nothing here is about any real model or skill.

${calibrationTable(rows)}

One rate with Wilson's interval, computed exactly: coverage on average over all rates from .001 to .999, and at the worst of them.

| n | on average | at the worst rate |
|---|---|---|
${wilson.join('\n')}

How to read it. Without an effect "called supported" is a false positive and should not exceed 5 %; with one it is the power. Where a design cannot reject, a rate of 0 proves nothing. The standard error of a share p of ${experiments} is √(p(1 − p)/${experiments}): ${percent(Math.sqrt((0.05 * 0.95) / experiments))} at 5 %. The shift of these cases is held against the mean effect in the cases drawn, the shift over cases and the bootstrap against the effect in all cases.

What follows. The verdict "supported" is about these cases: where effects differ by case it may be right of the cases drawn although they cancel in all cases, so its rate in that row is no error rate. The report prints Wilson's interval, which covers on average over rates and less at rates near 0 and 1, and the two shifts. A shift's interval is withheld where a limit cut one arm off more often than the other: then there is no one shift, and only experiments with as many in both arms are counted here. Timed-out runs lose what they did not do, so timeouts in one arm are an effect, and the rule finds it as one. The bootstrap covers too little at 10 cases: the report prints none.
`;
await writeWhole(join(findRoot(), 'workflows', 'bench', 'calibration.md'), text);
