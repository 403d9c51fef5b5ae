import { figureCsv } from './figure-data.js';
import { type Html, html, raw, script } from './html.js';
import { type Block, type Content, type Inline, recordHref, type Strip, signs, type Table } from './report-document.js';
import type { PageFigure } from './report-page.js';

/** Blocks of a report's document as HTML. */
export function blockWriter(figures: PageFigure[], root: string, scripted: boolean): (block: Block) => Html {
  const inline = (item: Inline): Html => {
    if (typeof item === 'string') return html`${item}`;
    if ('code' in item) return html`<code>${item.code}</code>`;
    if ('strong' in item) return html`<strong>${item.strong}</strong>`;
    if ('mark' in item)
      return html`<span class="mark ${item.mark}"><span aria-hidden="true">${signs[item.mark]}</span> ${item.text}</span>`;
    if ('strip' in item) return stripSvg(item.strip);
    if ('path' in item) return html`<a href="${recordHref(item.path, root)}">${item.link}</a>`;
    return html`<a class="figure-link" href="#${item.anchor}" title="${item.title}">${item.link}</a>`;
  };
  const content = (value: Content): Html => html`${(Array.isArray(value) ? value : [value]).map(inline)}`;

  const tableOf = (table: Table): Html | null => {
    if (table.rows.length === 0) return null;
    const kind = (index: number) => (table.columns[index]?.numeric === true ? raw(' class="number"') : null);
    return html`<div class="scroll" role="region" tabindex="0" aria-label="${table.caption}"><table>
<caption>${table.caption}</caption>
<thead><tr>${table.columns.map(({ title }, index) => html`<th scope="col"${kind(index)}>${title}</th>`)}</tr></thead>
<tbody>${table.rows.map(
      ({ id, cells }) => html`<tr${id === undefined ? null : html` id="${id}"`}>${cells.map((cell, index) =>
        index === 0 ? html`<th scope="row">${content(cell)}</th>` : html`<td${kind(index)}>${content(cell)}</td>`,
      )}</tr>
`,
    )}</tbody>
</table></div>`;
  };

  const write = (block: Block): Html | null => {
    switch (block.kind) {
      case 'text':
        return html`<p>${content(block.content)}</p>`;
      case 'heading':
        return html`<h3>${block.text}</h3>`;
      case 'list':
        return html`<ul>${block.items.map((item) => html`<li>${content(item)}</li>`)}</ul>`;
      case 'facts':
        return html`<dl class="facts">${block.pairs.map(([name, value]) => html`<div><dt>${name}</dt><dd>${content(value)}</dd></div>`)}</dl>`;
      case 'table':
        return tableOf(block);
      case 'code':
        return html`<pre tabindex="0"><code>${block.text}</code></pre>`;
      case 'details':
        return html`<details><summary>${block.summary}</summary>${block.blocks.map(write)}</details>`;
      case 'figures':
        return html`${figures.map((one) => figure(one, scripted))}`;
    }
  };
  return (block) => html`${write(block)}\n`;
}

/** More rows than these are in the file alone. */
const shownRows = 200;

/** The picture is one image to a screen reader; its data follow as a table, as a file that is part of the page, and as what the page's script draws. */
function figure({ name, caption, svg, data, live }: PageFigure, scripted: boolean): Html {
  const file = `data:text/csv;charset=utf-8;base64,${Buffer.from(figureCsv(data, scripted)).toString('base64')}`;
  const cut = data.rows.length > shownRows ? `, the first ${shownRows} here` : '';
  return html`<figure>
<div class="paper"${scripted ? raw(' data-mark="SCRIPTED MODEL"') : null} role="img" aria-label="${caption}">${raw(svg.replace(/^<svg/, '<svg aria-hidden="true" focusable="false"'))}</div>
<figcaption>${caption} <a href="figures/${recordHref(name, '')}.svg">as a file</a>, <a download="${name}.csv" href="${file}">its data (CSV)</a></figcaption>
<details><summary>The data of this figure: ${data.rows.length} rows${cut}</summary>
<div class="scroll" role="region" tabindex="0" aria-label="Data: ${caption}"><table>
<caption>${caption}</caption>
<thead><tr>${data.columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>${data.rows.slice(0, shownRows).map(
    (row) => html`<tr>${row.map((value) => html`<td>${value === null ? 'not available' : String(value)}</td>`)}</tr>
`,
  )}</tbody>
</table></div></details>
${script(JSON.stringify(live).replaceAll('<', '\\u003c'), 'application/json')}
</figure>`;
}

const [width, left] = [160, 6];

/** Both arms on one scale from 0: a circle for the control, a diamond for the other arm, a bar from smallest to largest run. */
export function stripSvg({ max, a, b, label }: Strip): Html {
  const at = (value: number) => Math.round((left + (value / max) * (width - 2 * left)) * 100) / 100;
  const bar = (kind: string, side: NonNullable<Strip['a']>, y: number) =>
    html`<line class="bar ${kind}" x1="${at(side.min)}" x2="${at(side.max)}" y1="${y}" y2="${y}"/>`;
  const end = width - left;
  return html`<svg class="strip" role="img" aria-label="${label}" viewBox="0 0 ${width} 26" width="${width}" height="26"><line class="axis" x1="${left}" x2="${end}" y1="13" y2="13"/><line class="axis" x1="${left}" x2="${left}" y1="10" y2="16"/><line class="axis" x1="${end}" x2="${end}" y1="10" y2="16"/>${
    a === null ? null : html`${bar('a', a, 7)}<circle class="dot a" cx="${at(a.value)}" cy="7" r="4"/>`
  }${b === null ? null : html`${bar('b', b, 19)}<path class="dot b" d="M${at(b.value)},14l5,5l-5,5l-5,-5z"/>`}</svg>`;
}
