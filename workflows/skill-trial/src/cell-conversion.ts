/** Cells become JavaScript ahead of their kernels, by one compiler for all notebooks: its start costs more than everything they compute. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { kernelFolder, kernelName } from './kernelspec.js';

/**
 * For each notebook a promise that ends when its cells are kept where its kernel looks for them (below .cache/cells of `root`, this
 * checkout by default), or when that cannot be done: the kernel then converts them itself, and says what is wrong with one.
 */
export function convertAhead(
  paths: string[],
  root = fileURLToPath(new URL('../../..', import.meta.url)),
): Map<string, Promise<void>> {
  const program = join(kernelFolder, 'kernels', kernelName, 'convert-ahead.cjs');
  const child = spawn(process.execPath, [program, root, ...paths.map((path) => resolve(path))], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const waiting = new Map<string, () => void>();
  const kept = new Map(
    paths.map((path) => [path, new Promise<void>((done) => waiting.set(resolve(path), done))] as [string, Promise<void>]),
  );
  createInterface({ input: child.stdout }).on('line', (path) => waiting.get(path)?.());
  const endAll = () => {
    for (const done of waiting.values()) done();
  };
  once(child, 'close').then(endAll, endAll);
  return kept;
}
