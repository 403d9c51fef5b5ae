import type { RootContent } from 'hast';
import { common, createLowlight } from 'lowlight';
import type { Span } from './desk-view.js';
import { shorten } from './text-pages.js';

const lowlight = createLowlight(common);

/** Beyond this a text is shown without colours: colouring is a help, not a reason to wait. */
const mostCharacters = 300_000;

const languages: Record<string, string> = {
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  jsx: 'javascript',
  ts: 'typescript',
  tsx: 'typescript',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  sh: 'bash',
  yml: 'yaml',
  md: 'markdown',
  htm: 'xml',
  html: 'xml',
  svg: 'xml',
};

/** The language of a file by its name; null where it has no colours here. */
export function languageOf(path: string): string | null {
  const ending = /\.([A-Za-z0-9]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  const name = languages[ending] ?? ending;
  return lowlight.registered(name) ? name : null;
}

/** Lines with their syntax colours. Invisible characters are shown before, so that no span can hide one. */
export function colourLines(lines: string[], language: string | null): Span[][] {
  const shown = lines.map(shorten);
  const text = shown.join('\n');
  if (language === null || !lowlight.registered(language) || text.length > mostCharacters) return shown.map((line) => [[line]]);
  const result: Span[][] = [[]];
  const walk = (nodes: RootContent[], style: string | null) => {
    for (const node of nodes) {
      if (node.type === 'element') walk(node.children, styleOf(node.properties.className) ?? style);
      else if (node.type === 'text')
        node.value.split('\n').forEach((part, index) => {
          if (index > 0) result.push([]);
          if (part !== '') result.at(-1)?.push(style === null ? [part] : [part, style]);
        });
    }
  };
  walk(lowlight.highlight(language, text).children, null);
  return result;
}

/** The first class that the highlighter gave (`hljs-keyword`). */
function styleOf(name: unknown): string | null {
  return Array.isArray(name) && typeof name[0] === 'string' ? name[0] : null;
}
