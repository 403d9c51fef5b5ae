import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { Case } from '../src/case.js';
import { SettingsError } from '../src/errors.js';
import { readSheets, type Sheet, sheetName } from '../src/sheet.js';
import { failure, tempFolder, writeFiles } from './fixture.js';

const row = (id: string, weight: number) => ({ id, requirement: 'x', weight, evidence_rule: 'y' });
const one = {
  name: 'tiny',
  rubrics: { control_row: 'T2' },
  rubricRows: { review: [row('R1', 3), row('R2', 2)], tests: [row('T1', 2), row('T2', 3)], documentation: [row('D1', 1)] },
} as Case;
const cases = new Map([['tiny', one]]);
const good: Sheet = {
  schema_version: 1,
  case: 'tiny',
  content: 'a'.repeat(64),
  scorer: 'ann',
  rows: { R1: { found: true, evidence: 'src/x.js:3' }, R2: { found: false, evidence: '' } },
  findings: [{ key: 'no-compensation', claim: 'Units stay taken.', status: 'confirmed', row: 'R1', evidence: 'src/x.js:3' }],
  tests: { T1: { points: 2, evidence: 'test/x.test.js' } },
  documentation: { D1: { found: true, evidence: 'README.md:4' } },
  not_applicable: [],
  notes: '',
};
const text = (changes: object = {}) => stringify({ ...good, ...changes });

async function read(files: Record<string, string>) {
  const root = await tempFolder();
  await writeFiles(join(root, 'sheets'), files);
  return readSheets(root, join(root, 'sheets'), cases);
}
const name = sheetName(good);
const refused = (changes: object, file = name) => failure(SettingsError, () => read({ [file]: text(changes) }));

describe('sheets are read', () => {
  test('with the path and hash of their file', async () => {
    const [sheet] = await read({ [name]: text() });
    expect(sheet).toMatchObject({ ...good, file: `sheets/${name}`, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });

  test('with a byte-order mark and CRLF they say the same', async () => {
    const [sheet] = await read({ [name]: `\uFEFF${text().replaceAll('\n', '\r\n')}` });
    expect(sheet).toMatchObject(good);
  });

  test('without a folder there are none: scoring is pending, not an error', async () => {
    expect(await readSheets('/', '/nonexistent/sheets', cases)).toEqual([]);
  });

  test('a sheet of a case that the experiment does not use is left out', async () => {
    expect(await read({ 'bbbbbbbbbbbb.ann.yaml': text({ case: 'other', content: 'b'.repeat(64) }) })).toEqual([]);
  });

  test('other files beside them are left alone', async () => {
    expect(await read({ [name]: text(), 'README.md': 'notes' })).toHaveLength(1);
  });

  test('half points and the full weight are allowed', async () => {
    expect(await read({ [name]: text({ tests: { T1: { points: 0.5, evidence: '' } } }) })).toHaveLength(1);
  });
});

describe('a sheet is refused with its file and field', () => {
  test.each<[string, object, RegExp, RegExp]>([
    ['a missing rubric row', { rows: { R1: good.rows.R1 } }, /rows\.R2 is missing/, /^R1$/],
    ['a row of no rubric', { rows: { ...good.rows, R9: good.rows.R1 } }, /rows\.R9 is no row/, /R9/],
    ['a missing test row', { tests: {} }, /tests\.T1 is missing/, /none/],
    ['the row that the negative control fills', { tests: { ...good.tests, T2: good.tests.T1 } }, /tests\.T2 is no row/, /T2/],
    ['a missing documentation row', { documentation: {} }, /documentation\.D1 is missing/, /none/],
    ['more points than the weight', { tests: { T1: { points: 2.5, evidence: '' } } }, /tests\.T1\.points is too high/, /2\.5/],
    ['negative points', { tests: { T1: { points: -1, evidence: '' } } }, /tests\.T1\.points is not valid/, /-1/],
    ['an unknown row that does not apply', { not_applicable: ['R7'] }, /not_applicable names an unknown row/, /R7/],
    ['a finding twice', { findings: [good.findings[0], good.findings[0]] }, /a finding occurs twice/, /no-compensation/],
    [
      'a finding of an unknown row',
      { findings: [{ ...good.findings[0], row: 'R7' }] },
      /finding no-compensation names an unknown row/,
      /R7/,
    ],
    ['an unknown status', { findings: [{ ...good.findings[0], status: 'true' }] }, /findings\.0\.status is not valid/, /true/],
    ['found in words', { rows: { ...good.rows, R1: { found: 'yes', evidence: '' } } }, /rows\.R1\.found is not valid/, /"yes"/],
    ['a missing evidence', { rows: { ...good.rows, R1: { found: true } } }, /rows\.R1\.evidence is missing/, /nothing/],
    ['a short content hash', { content: 'abc' }, /content is not valid/, /abc/],
    ['the name of an arm', { arm: 'B' }, /unknown key "arm"/, /arm/],
    ['a key misspelt', { findings: undefined, finding: [] }, /unknown key "finding"/, /finding/],
  ])('%s', async (_what, changes, message, found) => {
    const error = await refused(changes);
    expect(error.message).toMatch(message);
    expect(error.message).toContain(name);
    expect(error.found).toMatch(found);
  });

  test('a value of the wrong type has its line', async () => {
    const file = text({ rows: { ...good.rows, R1: { found: 'yes', evidence: '' } } });
    const line = file.split('\n').findIndex((one) => one.includes('found: yes')) + 1;
    expect((await failure(SettingsError, () => read({ [name]: file }))).message).toContain(`${name}:${line}:`);
  });

  test.each(['other.yaml', 'aaaaaaaaaaaa.bob.yaml', 'aaaaaaaaaaaa.ann.yml', 'aaaaaaaaaaaa.ann.YAML'])(
    'a file name that does not fit: %s',
    async (file) => {
      expect((await refused({}, file)).expected).toBe('aaaaaaaaaaaa.ann.yaml');
    },
  );

  test('the sheets of one scorer must agree on what does not apply to a case', async () => {
    const other = { content: 'b'.repeat(64), not_applicable: ['R2'] };
    const files = { [name]: text(), [sheetName({ ...good, ...other })]: text(other) };
    const error = await failure(SettingsError, () => read(files));
    expect(error.message).toMatch(/applicability differs/);
    expect(error.found).toBe('R2');
  });

  test('two scorers may differ on it: that is a dispute, not an error', async () => {
    const other = { scorer: 'bob', not_applicable: ['R2'] };
    expect(await read({ [name]: text(), [sheetName({ ...good, ...other })]: text(other) })).toHaveLength(2);
  });

  test('the order of rows that do not apply is no difference', async () => {
    const other = { content: 'b'.repeat(64), not_applicable: ['R2', 'R1'] };
    const files = { [name]: text({ not_applicable: ['R1', 'R2'] }), [sheetName({ ...good, ...other })]: text(other) };
    expect(await read(files)).toHaveLength(2);
  });
});
