import type { ComparisonRow } from './comparison.js';
import { metricOf } from './metric.js';
import { formatDelta, formatValue } from './number-format.js';
import type { Report } from './report.js';
import { titledInputs } from './report-account.js';
import { type Block, type Content, details, type Inline, list, table, text } from './report-document.js';
import { type ContrastView, formatP, plainStatistic, reachWords, used } from './report-view.js';
import type { Statistic } from './statistic.js';
import type { Interval } from './statistics/interval.js';
import { smallestP } from './statistics/power.js';

const roleWords = { primary: 'planned, primary', criterion: 'planned, a criterion', exploratory: 'exploratory' } as const;

/** How sure the figures of one contrast are: planned tests apart from exploratory ones, each with plain words. */
export function statisticBlocks(report: Report, view: ContrastView): Block[] {
  const { name, statistics, rows, arm, control } = view;
  const { cases, repeats } = report.conditions.settings;
  const design = { cases: cases.length, repeats };
  const title = (row: Statistic) => rows.find((one) => one.metric === row.metric)?.title ?? metricOf(row.metric).title;
  /** A number that leads to how its metric's figures are made. */
  const number = (row: Statistic, words: string, formula: string): Inline => {
    const own = rows.find((one) => one.metric === row.metric);
    if (own === undefined) return words;
    const n = `n ${used(own.nA)} of ${control}, ${used(own.nB)} of ${arm}`;
    return {
      link: words,
      anchor: `how-${name}-${row.metric}`,
      title: `${formula}; ${n}. ${titledInputs(report, own, control)}; ${titledInputs(report, own, arm)}`,
    };
  };
  const planned = statistics.filter((row) => row.role === 'primary');
  const rest = statistics.filter((row) => row.role !== 'primary');
  const several = statistics.some((row) => row.pHolm !== row.p);
  const tests = (caption: string, which: Statistic[]) =>
    table(
      caption,
      ['Metric', '#Difference of means', '#p', ...(several ? ['#p, Holm'] : []), '#Smallest reachable p', 'In plain words'],
      which.map((row): Content[] => [
        title(row),
        number(
          row,
          formatDelta(row.estimate, metricOf(row.metric).unit),
          `mean of ${arm} − mean of ${control} within a case, averaged over the cases`,
        ),
        number(row, formatP(row.p), pFormula(row)),
        ...(several ? [number(row, formatP(row.pHolm), 'p after Holm’s correction over the arms tested on this metric')] : []),
        number(row, formatP(row.smallestP), 'the smallest p that any result of this design can have'),
        plainStatistic(row),
      ]),
    );
  return [
    text(designWords(design)),
    ...(planned.length === 0
      ? []
      : [tests(`How sure, contrast ${name}: the planned test (permutation within each case, for these cases only)`, planned)]),
    tests(`Exploratory, contrast ${name}: the same test of what was not named as primary`, rest),
    text(
      `${reachWords(statistics)} ${several ? 'p, Holm: corrected for the number of arms that were tested on the metric.' : ''} p is not corrected for looking at ${statistics.length} metrics; only the primary one was named in advance.`.trim(),
    ),
    details(`Shift, spread and cases (${name})`, [
      text(
        'Shift: the middle of all differences between a run of the arm and a run of the control on the same case (Hodges and Lehmann); its interval holds the true shift in at least 95 of 100 such experiments, and is withheld where so few runs have no such interval, or a limit cut one arm off more often than the other. It differs from the difference of medians, and may.',
      ),
      table(
        `Shift of each metric, contrast ${name}`,
        [
          'Metric',
          'Plan',
          '#Shift',
          '95 % interval',
          `Middle half of ${view.control}`,
          `Middle half of ${view.arm}`,
          'Over cases',
        ],
        statistics.map((row): Content[] => {
          const unit = metricOf(row.metric).unit;
          const figures = rows.find((one) => one.metric === row.metric);
          return [
            title(row),
            roleWords[row.role],
            number(row, formatDelta(row.shift.estimate, unit), `median of all differences ${arm} − ${control} on the same case`),
            number(row, intervalWords(row.shift.interval, unit), 'exact 95 % interval of that shift, from the permutation test'),
            number(row, quartileWords(figures?.quartilesA, unit), `first and third quartile of ${control}`),
            number(row, quartileWords(figures?.quartilesB, unit), `first and third quartile of ${arm}`),
            number(row, overCasesWords(row), 'mean of the cases’ differences of means; the signs of these turned'),
          ];
        }),
      ),
    ]),
    ...treatmentBlocks(view, planned[0]),
    ...caveats(view),
  ];
}

function pFormula({ method, arrangements }: Statistic): string {
  return `share of the ways to exchange arm labels within each case that differ at least as much (${method}, ${arrangements} arrangements)`;
}

/** What the design could and could not have shown, before any figure is looked at. */
function designWords(design: { cases: number; repeats: number }): string {
  const least = smallestP(design);
  const size = `${design.cases === 1 ? 'one case' : `${design.cases} cases`} with ${design.repeats === 1 ? 'one run' : `${design.repeats} runs`} of each arm`;
  const runs =
    least > 0.05
      ? `cannot reach p < .05 for these cases: its smallest p is ${formatP(least)}`
      : `can reach p = ${formatP(least)} at best for these cases`;
  const cases =
    design.cases < 6
      ? 'With fewer than 6 cases nothing can be shown for cases like these.'
      : `For cases like these it can reach p = ${formatP(2 / 2 ** design.cases)}.`;
  return `What this design could show: ${size} ${runs}. ${cases}`;
}

function intervalWords(interval: Interval | null, unit: string): string {
  return interval === null ? 'withheld' : `${formatDelta(interval.low, unit)} to ${formatDelta(interval.high, unit)}`;
}

function quartileWords(quartiles: ComparisonRow['quartilesA'] | undefined, unit: string): string {
  if (quartiles === undefined || quartiles.q1 === null || quartiles.q3 === null) return 'not available';
  return quartiles.q1 === quartiles.q3
    ? formatValue(quartiles.q1, unit)
    : `${formatValue(quartiles.q1, unit)} to ${formatValue(quartiles.q3, unit)}`;
}

function overCasesWords({ overCases, metric }: Statistic): string {
  if (overCases.cases < 2) return 'one case: no';
  const unit = metricOf(metric).unit;
  const { gained, lost, p } = overCases.mcnemar ?? { gained: 0, lost: 0, p: null };
  const flips = overCases.mcnemar === null ? '' : `; ${gained} gained, ${lost} lost, McNemar p = ${formatP(p)}`;
  return `${formatDelta(overCases.estimate, unit)}, p = ${formatP(overCases.p)} (sign test ${formatP(overCases.signP)}; at best ${formatP(overCases.smallestP)})${flips}`;
}

/** Intention to treat first; then what is only described. */
function treatmentBlocks(view: ContrastView, primary: Statistic | undefined): Block[] {
  if (primary === undefined) return [];
  const { loadedRuns, complier, metric } = primary;
  const unit = metricOf(metric).unit;
  const share = complier.activation === null ? 'not available' : formatValue(complier.activation, 'fraction');
  return [
    text(
      `As assigned (intention to treat): ${formatDelta(complier.assigned, unit)} of the primary metric, whether or not a skill was read. A skill was loaded in ${loadedRuns.runs} of ${loadedRuns.of} runs of ${view.arm} (${share}); their median is ${formatValue(loadedRuns.median, unit)}, a description and no comparison: loading happens after the arms are drawn.${complier.estimate === null ? '' : ` For runs that load a skill because it is there: ${formatDelta(complier.estimate, unit)}, if ${complier.assumption}.`}`,
    ),
  ];
}

function caveats({ rows, statistics, arm, control }: ContrastView): Block[] {
  const lines = [
    ...rows.flatMap((row) =>
      row.bounds === null
        ? []
        : [
            `${row.title}: ${row.bounds.invalidA + row.bounds.invalidB} invalid ${row.bounds.invalidA + row.bounds.invalidB === 1 ? 'trial is' : 'trials are'} left out. At best for ${arm} the difference would be ${boundWords(row.bounds.best, row.unit)}, at worst ${boundWords(row.bounds.worst, row.unit)}.`,
          ],
    ),
    ...rows.flatMap((row) =>
      (
        [
          [control, row.censoredA],
          [arm, row.censoredB],
        ] as const
      ).flatMap(([name, censored]) =>
        censored === null || censored.runs === 0
          ? []
          : [
              `${row.title}: a limit cut ${censored.runs} ${censored.runs === 1 ? 'run' : 'runs'} of ${name} off; the median is at least ${formatValue(censored.atLeast, row.unit)}.`,
            ],
      ),
    ),
    ...rows.flatMap((row) => {
      const same = [...row.cases.atFloor, ...row.cases.atCeiling];
      return row.unit === 'tokens' || same.length === 0
        ? []
        : [`${row.title}: ${same.join(', ')} cannot tell the arms apart, every run of both is at an end of the scale.`];
    }),
    ...rows.flatMap((row) =>
      row.cases.gained.length > 0 && row.cases.lost.length > 0
        ? [`${row.title}: higher in ${row.cases.gained.join(', ')}, lower in ${row.cases.lost.join(', ')}.`]
        : [],
    ),
    ...statistics.flatMap(({ cutOff, metric }) =>
      cutOff === undefined
        ? []
        : [
            `${metricOf(metric).title}, with each run that a limit cut off counted as longer than its clock (log-rank test, labels exchanged within a case): p = ${formatP(cutOff.logRankP)}, at best ${formatP(cutOff.smallestP)}. Mean up to ${formatValue(cutOff.horizon, metricOf(metric).unit)}: ${formatValue(cutOff.restrictedMeanA, metricOf(metric).unit)} of ${control}, ${formatValue(cutOff.restrictedMeanB, metricOf(metric).unit)} of ${arm}; of runs that were cut off this is the least they took.`,
          ],
    ),
    ...statistics.flatMap((row) =>
      row.equivalence === null
        ? []
        : [
            `No difference of ${metricOf(row.metric).title.toLowerCase()} beyond ± ${formatValue(row.equivalence.margin, metricOf(row.metric).unit)}, the margin declared before: ${row.equivalence.equivalent === null ? 'this design cannot tell' : row.equivalence.equivalent ? 'shown, for these cases' : 'not shown'}.`,
          ],
    ),
  ];
  return lines.length === 0 ? [] : [list(lines)];
}

function boundWords(value: number | null, unit: string): string {
  return value === null ? 'unbounded' : formatDelta(value, unit);
}
