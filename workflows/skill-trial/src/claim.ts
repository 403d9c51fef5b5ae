import MarkdownIt from 'markdown-it';
import type { FindingMark } from './mark.js';

/** A statement of a response, where it stands. */
export interface Claim {
  text: string;
  /** 1-based, of response.md. */
  line: number;
}

/** Beyond this a response is no longer read by a person either; the cut is said. */
const limits = { characters: 1_000_000, claims: 1_000 };

const markdown = new MarkdownIt('commonmark', { html: false }).enable('table');
const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });

/**
 * The statements of a response: each list item and table row is one, other paragraphs are split into sentences. Headings, code
 * blocks and lead-ins that end in a colon are none. A starting list for a person, who edits, merges and removes: what is a finding
 * is not decided here. `cut` says that the response was too long to be read whole.
 */
export function extractClaims(response: string): { claims: Claim[]; cut: boolean } {
  const claims: Claim[] = [];
  let listDepth = 0;
  let cells: { text: string[]; line: number } | null = null;
  let inHeading = false;
  let inHead = false;
  for (const token of markdown.parse(response.slice(0, limits.characters), {})) {
    const line = (token.map?.[0] ?? 0) + 1;
    if (token.type === 'list_item_open') listDepth += 1;
    else if (token.type === 'list_item_close') listDepth -= 1;
    else if (token.type === 'heading_open') inHeading = true;
    else if (token.type === 'heading_close') inHeading = false;
    else if (token.type === 'thead_open') inHead = true;
    else if (token.type === 'thead_close') inHead = false;
    else if (token.type === 'tr_open') cells = { text: [], line };
    else if (token.type === 'tr_close') {
      if (cells !== null && !inHead)
        claims.push({ text: cells.text.filter((text) => text !== '').join(' | '), line: cells.line });
      cells = null;
    } else if (token.type === 'inline' && !inHeading) {
      if (cells !== null) cells.text.push(token.content.trim());
      else if (listDepth > 0) claims.push({ text: token.content, line });
      else claims.push(...sentencesOf(token.content, line));
    }
  }
  const kept = claims
    .map(({ text, line }) => ({ text: text.trim().replace(/\s+/g, ' '), line }))
    .filter(({ text }) => /\p{L}/u.test(text) && !/:[*_]*$/.test(text));
  return { claims: kept.slice(0, limits.claims), cut: response.length > limits.characters || kept.length > limits.claims };
}

/** The sentences of a paragraph with the line on which each begins. A full stop inside a code span ends none. */
function sentencesOf(text: string, line: number): Claim[] {
  const masked = text.replace(/`[^`]*`/g, (code) => 'x'.repeat(code.length));
  return [...sentences.segment(masked.replace(/\n/g, ' '))].map(({ index, segment }) => ({
    text: text.slice(index, index + segment.length),
    line: line + (text.slice(0, index).match(/\n/g)?.length ?? 0),
  }));
}

/** Claims as findings not classified yet. Id and key are the same whoever lists them, so that two evaluators' findings can be compared. */
export function claimFindings(content: string, claims: Claim[]): FindingMark[] {
  return claims.map(({ text, line }, index) => ({
    id: `claim-${index + 1}`,
    key: `${content.slice(0, 8)}-claim-${index + 1}`,
    claim: text,
    status: null,
    row: null,
    evidence: [{ file: 'response.md', line, quote: text }],
    note: '',
  }));
}
