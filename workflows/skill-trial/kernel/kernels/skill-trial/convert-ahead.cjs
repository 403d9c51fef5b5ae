// Converts the cells of notebooks before they are executed, with one compiler for all: `node convert-ahead.cjs <checkout> <notebook>…`. Prints a
// notebook's path when its cells are kept. A cell that does not compile ends its notebook here: the kernel says what is wrong with it.
const { readFileSync } = require('node:fs');
const { findPackages, keepConversions, openStore } = require('./conversions.cjs');

const [asked, ...notebooks] = process.argv.slice(2);
const root = findPackages(asked);
process.chdir(root);
openStore(root).tidy();
const converter = keepConversions(root, { still: true }).createConverter({ isJS: false, isBrowser: false });
for (const file of notebooks) {
  let declarations = '';
  for (const { cell_type: type, source } of JSON.parse(readFileSync(file, 'utf8')).cells) {
    if (type !== 'code') continue;
    const text = Array.isArray(source) ? source.join('') : source;
    if (/@(module|browser)\b/.test(text)) break;
    const made = converter.convert(declarations, text);
    if (made.diagnostics.length > 0) break;
    declarations = made.declOutput ?? '';
  }
  console.log(file);
}
process.exit(0);
