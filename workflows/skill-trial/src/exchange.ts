import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import type { Case } from './case.js';
import type { DeskPair } from './desk.js';
import { SettingsError } from './errors.js';
import { Evidence } from './evidence.js';
import { type MarkEvent, type Marks, marksOf, type RowMark } from './mark.js';

/** The exchange form of decision 0019, part 5: one pair, one evaluator, the rows of the review rubric. */
const header = ['id', 'weight', 'variant_x_found', 'variant_y_found', 'x_evidence', 'y_evidence'];

/**
 * One evaluator's review marks of a pair as CSV. Found is `yes`, `no`, `n/a` (the row does not apply to the case) or empty (not marked
 * yet). Evidence has one place a line, `file:line (side) "quote"`, then the note with `# ` before each of its lines; of a row that does
 * not apply it is the reason. A cell that a spreadsheet would take for a formula begins with an apostrophe.
 */
export function exportPair(pair: DeskPair, one: Case, marks: Marks): string {
  const skipped = marks.notApplicable[pair.case] ?? {};
  const rows = one.rubricRows.review.map(({ id, weight }) => {
    const reason = skipped[id];
    const [x, y] = [pair.x, pair.y].map((content) => marksOf(marks, { case: pair.case, content }).review[id]);
    const cells =
      reason === undefined
        ? [foundCell(x), foundCell(y), evidenceCell(x), evidenceCell(y)]
        : ['n/a', 'n/a', noteLines(reason).join('\n'), noteLines(reason).join('\n')];
    return [id, String(weight), ...cells].map(guarded);
  });
  return stringify([header, ...rows], { quoted_match: /[\r\n]/ });
}

/**
 * The changes that make an evaluator's marks say what a CSV says: [] where they say it already, so that an exported file changes
 * nothing. A SettingsError names the line of what cannot be read. The notes of the evidence may be written without `# `.
 */
export function importPair(text: string, where: string, pair: DeskPair, one: Case, marks: Marks): MarkEvent[] {
  const records = readRecords(text, where);
  const events: MarkEvent[] = [];
  const rubric = one.rubricRows.review;
  const ids = records.map(([id]) => id as string);
  for (const { id } of rubric)
    if (ids.filter((other) => other === id).length !== 1)
      fail(
        where,
        `row ${id}`,
        'each row of the rubric once',
        `${ids.filter((other) => other === id).length} times`,
        'correct the rows',
      );
  for (const [index, record] of records.entries()) {
    const line = `${where}, row ${index + 1}`;
    const [id, weight, xFound, yFound, xEvidence, yEvidence] = record as [string, string, string, string, string, string];
    const row =
      rubric.find((other) => other.id === id) ??
      fail(line, `no row "${id}"`, rubric.map((other) => other.id).join(', '), id, 'remove or correct it');
    if (Number(weight) !== row.weight)
      fail(line, `${id}: another weight`, String(row.weight), weight, 'weights are the rubric’s: leave them');
    events.push(...rowEvents(line, id, pair, marks, [readFound(line, xFound), readFound(line, yFound)], [xEvidence, yEvidence]));
  }
  return events;
}

type Found = boolean | 'n/a' | null;

function rowEvents(
  line: string,
  id: string,
  pair: DeskPair,
  marks: Marks,
  found: [Found, Found],
  evidence: [string, string],
): MarkEvent[] {
  const before = marks.notApplicable[pair.case]?.[id];
  if (found[0] === 'n/a' || found[1] === 'n/a') {
    if (found[0] !== found[1])
      fail(
        line,
        `${id} applies to one variant only`,
        'n/a in both columns: a row applies to the case',
        found.join(', '),
        'decide it for both',
      );
    const read = evidence.map((cell) => readEvidence(cell).note);
    const note = read[0] || (read[1] as string);
    return before === note ? [] : [{ kind: 'applicability', case: pair.case, row: id, applicable: false, note }];
  }
  if (pair.x === pair.y && (found[0] !== found[1] || evidence[0] !== evidence[1]))
    fail(
      line,
      `${id}: one variant, two marks`,
      'equal columns: both sides delivered the same',
      found.join(', '),
      'make them equal',
    );
  const applies: MarkEvent[] =
    before === undefined ? [] : [{ kind: 'applicability', case: pair.case, row: id, applicable: true, note: '' }];
  const sides = pair.x === pair.y ? [pair.x] : [pair.x, pair.y];
  const changed = sides.flatMap((content, index): MarkEvent[] => {
    const own = marksOf(marks, { case: pair.case, content }).review[id];
    const value = found[index] as boolean | null;
    const said = readEvidence(evidence[index] as string);
    const same =
      value === null ? own === undefined : own?.value === value && evidenceCell(own) === cellOf(said.evidence, said.note);
    return same ? [] : [{ kind: 'mark', case: pair.case, content, sheet: 'review', row: id, value, ...said }];
  });
  return [...applies, ...changed];
}

function foundCell(mark: RowMark | undefined): string {
  return mark === undefined ? '' : mark.value === true ? 'yes' : 'no';
}

function readFound(line: string, cell: string): Found {
  const word = cell.trim().toLowerCase();
  if (word === '') return null;
  if (['yes', 'true', '1'].includes(word)) return true;
  if (['no', 'false', '0'].includes(word)) return false;
  return word === 'n/a' ? 'n/a' : fail(line, 'no such value', 'yes, no, n/a or nothing', cell, 'correct it');
}

function evidenceCell(mark: RowMark | undefined): string {
  return mark === undefined ? '' : cellOf(mark.evidence, mark.note);
}

function cellOf(evidence: Evidence[], note: string): string {
  return [...evidence.map(placeLine), ...noteLines(note)].join('\n');
}

/** `src/a.js:37 (base) "quote"`; a file name with a space, a colon or the like is quoted too. */
function placeLine({ file, line, side, quote }: Evidence): string {
  const name = /^[\w./-]+$/.test(file) ? file : JSON.stringify(file);
  return `${name}${line === null ? '' : `:${line}`}${side === undefined ? '' : ` (${side})`} ${JSON.stringify(quote)}`;
}

function noteLines(note: string): string[] {
  return note === '' ? [] : note.split(/\r\n|\r|\n/).map((line) => `# ${line}`);
}

const place =
  /^(?<file>[\w./-]+|"(?:[^"\\]|\\.)*")(?::(?<line>[1-9]\d*))?(?: \((?<side>base|result)\))? (?<quote>"(?:[^"\\]|\\.)*")$/;

/** The places and the note of an evidence cell. A line that is no place is part of the note, with `# ` before it or without. */
function readEvidence(cell: string): { evidence: Evidence[]; note: string } {
  const evidence: Evidence[] = [];
  const note: string[] = [];
  for (const line of cell === '' ? [] : cell.split(/\r\n|\r|\n/)) {
    const found = readPlace(line);
    if (found !== null) evidence.push(found);
    else note.push(line.replace(/^# /, ''));
  }
  return { evidence, note: note.join('\n') };
}

function readPlace(text: string): Evidence | null {
  const parts = place.exec(text)?.groups;
  if (parts === undefined) return null;
  const { file = '', line, side, quote = '""' } = parts;
  try {
    return Evidence.parse({
      file: file.startsWith('"') ? JSON.parse(file) : file,
      line: line === undefined ? null : Number(line),
      ...(side === undefined ? {} : { side }),
      quote: JSON.parse(quote),
    });
  } catch {
    return null; // quotes that are no JSON: a person's own words
  }
}

/** An apostrophe before what a spreadsheet would calculate (CWE-1236), and before an apostrophe that stands before such a cell already. */
function guarded(cell: string): string {
  return /^'*[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
}

function unguarded(cell: string): string {
  return /^'+[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell;
}

function readRecords(text: string, where: string): string[][] {
  let records: string[][];
  try {
    records = parse(text, { bom: true, skip_empty_lines: true, relax_column_count: true });
  } catch (error) {
    return fail(where, 'not valid CSV', 'CSV by RFC 4180', (error as Error).message, 'correct the quoting');
  }
  const [first = [], ...rest] = records;
  if (first.join(',') !== header.join(','))
    fail(where, 'wrong header', header.join(','), first.join(','), 'correct the first line');
  const short = rest.findIndex((record) => record.length !== header.length);
  if (short !== -1)
    fail(
      `${where}, row ${short + 1}`,
      'wrong number of fields',
      `${header.length}`,
      `${rest[short]?.length}`,
      'quote a field that holds a comma',
    );
  return rest.map((record) => record.map(unguarded));
}

function fail(where: string, what: string, expected: string, found: string, next: string): never {
  throw new SettingsError(`${where}: ${what}`, { expected, found, next });
}
