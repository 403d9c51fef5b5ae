import { relative } from 'node:path';
import { z } from 'zod';
import { Benchmark, makeBenchmark } from './benchmark.js';
import type { EvalEffect } from './eval-effect.js';
import { contrasts } from './experiment.js';
import type { PassCount } from './grade.js';
import { formatDelta, formatPoints, formatValue } from './number-format.js';
import type { Report } from './report.js';
import { type Block, list, record, type Section, table, text } from './report-document.js';
import type { Study } from './study.js';

/** What the assertions of evals say, skill by skill; the outputs themselves are in the iterations' review.html. */
export const ReportEvals = Benchmark.pick({ judge: true, deliver: true, effects: true, further: true, triggers: true }).extend({
  arm: z.string(),
  control: z.string(),
  /** The record that every count comes from, and the last review page is made from. */
  grading: z.string(),
});
export type ReportEvals = z.infer<typeof ReportEvals>;

/** Null where the experiment has no evals, or none is graded yet. */
export function evalsOf(study: Study): ReportEvals | null {
  const { lab, grading } = study;
  const [contrast] = contrasts(lab.experiment);
  if (lab.experiment.evals === undefined || grading === null || contrast === undefined) return null;
  const { judge, deliver, effects, further, triggers } = makeBenchmark(study, new Map());
  return { judge, deliver, effects, further, triggers, ...contrast, grading: relative(lab.root, lab.run.grading) };
}

/** Evals in the report: a table for each contrast, and how well skills were activated. */
export function evalsSection({ evals, experiment }: Report): Section[] {
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
        ...(effects.length === 0 ? [text('Nothing is scored.')] : [effectTable(effects, arm, control)]),
        ...further.flatMap((one) => (one.effects.length === 0 ? [] : [effectTable(one.effects, one.arm, one.control)])),
        ...triggerBlocks(triggers, arm),
        ...further.flatMap((one) => triggerBlocks(one.triggers ?? [], one.arm)),
      ],
    },
  ];
}

const share = (value: number | null) => formatValue(value, 'fraction');
const counted = ({ passed, total }: PassCount) => (total === 0 ? 'not available' : `${passed} of ${total}`);

function effectTable(effects: EvalEffect[], arm: string, control: string): Block {
  return table(
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
    effects.map((effect) => [
      effect.skill,
      String(effect.byEval.length),
      counted(effect.without),
      counted(effect.with),
      formatPoints(effect.points),
      effect.interval === null
        ? 'too few runs'
        : `${formatDelta(effect.interval.low, 'fraction')} to ${formatDelta(effect.interval.high, 'fraction')}`,
      effect.runs.p === null || effect.runs.smallestP === null
        ? 'not available'
        : `${effect.runs.p.toFixed(3)} (${effect.runs.smallestP.toFixed(3)})`,
      effect.conclusion,
    ]),
  );
}

function triggerBlocks(triggers: ReportEvals['triggers'], arm: string): Block[] {
  if (triggers.length === 0) return [];
  const rate = ({ value, k, n }: ReportEvals['triggers'][number]['precision']) => `${share(value)} (${k} of ${n})`;
  const confusions = triggers.flatMap(({ skill, confusions: own }) =>
    own.map((one) => `${one.case}: should ${one.should ? '' : 'not '}load ${skill}; loaded in ${one.loaded} of ${one.runs} runs`),
  );
  return [
    table(
      `Activation in arm ${arm}: prompts that should and should not load a skill`,
      ['Skill', '#Precision', '#Recall', '#Loaded wrongly', '#Left wrongly'],
      triggers.map((row) => [
        row.skill,
        rate(row.precision),
        rate(row.recall),
        String(row.falsePositive),
        String(row.falseNegative),
      ]),
    ),
    ...(confusions.length === 0 ? [] : [list(confusions)]),
  ];
}
