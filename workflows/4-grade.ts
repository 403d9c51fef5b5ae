import { adoptReceipts, readStudy, readWorkers, runGrading } from 'skill-trial';
import { step } from './step.js';

await step(
  'grade',
  'grades every run of an eval: assertions with a check by that check, the others by the judge of experiment.yaml',
  async ({ lab, say }) => {
    for (const name of await adoptReceipts(lab)) say(`${name} taken over from the cache`);
    const { trials } = await readStudy(lab);
    const grading = await runGrading(lab, trials, {
      consent: process.env.SKILL_TRIAL_YES === '1',
      workers: await readWorkers(lab.root),
    });
    if (grading === null) return say('no case is an eval');
    if (grading.judgeScripted) say(`${grading.judge} is SCRIPTED: it understands nothing, and its grades measure nothing`);
    for (const { trial, assertions, timedOut } of grading.trials) {
      const count = (passed: boolean | null) => assertions.filter((one) => one.passed === passed).length;
      say(
        `${trial}: ${timedOut ? 'timed out' : `${count(true)} of ${count(true) + count(false)} assertions hold, ${count(null)} unscored`}`,
      );
    }
  },
);
