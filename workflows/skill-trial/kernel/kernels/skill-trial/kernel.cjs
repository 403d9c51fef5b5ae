// Starts tslab's TypeScript kernel at the root of the repository, so that cells import the workspace's packages by name.
const { existsSync } = require('node:fs');
const path = require('node:path');
const { Worker } = require('node:worker_threads');

// Whoever started the kernel may be killed without a word. A worker notices even while a cell loops for ever on the main thread.
new Worker(
  `const parent = process.ppid;
   setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL'); }, 500);`,
  { eval: true },
).unref();

// tslab resolves imports from the current folder, so a data folder without packages of its own will not do.
const asked = process.env.SKILL_TRIAL_ROOT;
const hasPackages = asked && existsSync(path.join(asked, 'node_modules', 'skill-trial'));
process.chdir(hasPackages ? asked : path.resolve(__dirname, '../../../../..'));
require('tslab/dist/main.js').startKernel({ configPath: process.argv[2], enableFindLocal: false, jsKernel: false });
