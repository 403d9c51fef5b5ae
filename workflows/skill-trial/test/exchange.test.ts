import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SettingsError } from '../src/errors.js';
import { exportPair, importPair } from '../src/exchange.js';
import { foldMarks, type MarkEvent } from '../src/mark.js';
import { a, b, pairName, tinyCase } from './desk-fixture.js';
import { failure } from './fixture.js';

const pair = { pair: pairName, case: 'tiny', x: a, y: b };
const mark = (
  content: string,
  row: string,
  value: boolean,
  over: Partial<Extract<MarkEvent, { kind: 'mark' }>> = {},
): MarkEvent => ({
  kind: 'mark',
  case: 'tiny',
  content,
  sheet: 'review',
  row,
  value,
  evidence: [],
  note: '',
  ...over,
});
const exported = (events: MarkEvent[]) => exportPair(pair, tinyCase, foldMarks(events));
const imported = (text: string, events: MarkEvent[] = []) => importPair(text, 'pair.csv', pair, tinyCase, foldMarks(events));
const header = 'id,weight,variant_x_found,variant_y_found,x_evidence,y_evidence';

test('one line a row, in the columns of the protocol', () => {
  const evidence = [{ file: 'src/a.js', line: 37, side: 'base' as const, quote: 'say "no"' }];
  expect(exported([mark(a, 'R1', true, { evidence, note: 'clear' }), mark(b, 'R1', false)])).toBe(
    `${header}\nR1,3,yes,no,"src/a.js:37 (base) ""say \\""no\\""""\n# clear",\nR2,2,,,,\n`,
  );
});

test('a row that does not apply says so for both, with the reason', () => {
  const without: MarkEvent = { kind: 'applicability', case: 'tiny', row: 'R2', applicable: false, note: 'no orders' };
  const text = exported([without]);
  expect(text).toContain('R2,2,n/a,n/a,# no orders,# no orders\n');
  expect(imported(text)).toEqual([without]);
  expect(imported(text, [without])).toEqual([]);
  expect(imported(exported([]), [without])).toEqual([{ ...without, applicable: true, note: '' }]);
});

describe('edited by hand', () => {
  const edited = (rows: string) => imported(`${header}\n${rows}\nR2,2,,,,\n`);

  test('true and 1 are yes, a note needs no sign, a place is evidence', () => {
    expect(edited('R1,3,TRUE,0,"src/a.js:3 (result) ""x""\nseen by hand",')).toEqual([
      mark(a, 'R1', true, { evidence: [{ file: 'src/a.js', line: 3, side: 'result', quote: 'x' }], note: 'seen by hand' }),
      mark(b, 'R1', false),
    ]);
  });

  test('a byte-order mark and CRLF change nothing', () => {
    expect(imported(`\uFEFF${header}\r\nR1,3,yes,,,\r\nR2,2,,,,\r\n`)).toEqual([mark(a, 'R1', true)]);
  });

  test('an emptied cell takes the mark away', () => {
    expect(imported(exported([]), [mark(a, 'R1', true)])).toEqual([{ ...mark(a, 'R1', true), value: null }]);
  });

  test.each<[string, string, RegExp]>([
    ['another weight', `${header}\nR1,4,yes,no,,\nR2,2,,,,\n`, /R1: another weight/],
    ['an unknown row', `${header}\nR1,3,,,,\nR2,2,,,,\nR9,1,,,,\n`, /no row "R9"/],
    ['a missing row', `${header}\nR1,3,,,,\n`, /row R2/],
    ['a row twice', `${header}\nR1,3,,,,\nR1,3,,,,\nR2,2,,,,\n`, /row R1/],
    ['another word', `${header}\nR1,3,maybe,,,\nR2,2,,,,\n`, /no such value/],
    ['a row that applies to one side only', `${header}\nR1,3,n/a,yes,,\nR2,2,,,,\n`, /applies to one variant only/],
    ['another header', 'id,weight\n', /wrong header/],
    ['a field too few', `${header}\nR1,3,yes,no,\nR2,2,,,,\n`, /wrong number of fields/],
    ['quotes that do not end', `${header}\nR1,3,"yes,,,\n`, /not valid CSV/],
  ])('%s is refused', async (_, text, message) => {
    expect((await failure(SettingsError, async () => imported(text))).message).toMatch(message);
  });

  test('of two equal sides both columns must say the same', async () => {
    const same = { ...pair, y: a };
    const text = `${header}\nR1,3,yes,no,,\nR2,2,,,,\n`;
    await failure(SettingsError, async () => importPair(text, 'pair.csv', same, tinyCase, foldMarks([])));
    expect(importPair(text.replace('yes,no', 'yes,yes'), 'pair.csv', same, tinyCase, foldMarks([]))).toEqual([
      mark(a, 'R1', true),
    ]);
  });
});

test.each(['=1+1', '+1', '-1', '@SUM(A1)', "'=1", "''+1"])(
  'a cell such as %s is no formula, and comes back as it was',
  (start) => {
    const events = [mark(a, 'R1', true, { evidence: [{ file: `${start}.js`, line: 1, quote: '' }], note: start })];
    const text = exported(events);
    for (const cell of text.split(/[,\n]/)) expect(cell).not.toMatch(/^"?[=+@]|^"?-\d/);
    expect(imported(text)).toEqual(events);
  },
);

test('whatever is marked, the exported form read back says the same, and changes nothing where it came from', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('=1', "'=1", '# x', 'src/a.js:1 "q"', 'a\nb', '\n', '"', ',', '\t', ' x '),
  );
  const evidence = fc.record(
    {
      file: text.filter((file) => file !== ''),
      line: fc.option(fc.integer({ min: 1, max: 9999 })),
      quote: text,
      side: fc.constantFrom('base' as const, 'result' as const),
    },
    { requiredKeys: ['file', 'line', 'quote'] },
  );
  const one = fc.record({
    content: fc.constantFrom(a, b),
    row: fc.constantFrom('R1', 'R2'),
    value: fc.boolean(),
    evidence: fc.array(evidence, { maxLength: 3 }),
    note: text.map((note) => note.replace(/\r\n?/g, '\n')),
  });
  fc.assert(
    fc.property(fc.array(one, { maxLength: 6 }), (marks) => {
      const events = marks.map(({ content, row, value, ...over }) => mark(content, row, value, over));
      const csv = exported(events);
      expect(imported(csv, events)).toEqual([]);
      const back = foldMarks(imported(csv));
      expect(back.variants).toEqual(foldMarks(events).variants);
    }),
  );
});
