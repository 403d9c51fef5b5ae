import markdownIt from 'markdown-it';
import { describe, expect, it } from 'vitest';
import { metrics } from '../src/metric.js';
import { escapeMarkdown, renderMarkdown } from '../src/report-markdown.js';
import { figures, hostile, hostileReport, makeReport, threeArmReport } from './fixtures/report.js';

/** As a forge would show it: HTML let through, bare addresses turned into links. */
const asForge = (text: string) => markdownIt({ html: true, linkify: true }).render(text);
const rowOf = (text: string, title: string) => text.split('\n').find((line) => line.startsWith(`| ${title} |`)) ?? '';

describe('report.md', () => {
  it('says at the top that the model was scripted, and withholds the decision', () => {
    const text = renderMarkdown(makeReport(), figures);
    const [title, , , warning] = text.split('\n');
    expect(title).toBe('# Does the review skill help?');
    expect(warning).toBe('> **SCRIPTED MODEL: nothing about the skills was measured**');
    expect(text).toContain('| Descriptive: what these runs showed | **withheld** |');
    expect(text).toContain('| Inferential: beyond these runs | **withheld** |');
  });

  it('says nothing of a script when a model was measured', () => {
    const text = renderMarkdown(makeReport({ scripted: false }), figures);
    expect(text).not.toMatch(/scripted/i);
    expect(text).toContain('**accept**');
    expect(text).toContain('**not-attainable**');
  });

  it('shows the container and the set-up of a case that has them, with its seconds, and says that they are in no trial', () => {
    const report = makeReport();
    const shop = report.conditions.cases.shop as NonNullable<(typeof report.conditions.cases)[string]>;
    expect(renderMarkdown(report, figures)).not.toContain('Environments and set-ups');
    const [image, content] = ['a', 'b'].map((digit) => digit.repeat(64)) as [string, string];
    shop.environment = { kind: 'container', version: 'podman 4', because: null, doesNotStop: [], image };
    shop.setup = { key: image, path: 'setups/shop/a', sha256: image, content, seconds: 12.34, files: 7, bytes: 100 };
    const text = renderMarkdown(report, figures);
    expect(rowOf(text, 'shop')).toContain('shop');
    expect(text).toContain(`| shop | \`${image}\` | 12.3 | 7 | \`${content}\` |`);
    expect(text).toContain('Its time is in no trial.');
  });

  it('shows what the hidden tests said of each variant, each kind of outcome apart', () => {
    const report = makeReport();
    const counts = {
      total: 9,
      passed: 4,
      failed: 1,
      skipped: 1,
      expectedToFail: 1,
      missing: 2,
      limits: ['memory' as const],
      timedOut: 1,
    };
    const { case: one } = report.trials[0] as (typeof report.trials)[number];
    const content = report.trials[0]?.content ?? 'c'.repeat(64);
    report.verdicts = [{ content, case: one, success: false, runs: 2, ...counts, flaky: ['t.py::coin'] }];
    expect(renderMarkdown(report, figures)).toContain('✗ not met | 2 | 9 | 4 | 1 | 1 | 1 | 2 | t.py::coin |');
  });

  it('prints what was not measured as not available, never as 0', () => {
    const text = renderMarkdown(makeReport(), figures);
    const cells = rowOf(text, 'Cached input').split('|').slice(2, 7);
    expect(cells.map((cell) => cell.trim())).toEqual([
      'not available',
      'not available',
      'not available',
      '0/3, 0/2',
      'not available; not available',
    ]);
    expect(rowOf(text, 'B')).not.toContain('0 %');
    expect(rowOf(text, 'shop R1')).toContain('not available');
  });

  it('links each of the twelve rows to its saved records', () => {
    const text = renderMarkdown(makeReport(), figures);
    for (const { title } of metrics) expect(rowOf(text, title), title).toMatch(/\[A1\]\(\.\.\/\.\.\/data\/runs\/shop\/[\w./]+\)/);
    expect(renderMarkdown(makeReport(), figures, '../../../')).toContain('(../../../data/runs/shop/lock.json)');
  });

  it('prints differences of shares in percentage points', () => {
    expect(rowOf(renderMarkdown(makeReport(), figures), 'Weighted review completeness')).toContain('| +45 pp |');
  });

  it('lists invalid trials apart, with the reason, and takes them into no table of values', () => {
    const text = renderMarkdown(makeReport(), figures);
    const [valid = '', invalid = ''] = text.slice(text.indexOf('\n## Trials')).split('### Invalid trials');
    expect(valid).not.toContain('shop.A.3');
    expect(invalid).toContain('| shop.A.3 | completed (exit status 0) | the task of the requests differs |');
  });

  it('lists every attempt, lock and trial without a record', () => {
    const text = renderMarkdown(makeReport(), figures);
    expect(text).toContain('| infrastructure | the gateway died |');
    expect(text).toContain('All 2 attempts');
    expect(text).toContain('`8888888888888888`');
    expect(text).toContain('- shop.B.3');
  });

  it('says in words and signs which of the twelve points hold', () => {
    const text = renderMarkdown(makeReport(), figures);
    expect(text).toContain('| ✓ holds |');
    expect(text).toContain('| ✗ does not hold |');
    expect(text).toContain('| ? cannot be told |');
    expect(text).toContain('Validity: 10 of 12 points hold, 1 does not, 1 cannot be told.');
  });

  it('keeps hostile text as text', () => {
    const page = asForge(renderMarkdown(hostileReport(), figures));
    expect(page).not.toMatch(/<script|<img src="?x|<h1>big|href="javascript|href="https?:|src="https?:/i);
    expect(page.match(/<h1>/g)).toHaveLength(1);
    expect(page).toContain('\\u{202e}');
    expect(renderMarkdown(hostileReport(), figures)).not.toContain('\u202e');
  });

  it('keeps every table whole, whatever its cells hold', () => {
    const text = renderMarkdown(hostileReport(), figures);
    const width = (line: string) => line.match(/(?<!\\)\|/g)?.length;
    const lines = text.split('\n');
    lines.forEach((line, index) => {
      if (!line.startsWith('|')) return;
      if (lines[index - 1]?.startsWith('|')) expect(width(line), line).toBe(width(lines[index - 1] as string));
    });
  });

  it('gives one table for each contrast', () => {
    const text = renderMarkdown(threeArmReport(), figures);
    expect(text).toContain('### Contrast B-A: arm B against arm A');
    expect(text).toContain('### Contrast C-A: arm C against arm A');
    expect(text.match(/^\| Elapsed time \|/gm)).toHaveLength(8);
  });

  it('gives the same bytes a second time', () => {
    expect(renderMarkdown(makeReport(), figures)).toBe(renderMarkdown(makeReport(), figures));
  });
});

describe('escapeMarkdown', () => {
  it.each([
    hostile,
    '1. one',
    '- one',
    '# one',
    '> one',
    '---',
    'a_b_c *d*',
    '~~x~~',
    'http://x.example',
    'www.x.example',
    '&lt;b&gt;',
    '\\<b>',
  ])('gives %j back as the text that it was', (words) => {
    const page = asForge(escapeMarkdown(words)).trim();
    expect(page).toMatch(/^<p>[^<]*<\/p>$/);
  });
});
