import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { claimFindings, extractClaims } from '../src/claim.js';

const careful = fileURLToPath(new URL('../../../data/cases/inventory/scripts/plans/careful/response.md', import.meta.url));
const claims = (text: string) => extractClaims(text).claims.map(({ line, text: claim }) => [line, claim]);

describe('the claims of a response', () => {
  test('list items are one each, with the line on which they begin', () => {
    expect(claims('Findings:\n\n1. First thing. It has\n   two sentences.\n2. Second thing.\n   - A detail of it.\n')).toEqual([
      [3, 'First thing. It has two sentences.'],
      [5, 'Second thing.'],
      [6, 'A detail of it.'],
    ]);
  });

  test('paragraphs are split into sentences; a full stop in code ends none', () => {
    expect(claims('I looked. The call `a.b. C()` fails\nwithout a release. All is well.')).toEqual([
      [1, 'I looked.'],
      [1, 'The call `a.b. C()` fails without a release.'],
      [2, 'All is well.'],
    ]);
  });

  test('rows of a table are one each, its head is none', () => {
    expect(claims('| place | what |\n|---|---|\n| a.js:3 | no check |\n')).toEqual([[3, 'a.js:3 | no check']]);
  });

  test('headings, code, lead-ins, rules and empty text are none', () => {
    expect(claims('# Review.\n\n**Findings:**\n\n```js\nThis is code.\n```\n\n---\n\n')).toEqual([]);
    expect(claims('')).toEqual([]);
  });

  test('hostile text stays text', () => {
    expect(claims('- <script>alert(1)</script> runs\n')).toEqual([[1, '<script>alert(1)</script> runs']]);
  });

  test('a response beyond a million characters is cut, and that is said', () => {
    expect(extractClaims(`${'word '.repeat(250_000)}.`).cut).toBe(true);
    expect(extractClaims('- item\n'.repeat(1_001))).toMatchObject({ cut: true, claims: { length: 1_000 } });
    expect(extractClaims('One sentence.').cut).toBe(false);
  });

  test('of the careful plan of the bundled case: four findings first', async () => {
    const response = await readFile(careful, 'utf8');
    const items = claims(response).filter(([line]) => (line as number) >= 5 && (line as number) <= 8);
    expect(items.map(([line]) => line)).toEqual([5, 6, 7, 8]);
  });
});

test('claims become findings that are not classified yet, the same for every evaluator', () => {
  const content = '12345678'.padEnd(64, '0');
  expect(claimFindings(content, [{ text: 'No release.', line: 3 }])).toEqual([
    {
      id: 'claim-1',
      key: '12345678-claim-1',
      claim: 'No release.',
      status: null,
      row: null,
      evidence: [{ file: 'response.md', line: 3, quote: 'No release.' }],
      note: '',
    },
  ]);
});
