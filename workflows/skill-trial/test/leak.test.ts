import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findLeaks } from '../src/leak.js';
import { readSkill } from '../src/skill.js';
import { tempFolder } from './fixture.js';

const head = '---\nname: review\ndescription: Review.\n---\n';
async function leaks(body: string, words: string[], more: Record<string, string> = {}) {
  const files = Object.fromEntries(Object.entries(more).map(([path, text]) => [`review/${path}`, text]));
  const folder = await tempFolder({ 'review/SKILL.md': `${head}${body}`, ...files });
  const found = await findLeaks({ leak_words: words }, [await readSkill(join(folder, 'review'))]);
  return found.map(({ word, file, line }) => `${word} at ${file}:${line}`);
}

test.each<[string, string, string[], string[]]>([
  ['a word of the case', 'Check the stock.', ['stock'], ['stock at SKILL.md:5']],
  ['in capitals', 'STOCK and Stock', ['stock'], ['stock at SKILL.md:5', 'stock at SKILL.md:5']],
  ['as code', 'call `reserveOrder()` twice', ['reserveOrder'], ['reserveOrder at SKILL.md:5']],
  ['within a compound with a hyphen', 'the stock-level', ['stock'], ['stock at SKILL.md:5']],
  ['a name with an underscore', 'the order_id', ['order_id'], ['order_id at SKILL.md:5']],
  ['a phrase, also over a line break', 'a partial\nreservation', ['partial reservation'], ['partial reservation at SKILL.md:5']],
  ['with letters beyond ASCII', 'die Menge prüfen: Größe', ['größe'], ['größe at SKILL.md:5']],
  ['with signs that mean something to a pattern', 'use C++ here', ['c++'], ['c++ at SKILL.md:5']],
  ['on its own line', '\n\nstock', ['stock'], ['stock at SKILL.md:7']],
])('a leak is found: %s', async (_what, body, words, expected) => {
  expect(await leaks(body, words)).toEqual(expected);
});

test.each<[string, string, string[]]>([
  [
    'general risk words',
    'Look at boundaries, repetition, compensation, rollback and partial failure.',
    ['stock', 'sku', 'reserve'],
  ],
  ['a word within a word', 'livestock, stockpile, restock', ['stock']],
  ['a word within a name', 'stock_level', ['stock']],
  ['no words at all', 'stock', []],
])('no leak: %s', async (_what, body, words) => {
  expect(await leaks(body, words)).toEqual([]);
});

test('every file of the skill is read, and its frontmatter and file names too', async () => {
  expect(await leaks('', ['stock'], { 'references/notes.md': 'a\nstock\n' })).toEqual(['stock at references/notes.md:2']);
  expect(await leaks('', ['stock'], { 'references/stock.md': '' })).toEqual(['stock at references/stock.md:0']);
  expect(await leaks('', ['review'])).toEqual(['review at SKILL.md:2', 'review at SKILL.md:3']);
});
