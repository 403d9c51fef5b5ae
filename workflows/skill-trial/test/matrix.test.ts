import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { refuseUnproven } from '../src/case-proof.js';
import { readMatrix } from '../src/matrix.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skill-trial-matrix-'));
  for (const name of ['m-1', 'm-2']) await mkdir(join(folder, name));
});
afterEach(() => rm(folder, { recursive: true, force: true }));
const read = async (text: string) => {
  await writeFile(join(folder, 'matrix.csv'), text);
  return readMatrix(folder, { R1: 'a', R2: 'b' });
};

test('a matrix is read in its order; requirements may overlap', async () => {
  expect(await read('mutant,must_fail\nm-2,R1 R2\nm-1,R1\n')).toEqual([
    { mutant: 'm-2', mustFail: ['R1', 'R2'] },
    { mutant: 'm-1', mustFail: ['R1'] },
  ]);
});
test.each([
  ['mutant,fails\nm-1,R1\n', /wrong header/],
  ['mutant,must_fail\nm-1,R1\n', /mutant m-2 has no row/],
  ['mutant,must_fail\nm-1,R1\nm-2,R1\nm-2,R2\n', /m-2 occurs twice/],
  ['mutant,must_fail\nm-1,R1\nm-2,R1\nm-3,R1\n', /m-3 has no folder/],
  ['mutant,must_fail\nm-1,R9\nm-2,R1\n', /m-1 names R9/],
  ['mutant,must_fail\nm-1,\nm-2,R1\n', /m-1 breaks nothing/],
])('a matrix that is wrong is refused: %j', async (text, message) => {
  await expect(read(text)).rejects.toThrow(message);
});

const row = (id: string, outcome: 'holds' | 'fails' | 'error') => ({ id, outcome, passed: 0, tests: 1, evidence: null });
const proof =
  (tree: string, mustFail: string[], ...requirements: ReturnType<typeof row>[]) =>
  () =>
    refuseUnproven(new Map([['c', [{ tree, mustFail, requirements }]]]));

test('a proof holds only where the solution passes all and each mutant fails exactly its row', () => {
  expect(proof('solution', [], row('R1', 'holds'))).not.toThrow();
  expect(proof('m-1', ['R1'], row('R1', 'fails'), row('R2', 'holds'))).not.toThrow();
  expect(proof('solution', [], row('R1', 'fails'))).toThrow(/the reference solution is not what the matrix says/);
  expect(proof('m-1', ['R1'], row('R1', 'holds'), row('R2', 'holds'))).toThrow(/every hidden test passes/);
  expect(proof('m-1', ['R1'], row('R1', 'fails'), row('R2', 'fails'))).toThrow(/R1 R2 fail/);
  expect(proof('m-1', ['R1'], row('R1', 'error'))).toThrow(/does not run on m-1/);
});
