import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { PrerequisiteError, SettingsError } from '../src/errors.js';
import {
  cellsAsModule,
  executeNotebook,
  executeNotebooks,
  formatNotebook,
  Notebook,
  NotebookError,
  notebookWithOutputs,
  readNotebook,
  stripOutputs,
} from '../src/notebook.js';
import { readPublished } from '../src/publish.js';

vi.setConfig({ testTimeout: 120_000 });

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'notebook-'));
});
afterAll(() => rmSync(dir, { recursive: true }));

/** Writes a notebook of these code cells, after a line of text. */
function notebookOf(name: string, cells: string[], kernel = 'skill-trial'): string {
  const notebook: Notebook = {
    nbformat: 4,
    nbformat_minor: 5,
    metadata: { kernelspec: { name: kernel, display_name: 'TypeScript (Skill Trial)', language: 'typescript' } },
    cells: [
      { cell_type: 'markdown', id: 'intro', metadata: {}, source: '# A notebook' },
      ...cells.map((source, index) => ({
        cell_type: 'code' as const,
        id: `code-${index + 1}`,
        metadata: {},
        source,
        outputs: [],
        execution_count: null,
      })),
    ],
  };
  const path = join(dir, `${name}.ipynb`);
  writeFileSync(path, formatNotebook(notebook));
  return path;
}

// The built modules by path, so that these tests do not depend on what the package exports.
const built = (module: string) => JSON.stringify(fileURLToPath(new URL(`../dist/${module}.js`, import.meta.url)));
const working = [
  "import { version } from 'skill-trial';\nconst checked: string = version;\nversion.length > 0",
  `const { publish, publishFigure, showTable } = require(${built('publish')});`,
  "const rows = [{ arm: 'A', share: 0.5 }, { arm: '<B>', share: null }];\nshowTable(rows);",
  // Not `{ rows }`: tslab does not find an earlier cell's variable in a shorthand.
  "publish('completeness', { rows: rows });",
  "await publishFigure('by-arm', { data: { values: rows.slice(0, 1) }, mark: 'bar', encoding: { x: { field: 'arm' }, y: { field: 'share', type: 'quantitative' } } }, 'By arm');",
];

describe('executing a notebook', () => {
  it('the notebook on published tables comes to its end: every fact that it states holds', async () => {
    const path = fileURLToPath(new URL('../../../notebooks/6-published-results.ipynb', import.meta.url));
    const { notebook, results } = await executeNotebook(path);
    expect(notebook.metadata.skill_trial, 'analyse leaves it out').toEqual({ aside: true });
    expect(
      results
        .map(({ stdout }) => stdout)
        .join('')
        .match(/^holds: /gm),
    ).toHaveLength(18);
  });

  it('runs cells that import the built package by name, shows and publishes, and gives the same bytes twice, leaving the file as it was', async () => {
    const path = notebookOf('2-completeness', working);
    const before = readFileSync(path);
    const published = join(dir, 'published');
    const once = await executeNotebook(path, { env: { SKILL_TRIAL_PUBLISH: published } });
    const first = formatNotebook(notebookWithOutputs(once.notebook, once.results));
    const twice = await executeNotebook(path, { env: { SKILL_TRIAL_PUBLISH: published } });
    expect(formatNotebook(notebookWithOutputs(twice.notebook, twice.results))).toBe(first);
    expect(readFileSync(path).equals(before)).toBe(true);

    expect(once.results.map(({ cell, status, stderr }) => ({ cell, status, stderr }))).toEqual(
      working.map((_, index) => ({ cell: index + 1, status: 'ok', stderr: '' })),
    );
    expect(once.results[0]?.stdout).toBe('true\n');
    expect(once.results[2]?.outputs[0]?.data['text/html']).toContain('<td>&lt;B&gt;</td><td>–</td>');
    expect(once.results[2]?.stdout).toBe('');
    const figure = once.results[4]?.outputs[0]?.data ?? {};
    expect(Object.keys(figure)).toEqual(['application/vnd.vegalite.v5+json', 'image/svg+xml', 'text/plain']);
    expect(figure['image/svg+xml']).toMatch(/^<svg /);
    const { values, figures } = readPublished(published);
    expect(values).toMatchObject([
      { name: 'completeness', notebook: '2-completeness', value: { rows: [{}, { arm: '<B>', share: null }] } },
    ]);
    expect(figures).toMatchObject([{ name: 'by-arm', notebook: '2-completeness', caption: 'By arm' }]);

    const executed = Notebook.parse(JSON.parse(first));
    expect(stripOutputs(executed)).toEqual(stripOutputs(once.notebook));
    expect(formatNotebook(stripOutputs(executed))).toBe(before.toString());
  });

  it.each([
    ['a compiler error, with its line', 'const fine = 1;\n\nconst wrong: number = "text";', 3, "Type 'string'"],
    [
      'an exception, with the line as it was written',
      'interface One { a: number }\n\nthrow new Error("on purpose");',
      3,
      'on purpose',
    ],
    ['an exception after an await', 'type One = 1;\nawait Promise.resolve();\nthrow new Error("later");', 3, 'later'],
    ['an exception in a function of a cell before', 'const two = 2;\nfails(\n  two,\n);', 2, 'helper'],
    ['what is thrown and is no error', 'throw "a word";', null, 'a word'],
    ['an import of what is not there', "import { nothing } from 'skill-trial';", 1, 'nothing'],
  ])('stops at the first failing cell and names notebook, cell and what went wrong: %s', async (_, code, line, text) => {
    const path = notebookOf('failing', [
      'console.log("fine");\nfunction fails(n: number): void { throw new Error("helper " + n); }',
      code,
      'console.log("never")',
    ]);
    const failure = await executeNotebook(path).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(NotebookError);
    expect(failure).toMatchObject({ kind: 'cell', cell: 2, line, path, message: expect.stringContaining(text) });
    expect((failure as NotebookError).found).not.toContain('node_modules');
    expect((failure as NotebookError).message).toContain(
      `failing.ipynb, cell 2${line === null ? '' : `, line ${line}`}: the cell failed`,
    );
    expect((failure as NotebookError).run.results.map(({ stdout }) => stdout)).toEqual(['fine\n', '']);
  });

  it('names a cell that does not end, and one that ends the kernel', async () => {
    const endless = notebookOf('endless', ['1', 'for (;;) {}']);
    await expect(executeNotebook(endless, { timeoutMs: 1000 })).rejects.toMatchObject({
      kind: 'timeout',
      cell: 2,
      message: expect.stringContaining('within 1 s'),
    });
    const crashing = notebookOf('crashing', ['1', 'process.exit(7)']);
    await expect(executeNotebook(crashing)).rejects.toMatchObject({
      kind: 'died',
      cell: 2,
      message: expect.stringContaining('exit code 7'),
    });
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith(`skill-trial-kernel-${process.pid}-`))).toEqual([]);
  });

  it('does not depend on the language, time zone or other variables of the person who runs it', async () => {
    vi.stubEnv('TZ', 'Asia/Tokyo');
    vi.stubEnv('LANG', 'de_DE.UTF-8');
    vi.stubEnv('ANTHROPIC_API_KEY', 'secret');
    vi.stubEnv('SKILL_TRIAL_PUBLISH', join(dir, 'not-asked-for'));
    const path = notebookOf('surroundings', [
      'console.log(new Date(0).toString(), (1.5).toLocaleString(), Object.keys(process.env).sort().join())',
    ]);
    const { results } = await executeNotebook(path, { cwd: dir }).finally(() => vi.unstubAllEnvs());
    expect(results[0]?.stdout).toMatch(/^Thu Jan 01 1970 00:00:00 GMT\+0000 .* 1\.5 /);
    expect(results[0]?.stdout).not.toMatch(/API_KEY|SKILL_TRIAL_PUBLISH/);
  });

  it('runs four small notebooks, two at a time, and gives them in their order', async () => {
    const paths = ['a', 'b', 'c', 'd'].map((name) =>
      notebookOf(`four-${name}`, ["import { version } from 'skill-trial';", 'version', `'${name}'`, '1', '2']),
    );
    const started = performance.now();
    const runs = await executeNotebooks(paths);
    // About 5 to 8 s on two idle cores; a bound would only measure what else runs.
    console.log(`four notebooks: ${((performance.now() - started) / 1000).toFixed(1)} s`);
    expect(runs.map(({ name, results }) => [name, results[2]?.stdout])).toEqual(
      ['a', 'b', 'c', 'd'].map((name) => [`four-${name}`, `${name}\n`]),
    );
  });
});

describe('reading a notebook', () => {
  const broken = (text: string) => {
    const path = join(dir, 'broken.ipynb');
    writeFileSync(path, text);
    return readNotebook(path);
  };
  const minimal = {
    nbformat: 4,
    nbformat_minor: 5,
    metadata: { kernelspec: { name: 'skill-trial', display_name: 'x' } },
    cells: [],
  };

  it('joins texts stored as lists, and writes them back as lists', async () => {
    const path = notebookOf('lines', ['one\ntwo', '']);
    expect(JSON.parse(readFileSync(path, 'utf8')).cells.map((cell: { source: unknown }) => cell.source)).toEqual([
      ['# A notebook'],
      ['one\n', 'two'],
      [],
    ]);
    expect((await readNotebook(path)).cells.map(({ source }) => source)).toEqual(['# A notebook', 'one\ntwo', '']);
    expect(formatNotebook(await readNotebook(path))).toBe(readFileSync(path, 'utf8'));
  });

  it.each<[string, string]>([
    ['no JSON', '{'],
    ['an unknown key', JSON.stringify({ ...minimal, cels: [] })],
    ['cells without ids', JSON.stringify({ ...minimal, nbformat_minor: 4 })],
    ['no kernel', JSON.stringify({ ...minimal, metadata: {} })],
    [
      'one id twice',
      JSON.stringify({ ...minimal, cells: [1, 2].map(() => ({ cell_type: 'markdown', id: 'x', metadata: {}, source: '' })) }),
    ],
  ])('refuses %s, and names the file', async (_, text) => {
    await expect(broken(text)).rejects.toThrow(SettingsError);
    await expect(broken(text)).rejects.toThrow(/broken\.ipynb/);
  });

  it('refuses to execute with a kernel that is not there', async () => {
    await expect(executeNotebook(notebookOf('other', ['1'], 'no-such-kernel'))).rejects.toThrow(PrerequisiteError);
  });
});

describe('cells as a module', () => {
  it('type-check with a current compiler, whose lines lead back to the cell', async () => {
    const path = notebookOf('typed', [
      "import { version } from 'skill-trial';\nconst n: number = version.length;",
      '',
      '\nconst wrong: string = n;\n',
    ]);
    const { text, origin } = cellsAsModule(await readNotebook(path));
    // Below the repository, where the package is found by its name.
    const folder = fileURLToPath(new URL(`../dist/typed-${process.pid}`, import.meta.url));
    mkdirSync(folder);
    writeFileSync(join(folder, 'typed.mts'), text);
    try {
      const compiler = fileURLToPath(new URL('../../../node_modules/typescript/bin/tsc', import.meta.url));
      const options = ['--noEmit', '--strict', '--module', 'nodenext', '--skipLibCheck', '--types', 'node', '--ignoreConfig'];
      execFileSync(process.execPath, [compiler, ...options, join(folder, 'typed.mts')], { stdio: 'pipe' });
      expect.unreachable('the third cell has an error');
    } catch (error) {
      const found = /typed\.mts\((\d+),\d+\): error (TS2322)/.exec(String((error as { stdout?: Buffer }).stdout));
      expect(found?.[2]).toBe('TS2322');
      expect(origin(Number(found?.[1]))).toEqual({ cell: 3, line: 2 });
    } finally {
      rmSync(folder, { recursive: true });
    }
    expect(origin(text.split('\n').length)).toBeNull();
  });
});
