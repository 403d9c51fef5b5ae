import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Asset {
  type: string;
  bytes: Buffer;
}

const here = dirname(fileURLToPath(import.meta.url));

/** Modules of packages that the page imports by name: the browser finds them through an import map, so nothing is bundled. */
const modules: Record<string, string> = {
  preact: 'preact',
  'preact/hooks': 'preact/hooks',
  'preact/jsx-runtime': 'preact/jsx-runtime',
  '@tanstack/virtual-core': '@tanstack/virtual-core',
};

const types: Record<string, string> = { js: 'text/javascript', mjs: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' };

/** Every file that the page may load, by its path below /assets/: a fixed table, so no path of a request reaches the disk. */
export async function readAssets(): Promise<Map<string, Asset>> {
  const assets = new Map<string, Asset>();
  const add = async (path: string, file: string) => {
    const type = types[path.split('.').at(-1) ?? ''];
    if (type !== undefined) assets.set(path, { type: `${type}; charset=utf-8`, bytes: await readFile(file) });
  };
  for (const folder of [join(here, 'page'), join(here, '..', 'style')])
    for (const name of await readdir(folder)) await add(`page/${name}`, join(folder, name));
  for (const { folder, name } of Object.values(importFolders()))
    for (const file of await readdir(folder)) if (/\.m?js$/.test(file)) await add(`${name}/${file}`, join(folder, file));
  // what a bundler would do: packages ask whether they run in production, and a browser has no process
  for (const asset of assets.values())
    if (asset.bytes.includes('process.env.NODE_ENV'))
      asset.bytes = Buffer.from(asset.bytes.toString('utf8').replaceAll('process.env.NODE_ENV', '"production"'));
  return assets;
}

/** The folder and entry file of each imported package's module. */
function importFolders(): Record<string, { folder: string; name: string; entry: string }> {
  return Object.fromEntries(
    Object.entries(modules).map(([specifier, name]) => {
      const entry = fileURLToPath(import.meta.resolve(specifier));
      return [specifier, { folder: dirname(entry), name, entry: entry.slice(dirname(entry).length + 1) }];
    }),
  );
}

const importMap = JSON.stringify({
  imports: Object.fromEntries(
    Object.entries(importFolders()).map(([specifier, { name, entry }]) => [specifier, `/assets/${name}/${entry}`]),
  ),
});

/** No inline style, no inline script but the import map (by its hash), no eval, no other origin, no HTML made from text. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  `script-src 'self' 'sha256-${createHash('sha256').update(importMap).digest('base64')}'`,
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const stylesheets = ['theme', 'frame', 'settle', 'reading', 'scoring']
  .map((name) => `<link rel="stylesheet" href="/assets/page/${name}.css">`)
  .join('\n');

export const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Scoring desk</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="/assets/page/icon.svg">
${stylesheets}
<script type="importmap">${importMap}</script>
<script type="module" src="/assets/page/main.js"></script>
</head>
<body>
<div id="desk"><p class="waiting">Opening the desk …</p></div>
<noscript><p class="waiting">The desk needs JavaScript. It loads nothing from elsewhere.</p></noscript>
</body>
</html>
`;

/** A page of one sentence, for a browser that is not let in. */
export function plainPage(message: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Scoring desk</title><link rel="stylesheet" href="/assets/page/theme.css"></head><body><main class="waiting"><h1>Scoring desk</h1><p>${message}</p></main></body></html>`;
}
