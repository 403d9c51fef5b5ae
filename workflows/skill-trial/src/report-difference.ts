import { canonicalJson } from './hash.js';
import { metricOf } from './metric.js';
import { formatDelta, formatValue } from './number-format.js';
import type { Report } from './report.js';
import { escapeMarkdown } from './report-markdown.js';
import { visible } from './visible.js';

/** One thing that two reports say differently. Values are as a reader sees them; null where a report has no such thing. */
export interface Difference {
  part: 'conditions' | 'decision' | 'rows' | 'trials' | 'verification' | 'limitations';
  what: string;
  before: string | null;
  after: string | null;
}

export interface ReportDifference {
  before: ReportName;
  after: ReportName;
  differences: Difference[];
  /** What makes the two reports hard to compare, in words. */
  caveats: string[];
}

export interface ReportName {
  experiment: string;
  lock: string;
  frozenAt: string;
  scripted: boolean;
}

/**
 * What changed from one report to the next: conditions, decision, rows, trials, the twelve points, limitations. A figure that differs is no finding by
 * itself: two reports are two experiments, and `caveats` says what else differs between them.
 */
export function compareReports(before: Report, after: Report): ReportDifference {
  const differences: Difference[] = [
    ...pairs('conditions', flat(before.conditions), flat(after.conditions)),
    ...pairs('decision', decisionOf(before), decisionOf(after)),
    ...pairs('rows', rowsOf(before), rowsOf(after)),
    ...pairs('trials', trialsOf(before), trialsOf(after)),
    ...pairs('verification', pointsOf(before), pointsOf(after)),
    ...pairs('limitations', limitationsOf(before), limitationsOf(after)),
  ];
  const changed = new Set(
    differences.filter(({ part }) => part === 'conditions').map(({ what }) => what.split('.')[0] as string),
  );
  return {
    before: nameOf(before),
    after: nameOf(after),
    differences,
    caveats: [
      ...(before.scripted || after.scripted
        ? [
            `SCRIPTED: ${before.scripted && after.scripted ? 'both reports show' : 'one report shows'} a script and no model; nothing about the skills follows.`,
          ]
        : []),
      ...(before.experiment === after.experiment ? [] : ['These are two experiments, not two runs of one.']),
      ...(changed.size > 1 || (changed.size === 1 && !changed.has('skills') && !changed.has('specs'))
        ? [`More than the skills changed (${[...changed].join(', ')}): a difference of figures may come from any of it.`]
        : []),
      sameRuns(before, after)
        ? 'Both show the same runs: what differs comes from the plan, the scores or the lab, and not from new runs.'
        : 'The two were not run at the same time: the provider, the machine and the hour may differ.',
    ],
  };
}

/** Whether every trial of both is the same record. */
function sameRuns(before: Report, after: Report): boolean {
  const runs = ({ trials, attempts }: Report) =>
    trials.map(({ id, record }) => [id, record, attempts.find((one) => one.trial === id && one.current)?.startedAt]).sort();
  return before.trials.length > 0 && canonicalJson(runs(before)) === canonicalJson(runs(after));
}

const nameOf = ({ experiment, lock, frozenAt, scripted }: Report): ReportName => ({ experiment, lock, frozenAt, scripted });

function pairs(part: Difference['part'], before: Map<string, string>, after: Map<string, string>): Difference[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((what) => {
    const [one, other] = [before.get(what) ?? null, after.get(what) ?? null];
    return one === other ? [] : [{ part, what, before: one, after: other }];
  });
}

/** Each leaf of a value by its path. */
function flat(value: unknown, path = '', into = new Map<string, string>()): Map<string, string> {
  const leaf = value === null || typeof value !== 'object' || Array.isArray(value) || Object.keys(value).length === 0;
  if (leaf) into.set(path, canonicalJson(value));
  else
    for (const [key, one] of Object.entries(value)) if (one !== undefined) flat(one, path === '' ? key : `${path}.${key}`, into);
  return into;
}

function decisionOf({ decision }: Report): Map<string, string> {
  return new Map(
    decision.contrasts.flatMap(({ contrast, descriptive, inferential, criteria }): [string, string][] => [
      [`${contrast}: descriptive`, descriptive],
      [`${contrast}: inferential`, inferential],
      ...criteria.map(({ criterion, met, figures }): [string, string] => [
        `${contrast}: ${criterion}`,
        `${met === null ? 'cannot be judged' : met ? 'met' : 'not met'} (${figures})`,
      ]),
    ]),
  );
}

function rowsOf({ rows, statistics }: Report): Map<string, string> {
  return new Map(
    rows.map((row) => {
      const test = statistics.find((one) => one.metric === row.metric && one.contrast === row.contrast);
      const p = test === undefined || test.p === null ? 'p not available' : `p = ${test.p.toFixed(3)}`;
      const n = `n ${row.nA.used}/${row.nA.total}, ${row.nB.used}/${row.nB.total}`;
      return [
        `${row.contrast}: ${metricOf(row.metric).title}`,
        `${formatValue(row.a, row.unit)} → ${formatValue(row.b, row.unit)} (${formatDelta(row.delta, row.unit)}; ${n}; ${p})`,
      ];
    }),
  );
}

function trialsOf({ trials, missing }: Report): Map<string, string> {
  return new Map([
    ...trials.map((trial): [string, string] => [trial.id, `${trial.status}, ${trial.valid ? 'valid' : 'invalid'}`]),
    ...missing.map((id): [string, string] => [id, 'not recorded']),
  ]);
}

function pointsOf({ verification }: Report): Map<string, string> {
  return new Map(
    verification.map(({ point, title, holds }) => [
      `${point}. ${title}`,
      holds === null ? 'cannot be told' : holds ? 'holds' : 'does not hold',
    ]),
  );
}

/** Deviations from the plan are among them. */
const limitationsOf = ({ limitations }: Report) => new Map(limitations.map((one) => [one, 'said']));

const titles: Record<Difference['part'], string> = {
  conditions: 'Conditions',
  decision: 'Decision',
  rows: 'Metrics (control → arm)',
  trials: 'Trials',
  verification: 'The twelve points',
  limitations: 'Limitations and deviations',
};

/** The comparison as plain text. */
export function differenceText({ before, after, differences, caveats }: ReportDifference): string {
  const lines = [heading(before, after, ''), '', ...caveats.map((one) => `! ${visible(one)}`)];
  for (const part of Object.keys(titles) as Difference['part'][]) {
    const own = differences.filter((one) => one.part === part);
    lines.push('', `${titles[part]}${own.length === 0 ? ': no difference' : ''}`);
    for (const { what, before: one, after: other } of own)
      lines.push(`  ${visible(what)}`, `    - ${visible(one ?? 'not there')}`, `    + ${visible(other ?? 'not there')}`);
  }
  return `${lines.join('\n')}\n`;
}

/** The comparison as Markdown. */
export function differenceMarkdown({ before, after, differences, caveats }: ReportDifference): string {
  const cell = (text: string | null) => (text === null ? 'not there' : escapeMarkdown(text));
  const lines = [`# ${heading(before, after, '`')}`, '', ...caveats.map((one) => `- ${escapeMarkdown(one)}`)];
  for (const part of Object.keys(titles) as Difference['part'][]) {
    const own = differences.filter((one) => one.part === part);
    lines.push('', `## ${titles[part]}`, '');
    if (own.length === 0) lines.push('No difference.');
    else lines.push('| What | Before | After |', '|---|---|---|');
    for (const { what, before: one, after: other } of own)
      lines.push(`| ${escapeMarkdown(what)} | ${cell(one)} | ${cell(other)} |`);
  }
  return `${lines.join('\n')}\n`;
}

function heading(before: ReportName, after: ReportName, quote: string): string {
  const name = ({ experiment, lock, frozenAt, scripted }: ReportName) =>
    `${scripted ? 'SCRIPTED ' : ''}${visible(experiment)} ${quote}${visible(lock.slice(0, 12))}${quote} (${visible(frozenAt.slice(0, 10))})`;
  return `${name(before)} to ${name(after)}`;
}
