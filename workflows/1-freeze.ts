import { freeze, modelsOf } from 'skill-trial';
import { step } from './step.js';

await step('freeze', 'locks every condition and writes the schedule and one spec per trial', async ({ lab, say }) => {
  const { lock, isNew } = await freeze(lab, say);
  const { sandbox, agent } = lock.conditions;
  say(
    `${isNew ? 'new lock' : 'lock kept'} ${lock.id.slice(0, 12)}: ${agent.package} ${agent.version}, model ${modelsOf(
      lab.experiment,
    )
      .map(({ model }) => `${model.id}${model.scripted === undefined ? '' : ' (SCRIPTED)'}`)
      .join(', ')}`,
  );
  say(
    `sandbox ${sandbox.kind}${sandbox.because === null ? '' : ` (${sandbox.because})`}; does not stop: ${sandbox.doesNotStop.join('; ')}`,
  );
});
