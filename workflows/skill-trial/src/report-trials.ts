import { costMetrics, qualityMetrics } from './analysis.js';
import { metricOf } from './metric.js';
import { formatValue } from './number-format.js';
import type { Report } from './report.js';
import {
  type Block,
  type Content,
  details,
  heading,
  joined,
  list,
  mark,
  record,
  type Section,
  table,
  text,
} from './report-document.js';
import { formatRun } from './report-view.js';

type Trial = Report['trials'][number];

/** Trials, each with what happened in it; invalid ones apart. */
export function trialsSection(report: Report): Section {
  const valid = report.trials.filter((trial) => trial.valid);
  const invalid = report.trials.filter((trial) => !trial.valid);
  const values = (caption: string, ids: typeof qualityMetrics) =>
    table(
      caption,
      ['Trial', ...ids.map((id) => `#${metricOf(id).title}`)],
      valid.map((trial) => [trial.id, ...ids.map((id) => formatRun(trial.values[id] ?? null, metricOf(id).unit))]),
    );
  const mismatches = report.trials.flatMap((trial) => trial.usageMismatches.map((what) => `${trial.id}: ${what}`));
  const warnings = report.trials.flatMap((trial) => trial.warnings.map((what) => `${trial.id}: ${what}`));
  const held = report.trials.flatMap((trial) => (trial.held ?? []).map((what) => `${trial.id}: ${what}`));
  return {
    id: 'trials',
    title: 'Trials',
    blocks: [
      table(
        'Valid trials, in the order of the schedule',
        ['Trial', '#Position', 'Status', 'Scoring', '#Attempt', '#Set-up', 'Same lock as its pair', 'Record'],
        valid.map((trial) => [
          trial.id,
          String(trial.position),
          `${trial.status} (${trial.reason})`,
          trial.scoring,
          String(trial.attempt),
          formatValue(trial.setupSeconds, 's'),
          mark(trial.concurrent, 'yes', 'no: not concurrent'),
          record(trial.record),
        ]),
      ),
      values('Quality, run by run', qualityMetrics),
      values('Time and tokens, run by run', costMetrics),
      heading('Invalid trials'),
      ...(invalid.length === 0
        ? [text('None.')]
        : [
            text('Listed, never deleted, and in no figure of this report.'),
            table(
              'Invalid trials and why',
              ['Trial', 'Status', 'Problems', 'Record'],
              invalid.map((trial) => [
                trial.id,
                `${trial.status} (${trial.reason})`,
                trial.problems.join('; ') || 'no reason recorded',
                record(trial.record),
              ]),
            ),
          ]),
      ...(report.missing.length === 0 ? [] : [heading('Trials without a record'), list(report.missing)]),
      ...activation(report),
      details('Negative control and stability', [
        table(
          'New tests on the untouched base: outcomes',
          ['Trial', 'Outcomes', 'Repeated runs of the suite'],
          report.trials.map((trial) => [trial.id, outcomes(trial), stability(report, trial)]),
        ),
        text('Only a failed assertion counts as exposing the defect. Green repeats do not prove that a suite is never flaky.'),
      ]),
      ...(mismatches.length === 0 ? [] : [heading('Token counts that disagree'), list(mismatches)]),
      ...(warnings.length === 0 ? [] : [heading('Warnings of the records'), list(warnings)]),
      ...(held.length === 0
        ? []
        : [
            heading('What the agents ran into'),
            text(
              'Limits of the machine and connections asked of the proxy, as recorded in containment.json and network.jsonl of each trial.',
            ),
            list(held),
          ]),
    ],
  };
}

function activation(report: Report): Block[] {
  const skills = [...new Set(report.trials.flatMap((trial) => trial.activation.map((row) => row.skill)))];
  if (skills.length === 0) return [];
  const cell = (trial: Trial, skill: string): Content => {
    const row = trial.activation.find((one) => one.skill === skill);
    if (row === undefined) return 'not available';
    if (row.loaded) return [{ mark: 'yes', text: 'loaded' }, row.evidence === null ? '' : ` (${row.evidence})`];
    if (row.claimedOnly) return { mark: 'no', text: 'claimed only' };
    return row.listed ? 'listed, not loaded' : row.given ? 'not listed' : 'not given';
  };
  return [
    heading('Activation of the skills'),
    text(
      'Listed: named in the model requests. Loaded: its text was read. Claimed only: the answer names it, and nothing shows that it was read. Loading happens after the runs are assigned to arms: a description, not a cause.',
    ),
    table(
      'How far each skill got in each trial',
      ['Trial', ...skills],
      report.trials.map((trial) => [trial.id, ...skills.map((skill) => cell(trial, skill))]),
    ),
  ];
}

function outcomes({ control }: Trial): string {
  if (control === null) return 'not available';
  return (
    Object.entries(control)
      .map(([kind, count]) => `${kind} ${count}`)
      .join(', ') || 'no new test'
  );
}

function stability(report: Report, trial: Trial): string {
  const row = report.stability.find((one) => one.content === trial.content);
  if (row === undefined || row.green === null) return 'not available';
  return `${row.green}/${row.runs} green${row.unsteady.length === 0 ? '' : `; unsteady: ${row.unsteady.join(', ')}`}`;
}

/** Every attempt and lock, and what was refused or is pending: nothing was rolled again in silence. */
export function attemptsSection(report: Report): Section {
  const { scoring } = report;
  const earlier = report.attempts.filter((row) => !row.current).length;
  return {
    id: 'attempts',
    title: 'Attempts, locks and deviations',
    blocks: [
      table(
        'Every lock of this experiment',
        ['Lock', 'Frozen at', 'In force', 'Changed from the one before'],
        report.locks.map((lock) => [
          { code: lock.id.slice(0, 16) },
          lock.frozenAt,
          lock.current ? 'yes' : 'no',
          lock.changes.join(', ') || 'nothing',
        ]),
      ),
      ...(report.locks.length > 1
        ? [
            text(
              `The plan or the conditions were changed ${report.locks.length === 2 ? 'once' : `${report.locks.length - 1} times`}: each change is a deviation. Trials under an older lock stay on the disk.`,
            ),
          ]
        : []),
      details(`All ${report.attempts.length} attempts${earlier === 0 ? '' : `, ${earlier} under earlier conditions`}`, [
        table(
          'Every attempt in the ledger',
          ['Trial', '#Attempt', 'Started', 'Outcome', 'Reason', 'Conditions'],
          report.attempts.map((row) => [
            row.trial,
            String(row.attempt),
            row.startedAt,
            row.outcome,
            row.reason,
            row.current ? 'present' : 'earlier',
          ]),
        ),
      ]),
      heading('Scoring'),
      {
        kind: 'facts',
        pairs: [
          ['Scored, pending, disputed', `${scoring.scored}, ${scoring.pending}, ${scoring.disputed}`],
          ['Scorers', scoring.scorers.join(', ') || 'none yet'],
          [
            'Refused sheets (for other content)',
            scoring.refusedSheets.length === 0
              ? 'none'
              : joined(
                  scoring.refusedSheets.map((file) => record(file)),
                  '; ',
                ),
          ],
          ['State', `${scoring.state}, by ${scoring.by === 'desk' ? 'a scoring desk' : 'the sheets alone'}`],
          ['Disputes settled, open', `${scoring.disputes.settled}, ${scoring.disputes.open}`],
          ...scoring.agreement.map((row): [string, string] => [`Agreement, ${row.part}`, agreementWords(row)]),
          ...(scoring.guess === null ? [] : [['Guesses of the arm', guessWords(scoring.guess)] as [string, string]]),
          ['Scores', record(`data/runs/${report.experiment}/scores.json`)],
        ],
      },
    ],
  };
}

function agreementWords(row: Report['scoring']['agreement'][number]): string {
  const figure = ({ value, reason }: { value: number | null; reason: string | null }) =>
    value === null ? `undefined (${reason})` : value.toFixed(2);
  const between = ({ low, high }: { low: number | null; high: number | null }) =>
    low === null || high === null ? '' : `, ${low.toFixed(2)} to ${high.toFixed(2)}`;
  return [
    `${row.raters.join(', ')}; ${row.units} units`,
    `percent ${row.percent === null ? 'unknown' : Math.round(row.percent * 100)}`,
    ...row.pairs.map((pair) => `Cohen's κ ${row.pairs.length === 1 ? '' : `${pair.first}/${pair.second} `}${figure(pair.kappa)}`),
    `Gwet's AC1 ${figure(row.ac1)}`,
    ...row.alpha.map((alpha) => `Krippendorff's α (${alpha.level}) ${figure(alpha)}${between(alpha.interval)}`),
  ].join('; ');
}

function guessWords({ guesses, correct, cannotTell, low, high, caution }: NonNullable<Report['scoring']['guess']>): string {
  const interval = low === null || high === null ? '' : ` (Wilson, 95 %: ${low.toFixed(2)} to ${high.toFixed(2)})`;
  return `${correct} of ${guesses} right${interval}, ${cannotTell} could not tell. ${caution}`;
}
