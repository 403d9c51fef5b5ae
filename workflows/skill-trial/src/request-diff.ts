import { createTwoFilesPatch } from 'diff';
import { parseJson } from './wires/body.js';

const shownLines = 80;
const shownWidth = 240; // letters

/**
 * Two normalised request bodies as a unified diff that a person can read: JSON one value a line, texts broken where they break lines,
 * long lines cut around the first letter that differs, the whole cut after 80 lines. Says so where they differ too much to be compared.
 */
export function diffRequests(recorded: string, replayed: string, call: number): string {
  const [before, after] = [readable(recorded), readable(replayed)];
  const patch = createTwoFilesPatch(`recorded request ${call}`, 'replayed request', before, after, '', '', {
    context: 2,
    maxEditLength: 2000,
  });
  if (patch === undefined)
    return `the requests differ in more than 2000 lines: ${recorded.length} letters recorded, ${replayed.length} replayed`;
  const lines = patch.split('\n').slice(1); // without the line of equal signs
  const shown = cutAlike(lines.slice(0, shownLines));
  return [...shown, ...(lines.length > shownLines ? [`… ${lines.length - shownLines} more lines`] : [])].join('\n').trimEnd();
}

function readable(text: string): string {
  const json = parseJson(text);
  if (json === undefined) return `${text}\n`;
  return `${JSON.stringify(json, null, 2).replace(/(?<!\\)((?:\\\\)*)\\n/g, '$1\n')}\n`;
}

/** Cuts long lines; a removed line and the added one after it are cut where they begin to differ. */
function cutAlike(lines: string[]): string[] {
  return lines.map((line, index) => {
    if (line.length <= shownWidth) return line;
    const other = line.startsWith('-') ? lines[index + 1] : line.startsWith('+') ? lines[index - 1] : undefined;
    let same = 1;
    while (other !== undefined && same < line.length && line[same] === other[same]) same += 1;
    const from = other === undefined ? 1 : Math.max(1, same - shownWidth / 3);
    const part = line.slice(from, from + shownWidth);
    return `${line[0]}${from > 1 ? '…' : ''}${part}${from + shownWidth < line.length ? '…' : ''}`;
  });
}
