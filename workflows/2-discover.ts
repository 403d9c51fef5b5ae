import { discover, readWorkers } from 'skill-trial';
import { step } from './step.js';

await step('discover', 'asks each arm which skills it sees; stops when both see the same', async ({ lab, say }) => {
  const workers = lab.experiment.order === 'parallel' ? await readWorkers(lab.root) : 1;
  const discovery = await discover(lab, { consent: process.env.SKILL_TRIAL_YES === '1', workers });
  for (const row of discovery.arms) say(`${row.case}, arm ${row.arm}: ${row.listed.join(', ') || 'no skills'}`);
  for (const row of discovery.checklist) say(`[${row.holds ? 'x' : ' '}] ${row.item}`);
});
