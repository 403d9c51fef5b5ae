import MarkdownIt from 'markdown-it';
import type { MarkdownNode, Span } from './desk-view.js';
import { colourLines } from './syntax.js';
import { visibleLine } from './text-pages.js';

// html off: a tag in the text is text
const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false });
type Token = ReturnType<typeof markdown.parse>[number];

/** Markdown's own tags; headings go two levels down, below the page's. Anything else becomes a plain span. */
const tags: Record<string, string> = {
  ...Object.fromEntries(
    [
      'p',
      'ul',
      'ol',
      'li',
      'blockquote',
      'em',
      'strong',
      's',
      'table',
      'thead',
      'tbody',
      'tr',
      'th',
      'td',
      'hr',
      'br',
      'code',
    ].map((tag) => [tag, tag]),
  ),
  h1: 'h3',
  h2: 'h4',
  h3: 'h5',
  h4: 'h6',
  h5: 'h6',
  h6: 'h6',
};

/**
 * The blocks of a Markdown text as a tree of known tags, so that the page never turns text into HTML. A link is shown with its
 * target and cannot be followed; an image is named and never loaded. `firstLine` is the number of the text's first line.
 */
export function markdownTree(text: string, firstLine: number): MarkdownNode[] {
  const root: MarkdownNode = { tag: 'div', kids: [] };
  grow(root, markdown.parse(text, {}), firstLine);
  return root.kids.filter((kid): kid is MarkdownNode => typeof kid !== 'string').flatMap(itemsApart);
}

/** Each item of a list at the top as a list of its own, so that its lines can be picked alone. */
function itemsApart(block: MarkdownNode): MarkdownNode[] {
  if (block.tag !== 'ul' && block.tag !== 'ol') return [block];
  return block.kids.flatMap((item, index) => {
    if (typeof item === 'string' || item.lines === undefined) return [];
    const { lines, ...rest } = item;
    return [{ tag: block.tag, kids: [rest], lines, ...(block.tag === 'ol' ? { start: (block.start ?? 1) + index } : {}) }];
  });
}

function grow(root: MarkdownNode, tokens: Token[], firstLine: number): void {
  const open: MarkdownNode[] = [root];
  const top = () => open.at(-1) as MarkdownNode;
  const targets: string[] = [];
  for (const token of tokens) {
    const place: Pick<MarkdownNode, 'lines'> =
      token.map === null || open.length > 2
        ? {}
        : { lines: [firstLine + token.map[0], firstLine + Math.max(token.map[0], token.map[1] - 1)] };
    if (token.type === 'inline') grow(top(), token.children ?? [], firstLine);
    else if (token.type === 'text') top().kids.push(shown(token.content));
    else if (token.type === 'softbreak') top().kids.push('\n');
    else if (token.type === 'code_inline') top().kids.push({ tag: 'code', kids: [shown(token.content)] });
    else if (token.type === 'fence' || token.type === 'code_block') top().kids.push({ ...codeBlock(token), ...place });
    else if (token.type === 'image')
      top().kids.push({
        tag: 'span',
        style: 'target',
        kids: [`[image not loaded: ${shown(token.content) || 'no text'} — ${shown(String(token.attrGet('src') ?? ''))}]`],
      });
    else if (token.type === 'link_open') {
      targets.push(String(token.attrGet('href') ?? ''));
      const link: MarkdownNode = { tag: 'span', style: 'link', kids: [] };
      top().kids.push(link);
      open.push(link);
    } else if (token.type === 'link_close') {
      open.pop();
      const target = targets.pop() ?? '';
      top().kids.push({ tag: 'span', style: 'target', kids: [` (${shown(target)})`] });
    } else if (token.nesting === 1) {
      const start = Number(token.attrGet('start') ?? 1);
      const node: MarkdownNode = { tag: tags[token.tag] ?? 'span', kids: [], ...place, ...(start === 1 ? {} : { start }) };
      // a paragraph of a tight list has no element of its own
      if (token.hidden) node.tag = 'span';
      top().kids.push(node);
      open.push(node);
    } else if (token.nesting === -1) open.pop();
    else
      top().kids.push(
        tags[token.tag] === undefined ? shown(token.content) : { tag: tags[token.tag] as string, kids: [], ...place },
      );
  }
}

/** Entities such as &#x202e; become characters only when Markdown is read. */
function shown(text: string): string {
  return text.split('\n').map(visibleLine).join('\n');
}

function codeBlock(token: Token): MarkdownNode {
  const language = token.info.trim().split(/\s+/)[0] || null;
  const lines = colourLines(token.content.replace(/\n$/, '').split('\n'), language?.toLowerCase() ?? null);
  const kids = lines.flatMap((spans, index): (MarkdownNode | string)[] => [...(index > 0 ? ['\n'] : []), ...spans.map(spanNode)]);
  return { tag: 'pre', kids: [{ tag: 'code', kids }] };
}

function spanNode([text, style]: Span): MarkdownNode | string {
  return style === undefined ? text : { tag: 'span', style, kids: [text] };
}
