// npm start: one command from settings to report. It owns the screen; the work is done by the graph's tasks.
import { createInterface } from 'node:readline/promises';
import {
  findRoot,
  listExperiments,
  modelsOf,
  openLab,
  PrerequisiteError,
  questionsOf,
  readReport,
  recordedTrials,
  runPaths,
  scriptsOf,
  trialsOfArm,
} from 'skill-trial';
import { argv, chalk } from 'zx';
import { runGraph } from './graph-run.js';
import { printTable } from './result-table.js';
import { ensureParts, labParts } from './set-up.js';
import { reportingErrors } from './step.js';

const root = findRoot();
const name = String(argv._[0] ?? 'inventory');

if (argv.help) {
  console.log(`npm start [-- <experiment>] [--yes]

Runs an experiment from freeze to verify and prints what came out. What is recorded is kept: a second start only does what is missing.
  <experiment>  one of ${(await listExperiments(root)).join(', ')} (default: inventory)
  --yes         run trials with a real model without asking`);
} else {
  await reportingErrors(async () => {
    const from = performance.now();
    const say = (text: string) => console.log(`${chalk.dim('start:')} ${text}`);
    await ensureParts(labParts, say);
    const lab = await openLab(root, name);
    // also where every agent's model is scripted: a real judge asks for a yes too
    if (argv.yes) process.env.SKILL_TRIAL_YES = '1';
    const real = modelsOf(lab.experiment).flatMap(({ model }) => (model.scripted === undefined ? [model.id] : []));
    if (scriptsOf(lab.experiment).length > 0)
      say(chalk.yellow('the model is SCRIPTED: this run shows how the lab works and measures nothing about the skills'));
    if (real.length > 0) await askBeforeSpending(lab, real.join(' and '));
    const run = await runGraph(lab, 'verify', say);
    const seconds = ((performance.now() - from) / 1000).toFixed(1);
    if (run.exitCode === 0) {
      printTable((await readReport(lab)).report);
      say(`report: ${runPaths(root, name).reportPage}`);
      say(`${run.cached} of ${run.tasks} tasks from the cache; ${seconds} s`);
      return;
    }
    process.exitCode = 1;
    say(chalk.red(run.stoppedBy === null ? 'a step failed, see above' : `stopped by ${run.stoppedBy}`));
    say(`what is recorded stays: start again to continue. Everything the steps printed is in ${run.log}`);
  });
}

/** A real model costs money: say how much at most, and ask, unless every trial is recorded already. */
async function askBeforeSpending(lab: Awaited<ReturnType<typeof openLab>>, models: string): Promise<void> {
  const { limits } = lab.experiment;
  const left = trialsOfArm(lab.experiment).length - (await recordedTrials(lab));
  if (process.env.SKILL_TRIAL_YES === '1') return;
  // Nothing left by the last freeze: no question. Should a changed setting call for new trials, the run step refuses without a yes.
  if (left === 0) return;
  // each set of skills is asked once, one that is not empty twice; a trial whose surroundings fail is tried again
  const questions = questionsOf(lab).reduce((sum, [asked]) => sum + (lab.experiment.arms[asked.arm]?.skills.length ? 2 : 1), 0);
  const sessions = left * limits.attempts + questions;
  const cap =
    limits.cost_usd === null
      ? 'no cap is set (limits.cost_usd)'
      : `at most about ${(limits.cost_usd * sessions).toFixed(2)} USD, all attempts and discovery questions counted (a cap ends a session at the call after it is reached)`;
  const judge = lab.experiment.evals === undefined ? undefined : lab.experiment.judge;
  const judged =
    judge === undefined || judge.model.scripted !== undefined
      ? ''
      : ` The judge ${judge.model.id} then reads each of them (${judge.cost_usd === null ? 'no cap is set: judge.cost_usd' : `at most ${judge.cost_usd} USD each`}).`;
  const question = `${left} trials and ${questions} discovery questions with ${models}: ${cap}.${judged} Run them? [y/N] `;
  if (!process.stdin.isTTY)
    throw new PrerequisiteError('Trials with a real model may cost money', {
      expected: 'a yes',
      found: 'no terminal to ask on',
      next: `npm start -- ${name} --yes`,
    });
  const prompt = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await prompt.question(question);
  prompt.close();
  if (!/^y(es)?$/i.test(answer.trim()))
    throw new PrerequisiteError('Not run', { expected: 'yes', found: answer || 'nothing', next: 'start again when you want to' });
  process.env.SKILL_TRIAL_YES = '1';
}
