import { z } from 'zod';
import { type ComparisonRow, type Contrast, contrastName } from './comparison.js';
import type { CriticalRisk } from './critical-risk.js';
import { anyDifference, type ContrastDecision } from './decision.js';
import type { Experiment } from './experiment.js';
import { formatDelta, formatValue } from './number-format.js';
import type { TrialResult } from './result.js';
import type { Statistic } from './statistic.js';

/** The four parts of decision 0019, part 7, as sentences. */
export const Conclusion = z.strictObject({
  contrast: z.string(),
  observation: z.array(z.string()),
  /** The records behind each differing metric, then the others (of: null); paths from the checkout. */
  evidence: z.array(z.strictObject({ of: z.string().nullable(), paths: z.array(z.string()) })),
  interpretation: z.array(z.string()),
  decision: z.array(z.string()),
});
export type Conclusion = z.infer<typeof Conclusion>;

export interface ConclusionInput {
  experiment: Experiment;
  contrast: Contrast;
  rows: ComparisonRow[];
  statistics: Statistic[];
  critical: CriticalRisk[];
  results: TrialResult[];
  missing: string[];
  decision: ContrastDecision;
  /** Paths of the other records a reader may want. */
  records: string[];
}

const noDifference = [
  'No quality metric differs between the arms. That is a result. Its usual explanations:',
  'the project or the task already prescribes the method in detail;',
  'the task was too simple to need it;',
  'the skills were not activated;',
  'the model already works that way on its own.',
];

/** Writes the conclusion of one contrast from its figures; it holds no winner that the figures do not name. */
export function conclude(input: ConclusionInput): Conclusion {
  const { contrast, experiment, decision } = input;
  const rows = input.rows.filter((row) => row.contrast === contrastName(contrast));
  return {
    contrast: contrastName(contrast),
    observation: observation(input, rows),
    evidence: [
      ...rows.filter((row) => row.delta !== null && row.delta !== 0).map((row) => ({ of: row.title, paths: row.evidence })),
      { of: null, paths: input.records },
    ],
    interpretation: interpretation(input, rows),
    decision: [
      `Descriptive (what these runs showed): ${decision.descriptive}. ${decision.reason}`,
      `Inferential (beyond these runs): ${inferentialText(decision, input.statistics, experiment)}`,
      `Tested class of task: ${experiment.decision.tested_class}. Not yet for: ${experiment.decision.untested_class}.`,
    ],
  };
}

function observation({ contrast, results, missing, critical }: ConclusionInput, rows: ComparisonRow[]): string[] {
  const { arm, control } = contrast;
  const of = (which: string) => results.filter((result) => result.arm === which);
  const differing = rows.filter((row) => row.delta !== null && Math.abs(row.delta) > 1e-9);
  const unknown = rows.filter((row) => row.delta === null);
  const cut = results.filter((result) => result.status !== 'completed');
  const invalid = results.filter((result) => !result.valid);
  return [
    `${of(control).length} runs of arm ${control} and ${of(arm).length} of arm ${arm} are recorded${missing.length === 0 ? '' : `; without a record: ${missing.join(', ')}`}.`,
    ...differing.map(
      (row) =>
        `${row.title}: ${formatValue(row.a, row.unit)} in ${control}, ${formatValue(row.b, row.unit)} in ${arm} (${formatDelta(row.delta, row.unit)}; n ${row.nA.used}/${row.nA.total} and ${row.nB.used}/${row.nB.total}).`,
    ),
    ...(differing.length === rows.length - unknown.length
      ? []
      : [
          `No difference in: ${rows
            .filter((row) => row.delta !== null && Math.abs(row.delta) <= 1e-9)
            .map((row) => row.title)
            .join(', ')}.`,
        ]),
    ...(unknown.length === 0 ? [] : [`Not available: ${unknown.map((row) => row.title).join(', ')}.`]),
    ...critical
      .filter((row) => row.arm === arm)
      .map((b) => {
        const a = critical.find((row) => row.arm === control && row.case === b.case && row.row === b.row);
        return `Critical risk ${b.row} of case ${b.case}: confirmed in ${a?.confirmed ?? 0} of ${a?.runs ?? 0} runs of ${control} and ${b.confirmed} of ${b.runs} runs of ${arm}.`;
      }),
    ...cut.map(
      (result) =>
        `${result.id} ${result.status === 'timed-out' ? 'was ended by the wall limit' : `ended as ${result.status}`} (${result.reason}); it stays in the figures.`,
    ),
    ...invalid.map((result) => `${result.id} is invalid and stands apart: ${result.problems.join('; ')}.`),
  ];
}

function interpretation({ contrast, results, experiment, rows: all }: ConclusionInput, rows: ComparisonRow[]): string[] {
  const treated = results.filter((result) => result.arm === contrast.arm && result.valid);
  const { skills = [], deliver } = experiment.arms[contrast.arm] ?? {};
  const told = deliver === 'prompt';
  const loads = skills.map((skill) => {
    const rows = treated.flatMap((result) => result.activation.filter((row) => row.skill === skill && row.given));
    return { skill, runs: rows.filter((row) => row.loaded).length, of: rows.length };
  });
  const never = told ? [] : loads.filter((row) => row.runs === 0).map((row) => row.skill);
  const lines = told
    ? [`The text of ${skills.join(', ')} stood in front of the task in arm ${contrast.arm}: nothing was there to load.`]
    : loads.map((row) => `${row.skill} was loaded in ${row.runs} of ${row.of} runs of arm ${contrast.arm}.`);
  if (!anyDifference(all, contrast)) return [...lines, ...noDifference];
  const up = (metric: string) =>
    rows.find((row) => row.metric === metric && row.delta !== null && Math.abs(row.delta) > 1e-9) !== undefined;
  const areas = [
    ...(up('review_completeness') || up('finding_precision') ? ['what the review found'] : []),
    ...(up('test_quality') || up('new_tests_fail_on_original') ? ['the tests'] : []),
    ...(up('documentation') ? ['the documentation'] : []),
  ];
  return [
    ...lines,
    ...(never.length === 0 ? [] : [`${never.join(', ')} cannot have contributed: no run loaded it.`]),
    ...(areas.length === 0
      ? []
      : [
          `The arms differ in ${areas.join(', ')}. A skill that was loaded may have contributed to its own area; loading happens after the runs are assigned to arms, so this is a description and no proof.`,
        ]),
  ];
}

function inferentialText(decision: ContrastDecision, statistics: Statistic[], experiment: Experiment): string {
  const test = statistics.find((row) => row.contrast === decision.contrast && row.metric === experiment.decision.primary);
  const p =
    test?.p == null
      ? ''
      : ` (permutation within case: p = ${test.p.toFixed(3)}, the smallest possible here is ${test.smallestP?.toFixed(3)})`;
  if (decision.inferential === 'withheld') return 'withheld, the model was scripted.';
  if (decision.inferential === 'not-attainable')
    return `not attainable: ${experiment.cases.length} case with ${experiment.repeats} repeats cannot show an effect at p < .05${p}.`;
  if (decision.inferential === 'pending') return 'pending, the primary metric is not scored.';
  return `${decision.inferential}${p}.`;
}
