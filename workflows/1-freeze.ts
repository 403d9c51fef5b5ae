import { freeze } from 'skill-trial';
import { step } from './step.js';

await step('freeze', 'locks every condition and writes the schedule and one spec per trial', async ({ lab, say }) => {
  const { lock, isNew } = await freeze(lab, say);
  const { sandbox, agent } = lock.conditions;
  say(
    `${isNew ? 'new lock' : 'lock kept'} ${lock.id.slice(0, 12)}: ${agent.package} ${agent.version}, model ${lab.experiment.model.id}${lab.experiment.model.scripted === undefined ? '' : ' (SCRIPTED)'}`,
  );
  say(
    `sandbox ${sandbox.kind}${sandbox.because === null ? '' : ` (${sandbox.because})`}; does not stop: ${sandbox.doesNotStop.join('; ')}`,
  );
});
