// All notebooks executed, first with no kept conversion of their cells, then with all of them: npm run bench -- notebooks
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { executeNotebooks, findRoot, listNotebooks, rootPaths } from 'skill-trial';
import { argv } from 'zx';

const root = findRoot();
const experiment = String(argv.experiment ?? 'inventory');
const paths = await listNotebooks(rootPaths(root).notebooks);
const published = await mkdtemp(join(tmpdir(), 'bench-notebooks-'));
console.log(
  `Node ${process.version}, ${cpus().length} processors, load average ${loadavg()[0]?.toFixed(1)}, experiment ${experiment}`,
);
try {
  for (const state of ['cells converted anew', 'cells kept from before']) {
    if (state === 'cells converted anew') await rm(rootPaths(root).cells, { recursive: true, force: true });
    const from = performance.now();
    const runs = await executeNotebooks(paths, {
      cwd: root,
      env: { SKILL_TRIAL_EXPERIMENT: experiment, SKILL_TRIAL_PUBLISH: published },
    });
    const seconds = ((performance.now() - from) / 1000).toFixed(1);
    console.log(`${state}: ${seconds} s in all`);
    for (const { name, elapsedMs } of runs) console.log(`  ${name}: ${(elapsedMs / 1000).toFixed(1)} s`);
  }
} finally {
  await rm(published, { recursive: true, force: true });
}
