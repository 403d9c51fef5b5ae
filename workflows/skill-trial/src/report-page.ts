import type { ComparisonRow } from './comparison.js';
import { LabError } from './errors.js';
import type { FigureData } from './figure-data.js';
import { type Html, html, raw, script } from './html.js';
import { formatDelta, formatValue } from './number-format.js';
import type { Report } from './report.js';
import { inputs, titledInputs } from './report-account.js';
import { recordHref, signs } from './report-document.js';
import { blockWriter, stripSvg } from './report-page-blocks.js';
import { pageScript, scriptHash } from './report-page-script.js';
import { pageStyle, styleHash } from './report-page-style.js';
import { reportSections } from './report-sections.js';
import {
  type ContrastView,
  contrastViews,
  decisionWords,
  formatRange,
  qualityRows,
  scriptedBanner,
  stripOf,
  summaryOf,
  tally,
  times,
  used,
} from './report-view.js';
import { visible } from './visible.js';

export interface PageFigure {
  name: string;
  caption: string;
  /** As {@link renderFigure} draws it, for a white background. */
  svg: string;
  data: FigureData;
  /** As {@link liveFigure} compiles it. */
  live: object;
}

/** A figure that may not be put into a page. */
export class PageError extends LabError {}

/** index.html: one file that loads nothing and runs no script but its own, which only draws the figures. `root` leads from the report's folder to the checkout. */
export function renderPage(report: Report, figures: PageFigure[], root = '../../'): string {
  for (const figure of figures) checkFigure(figure);
  const sections = reportSections(report);
  const write = blockWriter(figures, root, report.scripted);
  const views = contrastViews(report);
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src '${raw(styleHash)}'; script-src '${raw(scriptHash())}'; img-src data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${report.scripted ? 'SCRIPTED: ' : ''}${report.title} – Skill Trial</title>
<style>${raw(pageStyle)}</style>
</head>
<body>
<a class="skip" href="#summary">Skip to the summary</a>
<header class="top">
<p class="eyebrow">Skill Trial report <span>${report.experiment}</span></p>
<h1>${report.title}</h1>
${banner(report)}
</header>
<div class="frame">
<nav class="contents" aria-label="Contents"><ol><li><a href="#summary">Summary</a></li>${sections.map(
    ({ id, title: words }) => html`<li><a href="#${id}">${words}</a></li>`,
  )}</ol></nav>
<main>
${firstScreen(report, views, root)}
${sections.map(
  ({ id, title: words, blocks }) => html`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${words}</h2>
${blocks.map(write)}
</section>
`,
)}</main>
</div>
<footer>${report.scripted ? html`<p><strong>${scriptedBanner.title}.</strong></p>` : null}
<p>Experiment ${report.experiment}, lock <code>${report.lock.slice(0, 16)}</code>, frozen at ${report.frozenAt} by Skill Trial ${report.lab}. This page loads nothing; its one script lets the figures answer a pointer. The same figures as data: <a href="report.json">report.json</a>; as text: <a href="report.md">report.md</a>.</p></footer>
${script(pageScript())}
</body>
</html>
`;
  return page.text;
}

function banner({ scripted }: Report): Html | null {
  if (!scripted) return null;
  return html`<div class="banner" role="note"><strong>${scriptedBanner.title}</strong><p>${scriptedBanner.body}</p></div>`;
}

function firstScreen(report: Report, views: ContrastView[], root: string): Html {
  return html`<section id="summary" class="summary" aria-labelledby="summary-title">
<h2 id="summary-title" class="quiet">Summary</h2>
${views.map(
  (view) => html`${views.length > 1 ? html`<h3>Arm ${view.arm} against arm ${view.control}</h3>` : null}
<div class="first">
${verdict(report, view)}
${comparison(report, view)}
</div>
${accounts(report, view, root)}
<dl class="plain">${summaryOf(report, view)
    .filter(({ id }) => id !== 'sure' && id !== 'cost')
    .map(({ title, content }) => html`<div><dt>${title}</dt><dd>${content}</dd></div>`)}</dl>
`,
)}</section>`;
}

const tones: Record<string, string> = {
  accept: 'good',
  supported: 'good',
  reject: 'bad',
  revise: 'fair',
  restrict: 'fair',
  'not-distinguishable': 'fair',
};

function verdict(report: Report, view: ContrastView): Html {
  const decision = view.decision ?? { ...report.decision, reason: 'No decision is available for this contrast.' };
  const words = decisionWords(decision);
  const sure = summaryOf(report, view).find(({ id }) => id === 'sure')?.content ?? '';
  const row = (
    what: string,
    asks: string,
    value: string,
    meaning: string,
  ) => html`<div class="decision ${tones[value] ?? 'open'}">
<dt>${what} <span>${asks}</span></dt><dd><b>${value.replaceAll('-', ' ')}</b> <span>${meaning}</span></dd></div>`;
  return html`<div class="card verdict">
<h3>Decision</h3>
<dl>${row('Descriptive', 'what these runs showed', decision.descriptive, words.descriptive)}
${row('Inferential', 'beyond these runs', decision.inferential, words.inferential)}</dl>
<p>${decision.reason}</p>
<p><b>How sure.</b> ${sure}</p>
${validity(report)}
</div>`;
}

function validity(report: Report): Html {
  const { words } = tally(report);
  const dot = (point: Report['verification'][number]) => {
    const kind = point.holds === null ? 'unknown' : point.holds ? 'yes' : 'no';
    return html`<span class="${kind}" title="${`${point.point}. ${point.title}`}">${signs[kind]}</span>`;
  };
  return html`<p class="validity"><span class="points" aria-hidden="true">${report.verification.map(dot)}</span> <a href="#verification">Validity: ${words}</a></p>`;
}

/** The quality metrics with both arms' ranges on one scale, then the cost line. */
function comparison(report: Report, view: ContrastView): Html {
  const { arm, control, name } = view;
  const costs = view.rows.filter((row) => !qualityRows(view).includes(row));
  const cost = (metric: string, label: string) => {
    const row = costs.find((one) => one.metric === metric);
    if (row === undefined) return null;
    return html`<li><a href="#how-${name}-${row.metric}" title="${`${row.formula}; n ${used(row.nA)} and ${used(row.nB)}`}">${label}</a> <b>${opens(report, view, row, html`${formatValue(row.a, row.unit)} → ${formatValue(row.b, row.unit)}`)}</b> <span>${formatDelta(row.delta, row.unit)}${times(row)}</span></li>`;
  };
  return html`<div class="card compare">
<h3>Quality ${report.scripted ? '(of the script) ' : ''}<span class="legend"><span class="a">${control}</span> <span class="b">${arm}</span></span></h3>
<ul class="rows">${qualityRows(view).map(
    (row) => html`<li>
<a class="name" href="#how-${name}-${row.metric}" title="${`${row.formula}; ${row.aggregate}`}">${row.title}</a>
<span class="value">${opens(report, view, row, html`<span class="hidden">arm ${control} </span>${formatValue(row.a, row.unit)} → <span class="hidden">arm ${arm} </span>${formatValue(row.b, row.unit)}`)}</span>
<b class="delta">${formatDelta(row.delta, row.unit)}</b>
<span class="drawn" title="${`range of ${control}: ${formatRange(row.rangeA, row.unit)}; of ${arm}: ${formatRange(row.rangeB, row.unit)}`}">${stripSvg(stripOf(row, view))}</span>
<span class="n">n ${used(row.nA)}, ${used(row.nB)}</span></li>`,
  )}</ul>
<p class="hint">Marks: median, or share of runs, of each arm. Bars: smallest to largest run. Each scale starts at 0. Choose a value to see its formula, inputs and records.</p>
<h3>Cost <span>medians</span></h3>
<ul class="cost">${cost('elapsed_seconds', 'Time')}${cost('input_tokens_uncached', 'Uncached input')}${cost('input_tokens_cached', 'Cached input')}${cost('output_tokens', 'Output')}</ul>
</div>`;
}

/** The two figures of a row as a button that opens their account; hovering shows the same in short. Neither needs a script. */
function opens(report: Report, { name, arm, control }: ContrastView, row: ComparisonRow, words: Html): Html {
  const short = `${row.formula}; n ${used(row.nA)} and ${used(row.nB)}. ${titledInputs(report, row, control)}; ${titledInputs(report, row, arm)}`;
  return html`<button type="button" class="opens" popovertarget="why-${name}-${row.metric}" title="${short}">${words}</button>`;
}

/** What each value of the first screen is made of: formula, inputs, n, records. */
function accounts(report: Report, view: ContrastView, root: string): Html {
  const { name, arm, control, rows } = view;
  const side = (which: string, value: number | null, row: ComparisonRow, n: ComparisonRow['nA']) =>
    html`<div><dt>Arm ${which}</dt><dd>${formatValue(value, row.unit)}, n ${used(n)}: ${inputs(report, row, which)}</dd></div>`;
  return html`${rows.map((row) => {
    const id = `why-${name}-${row.metric}`;
    return html`<div id="${id}" class="why" popover role="dialog" aria-labelledby="${id}-title">
<h4 id="${id}-title">${report.scripted ? 'SCRIPTED: ' : ''}${row.title}</h4>
<dl><div><dt>Formula</dt><dd>${row.formula}</dd></div>
<div><dt>Put together by</dt><dd>${row.aggregate === 'median' ? 'the median of the known values' : 'the share of runs'}</dd></div>
${side(control, row.a, row, row.nA)}${side(arm, row.b, row, row.nB)}
<div><dt>Difference</dt><dd>${formatDelta(row.delta, row.unit)}</dd></div>
<div><dt>Records</dt><dd>${row.evidence.length === 0 ? 'no record' : row.evidence.slice(0, 12).map((path) => html`<a href="${recordHref(path, root)}">${path}</a> `)}</dd></div></dl>
<p><a href="#how-${name}-${row.metric}">The whole account</a> <button type="button" popovertarget="${id}" popovertargetaction="hide">Close</button></p>
</div>
`;
  })}`;
}

/** Figures are put in as they are, so they may hold nothing that runs or loads. */
function checkFigure({ name, svg }: PageFigure): void {
  const found =
    /<(script|foreignObject|iframe|image|style|animate|set)\b/i.exec(svg) ??
    /\s(on\w+|style)\s*=/i.exec(svg) ??
    /(?:href|src)\s*=\s*["']?\s*(?!["']?#)[^"'\s>]*/i.exec(svg) ??
    /url\(\s*(?!#)/i.exec(svg);
  if (found === null && /^<svg[\s>]/.test(svg)) return;
  throw new PageError(`Figure "${visible(name)}" cannot be put into the page`, {
    expected: 'an <svg> without scripts, styles, handlers or addresses',
    found: found === null ? 'something else than an <svg>' : visible(found[0]),
    next: 'draw it with renderFigure',
  });
}
