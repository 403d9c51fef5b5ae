import { targetHelp } from 'skill-trial-graph';
import { argv } from 'zx';

console.log(`npx nx run ${argv._[0]}:<target>\n`);
for (const [target, line] of Object.entries(targetHelp)) console.log(`  ${target.padEnd(18)} ${line}`);
