import { describe, expect, test } from 'vitest';
import type { MarkdownNode } from '../src/desk-view.js';
import { markdownTree } from '../src/markdown-tree.js';
import { patchView } from '../src/patch-view.js';
import { textPage } from '../src/text-pages.js';

const words = (node: MarkdownNode | string): string => (typeof node === 'string' ? node : node.kids.map(words).join(''));
const tagsOf = (node: MarkdownNode | string): string[] =>
  typeof node === 'string' ? [] : [node.tag, ...node.kids.flatMap(tagsOf)];

describe('a response as a tree', () => {
  test('knows its blocks and their lines', () => {
    const blocks = markdownTree('# Title\n\nOne\ntwo.\n\n- a\n- b\n', 1);
    expect(blocks.map(({ tag, lines }) => [tag, lines])).toEqual([
      ['h3', [1, 1]],
      ['p', [3, 4]],
      ['ul', [6, 6]],
      ['ul', [7, 7]],
    ]);
  });

  test('of a later page knows the lines of the whole text', () => {
    expect(markdownTree('One\n\nTwo', 2001).map(({ lines }) => lines)).toEqual([
      [2001, 2001],
      [2003, 2003],
    ]);
  });

  test.each([
    ['a script', '<script>alert(1)</script>', '<script>alert(1)</script>'],
    ['an image of HTML', '<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
    ['a script as link', '[x](javascript:alert(1))', '[x](javascript:alert(1))'],
    ['a link', '[the docs](https://example.org/a)', 'the docs (https://example.org/a)'],
    ['an image', '![a cat](https://example.org/cat.png)', '[image not loaded: a cat — https://example.org/cat.png]'],
    ['data in an image', '![x](data:image/svg+xml;base64,AAAA)', '![x](data:image/svg+xml;base64,AAAA)'],
    ['an entity that turns the text round', 'a&#x202e;b', 'a\\u{202e}b'],
  ])('%s is words', (_what, text, expected) => {
    const blocks = markdownTree(text, 1);
    expect(blocks.map(words).join('\n')).toBe(expected);
    const known = ['p', 'span'];
    expect(blocks.flatMap(tagsOf).filter((tag) => !known.includes(tag))).toEqual([]);
  });
});

describe('a text in pages', () => {
  test('a short one is one page without a notice', () => {
    expect(textPage(Buffer.from('a\nb\n'), 0)).toEqual({
      page: 0,
      pages: 1,
      bytes: 4,
      firstLine: 1,
      lines: ['a', 'b'],
      notices: [],
    });
    expect(textPage(Buffer.from(''), 0)).toMatchObject({ pages: 1, lines: [''] });
  });

  test('every line of a long one is on one page, under its own number', () => {
    const lines = Array.from({ length: 12_345 }, (_, index) => `line ${index + 1}`);
    const bytes = Buffer.from(`${lines.join('\n')}\n`);
    const first = textPage(bytes, 0);
    const pages = Array.from({ length: first.pages }, (_, page) => textPage(bytes, page));
    expect(pages.flatMap((page) => page.lines)).toEqual(lines);
    for (const page of pages) expect(page.lines[0]).toBe(`line ${page.firstLine}`);
    expect(first.notices[0]).toContain(`${first.pages} pages`);
  });

  test('a line longer than a page goes on over pages, and no character is cut in two', () => {
    const bytes = Buffer.from(`short\n${'é'.repeat(200_000)}\nend\n`);
    const pages = Array.from({ length: textPage(bytes, 0).pages }, (_, page) => textPage(bytes, page));
    expect(pages.length).toBeGreaterThan(3);
    expect(pages.flatMap((page) => page.lines).join('')).not.toContain('\uFFFD');
    expect(pages.at(-1)?.lines.at(-1)).toBe('end');
    expect(pages.at(-1)?.firstLine).toBe(2);
  });

  test('50 MB are cut into pages of bounded size', () => {
    const bytes = Buffer.alloc(50 * 1024 * 1024, 'all work and no play makes a dull response\n');
    const page = textPage(bytes, 200);
    expect(page.pages).toBeGreaterThan(400);
    expect(page.lines.length).toBeLessThanOrEqual(3000);
    expect(page.notices[0]).toContain('52,428,800 bytes');
    expect(textPage(bytes, 1e9).page).toBe(page.pages - 1);
  });

  test('escapes, direction marks and broken UTF-8 are seen, and said', () => {
    const page = textPage(Buffer.from([0x1b, 0x5b, 0x32, 0x4a, 0x61, 0xff, 0x0d, 0x62, 0xe2, 0x80, 0xae, 0x63]), 0);
    expect(page.lines).toEqual(['\\u{1b}[2Ja\uFFFD\\u{d}b\\u{202e}c']);
    expect(page.notices.join(' ')).toMatch(/UTF-8.*Control characters/);
  });
});

describe('a patch as files and lines', () => {
  const head = (file: string) => `diff --git a/${file} b/${file}\nindex 1111111..2222222 100644\n--- a/${file}\n+++ b/${file}\n`;

  test('each line has its numbers on both sides', () => {
    const [file] = patchView(
      Buffer.from(`${head('a.js')}@@ -10,3 +10,3 @@\n const a = 1;\n-const b = 2;\n+const b = 3;\n const c = 4;\n`),
    ).files;
    expect(file).toMatchObject({ path: 'a.js', change: 'changed', added: 1, removed: 1 });
    expect(file?.hunks[0]?.lines.map(({ kind, base, result }) => [kind, base, result])).toEqual([
      ['same', 10, 10],
      ['removed', 11, null],
      ['added', null, 11],
      ['same', 12, 12],
    ]);
    expect(file?.hunks[0]?.lines[0]?.spans).toContainEqual(['const', 'hljs-keyword']);
  });

  test('lines that look like a head of a file stay lines', () => {
    const { files } = patchView(Buffer.from(`${head('a.sql')}@@ -1,2 +1,2 @@\n--- old\n+++ new\n x\n`));
    expect(files).toHaveLength(1);
    expect(files[0]?.hunks[0]?.lines.map(({ kind }) => kind)).toEqual(['removed', 'added', 'same']);
  });

  test('a stray carriage return makes no second line', () => {
    const [file] = patchView(Buffer.from(`${head('a.txt')}@@ -1 +1 @@\n-a\n+b\r-forged\n`)).files;
    expect(file?.hunks[0]?.lines).toHaveLength(2);
    expect(file?.hunks[0]?.lines[1]?.spans).toEqual([['b\\u{d}-forged']]);
  });

  test('a binary file is named and its bytes are not shown as lines', () => {
    const binary = `diff --git a/x.png b/x.png\nnew file mode 100644\nindex 0000000..1111111\nGIT binary patch\nliteral 10\nzcmZQzfBygK\n\nliteral 0\nHcmV?d00001\n\n`;
    const { files, notices } = patchView(Buffer.from(`${binary}${head('b.txt')}@@ -1 +1 @@\n-a\n+b\n`));
    expect(files.map(({ path, change, remark }) => [path, change, remark])).toEqual([
      ['x.png', 'added', 'A binary or an empty file: there are no lines to show.'],
      ['b.txt', 'changed', null],
    ]);
    expect(notices).toEqual([]);
  });

  test.each([
    ['cut in a hunk', Buffer.from(`${head('a.txt')}@@ -1,9 +1,9 @@\n-a\n`)],
    ['no patch at all', Buffer.from('hello\nworld\n')],
    ['random bytes', Buffer.from(Array.from({ length: 4096 }, (_, index) => (index * 7919) % 256))],
    ['too large', Buffer.alloc(5 * 1024 * 1024, 'a\n')],
  ])('%s: nothing is made up, and the reader is told to read the text', (_what, bytes) => {
    const view = patchView(bytes);
    expect(view.files).toEqual([]);
    expect(view.notices.join(' ')).toMatch(/as text/);
  });

  test('bytes that are no UTF-8 are said', () => {
    const bytes = Buffer.concat([Buffer.from(`${head('a.txt')}@@ -1 +1 @@\n-a\n+b`), Buffer.from([0xff, 0x0a])]);
    const view = patchView(bytes);
    expect(view.files[0]?.hunks[0]?.lines[1]?.spans).toEqual([['b\uFFFD']]);
    expect(view.notices.join(' ')).toContain('UTF-8');
  });
});
