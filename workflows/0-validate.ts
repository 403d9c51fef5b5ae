import { adviseLab, findAgent, readSkills, validateLab } from 'skill-trial';
import { step } from './step.js';

await step(
  'validate',
  'reads every file the experiment names, its sheets and scripts, all skills, looks for leaks and for criteria without a test',
  async ({ lab, say }) => {
    const skills = await readSkills(lab.paths.skills);
    for (const skill of skills) for (const warning of skill.warnings) say(`warning: ${skill.name}: ${warning}`);
    for (const [one, rows] of await validateLab(lab, say)) {
      if (rows.length === 0) continue;
      say(
        `case ${one}: its solution passes every hidden test, and each of ${rows.length - 1} mutants fails exactly what the matrix says`,
      );
    }
    for (const line of await adviseLab(lab)) say(`advice: ${line}`);
    const program = await findAgent(lab.experiment.agent.name).find(lab.root);
    const { name, arms, repeats } = lab.experiment;
    say(
      `${name}: ${lab.cases.size} case(s), ${Object.keys(arms).length} arms, ${repeats} repeats; ${skills.length} skills are valid; ${program.package} ${program.version}`,
    );
  },
);
