import { execFile } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { convertAhead } from '../src/cell-conversion.js';
import { tempFolder } from './fixture.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const conversions = join(root, 'workflows/skill-trial/kernel/kernels/skill-trial/conversions.cjs');

/** A checkout with one package, `small`. */
function checkout(): Promise<string> {
  return tempFolder({
    'package-lock.json': '{}',
    'workflows/graph/dist/plugin.d.ts': 'export {};',
    'own.ts': 'export const own = 3;',
    'node_modules/small/index.d.ts': 'export declare const version: string;',
    'node_modules/small/package.json': JSON.stringify({ name: 'small', version: '1.0.0', types: 'index.d.ts' }),
    // convertAhead asks whether the packages of the lab are there
    'node_modules/skill-trial/package.json': JSON.stringify({ name: 'skill-trial', version: '1.0.0' }),
  });
}

interface Converted {
  cells: { output: string; errors: string[] }[];
  /** Whether the TypeScript compiler had to be loaded. */
  compiled: boolean;
}

/** Converts a chain of cells in a process of its own, as a kernel does. */
async function convert(folder: string, cells: string[]): Promise<Converted> {
  const program = `
    process.chdir(${JSON.stringify(folder)});
    const { createConverter, compiled } = require(${JSON.stringify(conversions)}).keepConversions(process.cwd(), { still: true });
    const converter = createConverter({});
    let declarations = '';
    const cells = ${JSON.stringify(cells)}.map((cell) => {
      const { output, declOutput, diagnostics } = converter.convert(declarations, cell);
      declarations = declOutput ?? '';
      return { output: output ?? '', errors: diagnostics.map((one) => one.messageText) };
    });
    process.stdout.write(JSON.stringify({ cells, compiled: compiled() }));
    process.exit(0);`;
  return JSON.parse((await promisify(execFile)(process.execPath, ['-e', program])).stdout);
}

test('cells are converted once: a second kernel gets the same JavaScript without a compiler', { timeout: 120_000 }, async () => {
  const folder = await checkout();
  const cells = ["import { version } from 'small';\nconst long = version.length;", 'long + 1'];
  const first = await convert(folder, cells);
  expect(first.compiled).toBe(true);
  expect(first.cells[1]?.output).toContain('exports.long + 1');
  expect(await convert(folder, cells)).toEqual({ cells: first.cells, compiled: false });

  // an earlier cell gives a later one other types: what was kept for the old one is not taken
  const other = await convert(folder, [cells[0]?.replace('version.length', 'version') ?? '', 'const twice: number = long * 2']);
  expect(other.compiled).toBe(true);
  expect(other.cells[1]?.errors.join(' ')).toContain('arithmetic');
  // what does not compile is said again each time
  expect((await convert(folder, ['const wrong: number = "text"'])).cells[0]?.errors).toHaveLength(1);
  expect((await convert(folder, ['const wrong: number = "text"'])).cells[0]?.errors).toHaveLength(1);
});

test('a change of what cells import makes their conversions anew', { timeout: 120_000 }, async () => {
  const folder = await checkout();
  const typed = ["import { own } from './own';\nconst twice: number = own * 2"];
  expect((await convert(folder, typed)).cells[0]?.errors).toEqual([]);
  // a person's own file is in no hash: nothing that imports it is kept
  await writeFile(join(folder, 'own.ts'), "export const own = 'three';");
  expect((await convert(folder, typed)).cells[0]?.errors).toHaveLength(1);

  const plain = ['const one: number = 1'];
  await convert(folder, plain);
  expect((await convert(folder, plain)).compiled).toBe(false);
  await writeFile(join(folder, 'workflows/graph/dist/plugin.d.ts'), 'export declare const name: string;');
  expect((await convert(folder, plain)).compiled).toBe(true);
});

test('ahead of the kernels, and no more than that: a notebook that cannot be read is left to its kernel', {
  timeout: 120_000,
}, async () => {
  const folder = await checkout();
  const cell = (source: string) => ({ cell_type: 'code', source });
  const [good, broken] = [join(folder, 'good.ipynb'), join(folder, 'broken.ipynb')];
  await writeFile(good, JSON.stringify({ cells: [cell('const a: number = 1'), cell('a + 1')] }));
  await writeFile(broken, 'no JSON');
  await Promise.all(convertAhead([good, broken], folder).values());
  expect(await convert(folder, ['const a: number = 1', 'a + 1'])).toMatchObject({ compiled: false });
  const kept = (await readdir(join(folder, '.cache/cells'), { recursive: true })).filter((file) => file.endsWith('.json'));
  expect(kept).toHaveLength(2);
});
