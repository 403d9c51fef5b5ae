import { takeStartTurn } from 'skill-trial/start-turn';

// before the library is loaded: see takeStartTurn
const endTurn = await takeStartTurn();
const [
  { outlook, outlookWords, readProgress, recordedTrials, runTrials, sweepSessions, trialsOfArm, writeProgress },
  { argv },
  { step },
] = await Promise.all([import('skill-trial/run'), import('zx'), import('./step.js')]);

await step('run', 'runs the named trials (<case>.<arm>.<repeat> …) one after the other', async ({ lab, words, say }) => {
  // a trial may wait for another process that runs it: not with a place of those who start
  await endTurn();
  const swept = await sweepSessions();
  if (swept > 0) say(`removed ${swept} folder(s) left by a killed run`);
  const names = words.length > 0 ? words : trialsOfArm(lab.experiment, argv.arm);
  await runTrials(lab, names, {
    consent: process.env.SKILL_TRIAL_YES === '1',
    onProgress: async (event) => {
      await writeProgress(lab.run.progress, event);
      if (event.event === 'started') say(`${event.trial} started (${event.note})`);
      if (event.event === 'ended')
        say(`${event.trial} ${event.note}: ${event.modelCalls} model calls, ${event.tokens ?? 'unknown'} tokens`);
      if (event.event === 'kept') say(`${event.trial} kept: ${event.note}`);
    },
  });
  const all = { recorded: await recordedTrials(lab), total: trialsOfArm(lab.experiment).length };
  say(outlookWords(outlook(await readProgress(lab.run.progress), all)));
});
await endTurn();
