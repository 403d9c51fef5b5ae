import MarkdownIt from 'markdown-it';

/** A fenced block of a documentation file. */
export interface DocBlock {
  /** The first word of its info string, lower case; '' where it has none. */
  language: string;
  text: string;
  /** The line of its first line of content, from 1. */
  line: number;
}

/** A documentation file taken apart: its fenced blocks, and its prose as source lines (code blocks left out). */
export interface DocText {
  file: string;
  blocks: DocBlock[];
  prose: { line: number; text: string }[];
}

/** Words that promise more than code can usually keep: looked for in the prose, never in code. Each is a pattern for whole words. */
export const guaranteeWords: [string, RegExp][] = [
  ['always', /\balways\b/i],
  ['never', /\bnever\b/i],
  ['atomic', /\batomic(?:ally|ity)?\b/i],
  ['guaranteed', /\bguarantee(?:s|d)?\b/i],
  ['all or nothing', /\ball[- ]or[- ]nothing\b/i],
  ['cannot fail', /\b(?:cannot|can not|can't) fail\b/i],
  ['in every case', /\bin (?:every|any|all) (?:case|circumstance)s?\b/i],
  ['transactional', /\btransaction(?:al|ally)?\b/i],
];
const negation = /\b(?:no|not|nor|nothing|without|neither|isn't|aren't|doesn't|don't|won't)\b/i;

/** Reads a Markdown file. */
export function readDoc(file: string, text: string): DocText {
  const blocks: DocBlock[] = [];
  const prose: DocText['prose'] = [];
  for (const token of new MarkdownIt().parse(text, {})) {
    if (token.map === null) continue;
    if (token.type === 'fence') {
      const language = token.info.trim().split(/\s+/)[0]?.toLowerCase() ?? '';
      blocks.push({ language, text: token.content, line: token.map[0] + 2 });
    } else if (token.type === 'inline') {
      const from = token.map[0] + 1;
      for (const [index, line] of token.content.split('\n').entries()) prose.push({ line: from + index, text: line });
    }
  }
  return { file, blocks, prose };
}

export interface Guarantee {
  file: string;
  line: number;
  word: string;
  /** The sentence denies something: a word such as `not` stands in it, and the promise may be no promise. */
  negated: boolean;
  quote: string;
}

/** Over-strong guarantees, by the table of words; a sentence may go over several lines. */
export function findGuarantees({ file, prose }: DocText): Guarantee[] {
  return prose.flatMap(({ line, text }, index) =>
    guaranteeWords.flatMap(([word, pattern]): Guarantee[] => {
      const match = pattern.exec(text);
      if (match === null) return [];
      // neighbours of the same paragraph: lines that follow each other
      const before = prose[index - 1]?.line === line - 1 ? `${prose[index - 1]?.text} ` : '';
      const after = prose[index + 1]?.line === line + 1 ? ` ${prose[index + 1]?.text}` : '';
      const all = before + text + after;
      const at = before.length + match.index;
      const start = Math.max(...['. ', '; ', ': ', '! '].map((end) => all.lastIndexOf(end, at))) + 1;
      const ends = ['. ', '; ', '! '].map((end) => all.indexOf(end, at)).filter((end) => end !== -1);
      const sentence = all.slice(Math.max(0, start), Math.min(all.length, ...ends));
      return [{ file, line, word, negated: negation.test(sentence), quote: text.trim() }];
    }),
  );
}

/** A documented command: a block for a shell, with the folder of its file as the directory it is meant for. */
export interface DocCommand {
  file: string;
  line: number;
  script: string;
  /** Why it is not run; null: it is. */
  skip: string | null;
}

const shells = ['sh', 'bash', 'shell', 'console', 'zsh'];
const unfit: [string, RegExp][] = [
  [
    'it needs a network',
    /\b(?:npm|pnpm|yarn|pip3?|uv|apt(?:-get)?|brew)\s+(?:-\S+\s+)*(?:install|i|ci|add|sync)\b|\b(?:curl|wget|git\s+clone|npx)\b/,
  ],
  ['it may not end', /\b(?:serve|watch|start|dev)\b/],
];

/** The shell blocks of a file; prompts (`$ `) are taken off, and in a console block the lines without one are output. */
export function findCommands({ file, blocks }: DocText): DocCommand[] {
  return blocks.flatMap(({ language, text, line }): DocCommand[] => {
    if (!shells.includes(language)) return [];
    const lines = text.split('\n');
    const prompted = lines.filter((row) => /^\s*\$ /.test(row));
    const script = (prompted.length > 0 ? prompted : lines)
      .map((row) => row.replace(/^\s*\$ /, ''))
      .join('\n')
      .trim();
    if (script === '') return [];
    return [{ file, line, script, skip: unfit.find(([, pattern]) => pattern.test(script))?.[0] ?? null }];
  });
}
