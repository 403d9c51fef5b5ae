// Reports of 49 experiments from 2,940 recorded trials, and one table of them: npm run bench -- skill-set. The records are copies of a finished run.
import { spawn } from 'node:child_process';
import { copyFile, cp, link, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  assembleReport,
  findRoot,
  makeSchedule,
  openLab,
  PrerequisiteError,
  prettyJson,
  readAnalysis,
  readReport,
  readStudy,
  runPaths,
  writeReportIndex,
  writeWhole,
} from 'skill-trial';
import { argv } from 'zx';
import { reportingErrors } from '../step.js';

const template = String(argv.template ?? 'requirements');
const tag = 'swe-skills-bench';
const [skills, repeats] = [Number(argv.skills ?? 49), Number(argv.repeats ?? 6)];
const names = Array.from({ length: skills }, (_, index) => `swe-skill-${index}`);

type Json = Record<string, unknown>;
const readJson = async (file: string) => JSON.parse(await readFile(file, 'utf8')) as Json;

/** A second name for a file, or a copy of it where the file system allows none. */
async function second(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await link(from, to).catch(() => copyFile(from, to));
}

/** The template's run under another name, its trials recorded `repeats` times; nothing is run. Returns how many trials there are. */
async function copyRun(root: string, bench: string, name: string): Promise<number> {
  const [from, to] = [runPaths(root, template), runPaths(bench, name)];
  const settings = await readFile(join(root, 'data/experiments', template, 'experiment.yaml'), 'utf8');
  await writeWhole(
    join(bench, 'data/experiments', name, 'experiment.yaml'),
    settings.replace(/^name: .*$/m, `name: ${name}\ntags: [${tag}]`).replace(/^repeats: .*$/m, `repeats: ${repeats}`),
  );
  await mkdir(to.run, { recursive: true });
  for (const entry of await readdir(from.run))
    if (!['lock.json', 'schedule.jsonl', 'specs', 'trials', 'reports'].includes(entry))
      await symlink(join(from.run, entry), join(to.run, entry));
  const lock = (await readJson(from.lock)) as { conditions: { settings: Json } };
  Object.assign(lock.conditions.settings, { name, repeats, tags: [tag] });
  await writeWhole(to.lock, prettyJson(lock));
  const { experiment } = await openLab(bench, name);
  const schedule = makeSchedule(experiment);
  await writeWhole(to.schedule, schedule.map((line) => `${JSON.stringify(line)}\n`).join(''));
  for (const { trial, case: one, arm, repeat } of schedule) {
    const first = `${one}.${arm}.1`;
    const spec = (await readJson(from.spec(first))) as { hash: string };
    await writeWhole(to.spec(trial), prettyJson({ ...spec, repeat }));
    const [source, target] = [from.trial(spec.hash, 1), to.trial(spec.hash, repeat)];
    for (const path of await readdir(source, { recursive: true }))
      if (path !== 'trial.json' && (await stat(join(source, path))).isFile())
        await second(join(source, path), join(target, path));
    const record = await readJson(join(source, 'trial.json'));
    await writeFile(join(target, 'trial.json'), prettyJson({ ...record, id: trial, experiment: name, repeat }));
  }
  return schedule.length;
}

/** What the report step computes from an experiment's records; the notebooks' part is the template's own. Prints the trials it read. */
async function writeReports(root: string): Promise<void> {
  let trials = 0;
  for (const name of names) {
    const lab = await openLab(root, name);
    const study = await readStudy(lab);
    const report = await assembleReport(study, (await readAnalysis(lab)).published, []);
    await writeWhole(lab.run.reportJson, prettyJson(report));
    trials += study.trials.length;
  }
  console.log(`trials=${trials}`);
}

const peak = 'data:text/javascript,process.on("exit",()=>console.error("peak="+process.resourceUsage().maxRSS))';

/** A script in a process of its own: its seconds and its peak memory in MiB as they are printed, and its output. */
async function measured(bench: string, words: string[]): Promise<{ cells: string; text: string }> {
  const from = process.hrtime.bigint();
  const child = spawn(process.execPath, ['--import', peak, ...words], {
    cwd: bench,
    env: { ...process.env, SKILL_TRIAL_ROOT: bench },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [text, errors] = ['', ''];
  child.stdout.on('data', (chunk) => (text += chunk));
  child.stderr.on('data', (chunk) => (errors += chunk));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}:\n${text}${errors}`);
  const seconds = Number(process.hrtime.bigint() - from) / 1e9;
  return { cells: `${seconds.toFixed(1)} s, ${Math.round(Number(/peak=(\d+)/.exec(errors)?.[1]) / 1024)} MiB`, text };
}

const self = fileURLToPath(import.meta.url);
if (argv.reports) await writeReports(findRoot());
else if (argv.index) await writeReportIndex(findRoot());
else await reportingErrors(measure);

async function measure(): Promise<void> {
  const root = findRoot();
  await readReport({ run: runPaths(root, template) }).catch(() => {
    throw new PrerequisiteError('There is no finished run to copy', {
      expected: `a report of the experiment ${template}`,
      found: 'none',
      next: `npm start -- ${template}`,
    });
  });
  const bench = await mkdtemp(join(tmpdir(), 'bench-skill-set-'));
  try {
    await mkdir(join(bench, 'data'), { recursive: true });
    for (const shared of ['node_modules', 'workflows', 'skills-src', 'notebooks', 'data/cases'])
      await symlink(join(root, shared), join(bench, shared));
    for (const file of ['nx.json', 'package.json']) await cp(join(root, file), join(bench, file));
    let trials = 0;
    for (const name of names) trials += await copyRun(root, bench, name);
    const load = loadavg()[0] as number;
    const reports = await measured(bench, [self, '--reports', '--skills', String(skills)]);
    const read = Number(/trials=(\d+)/.exec(reports.text)?.[1]);
    if (read !== trials) throw new Error(`${trials} trials were written and ${read} read`);
    const set = await measured(bench, ['workflows/dist/skill-set.js', tag]);
    const { tables } = (await readJson(join(bench, 'reports/skill-sets', `${tag}.json`))) as { tables: { rows: unknown[] }[] };
    const index = await measured(bench, [self, '--index']);
    const largest = Math.max(
      ...(await Promise.all(names.map(async (name) => (await stat(runPaths(bench, name).reportJson)).size))),
    );
    console.log(`node ${process.version}, ${cpus().length} processors, load average ${load.toFixed(1)}\n`);
    console.log(
      [
        '| what | measured |',
        '|---|---|',
        `| experiments, recorded trials (SCRIPTED, copies) | ${skills}, ${trials} |`,
        `| report.json of each, one after the other in one process | ${reports.cells} |`,
        `| skill-set.js: one table of ${tables.reduce((sum, { rows }) => sum + rows.length, 0)} rows | ${set.cells} |`,
        `| reports/index.html | ${index.cells} |`,
        `| largest report.json | ${(largest / 2 ** 20).toFixed(1)} MiB |`,
      ].join('\n'),
    );
  } finally {
    await rm(bench, { recursive: true, force: true });
  }
}
