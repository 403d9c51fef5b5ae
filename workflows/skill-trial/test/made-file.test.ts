import { describe, expect, test } from 'vitest';
import { beginningOf, filesByContent } from '../src/iteration.js';
import { jsonBytes, type MadeFile, readMade } from '../src/made-file.js';
import { reviewPage } from '../src/review-page.js';
import { tempFolder } from './fixture.js';
import { makeBenchmarkFixture, run } from './fixtures/benchmark.js';

const MiB = 2 ** 20;
const added = (...paths: string[]) => paths.map((path) => ({ path, kind: 'added' as const }));
const namedOnly = ({ files }: { files: MadeFile[] }) =>
  files.flatMap(({ path, bytesLeftOut }) => (bytesLeftOut === undefined ? [] : [[path, bytesLeftOut]]));

describe('the files of a run in results.json', () => {
  test('are 8 MiB at most; what is beyond is named with its size, and a smaller one after it is still there', async () => {
    const names = Array.from({ length: 10 }, (_, index) => `${index}.txt`);
    const tree = await tempFolder({
      ...Object.fromEntries(names.map((name) => [name, 'x'.repeat(MiB)])),
      'a-large.bin': Buffer.alloc(MiB + 1),
      'z-small.txt': 'small',
    });
    const made = await readMade(tree, added('a-large.bin', ...names, 'z-small.txt'));
    expect(namedOnly(made)).toEqual([
      ['a-large.bin', MiB + 1],
      ['7.txt', MiB],
      ['8.txt', MiB],
      ['9.txt', MiB],
    ]);
    expect(made.files.at(-1)).toEqual({ path: 'z-small.txt', kind: 'added', text: 'small', binary: null });
    expect(made.more).toBe(0);
    expect(jsonBytes(made.files)).toBeLessThanOrEqual(8 * MiB);
  });

  test('count as they are written: a MiB of zeros is 6 MiB of JSON', async () => {
    const tree = await tempFolder({ one: '\0'.repeat(MiB), two: '\0'.repeat(MiB), three: Buffer.alloc(MiB, 0xff) });
    const made = await readMade(tree, added('one', 'three', 'two'));
    expect(namedOnly(made)).toEqual([['two', MiB]]);
    expect(made.files[1]?.binary).toBe(Buffer.alloc(MiB, 0xff).toString('base64'));
  });

  test.each([0, 80, 200, 1000, 100_000])('take no more of what all runs may than is left: %i bytes', async (room) => {
    const names = Array.from({ length: 50 }, (_, index) => `${index}.txt`);
    const tree = await tempFolder(Object.fromEntries(names.map((name) => [name, 'ä'.repeat(1000)])));
    const made = await readMade(tree, added(...names), room);
    expect(jsonBytes(made.files)).toBeLessThanOrEqual(room);
    expect(made.files.length + made.more).toBe(50);
    if (room === 1000) expect(made.files[0]).toMatchObject({ text: null, bytesLeftOut: 2000 });
    if (room === 100_000) expect(made.files[0]).toMatchObject({ text: 'ä'.repeat(1000) });
  });

  test('are 1,000 at most, and how many more there are is told', async () => {
    const gone = Array.from({ length: 1500 }, (_, index) => ({ path: `${index}`, kind: 'deleted' as const }));
    const made = await readMade(await tempFolder(), gone);
    expect([made.files.length, made.more]).toEqual([1000, 500]);
  });

  test('are shown with the size of what was left out, and the number of what is not named', () => {
    const benchmark = makeBenchmarkFixture();
    const file = { path: 'dump.sql', kind: 'added' as const, text: null, binary: null, bytesLeftOut: 3_000_000 };
    Object.assign(benchmark.evals[0]?.with[0] as object, { files: [file], moreFiles: 1234 });
    const page = reviewPage(benchmark, 1, null);
    expect(page).toContain('3,000,000 bytes: too large to be shown here.');
    expect(page).toContain('1,234 more files are not named here.');
  });
});

test('an answer too long to be held with all others is cut, and says so', () => {
  expect(beginningOf('short', 5)).toBe('short');
  expect(beginningOf('longer', 4)).toBe('long\n[the first 4 of 6 characters; the whole is in response.md of the record]\n');
});

test('what an earlier iteration has whole is not worked out again; what it left out is', () => {
  const text: MadeFile = { path: 'a', kind: 'added', text: 'a', binary: null };
  const gone: MadeFile = { path: 'b', kind: 'deleted', text: null, binary: null };
  const large: MadeFile = { path: 'c', kind: 'added', text: null, binary: null, bytesLeftOut: 9 };
  const runs = [
    run({ content: 'whole', files: [text, gone] }),
    run({ content: 'cut', files: [text, large] }),
    run({ content: 'link', files: [{ path: 'c', kind: 'added', text: null, binary: null }] }),
    run({ content: 'many', files: [text], moreFiles: 1 }),
    run({ content: 'none' }),
  ];
  const [one] = makeBenchmarkFixture().evals;
  if (one === undefined) throw new TypeError('the fixture has no eval');
  const evals = [{ ...one, with: runs.slice(0, 2), without: runs.slice(2, 3), further: { C: runs.slice(3) } }];
  expect([...filesByContent({ evals })]).toEqual([['whole', { files: [text, gone], more: 0 }]]);
});
