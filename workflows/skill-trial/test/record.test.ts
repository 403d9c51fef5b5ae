import { mkdir, readdir, readFile, rm, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { RecordError } from '../src/errors.js';
import {
  checkRecord,
  hasRecord,
  linkRecord,
  prettyJson,
  readJson,
  readManifest,
  recordHash,
  sealRecord,
  writeWhole,
} from '../src/record.js';
import { failure, tempFolder, writeFiles } from './fixture.js';

/** A sealed record of two files in a fresh folder. */
async function sealed(content = 'hello\n') {
  const folder = await tempFolder();
  await writeFiles(join(folder, 'draft'), { 'response.md': content, 'bodies/1.json': '{}' });
  const target = join(folder, 'trials/1');
  const hash = await sealRecord(join(folder, 'draft'), target);
  return { folder, target, hash };
}

describe('a record is written once', () => {
  test('sealing moves the draft into place with a manifest of every file', async () => {
    const { folder, target, hash } = await sealed();
    expect(await readdir(folder)).toEqual(['trials']);
    expect((await readManifest(target)).files.map(({ path, size }) => [path, size])).toEqual([
      ['bodies/1.json', 2],
      ['response.md', 6],
    ]);
    expect(await checkRecord(target)).toEqual([]);
    expect(await recordHash(target)).toBe(hash);
    expect(await hasRecord(target)).toBe(true);
  });

  test('an existing record wins: the later draft is dropped and the first hash returned', async () => {
    const { folder, target, hash } = await sealed();
    await writeFiles(join(folder, 'second'), { 'response.md': 'another answer\n' });
    expect(await sealRecord(join(folder, 'second'), target)).toBe(hash);
    expect(await readFile(join(target, 'response.md'), 'utf8')).toBe('hello\n');
    expect(await readdir(folder)).toEqual(['trials']);
  });

  test('equal content gives an equal hash, other content another', async () => {
    expect((await sealed()).hash).toBe((await sealed()).hash);
    expect((await sealed('hallo\n')).hash).not.toBe((await sealed()).hash);
  });

  test('sealing a second name for a record does not write through to the first', async () => {
    const { folder, target } = await sealed();
    await linkRecord(target, join(folder, 'link'));
    await rm(join(folder, 'link/response.md'));
    await sealRecord(join(folder, 'link'), join(folder, 'other'));
    expect((await readManifest(join(folder, 'other'))).files).toHaveLength(1);
    expect(await checkRecord(target)).toEqual([]);
  });
});

describe('every difference from the manifest is named', () => {
  test.each<[string, (target: string) => Promise<unknown>, string[]]>([
    ['an altered byte', (target) => writeFile(join(target, 'response.md'), 'hellO\n'), ['response.md: altered']],
    ['a missing file', (target) => rm(join(target, 'bodies/1.json')), ['bodies/1.json: missing']],
    ['a file too many', (target) => writeFile(join(target, 'bodies/2.json'), ''), ['bodies/2.json: not in the manifest']],
    [
      'all at once',
      async (target) => {
        await writeFile(join(target, 'response.md'), '');
        await rm(join(target, 'bodies/1.json'));
        await writeFile(join(target, 'x'), '');
      },
      ['bodies/1.json: missing', 'response.md: altered', 'x: not in the manifest'],
    ],
  ])('%s', async (_what, change, expected) => {
    const { target } = await sealed();
    await change(target);
    expect(await checkRecord(target)).toEqual(expected);
  });

  test('a manifest that was altered to fit has another hash', async () => {
    const { target, hash } = await sealed();
    const text = await readFile(join(target, 'manifest.json'), 'utf8');
    await writeFile(join(target, 'manifest.json'), text.replace('"size": 6', '"size": 7'));
    expect(await recordHash(target)).not.toBe(hash);
  });

  test.each<[string, (file: string) => Promise<unknown>, RegExp]>([
    ['missing', (file) => rm(file), /is no record/],
    ['no JSON', (file) => writeFile(file, '{"schemaVersion": 1,'), /is not JSON/],
    ['of another schema version', (file) => writeFile(file, '{"schemaVersion": 2, "files": []}'), /schemaVersion is not valid/],
  ])('a manifest that is %s is a RecordError', async (_what, change, message) => {
    const { target } = await sealed();
    await change(join(target, 'manifest.json'));
    expect((await failure(RecordError, () => checkRecord(target))).message).toMatch(message);
  });
});

describe('a second name for a record', () => {
  test('its files are those of the record', async () => {
    const { folder, target } = await sealed();
    await linkRecord(target, join(folder, 'receipt'));
    expect(await checkRecord(join(folder, 'receipt'))).toEqual([]);
  });

  test.each<[string, (receipt: string) => Promise<unknown>]>([
    ['deleted whole', (receipt) => rm(receipt, { recursive: true })],
    [
      'emptied and filled anew',
      async (receipt) => {
        await rm(receipt, { recursive: true });
        await writeFiles(receipt, { 'response.md': 'from a cache\n' });
      },
    ],
    [
      'replaced file by file',
      async (receipt) => {
        await unlink(join(receipt, 'response.md'));
        await writeFile(join(receipt, 'response.md'), 'from a cache\n');
      },
    ],
  ])('the record stays when it is %s', async (_what, change) => {
    const { folder, target } = await sealed();
    await linkRecord(target, join(folder, 'receipt'));
    await change(join(folder, 'receipt'));
    expect(await checkRecord(target)).toEqual([]);
    expect(await readFile(join(target, 'response.md'), 'utf8')).toBe('hello\n');
  });

  test('what was there before is replaced, not mixed in', async () => {
    const { folder, target } = await sealed();
    await writeFiles(join(folder, 'receipt'), { 'stale.json': '{}' });
    await linkRecord(target, join(folder, 'receipt'));
    expect(await checkRecord(join(folder, 'receipt'))).toEqual([]);
  });
});

describe('a file is written whole or not at all', () => {
  test('folders are made, content is replaced, nothing else is left', async () => {
    const folder = await tempFolder();
    await writeWhole(join(folder, 'a/b.json'), 'one');
    await writeWhole(join(folder, 'a/b.json'), 'two');
    expect(await readFile(join(folder, 'a/b.json'), 'utf8')).toBe('two');
    expect(await readdir(join(folder, 'a'))).toEqual(['b.json']);
  });

  test('a failing write leaves what was there and no half file', async () => {
    const folder = await tempFolder({ 'x/keep.txt': 'kept' });
    await mkdir(join(folder, 'x/target/in-the-way'), { recursive: true });
    await expect(writeWhole(join(folder, 'x/target'), 'content')).rejects.toThrow();
    await expect(writeWhole(join(folder, 'x/keep.txt'), { not: 'bytes' } as never)).rejects.toThrow();
    expect((await readdir(join(folder, 'x'))).sort()).toEqual(['keep.txt', 'target']);
    expect(await readFile(join(folder, 'x/keep.txt'), 'utf8')).toBe('kept');
  });

  test('several writers of one file at once: one of them wins whole, none fails', async () => {
    const folder = await tempFolder();
    const texts = Array.from({ length: 20 }, (_, index) => `${index}`.repeat(1000));
    await Promise.all(texts.map((text) => writeWhole(join(folder, 'f'), text)));
    expect(texts).toContain(await readFile(join(folder, 'f'), 'utf8'));
    expect(await readdir(folder)).toEqual(['f']);
  });
});

describe('JSON of the lab', () => {
  test('it has sorted keys, two spaces and a last line break', () => {
    expect(prettyJson({ b: 1, a: [null] })).toBe('{\n  "a": [\n    null\n  ],\n  "b": 1\n}\n');
  });

  test.each<[string, string | null, RegExp]>([
    ['missing', null, /is missing/],
    ['cut short', '{"n": 1', /is not JSON/],
    ['of another shape', '{"n": "1"}', /n is not valid/],
    ['with an unknown key', '{"n": 1, "m": 2}', /unknown key "m"/],
  ])('a file that is %s is a RecordError that names it', async (_what, text, message) => {
    const folder = await tempFolder(text === null ? {} : { 'f.json': text });
    const error = await failure(RecordError, () => readJson(join(folder, 'f.json'), z.strictObject({ n: z.number() })));
    expect(error.message).toMatch(message);
    expect(error.message).toContain('f.json');
  });
});
