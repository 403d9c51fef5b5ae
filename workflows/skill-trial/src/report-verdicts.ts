import type { Report } from './report.js';
import { type Block, details, joined, mark, record, table, text } from './report-document.js';
import type { VerdictRow } from './verdict-row.js';

/** What the hidden tests said of each variant: nothing that did not run is left out of the count. */
export function verdictBlocks({ verdicts, trials }: Report): Block[] {
  if (verdicts.length === 0) return [];
  const whose = ({ content, case: one }: (typeof verdicts)[number]) =>
    joined(trials.flatMap((trial) => (trial.content === content && trial.case === one ? [record(trial.record, trial.id)] : [])));
  return [
    details('What the hidden tests said of each variant', [
      text(
        'A test has passed when it passed in every run of the same tree. Skipped, expected to fail and missing (not run, or not collected) count as not passed.',
      ),
      table(
        'The hidden tests of each variant',
        [
          'Trials',
          'Requirement',
          '#Runs',
          '#Tests',
          '#Passed',
          '#Failed',
          '#Skipped',
          '#Expected to fail',
          '#Missing',
          'Flaky',
          'Ran into',
        ],
        verdicts.map((row) => [
          whose(row),
          mark(row.success, 'met', 'not met'),
          ...[row.runs, row.total, row.passed, row.failed, row.skipped, row.expectedToFail, row.missing].map(String),
          row.flaky.join('; ') || 'none',
          ranInto(row).join('; ') || 'nothing',
        ]),
      ),
    ]),
  ];
}

const ranInto = ({ limits, timedOut, unreadable }: VerdictRow) => [
  ...limits.map((limit) => `limit on ${limit}`),
  ...(timedOut === 0 ? [] : ['time limit']),
  ...(unreadable === undefined ? [] : ['a report that cannot be read']),
];
