import { relative } from 'node:path';
import { z } from 'zod';
import { Benchmark, makeBenchmark } from './benchmark.js';
import { contrastName } from './comparison.js';
import type { EvalEffect } from './eval-effect.js';
import { contrasts } from './experiment.js';
import type { PassCount } from './grade.js';
import { formatDelta, formatPoints, formatValue } from './number-format.js';
import type { Report } from './report.js';
import { accountBlocks, counted, skillAccounts } from './report-account.js';
import { type Block, list, record, type Section, table, text } from './report-document.js';
import type { Study } from './study.js';

/** What the assertions of evals say, skill by skill; the outputs themselves are in the iterations' review.html. */
export const ReportEvals = Benchmark.pick({ judge: true, deliver: true, effects: true, further: true, triggers: true }).extend({
  arm: z.string(),
  control: z.string(),
  /** The record that every count comes from, and the last review page is made from. */
  grading: z.string(),
  /** Which case is an eval of which skill; [] in a report made before this was kept. */
  cases: z.array(z.strictObject({ skill: z.string(), case: z.string() })).default([]),
});
export type ReportEvals = z.infer<typeof ReportEvals>;

/** Null where the experiment has no evals, or none is graded yet. */
export function evalsOf(study: Study): ReportEvals | null {
  const { lab, grading } = study;
  const [contrast] = contrasts(lab.experiment);
  if (lab.experiment.evals === undefined || grading === null || contrast === undefined) return null;
  const { judge, deliver, effects, further, triggers, evals } = makeBenchmark(study, new Map());
  return {
    judge,
    deliver,
    effects,
    further,
    triggers,
    ...contrast,
    grading: relative(lab.root, lab.run.grading),
    cases: evals.map(({ skill, case: name }) => ({ skill, case: name })),
  };
}

/** Evals in the report: a table for each contrast, and how well skills were activated. */
export function evalsSection(report: Report): Section[] {
  const { evals, experiment } = report;
  if (evals === null) return [];
  const { arm, control, effects, further, triggers, grading } = evals;
  return [
    {
      id: 'evals',
      title: 'Evals, skill by skill',
      blocks: [
        text([
          'Assertions that hold, of those that were scored; unscored ones are in no count. The runs of an eval are the units of every test, since assertions of one run go together. Each verdict with its evidence: ',
          record(grading),
          `. Both outputs side by side: npx nx run ${experiment}:benchmark, then data/runs/${experiment}/iteration-<n>/review.html.`,
        ]),
        ...(effects.length === 0 ? [text('Nothing is scored.')] : effectBlocks(report, evals, { effects, arm, control })),
        ...further.flatMap((one) => (one.effects.length === 0 ? [] : effectBlocks(report, evals, one))),
        ...triggerBlocks(report, evals, { triggers, arm, control }),
        ...further.flatMap((one) => triggerBlocks(report, evals, one)),
      ],
    },
  ];
}

const share = (value: number | null) => formatValue(value, 'fraction');
const passedOf = ({ passed, total }: PassCount) => (total === 0 ? 'not available' : `${passed} of ${total}`);

/** The table of one contrast, each number leading to the runs behind it. */
function effectBlocks(
  report: Report,
  { cases, grading }: ReportEvals,
  { effects, arm, control }: { effects: EvalEffect[]; arm: string; control: string },
): Block[] {
  const contrast = contrastName({ arm, control });
  const accounts = skillAccounts(report, contrast, {
    kind: 'evals',
    skills: effects.map(({ skill }) => skill),
    casesOf: (skill) => cases.flatMap((one) => (one.skill === skill ? [one.case] : [])),
    say: ({ values }) =>
      values.assertions_passed == null ? 'no assertion scored' : `${share(values.assertions_passed)} of its assertions`,
    more: [grading],
  });
  return [
    table(
      `Assertions of each skill’s evals, arm ${arm} against ${control}`,
      [
        'Skill',
        '#Evals',
        `#${control}`,
        `#${arm}`,
        '#Difference',
        '#95 % interval of the shift',
        '#p (smallest possible)',
        'Of these evals',
      ],
      effects.map((effect) => {
        const number = (words: string, formula: string) => counted(accounts.get(effect.skill), words, formula);
        return [
          effect.skill,
          number(String(effect.byEval.length), 'evals with scored runs on both sides'),
          number(passedOf(effect.without), `assertions that hold, of those scored, over all runs of ${control}`),
          number(passedOf(effect.with), `assertions that hold, of those scored, over all runs of ${arm}`),
          number(formatPoints(effect.points), 'difference of the two rates, from counts'),
          number(
            effect.interval === null
              ? 'too few runs'
              : `${formatDelta(effect.interval.low, 'fraction')} to ${formatDelta(effect.interval.high, 'fraction')}`,
            'exact interval of the shift within evals (Hodges and Lehmann)',
          ),
          number(
            effect.runs.p === null || effect.runs.smallestP === null
              ? 'not available'
              : `${effect.runs.p.toFixed(3)} (${effect.runs.smallestP.toFixed(3)})`,
            'share of the ways to exchange arm labels between the runs of each eval that differ as much',
          ),
          effect.conclusion,
        ];
      }),
    ),
    ...accountBlocks(contrast, accounts),
  ];
}

function triggerBlocks(
  report: Report,
  { cases, grading }: ReportEvals,
  { triggers = [], arm, control }: { triggers?: ReportEvals['triggers']; arm: string; control: string },
): Block[] {
  if (triggers.length === 0) return [];
  const contrast = contrastName({ arm, control });
  const accounts = skillAccounts(report, contrast, {
    kind: 'activation',
    skills: triggers.map(({ skill }) => skill),
    casesOf: (skill) => cases.flatMap((one) => (one.skill === skill ? [one.case] : [])),
    say: ({ activation }, skill) => (activation.some((one) => one.skill === skill && one.loaded) ? 'loaded' : 'not loaded'),
    more: [grading],
  });
  const rate = ({ value, k, n, interval }: ReportEvals['triggers'][number]['precision']) =>
    `${share(value)} (${k} of ${n}${interval === null ? '' : `; ${share(interval.low)} to ${share(interval.high)}`})`;
  const confusions = triggers.flatMap(({ skill, confusions: own }) =>
    own.map((one) => `${one.case}: should ${one.should ? '' : 'not '}load ${skill}; loaded in ${one.loaded} of ${one.runs} runs`),
  );
  return [
    table(
      `Activation in arm ${arm}: prompts that should and should not load a skill`,
      ['Skill', '#Precision', '#Recall', '#Loaded wrongly', '#Left wrongly'],
      triggers.map((row) => {
        const number = (words: string, formula: string) => counted(accounts.get(row.skill), words, formula);
        return [
          row.skill,
          number(rate(row.precision), `runs of ${arm} that should have loaded it, of those that did; 95 % interval (Wilson)`),
          number(rate(row.recall), `runs of ${arm} that loaded it, of those that should; 95 % interval (Wilson)`),
          number(String(row.falsePositive), `runs of ${arm} that loaded it and should not`),
          number(String(row.falseNegative), `runs of ${arm} that should load it and did not`),
        ];
      }),
    ),
    ...(confusions.length === 0 ? [] : [list(confusions)]),
    ...accountBlocks(contrast, accounts, 'activation'),
  ];
}
