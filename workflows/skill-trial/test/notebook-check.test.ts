import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PrerequisiteError } from '../src/errors.js';
import { formatNotebook, type Notebook, type NotebookCell } from '../src/notebook.js';
import { checkNotebooks, describeProblem } from '../src/notebook-check.js';

const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'notebook-check-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function save(name: string, sources: string[], change: Partial<Extract<NotebookCell, { cell_type: 'code' }>> = {}): string {
  const cells = sources.map((source, index) => ({
    cell_type: 'code' as const,
    id: `c-${index}`,
    metadata: {},
    source,
    outputs: [],
    execution_count: null,
    ...change,
  }));
  const notebook: Notebook = {
    nbformat: 4,
    nbformat_minor: 5,
    metadata: { kernelspec: { name: 'skill-trial', display_name: 'TypeScript (Skill Trial)' } },
    cells: [{ cell_type: 'markdown', id: 'intro', metadata: {}, source: '# A notebook' }, ...cells],
  };
  const path = join(folder, `${name}.ipynb`);
  writeFileSync(path, formatNotebook(notebook));
  return path;
}

describe('checking notebooks', () => {
  it('finds nothing wrong with the ones of this repository', async () => {
    expect((await checkNotebooks(root)).map(describeProblem)).toEqual([]);
  });

  it('names notebook, cell and line of a type error, with the types of the library and of Node', async () => {
    save('1-fine', [
      "import { version } from 'skill-trial';",
      'const name: string = process.env.HOME ?? version;\nconsole.log(name);',
    ]);
    const path = save('2-wrong', [
      "import { version } from 'skill-trial';",
      'const length = version.length;\n\nconst text: string = length;',
    ]);
    const problems = await checkNotebooks(root, folder);
    expect(problems).toEqual([{ notebook: path, cell: 2, line: 3, what: expect.stringContaining('TS2322') }]);
    expect(describeProblem(problems[0] as (typeof problems)[number])).toMatch(/2-wrong\.ipynb, cell 2, line 3: TS2322/);
  });

  it('is stricter than the kernel: null has to be thought of', async () => {
    save('strict', ["import { ratio } from 'skill-trial';\nratio(1, 2).toFixed(1);"]);
    expect(await checkNotebooks(root, folder)).toMatchObject([{ cell: 1, line: 2, what: expect.stringContaining('null') }]);
  });

  it('names outputs and execution counts that were kept', async () => {
    const path = save('kept', ['1', '2'], {
      outputs: [{ output_type: 'stream', name: 'stdout', text: '1\n' }],
      execution_count: 3,
    });
    expect(await checkNotebooks(root, folder)).toEqual(
      [1, 2].map((cell) => ({
        notebook: path,
        cell,
        line: null,
        what: expect.stringContaining('outputs and an execution count'),
      })),
    );
  });

  it('names a file that is no notebook, and still checks the others', async () => {
    writeFileSync(join(folder, '1-broken.ipynb'), '{');
    save('2-wrong', ['const n: number = "text";']);
    expect(await checkNotebooks(root, folder)).toMatchObject([
      { notebook: join(folder, '1-broken.ipynb'), cell: null, what: expect.stringContaining('not JSON') },
      { notebook: join(folder, '2-wrong.ipynb'), cell: 1, line: 1 },
    ]);
  });

  it('refuses a folder without notebooks, and leaves nothing behind', async () => {
    await expect(checkNotebooks(root, folder)).rejects.toThrow(PrerequisiteError);
    expect(readdirSync(join(root, '.cache', 'notebook-check'))).not.toContain(String(process.pid));
  });
});
