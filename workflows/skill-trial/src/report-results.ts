import type { ComparisonRow } from './comparison.js';
import { formatDelta, formatValue } from './number-format.js';
import type { Report } from './report.js';
import { inputs, titledInputs } from './report-account.js';
import {
  type Block,
  type Content,
  details,
  heading,
  type Inline,
  joined,
  list,
  record,
  type Section,
  table,
  text,
} from './report-document.js';
import { statisticBlocks } from './report-statistics.js';
import { type ContrastView, evidenceLinks, formatRange, stripOf, used } from './report-view.js';

export function resultsSection(report: Report, views: ContrastView[]): Section {
  return {
    id: 'results',
    title: 'Results',
    blocks: [
      ...(report.scripted ? [text({ strong: 'These are the figures of a script, not of a model.' })] : []),
      ...views.flatMap((view) => contrastBlocks(report, view, views.length > 1)),
      heading('Precision, pooled and per run'),
      text(
        'Pooled: all checkable findings of an arm’s valid, scored runs counted together. Per run: the median of the runs’ own figures, as in the table of metrics. The two can differ.',
      ),
      table(
        'Precision of each arm',
        ['Arm', '#Pooled', '#Confirmed / checkable', '#Scored runs', '#Per run (median)'],
        report.precisionPooled.map((row) => [
          row.arm,
          ...[
            formatValue(row.value, 'fraction'),
            `${row.confirmed}/${row.checkable}`,
            String(row.runs),
            perRun(views, row.arm),
          ].map((words) =>
            ofSheets(report, views, row.arm, 'finding_precision', words, 'confirmed / (confirmed + contradicted)'),
          ),
        ]),
      ),
      { kind: 'figures' },
    ],
  };
}

/** A number of an arm's score sheets (of one case, where it is named): it leads to the account of the metric made of the same ones. */
function ofSheets(
  report: Report,
  views: ContrastView[],
  arm: string,
  metric: 'finding_precision' | 'review_completeness',
  words: string,
  formula: string,
  ofCase?: string,
): Inline {
  for (const view of views) {
    const row = [view.arm, view.control].includes(arm) ? view.rows.find((one) => one.metric === metric) : undefined;
    if (row === undefined) continue;
    const n = ofCase === undefined ? (arm === view.arm ? row.nB : row.nA) : countOf(report, metric, arm, ofCase);
    return {
      link: words,
      anchor: `how-${view.name}-${metric}`,
      title: `${formula}; n ${used(n)}. ${titledInputs(report, row, arm, ofCase)}`,
    };
  }
  return words;
}

function countOf(report: Report, metric: 'finding_precision' | 'review_completeness', arm: string, ofCase: string) {
  const runs = report.trials.filter((trial) => trial.arm === arm && trial.case === ofCase);
  return { used: runs.filter((trial) => trial.valid && trial.values[metric] !== null).length, total: runs.length };
}

function perRun(views: ContrastView[], arm: string): string {
  const view = views.find((one) => one.arm === arm || one.control === arm);
  const row = view?.rows.find((one) => one.metric === 'finding_precision');
  return formatValue((view?.arm === arm ? row?.b : row?.a) ?? null, 'fraction');
}

function contrastBlocks(report: Report, view: ContrastView, named: boolean): Block[] {
  const { arm, control, name, rows } = view;
  const how = (row: ComparisonRow) => `how-${name}-${row.metric}`;
  const number = (row: ComparisonRow, which: string, words: string): Inline => ({
    link: words,
    anchor: how(row),
    title: `${row.aggregate} of ${which}, n ${used(which === control ? row.nA : row.nB)}. ${row.formula}. ${titledInputs(report, row, which)}`,
  });
  const main: Content[][] = rows.map((row) => [
    row.title,
    number(row, control, sideWords(row.a, row.censoredA, row.unit)),
    number(row, arm, sideWords(row.b, row.censoredB, row.unit)),
    { link: formatDelta(row.delta, row.unit), anchor: how(row), title: `${arm} − ${control}. ${row.formula}` },
    { strip: stripOf(row, view) },
    `${used(row.nA)}, ${used(row.nB)}`,
    `${formatRange(row.rangeA, row.unit)}; ${formatRange(row.rangeB, row.unit)}`,
    row.evidence.length === 0 ? 'no record' : joined(evidenceLinks(report, row)),
  ]);
  const results = table(
    `Metrics: arm ${control} (control) and arm ${arm}`,
    [
      'Metric',
      `#${control}`,
      `#${arm}`,
      '#Difference',
      'Ranges',
      `#n used/total (${control}, ${arm})`,
      `Range (${control}; ${arm})`,
      'Records',
    ],
    main,
  );
  (results.columns[4] as { drawing?: boolean }).drawing = true;
  const derivations = table(
    `How each number is made, contrast ${name}`,
    ['Metric', 'Formula', 'Put together by', `Runs of ${control}`, `Runs of ${arm}`, 'Saved records'],
    rows.map((row) => [
      row.title,
      row.formula,
      row.aggregate === 'median' ? 'median of the known values' : 'share of runs',
      inputs(report, row, control),
      inputs(report, row, arm),
      row.evidence.length === 0
        ? 'no record'
        : joined(
            row.evidence.map((path) => record(path)),
            '; ',
          ),
    ]),
  );
  return [
    ...(named ? [heading(`Contrast ${name}: arm ${arm} against arm ${control}`)] : []),
    results,
    text(
      'Differences of shares are in percentage points (pp), never per cent. A value that is not available was never measured; it is not 0.',
    ),
    ...statisticBlocks(report, view),
    details(`How each number is made: formula, every run’s value, records (${name})`, [
      { ...derivations, rows: derivations.rows.map((row, index) => ({ ...row, id: how(rows[index] as ComparisonRow) })) },
    ]),
  ];
}

/** A median that falls among runs that a limit cut off is at least so large, and no more is known. */
function sideWords(value: number | null, censored: ComparisonRow['censoredA'], unit: string): string {
  const atLeast = value === null ? (censored?.atLeast ?? null) : null;
  return atLeast === null ? formatValue(value, unit) : `≥ ${formatValue(atLeast, unit)}`;
}

export function findingsSection(report: Report, views: ContrastView[]): Section {
  const arms = report.arms.map((arm) => arm.name);
  const keys = [...new Set(report.consistency.map((row) => row.key))];
  const cell = (key: string, arm: string): Content => {
    const row = report.consistency.find((one) => one.key === key && one.arm === arm);
    if (row === undefined) return 'not available';
    const parts = (['contradicted', 'unconfirmed', 'style', 'unscored'] as const)
      .filter((kind) => row[kind] > 0)
      .map((kind) => `${kind} ${row[kind]}`);
    const both =
      row.completeRuns === row.runs ? '' : `; ${formatValue(row.overComplete, 'fraction')} of the ${row.completeRuns} completed`;
    const share = row.overAll === null ? '' : ` (${formatValue(row.overAll, 'fraction')}${both})`;
    const words = `${row.confirmed}/${row.runs}${share}${parts.length === 0 ? '' : ` · ${parts.join(', ')}`}`;
    return ofSheets(report, views, arm, 'review_completeness', words, 'runs whose sheets confirm it / all valid runs');
  };
  return {
    id: 'findings',
    title: 'Findings and critical risks',
    blocks: [
      text(
        'Runs that confirmed a finding, of all valid runs of the arm. A contradicted finding is a wrong one, not an absent one; style advice is no defect.',
      ),
      table(
        'Consistency of each finding',
        ['Finding', ...arms.map((arm) => `Arm ${arm}: confirmed/runs`)],
        keys.map((key) => [key, ...arms.map((arm) => cell(key, arm))]),
      ),
      ...(keys.length === 0 ? [text('No finding is scored: not available.')] : []),
      heading('Critical risks'),
      table(
        'Rows of weight 3 or more (data integrity): runs that confirmed them',
        ['Case and row', 'Arm', '#Confirmed/runs', '#Share'],
        report.criticalRisks.map((row) => [
          `${row.case} ${row.row}`,
          row.arm,
          ...[`${row.confirmed}/${row.runs}`, formatValue(row.fraction, 'fraction')].map((words) =>
            ofSheets(
              report,
              views,
              row.arm,
              'review_completeness',
              words,
              'runs whose sheets confirm the row / all valid runs of the case',
              row.case,
            ),
          ),
        ]),
      ),
      ...(report.criticalRisks.length === 0 ? [list(['No critical row is scored: not available.'])] : []),
    ],
  };
}
