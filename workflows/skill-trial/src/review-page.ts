import { createHash } from 'node:crypto';
import type { Benchmark, BenchmarkEval, BenchmarkRun } from './benchmark.js';
import { type VerdictChange, verdictWord } from './benchmark-change.js';
import type { EvalEffect } from './eval-effect.js';
import { countGrades } from './grade.js';
import { type Html, html, raw, script } from './html.js';
import type { MadeFile } from './made-file.js';
import { reviewScript, reviewStyle } from './review-page-script.js';

function policyHash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** review.html: one file without any address, which runs no script and shows no picture but its own. `changes` null: the first iteration. */
export function reviewPage(benchmark: Benchmark, iteration: number, changes: VerdictChange[] | null): string {
  const policy = `default-src 'none'; style-src '${policyHash(reviewStyle)}'; script-src '${policyHash(reviewScript)}'; base-uri 'none'; form-action 'none'`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${raw(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${benchmark.experiment}, iteration ${iteration}</title>
<style>${raw(reviewStyle)}</style>
</head>
<body data-experiment="${benchmark.experiment}" data-iteration="${iteration}">
<header>
<h1>${benchmark.experiment}, iteration ${iteration}</h1>
${benchmark.scripted && html`<p class="scripted">SCRIPTED: a script stood in for the model or the judge. Nothing here is measured.</p>`}
${benchmark.effects.length > 0 && effectChart(benchmark.effects)}
${changes !== null && html`<p>${changes.length} ${changes.length === 1 ? 'verdict' : 'verdicts'} changed since iteration ${iteration - 1}.</p>`}
${(benchmark.invalid ?? []).map(({ trial, problems }) => html`<p>Left out: ${trial} (${problems.join('; ')}).</p>`)}
</header>
<div class="bar" role="search">
<input id="search" type="search" aria-label="Search" placeholder="Search prompts, outputs, assertions">
<label><input id="changed" type="checkbox"> changed since the last iteration</label>
<label><input id="differs" type="checkbox"> differs with and without the skill</label>
<button id="save" type="button">Save feedback.json</button>
<span id="state" role="status"></span>
<span><kbd>j</kbd> <kbd>k</kbd> next, previous · <kbd>/</kbd> search · <kbd>c</kbd> <kbd>d</kbd> filters · <kbd>f</kbd> feedback · <kbd>s</kbd> save</span>
</div>
<main>
${benchmark.evals.map((one) =>
  evalBlock(
    one,
    (changes ?? []).filter((change) => change.case === one.case),
    (arm) =>
      `Arm ${arm}${benchmark.further.find((row) => row.arm === arm)?.deliver === 'prompt' ? ': the skill’s text in front of the task' : ''}`,
  ),
)}
</main>
${script(reviewScript)}
</body>
</html>
`.text;
}

/** The skills by effect, each with its interval: a point and a line on a scale of −100 to 100 points, below its name. */
function effectChart(effects: EvalEffect[]): Html {
  const x = (points: number) => 180 + (points / 100) * 160;
  const height = 38 * effects.length + 24;
  return html`<figure>
<svg role="img" aria-label="Effect of each skill in percentage points, with its interval" viewBox="0 0 360 ${height}">
<line x1="${x(0)}" x2="${x(0)}" y1="0" y2="${height - 20}" stroke-dasharray="3 3"></line>
${[-100, -50, 0, 50, 100].map((mark) => html`<text x="${x(mark)}" y="${height - 6}" text-anchor="middle">${mark > 0 ? `+${mark}` : mark}</text>`)}
${effects.map(({ skill, points, interval, conclusion, byEval }, index) => {
  const y = 27 + 38 * index;
  return html`<g><title>${skill}: ${points?.toFixed(1) ?? 'unknown'} points, ${conclusion}</title><text x="4" y="${y - 14}">${skill}</text>
${byEval.map((one) => html`<line x1="${x(one)}" x2="${x(one)}" y1="${y - 6}" y2="${y + 6}" stroke-width="1"></line>`)}
${interval !== null && html`<line x1="${x(100 * interval.low)}" x2="${x(100 * interval.high)}" y1="${y}" y2="${y}" stroke-width="2"></line>`}
${points !== null && html`<circle cx="${x(points)}" cy="${y}" r="5"></circle>`}</g>`;
})}
</svg>
<figcaption>Difference in percentage points with the skill: a dot from all counts, a short stroke for each eval, and a line for the 95 % interval where the runs are enough for one. For these evals only. Whether a skill is distinguishable is said by p, in benchmark.md: with few runs the line is wider than that and may cross 0 all the same.</figcaption>
</figure>`;
}

function evalBlock(one: BenchmarkEval, changes: VerdictChange[], furtherTitle: (arm: string) => string): Html {
  const [withIt, without] = [countGrades(one.with).all, countGrades(one.without).all];
  const differs = withIt.passed * without.total !== without.passed * withIt.total;
  const repeats = [...new Set([...one.with, ...one.without].map(({ repeat }) => repeat))].sort((a, b) => a - b);
  return html`<article tabindex="-1" id="${one.case}" data-changed="${changes.length}" data-differs="${differs ? 1 : 0}">
<h2>${one.case}</h2>
<p>Skill ${one.skill} · with ${withIt.passed} of ${withIt.total} · without ${without.passed} of ${without.total}</p>
${changes.length > 0 && html`<ul>${changes.map((change) => html`<li>${change.arm}${change.repeat} ${change.assertion}: ${change.before} → ${change.now}</li>`)}</ul>`}
<details><summary>Prompt</summary><pre tabindex="0">${shortened(one.prompt)}</pre></details>
${(one.followUps ?? []).map((prompt, index) => html`<details><summary>Follow-up ${index + 1}</summary><pre tabindex="0">${shortened(prompt)}</pre></details>`)}
${repeats.length === 0 && html`<p>No valid run.</p>`}
${repeats.map((repeat) => {
  const of = (runs: BenchmarkRun[]) => runs.find((run) => run.repeat === repeat);
  return html`<h3>Run ${repeat}</h3><div class="sides">${side('With the skill', of(one.with))}${side('Without', of(one.without))}${Object.entries(one.further).map(([arm, runs]) => side(furtherTitle(arm), of(runs)))}</div>`;
})}
</article>`;
}

function side(title: string, run: BenchmarkRun | undefined): Html {
  if (run === undefined) return html`<section><h4>${title}</h4><p>No valid run.</p></section>`;
  const { trigger } = run;
  return html`<section>
<h4>${title}</h4>
<p>${run.status} · ${run.tokens ?? 'unknown'} tokens · ${run.seconds?.toFixed(1) ?? 'unknown'} s</p>
<pre tabindex="0">${run.response === '' ? '(no answer)' : run.response}</pre>
${(run.files ?? []).map(madeFile)}
${run.moreFiles !== undefined && html`<p>${run.moreFiles.toLocaleString('en')} more files are not named here.</p>`}
${trigger !== null && html`<p>${trigger.should ? 'Should load the skill' : 'Should not load the skill'}: <span class="${trigger.should === trigger.did ? 'passed' : 'failed'}">${trigger.did ? 'loaded' : 'not loaded'}</span> (${trigger.evidence})</p>`}
${run.assertions.length > 0 && verdicts(run)}
<label>Feedback<textarea rows="2" data-run="${run.trial}"></textarea></label>
</section>`;
}

function verdicts(run: BenchmarkRun): Html {
  return html`<table><thead><tr><th>Verdict</th><th>Assertion</th><th>Evidence</th></tr></thead><tbody>
${run.assertions.map((grade) => {
  const word = verdictWord(run, grade.passed);
  return html`<tr><td class="${word.split(' ')[0]}">${word}</td><td>${grade.text} <small>${grade.kind}, ${grade.by}</small></td><td>${grade.evidence}</td></tr>`;
})}
</tbody></table>`;
}

/** A text for the eye: of a very long one its beginning, and how much there is. */
function shortened(text: string): string {
  return text.length <= 20_000
    ? text
    : `${text.slice(0, 20_000)}\n… the first 20,000 of ${text.length.toLocaleString('en')} characters`;
}

/** A file that the run left, unfolded: its text, or what it is instead. */
function madeFile({ path, kind, text, binary, bytesLeftOut }: MadeFile): Html {
  const instead =
    kind === 'deleted'
      ? 'It is no longer there.'
      : bytesLeftOut !== undefined
        ? `${bytesLeftOut.toLocaleString('en')} bytes: too large to be shown here.`
        : binary === null
          ? 'No regular file.'
          : null;
  return html`<details open><summary><code>${path}</code> ${kind}</summary>${
    text === null
      ? html`<p>${instead ?? `Not text: ${Buffer.from(binary as string, 'base64').length} bytes.`}</p>`
      : html`<pre tabindex="0">${shortened(text)}</pre>`
  }</details>`;
}
