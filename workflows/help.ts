import { findRoot, readExperiment } from 'skill-trial/settings';
import { listTargets } from 'skill-trial-graph';
import { argv } from 'zx';

const name = String(argv._[0]);
const experiment = await readExperiment(findRoot(), name).catch(() => null);
console.log(`npx nx run ${name}:<target>\n`);
for (const [target, line] of listTargets(experiment)) console.log(`  ${target.padEnd(18)} ${line}`);
