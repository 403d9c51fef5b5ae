// npm run bench -- <name>: runs one bench of workflows/bench and prints its table. What was measured stands in workflows/bench/README.md.
import { readdir } from 'node:fs/promises';
import { argv } from 'zx';

const folder = new URL('./bench/', import.meta.url);
const names = (await readdir(folder)).filter((file) => file.endsWith('.js')).map((file) => file.slice(0, -3));
const name = String(argv._[0] ?? '');
if (argv.help || !names.includes(name)) {
  console.log(`npm run bench -- <name>\n\n  <name>  one of ${names.join(', ')}`);
  process.exitCode = argv.help ? 0 : 1;
} else {
  await import(new URL(`${name}.js`, folder).href);
}
