import { armWords, controlsOf, modelOf } from './arm.js';
import type { ComparisonRow } from './comparison.js';
import { contrastName } from './comparison.js';
import type { Conclusion } from './conclusion.js';
import type { ContrastDecision } from './decision.js';
import { formatDelta, formatValue } from './number-format.js';
import type { Report } from './report.js';
import { type Inline, type Mark, record, type Strip } from './report-document.js';
import type { Statistic } from './statistic.js';
import { ratio } from './summary.js';

export const scriptedBanner = {
  title: 'SCRIPTED MODEL: nothing about the skills was measured',
  body: 'A server played a written script in place of the model. The figures below show that the lab works; every difference between the arms was written into the script, and the decision is withheld.',
};

/** Everything a report says about one pair of arms. */
export interface ContrastView {
  name: string;
  arm: string;
  control: string;
  rows: ComparisonRow[];
  statistics: Statistic[];
  decision: ContrastDecision | undefined;
  conclusion: Conclusion | undefined;
}

/** The report's contrasts, in the order of its arms. */
export function contrastViews(report: Report): ContrastView[] {
  const { arms } = report.conditions.settings;
  const pairs = report.arms.flatMap(({ name: arm, control }) => {
    const named = controlsOf(arms[arm] ?? {});
    // report.json holds the first of an arm's controls
    return (named.length > 1 ? named : control === null ? [] : [control]).map((one) => ({ arm, control: one }));
  });
  return pairs.map(({ arm, control }) => {
    const name = contrastName({ arm, control });
    const own = <Row extends { contrast: string }>(rows: Row[]) => rows.filter((row) => row.contrast === name);
    return {
      name,
      arm,
      control,
      rows: own(report.rows),
      statistics: own(report.statistics),
      decision: own(report.decision.contrasts)[0],
      conclusion: own(report.conclusions)[0],
    };
  });
}

const qualityUnits = ['fraction', 'points', 'runs'];

export function qualityRows({ rows }: ContrastView): ComparisonRow[] {
  return rows.filter((row) => qualityUnits.includes(row.unit));
}

export function differs({ delta }: ComparisonRow): boolean {
  return delta !== null && Math.abs(delta) > 1e-9;
}

export function used({ used, total }: { used: number; total: number }): string {
  return `${used}/${total}`;
}

/** The range of one arm; one value where both ends are equal. */
export function formatRange({ min, max }: { min: number | null; max: number | null }, unit: string): string {
  if (min === null || max === null) return 'not available';
  return min === max ? formatValue(min, unit) : `${formatValue(min, unit)} to ${formatValue(max, unit)}`;
}

export function formatP(p: number | null): string {
  if (p === null) return 'not available';
  return p < 0.001 ? '< 0.001' : p.toFixed(3);
}

/** What a permutation test says, in words. */
export function plainStatistic(row: Statistic): string {
  if (row.p === null) return `Not tested: ${row.note === '' ? 'no reason given' : row.note}.`;
  const seen = `If the arm made no difference, ${extremeWords(row.p, row)} would differ by at least as much`;
  if (outOfReach(row)) return `${seen}.`;
  return `${seen}: ${row.p <= 0.05 ? 'chance alone would rarely do this' : 'chance alone can do this, the arms are not distinguishable'}.`;
}

function extremeWords(p: number, { method, arrangements }: Statistic): string {
  if (method === 'exact') return `${Math.round(p * arrangements)} of the ${arrangements} ways to label these runs`;
  if (method === 'monte-carlo') return `about ${formatP(p)} of all ways to label these runs (${arrangements} were drawn)`;
  return `a share of about ${formatP(p)} of all ways to label these runs`;
}

/** Whether the design itself keeps p above .05. */
export function outOfReach({ smallestP }: Statistic): boolean {
  return smallestP !== null && smallestP > 0.05;
}

/** What no result of this design could have shown, once for all its tests; empty where there is nothing of the kind. */
export function reachWords(statistics: Statistic[]): string {
  const beyond = statistics.filter(outOfReach);
  const least = [...new Set(beyond.map((row) => formatP(row.smallestP)))].join(' or ');
  if (beyond.length === 0) return '';
  const which = beyond.length === statistics.length ? '' : ` for ${beyond.length} of the ${statistics.length} metrics`;
  return `With this few runs p cannot go below ${least}${which}: no result of this design could reach .05.`;
}

/** The runs behind a row, named after the trials that each record belongs to (two trials with the same bytes share one). */
export function evidenceLinks(report: Report, row: ComparisonRow, most = 24): Inline[] {
  const several = new Set(report.trials.map((trial) => trial.case)).size > 1;
  const links = row.evidence.slice(0, most).map((path) => {
    const owners = report.trials.filter(
      (trial) =>
        path.startsWith(`${trial.record}/`) || (trial.content !== null && path.includes(`/${trial.content.slice(0, 12)}`)),
    );
    const names = owners.map(
      (trial) => `${several ? `${trial.case} ` : ''}${trial.arm}${/\d$/.test(trial.arm) ? ' #' : ''}${trial.repeat}`,
    );
    return record(path, names.length === 0 ? (path.split('/').at(-1) as string) : names.join('+'));
  });
  const more = row.evidence.length - most;
  return more > 0 ? [...links, `and ${more} more in report.json`] : links;
}

/** One run's value: a share of runs is yes or no for a single run. */
export function formatRun(value: number | null, unit: string): string {
  if (unit !== 'runs' || value === null) return formatValue(value, unit);
  return value === 1 ? 'yes' : value === 0 ? 'no' : formatValue(value, unit);
}

/** Both arms of a row on one scale from 0. */
export function stripOf(row: ComparisonRow, { arm, control }: ContrastView): Strip {
  const side = (value: number | null, range: ComparisonRow['rangeA']) =>
    value === null ? null : { value, min: range.min ?? value, max: range.max ?? value };
  const [a, b] = [side(row.a, row.rangeA), side(row.b, row.rangeB)];
  const top = Math.max(0, a?.max ?? 0, b?.max ?? 0);
  // a larger value seen widens the scale
  const max = Math.max(row.scaleMax ?? 0, top) || 1;
  const words = (name: string, value: number | null, range: ComparisonRow['rangeA']) =>
    value === null ? `${name}: not available` : `${name}: ${formatValue(value, row.unit)} (${formatRange(range, row.unit)})`;
  const label = `${row.title}, on a scale from 0 to ${formatValue(max, row.unit)}. ${words(control, row.a, row.rangeA)}; ${words(arm, row.b, row.rangeB)}`;
  return { max, a, b, label };
}

export function tally(report: Report): { counts: Record<Mark, number>; words: string } {
  const count = (holds: boolean | null) => report.verification.filter((point) => point.holds === holds).length;
  const counts = { yes: count(true), no: count(false), unknown: count(null) };
  const words = `${counts.yes} of ${report.verification.length} points hold${counts.no === 0 ? '' : `, ${counts.no} ${counts.no === 1 ? 'does' : 'do'} not`}${counts.unknown === 0 ? '' : `, ${counts.unknown} cannot be told`}`;
  return { counts, words };
}

const descriptiveWords: Record<Report['decision']['descriptive'], string> = {
  accept: 'every criterion of the acceptance rule is met',
  restrict: 'better, but beyond a budget',
  revise: 'the gain is missing, or bought with something that must not be paid',
  reject: 'the primary metric became worse',
  pending: 'a criterion cannot be judged yet',
  withheld: 'no decision is taken',
};
const inferentialWords: Record<Report['decision']['inferential'], string> = {
  supported: 'the effect is unlikely to be chance, for these cases',
  equivalent: 'the arms differ by less than the margin declared before, for these cases',
  'not-distinguishable': 'the difference is not distinguishable from chance',
  'not-attainable': 'this design cannot reach p < .05, whatever it shows',
  pending: 'the primary metric cannot be tested yet',
  withheld: 'no decision is taken',
};

export function decisionWords({ descriptive, inferential }: Pick<ContrastDecision, 'descriptive' | 'inferential'>) {
  return { descriptive: descriptiveWords[descriptive], inferential: inferentialWords[inferential] };
}

/** The one-screen summary of a contrast. */
export function summaryOf(report: Report, view: ContrastView): { id: string; title: string; content: string }[] {
  const { settings, agent } = report.conditions;
  const { arm, control } = view;
  const skills = (name: string) => armWords(settings.arms[name] ?? { skills: [] });
  const models = [...new Set([control, arm].map((name) => modelOf(settings, name).id))];
  const quality = qualityRows(view);
  const changed = quality.filter(differs);
  const equal = quality.filter((row) => row.delta !== null && !differs(row));
  const change = (row: ComparisonRow) =>
    `${row.title} ${formatValue(row.a, row.unit)} → ${formatValue(row.b, row.unit)} (${formatDelta(row.delta, row.unit)})`;
  const test = view.statistics.find((row) => row.metric === settings.decision.primary);
  const cost = view.rows.filter((row) => ['elapsed_seconds', 'input_tokens_uncached', 'output_tokens'].includes(row.metric));
  const runs = settings.repeats === 1 ? '1 run' : `${settings.repeats} runs`;
  return [
    {
      id: 'compared',
      title: 'Compared',
      content: `Arm ${arm} (${skills(arm)}) with arm ${control} (${skills(control)}): ${runs} each on ${settings.cases.join(', ')}, agent ${agent.name} ${agent.version}, model ${models.join(' and ')}.`,
    },
    {
      id: 'differed',
      title: report.scripted ? 'What the script made differ' : 'What differed',
      content:
        (changed.length > 0 ? `${changed.map(change).join('; ')}.` : 'No quality metric differs; that is a result.') +
        (equal.length > 0 && changed.length > 0 ? ` Equal: ${equal.map((row) => row.title).join(', ')}.` : ''),
    },
    {
      id: 'sure',
      title: 'How sure',
      content:
        test === undefined
          ? 'The primary metric was not tested.'
          : `Primary metric, p = ${formatP(test.p)}. ${plainStatistic(test)} ${reachWords([test])}${report.scripted ? ' Of a script this says nothing.' : ''}`,
    },
    {
      id: 'cost',
      title: 'What it cost',
      content: cost.length === 0 ? 'Not available.' : `${cost.map((row) => change(row) + times(row)).join('; ')}.`,
    },
    { id: 'unknown', title: 'Not known', content: unknowns(report, view).join(' ') },
  ];
}

/** ` × 1.59`: the ratio of the two figures, where there is one. */
export function times(row: ComparisonRow): string {
  const value = ratio(row.a, row.b);
  return value === null ? '' : `, × ${value.toFixed(2)}`;
}

function unknowns(report: Report, view: ContrastView): string[] {
  const { scoring, missing, conditions } = report;
  const lost = view.rows.filter((row) => row.a === null || row.b === null);
  const open = report.verification.filter((point) => point.holds === null);
  const invalid = report.trials.filter((trial) => !trial.valid);
  return [
    ...(report.scripted ? ['Whether the skills help any real model.'] : []),
    ...(lost.length > 0 ? [`Not available: ${lost.map((row) => row.title).join(', ')}.`] : []),
    ...(missing.length > 0 ? [`Trials without a record: ${missing.join(', ')}.`] : []),
    ...(invalid.length > 0
      ? [`${invalid.length} invalid ${invalid.length === 1 ? 'trial is' : 'trials are'} left out of every figure.`]
      : []),
    ...(scoring.pending > 0 ? [`${scoring.pending} runs await a score sheet.`] : []),
    ...(scoring.state === 'unblinded'
      ? []
      : ['Scores, checks and contents of the variants are withheld: scoring is not locked and unblinded yet.']),
    ...(scoring.disputed > 0 ? [`${scoring.disputed} runs are disputed between scorers.`] : []),
    ...(open.length > 0 ? [`Cannot be told: point ${open.map((point) => point.point).join(', ')} of the twelve.`] : []),
    `What holds beyond the tested class (${conditions.settings.decision.tested_class}); not tested: ${conditions.settings.decision.untested_class}.`,
  ];
}
