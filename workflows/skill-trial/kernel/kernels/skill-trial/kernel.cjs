// Starts tslab's TypeScript kernel at the root of the repository, so that cells import the workspace's packages by name.
const path = require('node:path');
const { Worker } = require('node:worker_threads');
const { findPackages, keepConversions } = require('./conversions.cjs');

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

const root = findPackages(process.env.SKILL_TRIAL_ROOT);
process.chdir(root);
const { warm } = keepConversions(root, { still: folder !== null });
require('tslab/dist/main.js').startKernel({ configPath: process.argv[2], enableFindLocal: false, jsKernel: false });
if (folder === null) warm();
