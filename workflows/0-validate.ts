import { findAgent, findLeaks, readSkills } from 'skill-trial';
import { step } from './step.js';

await step('validate', 'reads every file the experiment names, all skills, and looks for leaks', async ({ lab, say }) => {
  const skills = await readSkills(lab.paths.skills);
  for (const skill of skills) for (const warning of skill.warnings) say(`warning: ${skill.name}: ${warning}`);
  for (const one of lab.cases.values()) {
    for (const leak of await findLeaks(one, lab.skills.values()))
      say(`warning: ${leak.skill} holds "${leak.word}" of case ${one.name} (${leak.file}:${leak.line}); freeze will refuse it`);
  }
  const program = await findAgent(lab.experiment.agent.name).find(lab.root);
  say(
    `${lab.experiment.name}: ${lab.cases.size} case(s), ${Object.keys(lab.experiment.arms).length} arms, ${lab.experiment.repeats} repeats; ${skills.length} skills are valid; ${program.package} ${program.version}`,
  );
});
