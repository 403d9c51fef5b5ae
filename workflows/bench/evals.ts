// 100 runs of an agent that only waits, on 8 workers, through the real graph, and what the lab adds to each: npm run bench -- evals
import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { findRoot, openLab, readStudy } from 'skill-trial';
import { argv } from 'zx';

const [runs, workers, wait] = [Number(argv.runs ?? 100), Number(argv.workers ?? 8), Number(argv.wait ?? 30)];
const name = 'waiting';
const cases = ['eval-ask-first-open', 'eval-ask-first-clear'];
const root = findRoot();
const bench = await mkdtemp(join(tmpdir(), 'bench-evals-'));

// One question to the model, and then nothing: no time but the lab's own, and no processor, goes into the agent.
const agent = `set -e
url=\${1#http://}; path=/\${url#*/}; at=\${url%%/*}
body='{"model":"scripted-1","messages":[{"role":"user","content":"wait"}]}'
exec 3<>/dev/tcp/\${at%:*}/\${at#*:}
printf 'POST %s/chat/completions HTTP/1.1\\r\\nHost: lab\\r\\nConnection: close\\r\\nContent-Type: application/json\\r\\nContent-Length: %s\\r\\n\\r\\n%s' "$path" "\${#body}" "$body" >&3
cat <&3 >/dev/null
sleep ${wait}
echo done
`;
const experiment = (await readFile(join(root, 'data/experiments/runtime-evals/experiment.yaml'), 'utf8'))
  .replace(/^name: .*$/m, `name: ${name}`)
  .replace(/^cases:\n(?: {2}.*\n)+/m, `cases: [${cases.join(', ')}]\n`)
  .replace(/^arms:\n(?: {2}.*\n)+/m, 'arms: {A: {skills: []}, B: {skills: [ask-first]}}\n')
  .replace(/^repeats: .*$/m, `repeats: ${Math.ceil(runs / 4)}`)
  .replace(
    /^ {2}name: pi$/m,
    '  name: command\n  command: {title: Waits, version: "1", program: waits, argv: [bash, "{program}/wait.sh", "{base_url}"], skills: {from: mounted}}',
  )
  .replace(/wall_seconds: .*$/m, `wall_seconds: ${wait + 120}`);

/** A command in the bench's own root; its seconds. What it prints is shown only when it fails. */
async function timed(words: string[]): Promise<number> {
  const from = process.hrtime.bigint();
  const child = spawn(process.execPath, words, {
    cwd: bench,
    env: { ...process.env, SKILL_TRIAL_ROOT: bench, NX_DAEMON: 'false', NX_TUI: 'false', NX_ISOLATE_PLUGINS: 'false' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}:\n${text}`);
  return Number(process.hrtime.bigint() - from) / 1e9;
}

try {
  for (const shared of ['node_modules', 'workflows', 'skills-src', 'data/cases', 'notebooks']) {
    await mkdir(join(bench, 'data'), { recursive: true });
    await symlink(join(root, shared), join(bench, shared));
  }
  for (const file of ['nx.json', 'package.json']) await cp(join(root, file), join(bench, file));
  const folder = join(bench, 'data/experiments', name);
  await mkdir(join(folder, 'waits'), { recursive: true });
  await writeFile(join(folder, 'waits/wait.sh'), agent);
  await writeFile(join(folder, 'experiment.yaml'), experiment);
  await timed(['workflows/dist/1-freeze.js', name]);
  const load = loadavg()[0] as number;
  // the trials alone: what they depend on stands
  const nx = ['node_modules/nx/dist/bin/nx.js', 'run-many', '-t', 'trial', '-p', `tag:experiment:${name}`];
  const makespan = await timed([...nx, `--parallel=${workers}`, '--excludeTaskDependencies', '--skipNxCache']);
  const study = await readStudy(await openLab(bench, name));
  const grading = await timed(['workflows/dist/4-grade.js', name]);
  const records = study.trials.map(({ record }) => record);
  const started = new Map<string, number>();
  const lab: number[] = [];
  for (const { event, at } of study.ledger) {
    if (event.kind === 'started') started.set(event.trial, Date.parse(at));
    if (event.kind === 'ended') lab.push((Date.parse(at) - (started.get(event.trial) as number)) / 1000);
  }
  const median = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
  const agentSeconds = median(records.map((record) => record.elapsedSeconds));
  const inRunner = median(lab);
  const ideal = Math.ceil(records.length / workers) * wait;
  const rows: [string, string][] = [
    ['runs, workers, seconds that the agent waits', `${records.length}, ${workers}, ${wait}`],
    ['makespan, from the command to its end', `${makespan.toFixed(1)} s`],
    ['ideal makespan', `${ideal} s`],
    ['reached', `${((100 * ideal) / makespan).toFixed(1)} %`],
    ['agent process, median of a run', `${agentSeconds.toFixed(2)} s`],
    ['workspace and sandbox, until the agent starts', `${median(records.map((record) => record.setupSeconds)).toFixed(2)} s`],
    ['workspace, sandbox, capture, attestation and record, all of it', `${(inRunner - agentSeconds).toFixed(2)} s`],
    ['graph and start of the runner, by what is left', `${((makespan * workers) / records.length - inRunner).toFixed(2)} s`],
    ['grade', `${(grading / records.length).toFixed(2)} s`],
    ['machine', `${cpus().length} processors, load ${load.toFixed(1)} before, ${(loadavg()[0] as number).toFixed(1)} after`],
  ];
  console.log(rows.map(([what, value]) => `${what.padEnd(66)}${value}`).join('\n'));
} finally {
  await rm(bench, { recursive: true, force: true });
}
