import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { listNotebooks } from './analyse.js';
import { shown } from './document.js';
import { LabError, PrerequisiteError } from './errors.js';
import { cellsAsModule, notebookName, readNotebook } from './notebook.js';
import { rootPaths } from './paths.js';

const run = promisify(execFile);

/** What is wrong with a notebook. `cell` counts code cells from 1, as Jupyter does; null where it is the file as a whole. */
export interface NotebookProblem {
  notebook: string;
  cell: number | null;
  line: number | null;
  what: string;
}

/** A problem as one line: `notebooks/x.ipynb, cell 2, line 1: …`. */
export function describeProblem({ notebook, cell, line, what }: NotebookProblem): string {
  return `${[shown(notebook), cell === null ? null : `cell ${cell}`, line === null ? null : `line ${line}`].filter((part) => part !== null).join(', ')}: ${what}`;
}

/**
 * Every problem of the checkout's notebooks: a file that is no notebook, outputs kept in it, and what the project's own compiler
 * says of its cells. The kernel's compiler is old and not strict, so that a cell may run and still be wrong.
 */
export async function checkNotebooks(root: string, folder = rootPaths(root).notebooks): Promise<NotebookProblem[]> {
  const problems: NotebookProblem[] = [];
  const modules = new Map<string, { path: string; origin: ReturnType<typeof cellsAsModule>['origin'] }>();
  const scratch = join(root, '.cache', 'notebook-check', String(process.pid));
  await rm(scratch, { recursive: true, force: true });
  await mkdir(scratch, { recursive: true });
  try {
    for (const path of await listNotebooks(folder)) {
      try {
        const notebook = await readNotebook(path);
        const code = notebook.cells.filter((cell) => cell.cell_type === 'code');
        for (const [index, cell] of code.entries()) {
          const kept = [
            ...(cell.outputs.length > 0 ? ['outputs'] : []),
            ...(cell.execution_count === null ? [] : ['an execution count']),
          ];
          if (kept.length === 0) continue;
          const what = `${kept.join(' and ')} kept in the file: clear them before committing`;
          problems.push({ notebook: path, cell: index + 1, line: null, what });
        }
        const { text, origin } = cellsAsModule(notebook);
        modules.set(`${notebookName(path)}.mts`, { path, origin });
        await writeFile(join(scratch, `${notebookName(path)}.mts`), text);
      } catch (error) {
        if (!(error instanceof LabError)) throw error;
        problems.push({ notebook: path, cell: null, line: null, what: error.message });
      }
    }
    for (const { file, line, message } of await typeErrors(
      root,
      [...modules.keys()].map((name) => join(scratch, name)),
    )) {
      const from = modules.get(basename(file));
      const place = from?.origin(line) ?? null;
      problems.push({ notebook: from?.path ?? file, cell: place?.cell ?? null, line: place?.line ?? null, what: message });
    }
    return problems;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function typeErrors(root: string, files: string[]): Promise<{ file: string; line: number; message: string }[]> {
  if (files.length === 0) return [];
  const compiler = join(rootPaths(root).nodeModules, 'typescript', 'bin', 'tsc');
  const options = '--noEmit --strict --target es2023 --module nodenext --skipLibCheck --types node --ignoreConfig --pretty false';
  const { stdout, stderr, failed } = await run(process.execPath, [compiler, ...options.split(' '), ...files], { cwd: root }).then(
    (done) => ({ ...done, failed: false }),
    (error: { stdout?: string; stderr?: string }) => ({
      stdout: error.stdout ?? '',
      stderr: error.stderr ?? String(error),
      failed: true,
    }),
  );
  const found = stdout.split('\n').flatMap((line) => {
    const match = /^(.+?)\((\d+),\d+\): error (TS\d+: .*)$/.exec(line);
    return match === null ? [] : [{ file: match[1] as string, line: Number(match[2]), message: match[3] as string }];
  });
  if (!failed || found.length > 0) return found;
  throw new PrerequisiteError('The notebooks cannot be type-checked', {
    expected: `${shown(compiler)} checks their cells`,
    found: (stderr || stdout).trim().slice(0, 400) || 'no message',
    next: 'run npm ci',
  });
}
