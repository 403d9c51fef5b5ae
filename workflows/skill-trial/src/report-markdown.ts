import type { Report } from './report.js';
import { type Block, type Content, type Inline, recordHref, type Section, signs, type Table } from './report-document.js';
import { reportSections } from './report-sections.js';
import { contrastViews, decisionWords, scriptedBanner, summaryOf, tally } from './report-view.js';
import { visible, visibleLines } from './visible.js';

export interface ReportFigure {
  /** Its file's name in figures/, without the ending. */
  name: string;
  caption: string;
}

/** report.md: the same report and figures give the same bytes. `root` leads from the report's folder to the checkout. */
export function renderMarkdown(report: Report, figures: ReportFigure[], root = '../../'): string {
  const write = writer(figures, root);
  const parts = [
    `# ${escapeMarkdown(report.title)}`,
    report.scripted ? `> [!CAUTION]\n> **${scriptedBanner.title}**\n>\n> ${scriptedBanner.body}` : '',
    ...summary(report),
    ...reportSections(report).map((section) => write.section(section)),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** One section as report.md writes it. */
export function sectionMarkdown(section: Section, root: string): string {
  return writer([], root).section(section);
}

function summary(report: Report): string[] {
  const views = contrastViews(report);
  const { descriptive, inferential } = report.decision;
  const words = decisionWords(report.decision);
  const reason = views[0]?.decision?.reason ?? '';
  const lines = views.flatMap((view) => [
    ...(views.length > 1 ? [`### Contrast ${escapeMarkdown(view.name)}`] : []),
    summaryOf(report, view)
      .map(({ title, content }) => `- **${title}.** ${escapeMarkdown(content)}`)
      .concat(
        views.length > 1 && view.decision !== undefined
          ? [`- **Decision.** descriptive: ${view.decision.descriptive}; inferential: ${view.decision.inferential}`]
          : [],
      )
      .join('\n'),
  ]);
  return [
    '## Summary',
    [
      '| Decision | | In words |',
      '| --- | --- | --- |',
      `| Descriptive: what these runs showed | **${descriptive}** | ${escapeMarkdown(words.descriptive)} |`,
      `| Inferential: beyond these runs | **${inferential}** | ${escapeMarkdown(words.inferential)} |`,
    ].join('\n'),
    escapeMarkdown(reason),
    ...lines,
    `Validity: ${tally(report).words}.`,
  ];
}

function writer(figures: ReportFigure[], root: string) {
  const inline = (item: Inline, inTable = false): string => {
    if (typeof item === 'string') return escapeMarkdown(item);
    if ('code' in item) return code(item.code);
    if ('strong' in item) return `**${escapeMarkdown(item.strong)}**`;
    if ('mark' in item) return `${signs[item.mark]} ${escapeMarkdown(item.text)}`;
    if ('strip' in item) return inTable ? '' : escapeMarkdown(item.strip.label);
    return 'path' in item ? `[${escapeMarkdown(item.link)}](${recordHref(item.path, root)})` : escapeMarkdown(item.link);
  };
  const content = (value: Content, inTable = false): string =>
    Array.isArray(value) ? value.map((item) => inline(item, inTable)).join('') : inline(value, inTable);
  const tableText = (table: Table): string => {
    const kept = table.columns.flatMap((column, index) => (column.drawing === true ? [] : [index]));
    const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
    return [
      `*${escapeMarkdown(table.caption)}*\n`,
      line(kept.map((index) => escapeMarkdown(table.columns[index]?.title ?? ''))),
      line(kept.map((index) => (table.columns[index]?.numeric === true ? '---:' : '---'))),
      ...table.rows.map(({ cells }) => line(kept.map((index) => content(cells[index] ?? '', true)))),
    ].join('\n');
  };
  const block = (one: Block): string => {
    switch (one.kind) {
      case 'text':
        return content(one.content);
      case 'heading':
        return `### ${escapeMarkdown(one.text)}`;
      case 'list':
        return one.items.map((item) => `- ${content(item)}`).join('\n');
      case 'facts':
        return one.pairs.map(([name, value]) => `- **${escapeMarkdown(name)}**: ${content(value)}`).join('\n');
      case 'table':
        return one.rows.length === 0 ? '' : tableText(one);
      case 'code':
        return fence(visibleLines(one.text));
      case 'details':
        return `<details>\n<summary>${escapeMarkdown(one.summary)}</summary>\n\n${blocks(one.blocks)}\n\n</details>`;
      case 'figures':
        return figures
          .map(
            ({ name, caption }) =>
              `![${escapeMarkdown(caption)}](figures/${recordHref(name, '')}.svg)\n\n*${escapeMarkdown(caption)}* [data](figures/${recordHref(name, '')}.csv)`,
          )
          .join('\n\n');
    }
  };
  const blocks = (all: Block[]): string =>
    all
      .map(block)
      .filter((words) => words !== '')
      .join('\n\n');
  return { section: ({ title, blocks: own }: Section) => `## ${title}\n\n${blocks(own)}` };
}

/** Text from outside as text: no markup, no HTML, no table cell, no link of its own, one line. */
export function escapeMarkdown(words: string): string {
  return visible(words)
    .replace(/[\\`*_[\]|~#$]/g, '\\$&')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/:(?=\/\/)/g, '&#58;')
    .replace(/\b(www)\./gi, '$1&#46;')
    .replace(/!(?=\\\[)/g, '\\!')
    .replace(/^(\s*)([-+=])(?=\s|$|[-+= ]+$)/, '$1\\$2')
    .replace(/^(\s*\d+)([.)])(?=\s|$)/, '$1\\$2');
}

/** A code span; where the text would break out of one (or of a table cell) it is written as plain text. */
function code(words: string): string {
  return /^[^`|\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+$/.test(words)
    ? `\`${words}\``
    : escapeMarkdown(words);
}

function fence(words: string): string {
  const longest = Math.max(2, ...[...words.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const ticks = '`'.repeat(longest + 1);
  return `${ticks}\n${words}\n${ticks}`;
}
