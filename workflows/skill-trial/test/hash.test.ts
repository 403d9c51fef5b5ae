import { chmod, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson, hashOf, hashTree, hmac, listTree, sha256 } from '../src/hash.js';
import { tempFolder, writeFiles } from './fixture.js';

describe('canonical JSON', () => {
  test('keys are sorted at every depth, without spaces', () => {
    expect(canonicalJson({ b: [{ d: 1, c: null }], a: 'x', B: true })).toBe('{"B":true,"a":"x","b":[{"c":null,"d":1}]}');
  });

  test('a key whose value is undefined is left out; in a list it is null', () => {
    expect(canonicalJson({ a: undefined, b: 1 })).toBe('{"b":1}');
    expect(canonicalJson([1, undefined])).toBe('[1,null]');
  });

  test('a hole in a list is null, not a comma too many', () => {
    const holed: number[] = [];
    holed[2] = 1;
    expect(canonicalJson(holed)).toBe('[null,null,1]');
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])('%s is refused, never null in silence', (value) => {
    expect(() => canonicalJson({ tokens: value })).toThrow(/use null for an unknown number/);
  });

  test.each([[1n], [() => 1], [Symbol('x')], [undefined]])('%s has no JSON', (value) => {
    expect(() => canonicalJson(value)).toThrow(TypeError);
  });

  test('0 and null differ, and so do 1 and "1"', () => {
    expect(hashOf(0)).not.toBe(hashOf(null));
    expect(hashOf(1)).not.toBe(hashOf('1'));
  });

  test('it is JSON of the same value, and the order of keys does not matter', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
        expect(hashOf(Object.fromEntries(Object.entries(value).toReversed()))).toBe(hashOf(value));
      }),
    );
  });
});

describe('known digests', () => {
  test('SHA-256 and HMAC-SHA-256 by their published test vectors', () => {
    expect(sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(hmac('Jefe', 'what do ya want for nothing?')).toBe('5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843');
  });

  test('text and its UTF-8 bytes have one digest', () => {
    expect(sha256('ä€')).toBe(sha256(Buffer.from('ä€')));
  });
});

describe('the hash of a tree', () => {
  const files = { 'a.txt': 'one', 'sub/b.txt': 'two', 'sub/deep/c.txt': 'three' };

  test('it is the same for the same tree elsewhere', async () => {
    expect(await hashTree(await tempFolder(files))).toBe(await hashTree(await tempFolder(files)));
  });

  test.each<[string, (folder: string) => Promise<unknown>]>([
    ['content', (folder) => writeFile(join(folder, 'sub/b.txt'), 'tw0')],
    ['the executable bit', (folder) => chmod(join(folder, 'a.txt'), 0o755)],
    ['a name', (folder) => rename(join(folder, 'a.txt'), join(folder, 'A.txt'))],
    ['a place', (folder) => rename(join(folder, 'a.txt'), join(folder, 'sub/a.txt'))],
    ['a file more', (folder) => writeFiles(folder, { 'sub/new.txt': '' })],
    ['a link', (folder) => symlink('a.txt', join(folder, 'link'))],
  ])('it sees a change of %s', async (_what, change) => {
    const folder = await tempFolder(files);
    const before = await hashTree(folder);
    await change(folder);
    expect(await hashTree(folder)).not.toBe(before);
  });

  test('a link is not the file it points to', async () => {
    const [copy, linked] = [await tempFolder({ a: 'x', b: 'x' }), await tempFolder({ a: 'x' })];
    await symlink('a', join(linked, 'b'));
    expect(await hashTree(copy)).not.toBe(await hashTree(linked));
  });

  test.each<[string, (folder: string) => Promise<unknown>]>([
    ['read and write bits of other people', (folder) => chmod(join(folder, 'a.txt'), 0o640)],
    ['a .git inside', (folder) => writeFiles(folder, { 'sub/.git/HEAD': 'ref' })],
  ])('it does not see %s', async (_what, change) => {
    const folder = await tempFolder(files);
    const before = await hashTree(folder);
    await change(folder);
    expect(await hashTree(folder)).toBe(before);
  });

  test('files are listed by path, with git mode and size', async () => {
    const folder = await tempFolder(files);
    await chmod(join(folder, 'sub/b.txt'), 0o755);
    await symlink('a.txt', join(folder, 'z'));
    expect((await listTree(folder)).map(({ path, mode, size }) => [path, mode, size])).toEqual([
      ['a.txt', '100644', 3],
      ['sub/b.txt', '100755', 3],
      ['sub/deep/c.txt', '100644', 5],
      ['z', '120000', 5],
    ]);
  });
});
