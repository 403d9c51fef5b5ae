// npm test: everything that must hold, in the order of what it costs to find out.
import { checkNotebooks, describeProblem, findRoot } from 'skill-trial';
import { $, argv, chalk } from 'zx';
import { ensureParts, testParts } from './set-up.js';
import { reportingErrors } from './step.js';

const root = findRoot();
const say = (text: string) => console.log(`${chalk.dim('test:')} ${text}`);
const node = process.execPath;
const run = $({ cwd: root, stdio: 'inherit', nothrow: true });

/** One check: its title, and a command or function that says whether it passed. */
const checks: [string, () => Promise<boolean>][] = [
  [
    'types of the tests',
    async () =>
      (await typeCheck('workflows/skill-trial/test')) &&
      (await typeCheck('workflows/desk/test')) &&
      (await typeCheck('workflows/test')),
  ],
  [
    'lint and format',
    async () => (await run`${node} node_modules/@biomejs/biome/bin/biome check --error-on-warnings`).exitCode === 0,
  ],
  ['notebooks: types, no outputs', notebooks],
  [
    'unit, integration and browser tests',
    async () =>
      (await run`${node} node_modules/vitest/vitest.mjs run --config workflows/vitest.config.mjs ${argv._.map(String)}`)
        .exitCode === 0,
  ],
];

await reportingErrors(async () => {
  await ensureParts(testParts, say);
  const failed: string[] = [];
  for (const [title, check] of checks) {
    say(title);
    if (!(await check())) failed.push(title);
  }
  if (failed.length === 0) return say(chalk.green('all checks passed'));
  say(chalk.red(`failed: ${failed.join('; ')}`));
  process.exitCode = 1;
});

async function notebooks(): Promise<boolean> {
  const problems = await checkNotebooks(root);
  for (const problem of problems) console.error(describeProblem(problem));
  return problems.length === 0;
}

async function typeCheck(project: string): Promise<boolean> {
  return (await run`${node} node_modules/typescript/bin/tsc -p ${project} --noEmit`).exitCode === 0;
}
