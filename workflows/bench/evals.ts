// The makespan of runs whose agent only waits, on 8 workers, and what the lab adds to each: npm run bench -- evals
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findRoot, measureSession, openLab } from 'skill-trial';
import { argv } from 'zx';

const [runs, workers, wait] = [Number(argv.runs ?? 100), Number(argv.workers ?? 8), Number(argv.wait ?? 8)];
const lab = await openLab(findRoot(), 'runtime-evals');
const folder = await mkdtemp(join(tmpdir(), 'bench-evals-'));
await mkdir(join(folder, 'bases'));
await writeFile(join(folder, 'owner'), String(process.pid));
try {
  const costs: { setup: number; agent: number; whole: number }[] = [];
  let next = 0;
  const from = process.hrtime.bigint();
  await Promise.all(
    Array.from({ length: workers }, async () => {
      while (next < runs) costs.push(await measureSession(lab, join(folder, `run-${next++}`), join(folder, 'bases'), wait));
    }),
  );
  const { user, system } = process.cpuUsage();
  const makespan = Number(process.hrtime.bigint() - from) / 1e9;
  const ideal = Math.ceil(runs / workers) * wait;
  const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
  console.log(
    `${runs} runs of ${wait} s on ${workers} workers: ${makespan.toFixed(1)} s; ideal ${ideal} s: ${((100 * ideal) / makespan).toFixed(1)} %`,
  );
  console.log(
    `median seconds a run: workspace and sandbox ${median(costs.map((one) => one.setup)).toFixed(2)}, agent process ${median(costs.map((one) => one.agent)).toFixed(2)}, whole ${median(costs.map((one) => one.whole)).toFixed(2)}`,
  );
  // of this process alone, git and the sandbox apart; unlike the times it does not grow with what else the machine does
  console.log(`processor time of the lab: ${((user + system) / 1e6 / runs).toFixed(3)} s a run`);
} finally {
  await rm(folder, { recursive: true, force: true });
}
