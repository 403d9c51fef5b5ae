import { TextDecoder } from 'node:util';
import { visible } from 'skill-trial';
import type { TextPage } from './desk-view.js';

const pageBytes = 128 * 1024;
const pageLines = 2000;
const lineCharacters = 4000;

/**
 * One page of a text of any size (0-based; the nearest page where there is none of that number). A page ends after 128 KiB or 2,000
 * lines. Controls and direction marks are shown as \u{…}, bytes that are no UTF-8 as U+FFFD, and both are said.
 */
export function textPage(bytes: Buffer, wanted: number): TextPage {
  const starts = pageStarts(bytes);
  const page = Math.min(Math.max(wanted, 0), starts.length - 1);
  const [start, firstLine] = starts[page] as [number, number];
  const end = starts[page + 1]?.[0] ?? bytes.length;
  const part = bytes.subarray(start, end);
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(part);
  const raw = text.split('\n');
  if (raw.at(-1) === '' && raw.length > 1) raw.pop();
  const cut = raw.some((line) => line.length > lineCharacters);
  const lines = raw.map((line) => (line.length > lineCharacters ? shorten(line) : visibleLine(line)));
  const notices: string[] = [];
  if (starts.length > 1)
    notices.push(
      `This text has ${count(bytes.length)} bytes and is shown in ${starts.length} pages; this is page ${page + 1}. Nothing is left out, but a search in the page sees one page only.`,
    );
  if (cut) notices.push(`A line of more than ${count(lineCharacters)} characters is cut; the cut says how much is not shown.`);
  if (!isUtf8(part)) notices.push('Some bytes are not valid UTF-8 and are shown as \uFFFD.');
  if (raw.some((line) => visibleLine(line) !== line))
    notices.push('Control characters and invisible marks are shown as \\u{…}; they were in the text.');
  return { page, pages: starts.length, bytes: bytes.length, firstLine, lines, notices };
}

/** A line with its tabs kept and every other control or invisible character shown. */
export function visibleLine(line: string): string {
  return line.split('\t').map(visibleCell).join('\t');
}

function visibleCell(text: string): string {
  // visible() makes a space of a line break; here a stray carriage return has to be seen
  return text.split('\r').map(visible).join('\\u{d}');
}

/** A line cut to what a page can hold, and how much is missing. */
export function shorten(line: string): string {
  if (line.length <= lineCharacters) return visibleLine(line);
  return `${visibleLine(line.slice(0, lineCharacters))} … ${count(line.length - lineCharacters)} more characters are not shown`;
}

/** A long text is gone through once, however many of its pages are turned. */
const knownStarts = new WeakMap<Buffer, [number, number][]>();

function pageStarts(bytes: Buffer): [number, number][] {
  const starts = knownStarts.get(bytes) ?? findStarts(bytes);
  knownStarts.set(bytes, starts);
  return starts;
}

/** Byte offset and first line number (from 1) of each page. A page is cut inside a line only where the line alone is longer. */
function findStarts(bytes: Buffer): [number, number][] {
  const starts: [number, number][] = [[0, 1]];
  let [start, line, lineStart, lines] = [0, 1, 0, 0];
  const open = (at: number) => {
    starts.push([at, line]);
    [start, lineStart, lines] = [at, at, 0];
  };
  while (start < bytes.length) {
    const next = bytes.indexOf(10, lineStart);
    const end = next === -1 ? bytes.length : next + 1;
    if (end - start > pageBytes && lineStart > start) open(lineStart);
    else if (end - start > pageBytes) open(characterStart(bytes, start + pageBytes));
    else {
      lines += 1;
      if (next !== -1) line += 1;
      lineStart = end;
      if (end === bytes.length) break;
      if (lines === pageLines) open(end);
    }
  }
  return starts;
}

/** The start of the character that the byte at `at` belongs to. */
function characterStart(bytes: Buffer, at: number): number {
  for (let back = at; back > at - 4; back--) if (((bytes[back] as number) & 0xc0) !== 0x80) return back;
  return at;
}

function isUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

export function count(value: number): string {
  return value.toLocaleString('en');
}
