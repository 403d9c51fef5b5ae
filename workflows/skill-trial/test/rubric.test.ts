import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SettingsError } from '../src/errors.js';
import { parseRubric, readRubric } from '../src/rubric.js';
import { failure, tempFolder } from './fixture.js';

const header = 'id,requirement,weight,evidence_rule';
const good = `${header}\nR1,Compensation,3,Cites the code\nR2,"Positive, whole",2,"Gives a ""bad"" value"\n`;
const rows = [
  { id: 'R1', requirement: 'Compensation', weight: 3, evidence_rule: 'Cites the code' },
  { id: 'R2', requirement: 'Positive, whole', weight: 2, evidence_rule: 'Gives a "bad" value' },
];
const refused = (text: string) => failure(SettingsError, () => parseRubric(text, 'r.csv'));

describe('a rubric is accepted', () => {
  test.each([
    ['as RFC 4180 writes it', good],
    ['with a byte-order mark', `\uFEFF${good}`],
    ['with CRLF line ends', good.replaceAll('\n', '\r\n')],
    ['with both', `\uFEFF${good.replaceAll('\n', '\r\n')}`],
    ['with empty lines between and after the rows', good.replaceAll('\n', '\n\n')],
    ['without a last line break', good.trimEnd()],
  ])('%s', (_how, text) => {
    expect(parseRubric(text, 'r.csv')).toEqual(rows);
  });

  test('from a file with a byte-order mark', async () => {
    const folder = await tempFolder({ 'r.csv': `\uFEFF${good}` });
    expect(await readRubric(join(folder, 'r.csv'))).toEqual(rows);
  });

  test('a weight may be a fraction', () => {
    expect(parseRubric(`${header}\nR1,x,0.5,y\n`, 'r.csv')[0]?.weight).toBe(0.5);
  });
});

describe('a rubric is refused with its file, line and field', () => {
  test.each<[string, string, RegExp, string]>([
    ['weight 0', `${header}\nR1,a,1,b\nR2,a,0,b\n`, /^r\.csv:3: weight is not valid/, '0'],
    ['a negative weight', `${header}\nR1,a,-2,b\n`, /^r\.csv:2: weight is not valid/, '-2'],
    ['a weight in words', `${header}\nR1,a,three,b\n`, /^r\.csv:2: weight is not valid/, '"three"'],
    ['an empty weight', `${header}\nR1,a,,b\n`, /^r\.csv:2: weight is not valid/, '""'],
    ['a weight without end', `${header}\nR1,a,Infinity,b\n`, /^r\.csv:2: weight is not valid/, '"Infinity"'],
    ['a hexadecimal weight', `${header}\nR1,a,0x3,b\n`, /^r\.csv:2: weight is not valid/, '"0x3"'],
    ['a weight that is a percentage', `${header}\nR1,a,67%,b\n`, /^r\.csv:2: weight is not valid/, '"67%"'],
    ['an id that begins with a digit', `${header}\n1R,a,1,b\n`, /^r\.csv:2: id is not valid/, '"1R"'],
    ['an empty requirement', `${header}\nR1,,1,b\n`, /^r\.csv:2: requirement is not valid/, '""'],
    ['an empty evidence rule', `${header}\nR1,a,1,\n`, /^r\.csv:2: evidence_rule is not valid/, '""'],
    ['an unquoted comma', `${header}\nR1,a,b,1,c\n`, /^r\.csv:2: wrong number of fields/, '5'],
    ['a field too few', `${header}\nR1,a,1\n`, /^r\.csv:2: wrong number of fields/, '3'],
    ['a line after a field of two lines', `${header}\nR1,"a\nb",1,c\nR2,a,0,b\n`, /^r\.csv:4: weight/, '0'],
    ['a line after empty lines', `${header}\n\n\nR1,a,0,b\n`, /^r\.csv:4: weight/, '0'],
    ['the same id twice', `${header}\nR1,a,1,b\nR2,a,1,b\n\nR1,c,2,d\n`, /^r\.csv:5: id R1 occurs twice/, 'R1'],
    [
      'another order of columns',
      'id,weight,requirement,evidence_rule\nR1,3,a,b\n',
      /^r\.csv:1: wrong header/,
      'id,weight,requirement,evidence_rule',
    ],
    [
      'a column with another name',
      'id,requirement,wieght,evidence_rule\n',
      /^r\.csv:1: wrong header/,
      'id,requirement,wieght,evidence_rule',
    ],
    ['no header', 'R1,a,1,b\n', /^r\.csv:1: wrong header/, 'R1,a,1,b'],
    ['an empty file', '', /^r\.csv:1: wrong header/, 'an empty file'],
    ['a header and nothing else', `${header}\n`, /^r\.csv has no rows/, 'a header only'],
    ['a quote that is never closed', `${header}\nR1,"a,1,b\n`, /^r\.csv:\d+: not valid CSV/, ''],
    ['semicolons for commas', 'id;requirement;weight;evidence_rule\nR1;a;1;b\n', /^r\.csv:1: wrong header/, ''],
  ])('%s', async (_what, text, message, found) => {
    const error = await refused(text);
    expect(error.message).toMatch(message);
    if (found !== '') expect(error.found).toBe(found);
  });

  test('a weight error says that a positive number is expected', async () => {
    for (const weight of ['0', '-1', 'x', ''])
      expect((await refused(`${header}\nR1,a,${weight},b\n`)).expected).toBe('a positive number');
  });

  test('a missing file is named, and so is a folder in its place', async () => {
    const folder = await tempFolder();
    const missing = await failure(SettingsError, () => readRubric(join(folder, 'none.csv')));
    expect(missing.message).toContain(join(folder, 'none.csv'));
    expect(missing.found).toBe('no such file');
    expect((await failure(SettingsError, () => readRubric(folder))).found).toBe('a folder');
  });
});
