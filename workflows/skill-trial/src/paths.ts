import { existsSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { PrerequisiteError } from './errors.js';

/**
 * Where everything is. The only module that knows the folder layout; the root is found from SKILL_TRIAL_ROOT, else upwards from
 * the current folder.
 */
export function findRoot(from = process.env.SKILL_TRIAL_ROOT ?? process.cwd()): string {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'nx.json')) && existsSync(join(folder, 'data'))) return folder;
    if (dirname(folder) === folder) break;
  }
  throw new PrerequisiteError('Not inside a Skill Trial checkout', {
    expected: 'a folder with nx.json and data/, here or above',
    found: from,
    next: 'change into the checkout, or set SKILL_TRIAL_ROOT to it',
  });
}

/** Host folders that no agent may see, wherever they lie: the checkout of a case, the user's home, the temporary folder. */
export function keptOutOfReach(caseFolder: string): string[] {
  return [resolve(caseFolder, '..', '..', '..'), homedir(), tmpdir()];
}

/** The folders and files of one checkout. */
export function rootPaths(root: string) {
  const data = join(root, 'data');
  return {
    root,
    graph: join(root, 'nx.json'),
    nodeModules: join(root, 'node_modules'),
    agents: join(root, '.agents'),
    cases: join(data, 'cases'),
    case: (name: string) => join(data, 'cases', name),
    experiments: join(data, 'experiments'),
    experiment: (name: string) => join(data, 'experiments', name),
    settings: (name: string) => join(data, 'experiments', name, 'experiment.yaml'),
    /** Tables that others published, as data. */
    published: (file: string) => join(data, 'published', file),
    runs: join(data, 'runs'),
    skills: join(root, 'skills-src'),
    skill: (name: string) => join(root, 'skills-src', name),
    notebooks: join(root, 'notebooks'),
    /** Cells as JavaScript, written by the kernels (kernel/kernels/skill-trial/conversions.cjs). */
    cells: join(root, '.cache', 'cells'),
    reports: join(root, 'reports'),
    /** Skill tables over the reports of several experiments. */
    skillSets: join(root, 'reports', 'skill-sets'),
  };
}

/** The folders and files that one experiment's run makes. */
export function runPaths(root: string, experiment: string) {
  const run = join(root, 'data', 'runs', experiment);
  // 16 hex digits of a hash name a folder: enough to be unique, short enough to read
  const trial = (spec: string, repeat: number) => join(run, 'trials', spec.slice(0, 16), String(repeat));
  return {
    run,
    lock: join(run, 'lock.json'),
    locks: join(run, 'locks'),
    specs: join(run, 'specs'),
    spec: (trialName: string) => join(run, 'specs', `${trialName}.json`),
    schedule: join(run, 'schedule.jsonl'),
    ledger: join(run, 'ledger.jsonl'),
    progress: join(run, 'progress.jsonl'),
    /** The present lock's secret, and every one there was. */
    secret: join(run, 'secret.txt'),
    oldSecret: (lock: string) => join(run, 'secrets', `${lock}.txt`),
    /** An arm's skill that is not in skills-src, as freeze found it. */
    frozenSkills: join(run, 'skills'),
    frozenSkill: (key: string) => join(run, 'skills', key),
    bases: join(run, 'bases'),
    base: (tree: string) => join(run, 'bases', tree),
    trials: join(run, 'trials'),
    trial,
    /** Held by the process that runs a trial; beside the attempts of nobody else. */
    trialLock: (trialName: string) => join(run, 'running', `${trialName}.lock`),
    receipts: join(run, 'receipts'),
    receipt: (trialName: string) => join(run, 'receipts', trialName),
    discovery: join(run, 'discovery'),
    discoveryRecord: (spec: string) => join(run, 'discovery', spec.slice(0, 16)),
    discoveryIndex: join(run, 'discovery.json'),
    checks: join(run, 'checks'),
    check: (folder: 'checks' | 'stability' | 'behaviour', content: string, name: string) =>
      join(run, folder, content.slice(0, 16), name),
    stability: join(run, 'stability'),
    reference: (caseName: string, key: string) => join(run, 'references', caseName, key.slice(0, 16)),
    /** What the set-up of a case made, by a key of all it follows from. */
    setUp: (caseName: string, key: string) => join(run, 'setups', caseName, key.slice(0, 16)),
    verdicts: join(run, 'verdicts.json'),
    grading: join(run, 'grading.json'),
    /** What a judge or a command said of one variant, by a key of all it follows from. */
    grade: (content: string, key: string) => join(run, 'grades', content.slice(0, 16), key.slice(0, 16)),
    iteration: (number: number) => join(run, `iteration-${number}`),
    /** Hidden tests on one tree of a case, by a key of all they follow from. */
    proof: (one: string, key: string, tree: string) => join(run, 'proofs', one, key.slice(0, 16), tree),
    behaviourIndex: join(run, 'behaviour.json'),
    judgeRecord: (content: string, key: string) => join(run, 'judge', content.slice(0, 16), key.slice(0, 16)),
    judgeSheet: (sheet: string) => join(run, 'judge', 'sheets', sheet),
    judgeLedger: join(run, 'judge', 'ledger.jsonl'),
    judgeIndex: join(run, 'judge.json'),
    controlIndex: join(run, 'control.json'),
    stabilityIndex: join(run, 'stability.json'),
    blind: join(run, 'blind'),
    /** One pair's marks as CSV, for hands and spreadsheets. */
    exchange: (pair: string, evaluator: string) => join(run, 'exchange', `${pair}.${evaluator}.csv`),
    /** What automatic checks propose to the scorers. */
    proposals: join(run, 'proposals.json'),
    scores: join(run, 'scores.json'),
    published: join(run, 'published'),
    notebooks: join(run, 'notebooks'),
    runTable: join(run, 'runs.jsonl'),
    sheets: join(root, 'data', 'experiments', experiment, 'sheets'),
    desk: join(root, 'data', 'experiments', experiment, 'desk'),
    journal: (evaluator: string) => join(root, 'data', 'experiments', experiment, 'desk', `${evaluator}.jsonl`),
    deskLock: join(root, 'data', 'experiments', experiment, 'desk', 'lock.json'),
    unblinded: join(root, 'data', 'experiments', experiment, 'desk', 'unblinded.json'),
    adjudications: join(root, 'data', 'experiments', experiment, 'desk', 'adjudications.jsonl'),
    report: join(root, 'reports', experiment),
    reportJson: join(root, 'reports', experiment, 'report.json'),
    reportMarkdown: join(root, 'reports', experiment, 'report.md'),
    reportPage: join(root, 'reports', experiment, 'index.html'),
    reportPdf: join(root, 'reports', experiment, 'report.pdf'),
    figures: join(root, 'reports', experiment, 'figures'),
    /** The control arm against itself; beside its records, since Nx replaces the report's folder from its cache. */
    calibrationJson: join(run, 'calibration', 'calibration.json'),
    calibrationMarkdown: join(run, 'calibration', 'calibration.md'),
    verification: join(root, 'reports', experiment, 'verification.json'),
    replay: join(run, 'replay.json'),
    trajectory: (trialName: string) => join(root, 'reports', experiment, 'trajectories', trialName, 'trajectory.json'),
    /** The report that each lock left last; apart from what Nx owns, which it may replace. */
    oldReports: join(run, 'reports'),
    /** One archive of all that a report follows from, and its signature. */
    bundle: join(root, 'reports', experiment, `${experiment}-bundle.zip`),
    /** What of the run verify derives everything from; the rest is made again, or is a second name. */
    derivedFrom: [
      'lock.json',
      'locks',
      'specs',
      'skills',
      'schedule.jsonl',
      'ledger.jsonl',
      'secret.txt',
      'references',
      'setups',
      'discovery',
      'discovery.json',
      'trials',
      'checks',
      'control.json',
      'verdicts.json',
      'stability',
      'stability.json',
      'behaviour',
      'behaviour.json',
      'proposals.json',
      'grades',
      'grading.json',
      'judge',
      'judge.json',
      'scores.json',
      'published',
      'notebooks',
      'replay.json',
    ].map((name) => join(run, name)),
    scratch: join(run, 'scratch'),
  };
}

export type RootPaths = ReturnType<typeof rootPaths>;
export type RunPaths = ReturnType<typeof runPaths>;
