// node workflows/dist/skill-set.js <tag>: the skill tables of all experiments with that tag as one.
import { findRoot, readSkillSet, writeSkillSet } from 'skill-trial';
import { argv, chalk } from 'zx';
import { reportingErrors } from './step.js';

const tag = argv._[0];

if (argv.help || tag === undefined) {
  console.log(`skill-set: one table of all skills that experiments with the same tag measured; p values are corrected over all of them

  node workflows/dist/skill-set.js <tag>`);
  process.exitCode = argv.help ? 0 : 1;
} else {
  await reportingErrors(async () => {
    const root = findRoot();
    const set = await readSkillSet(root, String(tag));
    if (set.missing.length > 0) console.log(chalk.yellow(`skill-set: without a report: ${set.missing.join(', ')}`));
    for (const file of await writeSkillSet(root, set)) console.log(`skill-set: ${file}`);
  });
}
