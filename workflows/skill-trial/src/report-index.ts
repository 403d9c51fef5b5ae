import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { ComparisonRow } from './comparison.js';
import { LabError } from './errors.js';
import { hashOf } from './hash.js';
import { type Html, html, raw } from './html.js';
import type { MetricId } from './metric.js';
import { formatDelta, formatValue } from './number-format.js';
import { rootPaths, runPaths } from './paths.js';
import { readJson, writeWhole } from './record.js';
import { Report } from './report.js';
import { recordHref, type Strip } from './report-document.js';
import { stripSvg } from './report-page-blocks.js';
import { pageStyle, styleHash } from './report-page-style.js';
import { contrastViews, scriptedBanner, stripOf, tally, used } from './report-view.js';

/** What the index says of one report. */
export interface ReportEntry extends Pick<Report, 'lock' | 'frozenAt' | 'title' | 'scripted'> {
  decision: Pick<Report['decision'], 'descriptive' | 'inferential'>;
  /** A hash over the skills of its lock. */
  skillSet: string;
  tally: string;
  /** One for each contrast; null where the report has no such row. */
  lines: { contrast: string; primary: Shown | null; strip: Strip | null; time: Shown | null; output: Shown | null }[];
}

/** Without the paths of every trial's record. */
type Shown = Pick<ComparisonRow, 'title' | 'unit' | 'a' | 'b' | 'delta' | 'nA' | 'nB'>;

/** The reports of one experiment, one a lock, oldest first; the last is the one that stands in its folder. */
export interface ReportSeries {
  experiment: string;
  reports: ReportEntry[];
  /** Its page, relative to the index; null where only earlier reports are kept. */
  page: string | null;
  /** Reports that cannot be read, by their path. */
  unreadable: string[];
}

/** Every report of a checkout: the present ones, those that each lock left before, and the committed examples. Sorted by name. */
export async function readReportSeries(root: string): Promise<ReportSeries[]> {
  const { reports, runs } = rootPaths(root);
  const folders = async (place: string) =>
    (await readdir(place, { withFileTypes: true }).catch(() => [])).filter((one) => one.isDirectory()).map(({ name }) => name);
  const own = (await folders(reports)).filter((name) => name !== 'examples');
  const names = [...new Set([...own, ...(await folders(runs))])].sort();
  const series: ReportSeries[] = [];
  // one report at a time, and of each its entry alone: together they hold every trial of the checkout
  for (const name of names) series.push(await one(name, runPaths(root, name).oldReports, join(reports, name)));
  const examples: ReportSeries[] = [];
  for (const name of (await folders(join(reports, 'examples'))).sort())
    examples.push(await one(`examples/${name}`, null, join(reports, 'examples', name)));
  return [...series, ...examples].filter(({ reports: found, unreadable }) => found.length + unreadable.length > 0);

  async function one(experiment: string, old: string | null, folder: string): Promise<ReportSeries> {
    const found = new Map<string, ReportEntry>();
    const unreadable: string[] = [];
    const kept = old === null ? [] : (await readdir(old).catch(() => [] as string[])).map((name) => join(old, name));
    let page: string | null = null;
    for (const file of [...kept.filter((path) => path.endsWith('.json')).sort(), join(folder, 'report.json')]) {
      try {
        const report = entryOf(await readJson(file, Report));
        found.set(report.lock, report);
        if (!kept.includes(file)) page = `${relative(reports, folder)}/index.html`;
      } catch (error) {
        if (!(error instanceof LabError)) throw error;
        if (existsSync(file)) unreadable.push(relative(root, file));
      }
    }
    const sorted = [...found.values()].sort((a, b) => (a.frozenAt < b.frozenAt ? -1 : 1));
    return { experiment, reports: sorted, page, unreadable };
  }
}

/** What the index needs of a report. */
export function entryOf(report: Report): ReportEntry {
  const { lock, frozenAt, title, scripted, conditions } = report;
  const { descriptive, inferential } = report.decision;
  const shown = (row: ComparisonRow | undefined): Shown | null => {
    if (row === undefined) return null;
    const { title, unit, a, b, delta, nA, nB } = row;
    return { title, unit, a, b, delta, nA, nB };
  };
  const lines = contrastViews(report).map((view) => {
    const row = (id: MetricId) => view.rows.find(({ metric }) => metric === id);
    const primary = row(conditions.settings.decision.primary);
    return {
      contrast: view.name,
      primary: shown(primary),
      strip: primary === undefined ? null : stripOf(primary, view),
      time: shown(row('elapsed_seconds')),
      output: shown(row('output_tokens')),
    };
  });
  const skillSet = hashOf(conditions.skills).slice(0, 8);
  const decision = { descriptive, inferential };
  return { lock, frozenAt, title, scripted, decision, skillSet, tally: tally(report).words, lines };
}

/** Keeps a report beside the run, by its lock, so that the index can show what came before. */
export async function keepReport(root: string, report: Report, text: string): Promise<void> {
  await writeWhole(join(runPaths(root, report.experiment).oldReports, `${report.lock.slice(0, 16)}.json`), text);
}

/** Writes reports/index.html; returns its path. */
export async function writeReportIndex(root: string): Promise<string> {
  const file = join(rootPaths(root).reports, 'index.html');
  await writeWhole(file, renderIndex(await readReportSeries(root)));
  return file;
}

/** The page: each experiment with its skill-set versions and how the primary metric and the cost moved from one to the next. */
export function renderIndex(series: ReportSeries[]): string {
  const scripted = series.some(({ reports }) => reports.some((report) => report.scripted));
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src '${raw(styleHash)}'; img-src data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Reports – Skill Trial</title>
<style>${raw(pageStyle)}</style>
</head>
<body>
<header class="top"><p class="eyebrow">Skill Trial</p><h1>Reports</h1>
${scripted ? html`<div class="banner" role="note"><strong>SCRIPTED runs are among these</strong><p>${scriptedBanner.body} They are marked.</p></div>` : null}
</header>
<div class="top"><main>
${series.length === 0 ? html`<p>There is no report yet: <code>npm start</code> makes one.</p>` : null}
${series.map(section)}
</main></div>
<footer><p>A version of the skill set is one hash over all skills of a lock. Two versions that were run were not run at the same time (one whose plan alone changed shows the same runs again): a trend may be the provider’s or the machine’s. This page loads nothing and runs no script.</p></footer>
</body>
</html>
`.text;
}

function section({ experiment, reports, page, unreadable }: ReportSeries): Html {
  const last = reports.at(-1);
  const id = experiment.replace(/[^a-z0-9-]/g, '-');
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${page === null ? experiment : html`<a href="${recordHref(page, '')}">${experiment}</a>`}</h2>
${last === undefined ? null : html`<p><strong>${last.title}</strong> ${last.scripted ? html`<strong>SCRIPTED.</strong> ` : null}Decision: ${last.decision.descriptive.replaceAll('-', ' ')} (descriptive), ${last.decision.inferential.replaceAll('-', ' ')} (inferential). ${last.tally}.</p>`}
${last === undefined ? null : trend(experiment, reports)}
${unreadable.length === 0 ? null : html`<p>Not readable, made by another version: ${unreadable.map((path) => html`<code>${path}</code> `)}</p>`}
</section>
`;
}

/** One line for each lock and contrast; all strips of an experiment share a scale, so that they can be read down. */
function trend(experiment: string, reports: ReportEntry[]): Html {
  const lines = reports.flatMap((report) => report.lines.map((line) => ({ report, ...line })));
  const max = Math.max(...lines.map(({ strip }) => strip?.max ?? 0));
  const caption = `Versions of ${experiment}, oldest first`;
  const cost = (row: (typeof lines)[number]['time']) =>
    row === null ? 'not available' : `${formatValue(row.a, row.unit)} → ${formatValue(row.b, row.unit)}`;
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${caption}"><table>
<caption>${caption}</caption>
<thead><tr><th scope="col">Frozen</th><th scope="col">Skill set</th><th scope="col">Contrast</th><th scope="col">Primary metric</th><th scope="col" class="number">Control → arm</th><th scope="col" class="number">Difference</th><th scope="col">On one scale</th><th scope="col" class="number">n</th><th scope="col" class="number">Time</th><th scope="col" class="number">Output tokens</th></tr></thead>
<tbody>${lines.map(
    ({
      report,
      contrast,
      primary,
      strip,
      time,
      output,
    }) => html`<tr><th scope="row">${report.frozenAt.slice(0, 10)} <code>${report.lock.slice(0, 8)}</code>${report.scripted ? ' SCRIPTED' : ''}</th><td class="short"><code>${report.skillSet}</code></td><td class="short">${contrast}</td><td>${primary?.title ?? 'not available'}</td><td class="number">${primary === null ? 'not available' : `${formatValue(primary.a, primary.unit)} → ${formatValue(primary.b, primary.unit)}`}</td><td class="number">${primary === null ? 'not available' : formatDelta(primary.delta, primary.unit)}</td><td>${strip === null ? null : stripSvg({ ...strip, max })}</td><td class="number">${primary === null ? '' : `${used(primary.nA)}, ${used(primary.nB)}`}</td><td class="number">${cost(time)}</td><td class="number">${cost(output)}</td></tr>
`,
  )}</tbody></table></div>`;
}
