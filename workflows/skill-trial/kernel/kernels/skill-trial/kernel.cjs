// Starts tslab's TypeScript kernel at the root of the repository, so that cells import the workspace's packages by name.
const path = require('node:path');
const vm = require('node:vm');
const { Worker } = require('node:worker_threads');
const { findPackages, keepConversions, lineOfCell } = require('./conversions.cjs');

// Whoever started the kernel may be killed without a word. A worker notices even while a cell loops for ever on the main thread,
// and removes the folder of the sockets where the lab made one (Jupyter looks after its own).
function watchParent() {
  const { parent, folder } = require('node:worker_threads').workerData;
  setInterval(() => {
    if (process.ppid === parent) return;
    if (folder) require('node:fs').rmSync(folder, { recursive: true, force: true });
    process.kill(process.pid, 'SIGKILL');
  }, 500);
}
const sockets = path.dirname(process.argv[2]);
const folder = path.basename(sockets).startsWith('skill-trial-kernel-') ? sockets : null;
new Worker(`(${watchParent})()`, { eval: true, workerData: { parent: process.ppid, folder } }).unref();

// An error names the cell, as Jupyter counts, and the line of the cell as it was written: tslab gives every cell the same name, and the
// lines of what it made of the cell.
const maps = [];
const { runInThisContext } = vm;
vm.runInThisContext = (code, options) =>
  runInThisContext(
    code,
    options?.breakOnSigint ? { ...options, filename: `cell-${maps.length}`, displayErrors: false } : options,
  );
Error.prepareStackTrace = (error, frames) =>
  [Error.prototype.toString.call(error), ...frames.map((frame) => `    at ${inCell(String(frame))}`)].join('\n');
function inCell(frame) {
  return frame.replace(/\bcell-(\d+):(\d+):(\d+)/, (place, cell, line, column) => {
    const found = maps[cell - 1] === undefined ? null : lineOfCell(maps[cell - 1], Number(line), Number(column));
    return found === null ? place : `cell-${cell}:${found}`;
  });
}

const root = findPackages(process.env.SKILL_TRIAL_ROOT);
process.chdir(root);
const { warm } = keepConversions(root, { still: folder !== null, converted: (cell) => maps.push(cell) });
require('tslab/dist/main.js').startKernel({ configPath: process.argv[2], enableFindLocal: false, jsKernel: false });
if (folder === null) warm();
