// Tries out what a documentation says: imports the modules it names, runs its examples, and writes one JSON line for each thing seen.
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';

const [workspace, plan, out] = process.argv.slice(2);
const steps = JSON.parse(readFileSync(join(workspace, plan), 'utf8'));
const plain = (value) => {
  try {
    return JSON.parse(JSON.stringify(value) ?? 'null');
  } catch {
    return String(value);
  }
};

for (const { path, kind, file, line, module } of steps) {
  const write = (note) => appendFileSync(out, `${JSON.stringify({ kind, file, line, module: module ?? null, ...note })}\n`);
  globalThis.skillTrialNote = write;
  globalThis.skillTrialSeen = (at, expected, actual) => {
    write({ line: at, equal: isDeepStrictEqual(expected, actual), expected: plain(expected), actual: plain(actual) });
    return actual;
  };
  try {
    await import(pathToFileURL(join(workspace, path)).href);
  } catch (error) {
    write({ error: `${error?.name ?? 'Error'}: ${error?.message ?? error}`.slice(0, 500) });
  }
}
process.exit(0);
