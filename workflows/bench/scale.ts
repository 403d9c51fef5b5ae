// What it takes to plan a whole benchmark: the graph and the task plan of 49 experiments, 490 cases, 2,940 trials: npm run bench -- scale
import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { findRoot } from 'skill-trial';
import { argv } from 'zx';

const [skills, casesEach, repeats] = [Number(argv.skills ?? 49), Number(argv.cases ?? 10), Number(argv.repeats ?? 3)];
const tag = 'swe-skills-bench';
const root = findRoot();
const bench = await mkdtemp(join(tmpdir(), 'bench-scale-'));
const template = await readFile(join(root, 'data/experiments/requirements/experiment.yaml'), 'utf8');

/** A command of Nx in the bench's own root, without its daemon: seconds, peak memory in MiB, what it printed. */
async function nx(words: string[]): Promise<{ seconds: number; mib: number; text: string }> {
  const from = process.hrtime.bigint();
  const child = spawn('/usr/bin/env', ['time', '-f', 'peak=%M', process.execPath, 'node_modules/nx/dist/bin/nx.js', ...words], {
    cwd: bench,
    env: { ...process.env, SKILL_TRIAL_ROOT: bench, NX_DAEMON: 'false', NX_TUI: 'false', NX_ISOLATE_PLUGINS: 'false' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [text, errors] = ['', ''];
  child.stdout.on('data', (chunk) => (text += chunk));
  child.stderr.on('data', (chunk) => (errors += chunk));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`nx ${words.join(' ')} ended with ${code}:\n${text}${errors}`);
  const peak = Number(/peak=(\d+)/.exec(errors)?.[1] ?? Number.NaN);
  return { seconds: Number(process.hrtime.bigint() - from) / 1e9, mib: Math.round(peak / 1024), text };
}

try {
  await mkdir(join(bench, 'data/experiments'), { recursive: true });
  for (const shared of ['node_modules', 'workflows', 'skills-src', 'notebooks'])
    await symlink(join(root, shared), join(bench, shared));
  for (const file of ['nx.json', 'package.json']) await cp(join(root, file), join(bench, file));
  for (let skill = 0; skill < skills; skill++) {
    const name = `swe-skill-${skill}`;
    const cases = Array.from({ length: casesEach }, (_, index) => `${name}-${index}`);
    await mkdir(join(bench, 'data/experiments', name));
    await writeFile(
      join(bench, 'data/experiments', name, 'experiment.yaml'),
      template
        .replace(/^name: .*$/m, `name: ${name}\ntags: [${tag}]`)
        .replace(/^cases:.*\n(?:(?: {2}|\t).*\n)*/m, `cases: [${cases.join(', ')}]\n`)
        .replace(/^repeats: .*$/m, `repeats: ${repeats}`),
    );
  }
  const load = loadavg()[0] as number;
  const first = await nx(['show', 'projects', '-p', `tag:trial`, '--json']);
  const again = await nx(['show', 'projects', '-p', `tag:trial`, '--json']);
  const plan = await nx(['run-many', '-t', 'score', '-p', `tag:${tag}`, '--graph=plan.json']);
  const { tasks } = JSON.parse(await readFile(join(bench, 'plan.json'), 'utf8')).tasks as { tasks: Record<string, unknown> };
  const rows: [string, string][] = [
    ['experiments, cases, trials', `${skills}, ${skills * casesEach}, ${(JSON.parse(first.text) as string[]).length}`],
    ['graph, the first time', `${first.seconds.toFixed(1)} s, ${first.mib} MiB`],
    ['graph, the second time', `${again.seconds.toFixed(1)} s, ${again.mib} MiB`],
    [`plan of run-many -t score (${Object.keys(tasks).length} tasks)`, `${plan.seconds.toFixed(1)} s, ${plan.mib} MiB`],
  ];
  console.log(`node ${process.version}, ${cpus().length} processors, load average ${load.toFixed(1)}\n`);
  console.log(['| what | measured |', '|---|---|', ...rows.map((row) => `| ${row.join(' | ')} |`)].join('\n'));
} finally {
  await rm(bench, { recursive: true, force: true });
}
