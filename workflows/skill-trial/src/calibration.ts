import { z } from 'zod';
import { scriptsOf } from './arm.js';
import { compareArms } from './comparison.js';
import { runControl } from './control.js';
import { criticalRisks } from './critical-risk.js';
import { ContrastDecision, decide } from './decision.js';
import { discover } from './discovery.js';
import { SettingsError } from './errors.js';
import { contrasts, type Experiment } from './experiment.js';
import { freeze } from './freeze.js';
import type { Lab } from './lab.js';
import { metrics } from './metric.js';
import { NoiseFloor, noiseFloors } from './noise-floor.js';
import { formatDistance, formatValue } from './number-format.js';
import { runPaths } from './paths.js';
import { prettyJson, writeWhole } from './record.js';
import { trialsOfArm } from './schedule.js';
import { gatherScores } from './score-run.js';
import { testArms } from './statistic.js';
import { readStudy } from './study.js';
import { type RunOptions, runTrials } from './trial.js';

/** data/runs/<experiment>/calibration/calibration.json: the control arm of an experiment against itself. */
export const Calibration = z.strictObject({
  schemaVersion: z.literal(1),
  experiment: z.string(),
  /** True: a script was played twice, and the noise is that of this machine and of the script. */
  scripted: z.boolean(),
  lock: z.string(),
  /** The arm that was run under two labels, and the labels. */
  arm: z.string(),
  labels: z.tuple([z.string(), z.string()]),
  cases: z.array(z.string()),
  repeats: z.int().positive(),
  trials: z.strictObject({ valid: z.int().nonnegative(), invalid: z.array(z.string()), planned: z.int().positive() }),
  /** Metrics that no run has a value of (no score sheet, no verifier) are left out. */
  metrics: z.array(NoiseFloor),
  /** What the acceptance rule says of two groups that do not differ; of a script, what it would have said of a model's runs. */
  decision: ContrastDecision,
});
export type Calibration = z.infer<typeof Calibration>;

/** The experiment that runs one arm against itself: the same conditions under two labels. */
export function againstItself(experiment: Experiment, repeats: number): Experiment {
  const name = contrasts(experiment)[0]?.control as string;
  const { control: _control, note: _note, placebo, ...arm } = experiment.arms[name] as Experiment['arms'][string];
  if (placebo !== undefined || arm.skills_from !== undefined) {
    throw new SettingsError(`Arm ${name} cannot be run against itself`, {
      expected: 'a first control whose skills are those of skills-src, or that has none',
      found: `a ${placebo === undefined ? 'skills_from' : 'placebo'} arm`,
      next: 'let the first contrast of experiment.yaml name another control',
    });
  }
  const { ablation: _ablation, ...rest } = experiment;
  return { ...rest, arms: { [name]: arm, [againOf(name)]: { ...arm, control: name } }, repeats };
}

const againOf = (name: string) => `${name}-again`;

/**
 * Runs the control arm of an experiment against itself through the lab's own steps, with records of their own below
 * data/runs/<experiment>/calibration, and writes calibration.json and calibration.md there. What is recorded is kept, as everywhere.
 */
export async function runCalibration(
  lab: Lab,
  repeats: number,
  options: RunOptions,
  onStep: (text: string) => void,
): Promise<Calibration> {
  const experiment = againstItself(lab.experiment, repeats);
  const own: Lab = { ...lab, experiment, run: runPaths(lab.root, `${lab.experiment.name}/calibration`) };
  await freeze(own);
  await discover(own, options);
  await runTrials(own, trialsOfArm(experiment), options);
  const before = await readStudy(own);
  await runControl(own, before.trials, onStep);
  const checked = await readStudy(own);
  await writeWhole(own.run.scores, prettyJson((await gatherScores(checked)).scores));
  const study = await readStudy(own);
  const { results, planned } = study;
  const [contrast] = contrasts(experiment) as [{ arm: string; control: string }];
  const rule = experiment.decision;
  const wanted = metrics.map(({ id }) => id);
  const all = wanted.includes(rule.primary) ? wanted : [...wanted, rule.primary];
  const rows = compareArms(results, [contrast], all, planned, rule);
  const statistics = testArms(results, [contrast], all, rule);
  const critical = criticalRisks(results);
  const calibration: Calibration = {
    schemaVersion: 1,
    experiment: lab.experiment.name,
    scripted: scriptsOf(experiment).length > 0,
    lock: study.lock.id,
    arm: contrast.control,
    labels: [contrast.control, contrast.arm],
    cases: experiment.cases,
    repeats,
    trials: {
      valid: results.filter(({ valid }) => valid).length,
      invalid: results.flatMap(({ id, valid, problems }) => (valid ? [] : [`${id}: ${problems.join('; ')}`])),
      planned: Object.values(planned).reduce((sum, count) => sum + count, 0),
    },
    metrics: noiseFloors(results, contrast, all).filter(({ n }) => n.used > 0),
    decision: decide({ rule, contrast, rows, statistics, critical, results, scripted: false, cases: experiment.cases.length }),
  };
  await writeWhole(lab.run.calibrationJson, prettyJson(Calibration.parse(calibration)));
  await writeWhole(lab.run.calibrationMarkdown, calibrationMarkdown(calibration));
  return calibration;
}

/** calibration.md. */
export function calibrationMarkdown(one: Calibration): string {
  const value = (row: NoiseFloor, which: number | null) => formatValue(which, row.unit);
  const apart = (row: NoiseFloor, which: number | null) => formatDistance(which, row.unit);
  const rows = one.metrics.map(
    (row) =>
      `| ${row.title} | ${row.n.used}/${row.n.total} | ${value(row, row.spread.median)} (${value(row, row.spread.min)} to ${value(row, row.spread.max)}) | ${value(row, row.a)}, ${value(row, row.b)} | ${apart(row, row.distance)} | ${apart(row, row.relabelled.median)} | ${apart(row, row.relabelled.p95)} | ${row.p === null ? 'not available' : row.p.toFixed(3)} (at best ${row.smallestP === null ? 'not available' : row.smallestP.toFixed(3)}) |`,
  );
  const [a, b] = one.labels;
  return `# ${one.scripted ? 'SCRIPTED: ' : ''}${one.experiment}: arm ${one.arm} against itself

${one.scripted ? 'A server played a written script in place of the model: this shows the noise of the machine and of the script, and nothing about any model.\n\n' : ''}Arm ${one.arm} was run under two labels, ${a} and ${b}, ${one.repeats} ${one.repeats === 1 ? 'run' : 'runs'} each on ${one.cases.join(', ')}, under the same conditions in every respect (lock ${one.lock.slice(0, 12)}): ${one.trials.valid} of ${one.trials.planned} trials are valid. Whatever differs here differs by chance.

| Metric | n | All runs: median (range) | Medians of ${a}, ${b} | Their distance | Distance by chance: half are at most | 95 % are at most | p |
|---|---|---|---|---|---|---|---|
${rows.join('\n')}

${reachLines(one).join('\n\n')}

The acceptance rule would have said of these two groups: ${one.decision.descriptive} (descriptive), ${one.decision.inferential} (inferential). ${one.decision.reason}
${one.trials.invalid.length === 0 ? '' : `\nInvalid, and left out: ${one.trials.invalid.join('. ')}.\n`}
How often the lab is wrong over many experiments, with drift, cases far apart and timeouts in one arm, is measured on simulated agents in workflows/bench/calibration.md.
`;
}

/** What so few runs cannot do, and how to read the floor. */
export function reachLines({ metrics: rows }: Pick<Calibration, 'metrics'>): string[] {
  const least = [...new Set(rows.flatMap(({ smallestP }) => (smallestP === null ? [] : [smallestP])))].sort((a, b) => b - a)[0];
  return [
    '"By chance" is over all ways to give these runs their two labels within a case. A difference between two arms that is no greater than what 95 % are at most is within the noise of this set-up.',
    ...(least === undefined
      ? ['No metric has a value in both groups: nothing can be said of the noise.']
      : least > 0.05
        ? [
            `With so few runs p cannot go below ${least.toFixed(3)}: nothing can reject at .05, so that it did not proves nothing. (Three against three on one case reach .10 at best.)`,
          ]
        : [`With so many runs p can go down to ${least.toFixed(3)}: one metric in twenty would reject at .05 by chance.`]),
  ];
}
