import type { TargetConfiguration } from '@nx/devkit';
import type { Experiment, makeSchedule } from 'skill-trial/settings';

type Schedule = ReturnType<typeof makeSchedule>;

/** One line for each target, as `nx run <experiment>:help` prints it. */
const targetHelp: Record<string, string> = {
  validate: 'check every file the experiment names',
  plan: 'what the design can show before it is run: smallest p, power, time and cost',
  freeze: 'lock the conditions, write the schedule',
  calibrate: 'run the control arm against itself, and print the noise floor: --repeats n',
  discover: 'ask each arm which skills it sees',
  'run-<arm>': "run the arm's trials, and those the schedule puts before them",
  'negative-control': 'run the new tests on the clean base, and all suites',
  stability: 'run the new tests five times',
  behaviour: 'hidden tests on the final code, its tests on the mutants, its documentation tried out',
  judge: 'let the model of experiment.yaml score the variants, beside people',
  grade: 'grade the runs of evals: checks, and the judge',
  benchmark: 'benchmark.json, benchmark.md and review.html of graded evals',
  score: 'lay out the blinded variants, read the score sheets',
  desk: 'score the blinded variants on a page of your own machine',
  lock: "write every evaluator's sheets and lock scoring",
  disputes: 'list the cells on which the locked sheets differ',
  unblind: 'open the mapping, after the lock',
  analyse: 'execute the notebooks',
  report: 'write report.md, index.html, report.json, junit.xml',
  compare: 'what this report says otherwise than another: --with <report.json>',
  pdf: 'print the report, with Chromium',
  verify: 'derive every number again from the raw records; --bundle <file> those of a bundle',
  bundle: 'one archive of the report and all that it follows from; --sign key.pem',
  replay: 'run the recorded trials again, offline, with their recordings as the model',
  trajectories: 'write each trial as an ATIF trajectory.json',
  help: 'this list',
};

/** What an experiment gives its agent, and the program that it names itself, as far as they are below its folder. */
function agentFiles(name: string, { agent }: Experiment): string[] {
  const below = `{workspaceRoot}/data/experiments/${name}`;
  const program = agent.command?.program ?? '/';
  return [
    ...Object.values(agent.files ?? {}).map((file) => `${below}/${file}`),
    ...(program.startsWith('/') ? [] : [`${below}/${program}/**/*`]),
  ];
}

/** The targets of an experiment with one line each; each arm has a run target of its own. */
export function listTargets(experiment: Experiment | null): [string, string][] {
  return Object.entries(targetHelp).flatMap(([target, line]): [string, string][] =>
    (target === 'grade' || target === 'benchmark') && experiment?.evals === undefined
      ? []
      : target === 'run-<arm>' && experiment !== null
        ? Object.keys(experiment.arms).map((arm) => [`run-${arm}`, line])
        : [[target, line]],
  );
}

const library = [
  '{workspaceRoot}/workflows/skill-trial/src/**/*',
  '{workspaceRoot}/workflows/skill-trial/reporters/*',
  '{workspaceRoot}/workflows/*.ts',
  { externalDependencies: [] },
];

/** The targets of one experiment. `experiment` null: its settings are broken, and every target runs validate, which says how. `conditions`: see conditions.ts. */
export function experimentTargets(
  name: string,
  experiment: Experiment | null,
  schedule: Schedule,
  conditions: string,
): Record<string, TargetConfiguration> {
  const made = (path: string) => `{workspaceRoot}/data/runs/${name}/${path}`;
  const steps: Record<string, TargetConfiguration> = {
    validate: task(`0-validate.js ${name}`),
    help: task(`help.js ${name}`),
    plan: task(`plan.js ${name}`),
    // never cached: its records are its own, and win over a second run
    calibrate: withWords(task(`calibrate.js ${name}`)),
    ...Object.fromEntries(['lock', 'disputes', 'unblind'].map((verb) => [verb, withWords(task(`scoring.js ${name} ${verb}`))])),
  };
  if (experiment === null) {
    for (const target of [
      'freeze',
      'discover',
      'negative-control',
      'stability',
      'behaviour',
      'score',
      'desk',
      'analyse',
      'report',
      'verify',
      'bundle',
      'compare',
      'pdf',
      'replay',
      'trajectories',
    ])
      steps[target] = task(`0-validate.js ${name}`);
    return steps;
  }
  const trials = schedule.map((line) => ({ projects: [`${name}.${line.trial}`], target: 'trial' }));
  const skills = [...new Set(Object.values(experiment.arms).flatMap((arm) => arm.skills))];
  steps.freeze = task(`1-freeze.js ${name}`, {
    inputs: [
      `{workspaceRoot}/data/experiments/${name}/experiment.yaml`,
      ...agentFiles(name, experiment),
      ...experiment.cases.map((one) => `{workspaceRoot}/data/cases/${one}/**/*`),
      ...skills.map((skill) => `{workspaceRoot}/skills-src/${skill}/**/*`),
      { runtime: conditions },
      ...library,
    ],
    outputs: ['lock.json', 'secret.txt', 'schedule.jsonl', 'specs', 'skills', 'references', 'setups'].map(made),
  });
  steps.discover = task(`2-discover.js ${name}`, {
    dependsOn: ['freeze'],
    inputs: [{ dependentTasksOutputFiles: '**/specs/*.json' }, ...library],
    outputs: [made('discovery.json'), made('discovery')],
  });
  for (const arm of Object.keys(experiment.arms)) {
    const own = schedule
      .filter((line) => line.arm === arm)
      .map((line) => ({ projects: [`${name}.${line.trial}`], target: 'trial' }));
    steps[`run-${arm}`] = { executor: 'nx:noop', dependsOn: own };
  }
  const receipts = { dependentTasksOutputFiles: '**/receipts/*/manifest.json' };
  const cases = experiment.cases.map((one) => `{workspaceRoot}/data/cases/${one}/case.yaml`);
  steps['negative-control'] = task(`4-control.js ${name}`, {
    dependsOn: [...trials, 'freeze'],
    // the lock names the verifiers' references
    inputs: [receipts, { dependentTasksOutputFiles: '**/lock.json' }, ...cases, ...library],
    outputs: [made('control.json'), made('checks'), made('verdicts.json')],
  });
  steps.stability = task(`4-control.js ${name} --stability`, {
    dependsOn: [...trials, 'negative-control'],
    inputs: [receipts, ...cases, ...library],
    outputs: [made('stability.json'), made('stability')],
  });
  steps.behaviour = task(`4-behaviour.js ${name}`, {
    dependsOn: [...trials, 'negative-control', 'stability'],
    inputs: [receipts, ...experiment.cases.map((one) => `{workspaceRoot}/data/cases/${one}/**/*`), ...library],
    outputs: [made('behaviour.json'), made('proposals.json'), made('behaviour')],
  });
  if (experiment.evals !== undefined) {
    steps.grade = task(`4-grade.js ${name}`, {
      dependsOn: [...trials, 'freeze'],
      inputs: [
        receipts,
        { dependentTasksOutputFiles: '**/lock.json' },
        `{workspaceRoot}/data/experiments/${name}/experiment.yaml`,
        ...experiment.cases.map((one) => `{workspaceRoot}/data/cases/${one}/**/*`),
        ...library,
      ],
      outputs: [made('grading.json'), made('grades')],
    });
    // never cached: iterations are a history, which a cache must not replace
    steps.benchmark = { ...task(`benchmark.js ${name}`), dependsOn: ['grade', 'score'] };
  }
  const graded = experiment.evals === undefined ? [] : ['grade'];
  steps.score = task(`5-score.js ${name}`, {
    dependsOn: [...trials, 'freeze', 'discover', 'negative-control', 'stability', 'behaviour'],
    inputs: [
      receipts,
      { dependentTasksOutputFiles: '**/{control,verdicts,stability,behaviour,proposals,discovery,lock}.json' },
      ...[name, ...experiment.sheets_from].map((from) => `{workspaceRoot}/data/experiments/${from}/sheets/*`),
      ...[name, ...experiment.sheets_from].map((from) => `{workspaceRoot}/data/experiments/${from}/desk/*`),
      ...experiment.cases.map((one) => `{workspaceRoot}/data/cases/${one}/*`),
      ...library,
    ],
    outputs: [made('scores.json'), made('blind')],
  });
  // never cached: it runs as long as people score
  steps.desk = { ...withWords(task(`desk.js ${name}`)), dependsOn: ['score'] };
  steps.analyse = task(`6-analyse.js ${name}`, {
    dependsOn: [...trials, 'freeze', 'discover', 'negative-control', 'stability', 'behaviour', 'score', ...graded],
    inputs: [
      receipts,
      { dependentTasksOutputFiles: '**/{lock,discovery,control,verdicts,stability,scores,grading}.json' },
      '{workspaceRoot}/notebooks/*.ipynb',
      ...library,
    ],
    outputs: [made('published'), made('notebooks')],
  });
  steps.report = task(`7-report.js ${name}`, {
    dependsOn: [
      'freeze',
      'discover',
      'stability',
      'behaviour',
      'score',
      'analyse',
      ...(graded.length === 0 ? [] : ['benchmark']),
    ],
    inputs: [
      { dependentTasksOutputFiles: '**/{lock,discovery,stability,behaviour,proposals,scores}.json' },
      { dependentTasksOutputFiles: '**/published/**/*.json' },
      { fileset: `{workspaceRoot}/data/runs/${name}/ledger.jsonl`, includeIgnored: true },
      { fileset: `{workspaceRoot}/data/runs/${name}/judge.json`, includeIgnored: true },
      ...experiment.cases.map((one) => `{workspaceRoot}/data/cases/${one}/*`),
      ...library,
    ],
    outputs: [`{workspaceRoot}/reports/${name}`, made('runs.jsonl')],
  });
  // neither is ever cached: a cached verification verifies nothing
  steps.replay = task(`replay.js ${name}`);
  // reads what there is and runs nothing
  steps.trajectories = task(`export-trajectory.js ${name}`);
  steps.verify = { ...withWords(task(`8-verify.js ${name}`)), dependsOn: ['report'] };
  steps.compare = withWords(task(`compare.js ${name}`));
  steps.pdf = { ...task(`pdf.js ${name}`), dependsOn: ['report'] };
  steps.bundle = { ...withWords(task(`bundle.js ${name}`)), dependsOn: ['report'] };
  return steps;
}

/**
 * One trial as a task. Its key is the spec that freeze wrote for it (the part of the lock that can change what the agent does) and
 * nothing else. What Nx owns is a second set of names for the record, which it may delete or replace; the record itself stays.
 */
export function trialTarget(
  experiment: string,
  trial: string,
  before: string | null,
  order: Experiment['order'],
): TargetConfiguration {
  const target = task(`3-run.js ${experiment} ${trial}`, {
    dependsOn: [
      { projects: [experiment], target: 'freeze' },
      { projects: [experiment], target: 'discover' },
      // the schedule is obeyed: each trial waits for the one before it
      ...(before === null ? [] : [{ projects: [`${experiment}.${before}`], target: 'trial' }]),
    ],
    inputs: [{ dependentTasksOutputFiles: `**/specs/${trial}.json` }, { externalDependencies: [] }],
    outputs: [`{workspaceRoot}/data/runs/${experiment}/receipts/${trial}`],
  });
  return { ...target, parallelism: order === 'parallel' };
}

/** A target that takes further words of the command line. */
function withWords(target: TargetConfiguration): TargetConfiguration {
  return { ...target, options: { ...target.options, forwardAllArgs: true } };
}

/** A task has the machine to itself: what it times (a session, a suite, a notebook) must not wait for another (decision 0039). */
function task(
  command: string,
  cached: Pick<TargetConfiguration, 'inputs' | 'outputs' | 'dependsOn'> | null = null,
): TargetConfiguration {
  const target = {
    executor: 'nx:run-commands',
    options: { command: `node workflows/dist/${command}`, cwd: '.', forwardAllArgs: false },
    parallelism: false,
  };
  return cached === null ? { ...target, cache: false } : { ...target, cache: true, ...cached };
}
