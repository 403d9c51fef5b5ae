// Packs the library into a few files once it is compiled: each step is a process of its own, and loading hundreds of small modules was
// most of its start (decision 0044). What every step loads is inside; what is large or native, and loaded by few, stays outside.
import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const workflows = fileURLToPath(new URL('.', import.meta.url));
const library = join(workflows, 'skill-trial');
const [compiled, packed] = [join(library, 'dist'), join(library, 'packed')];
const manifest = JSON.parse(await readFile(join(library, 'package.json'), 'utf8'));
// as deep as dist/, so that what the code finds beside itself is found from both
const entries = Object.values(manifest.exports).flatMap((one) => (one.default ? [one.default] : []));

/** Packages of plain JavaScript that most steps load, with what these load themselves. */
const inside = [
  ...[
    'zod',
    'yaml',
    'undici',
    'csv-parse',
    'csv-stringify',
    'eventsource-parser',
    'leven',
    'pure-rand',
    'p-map',
    'smol-toml',
    'diff',
  ],
  ...['picomatch', 'parse-diff', 'acorn', '@lezer/common', '@lezer/lr', '@lezer/highlight', '@lezer/javascript', '@lezer/python'],
  ...['simple-git', '@simple-git/argv-parser', '@simple-git/args-pathspec', '@kwsites/file-exists', '@kwsites/promise-deferred'],
  ...['debug', 'ms', 'has-flag', 'supports-color'],
];
const isInside = (id) => /^[./\0]/.test(id) || inside.some((name) => id === name || id.startsWith(`${name}/`));

if (!(await isFresh())) await pack();

/** Whether nothing that goes into the packed files is newer than they are. */
async function isFresh() {
  const at = async (path) => (await stat(path)).mtimeMs;
  const made = await Promise.all(entries.map((entry) => at(join(library, entry)).catch(() => 0)));
  const modules = (await readdir(compiled, { recursive: true })).filter((path) => path.endsWith('.js'));
  const sources = [
    ...modules.map((path) => join(compiled, path)),
    join(library, 'package.json'),
    join(workflows, '../package-lock.json'),
    fileURLToPath(import.meta.url),
  ];
  return Math.max(...(await Promise.all(sources.map(at)))) < Math.min(...made);
}

async function pack() {
  const input = Object.fromEntries(
    entries.map((entry) => [entry.slice('./packed/'.length, -'.js'.length), join(compiled, entry.slice('./packed/'.length))]),
  );
  const bundle = await rolldown({ input, platform: 'node', external: (id) => !isInside(id) });
  const { output } = await bundle.generate({ format: 'esm', sourcemap: true, chunkFileNames: '[name].js' });
  await bundle.close();
  // a package that is not declared would be found by luck alone, and a helper of the bundler's own not at all
  const declared = { ...manifest.dependencies, ...manifest.devDependencies };
  const stray = output
    .flatMap((chunk) => [...(chunk.imports ?? []), ...(chunk.dynamicImports ?? [])])
    .filter((id) => !isBuiltin(id) && !output.some(({ fileName }) => fileName === id))
    .filter((id) => !Object.keys(declared).some((name) => id === name || id.startsWith(`${name}/`)));
  if (stray.length > 0) throw new Error(`the packed library loads what it does not declare: ${[...new Set(stray)].join(', ')}`);
  await mkdir(packed, { recursive: true });
  for (const { fileName, ...file } of output) {
    // a process that starts meanwhile reads the old file or the new one
    const draft = join(packed, `.${fileName}.${process.pid}`);
    await writeFile(draft, file.type === 'chunk' ? file.code : file.source);
    await rename(draft, join(packed, fileName));
  }
}
