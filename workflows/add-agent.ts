// npm run add-agent -- <name>: installs an agent's CLI below .agents/, in the version that its adapter was tested with.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { agents, findAgent, findRoot, PrerequisiteError, rootPaths } from 'skill-trial';
import { $, argv } from 'zx';
import { reportingErrors } from './step.js';

const name = argv._[0];

await reportingErrors(async () => {
  if (argv.help || name === undefined) {
    console.log('npm run add-agent -- <name>\n');
    for (const agent of agents) console.log(`  ${agent.name.padEnd(14)} ${agent.install ?? 'nothing'}`);
    return;
  }
  const agent = findAgent(String(name));
  const root = findRoot();
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (agent.name === 'pi' && (major < 22 || (major === 22 && minor < 19))) {
    throw new PrerequisiteError("pi's successor does not run on this Node", {
      expected: 'Node 22.19 or newer',
      found: process.versions.node,
      next: 'nothing to do: npm ci has installed the pi that runs here',
    });
  }
  const folder = join(rootPaths(root).agents, agent.name);
  await mkdir(folder, { recursive: true });
  await $({
    stdio: 'inherit',
  })`npm install --prefix ${folder} --ignore-scripts --no-audit --no-fund ${(agent.install ?? '').split(' ')}`;
  const program = await agent.find(root);
  console.log(`${agent.title} is ready: ${program.package} ${program.version} in ${program.folder}`);
});
