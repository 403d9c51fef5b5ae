import { adoptReceipts, readStudy, runControl, runStability, runVerdicts } from 'skill-trial';
import { argv } from 'zx';
import { step } from './step.js';

await step(
  'control',
  "runs each variant's tests: whole suite, module, new ones, new ones on the clean base; --stability: the new ones five times",
  async ({ lab, say }) => {
    for (const name of await adoptReceipts(lab)) say(`${name} taken over from the cache`);
    const { trials } = await readStudy(lab);
    if (argv.stability) {
      const { variants, runs } = await runStability(lab, trials, say);
      for (const row of variants)
        say(
          `${row.content.slice(0, 12)}: ${row.green === null ? 'no new tests' : `${row.green} of ${runs} runs green`}${row.unsteady.length === 0 ? '' : `; unsteady: ${row.unsteady.join(', ')}`}`,
        );
      return;
    }
    for (const row of (await runControl(lab, trials, say)).variants) {
      const base =
        row.control === null
          ? 'no new tests'
          : Object.entries(row.control)
              .map(([kind, count]) => `${count} ${kind}`)
              .join(', ');
      say(`${row.content.slice(0, 12)}: suite ${row.suiteGreen ? 'green' : 'RED'}; on the clean base: ${base}`);
    }
    for (const { content, case: one, verdict } of (await runVerdicts(lab, trials, say))?.variants ?? []) {
      const met = verdict.success === null ? 'cannot be told' : verdict.success ? 'met' : 'NOT met';
      say(
        `${content.slice(0, 12)}: requirement of ${one} ${met}, ${verdict.raw.passed} of ${verdict.raw.total} expected tests pass${verdict.flaky.length === 0 ? '' : `; flaky: ${verdict.flaky.join(', ')}`}`,
      );
    }
  },
);
