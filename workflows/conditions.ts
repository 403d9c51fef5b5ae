// Prints what of this machine can change a lock, for the graph: it is hashed as an input of freeze.
import { agentOf, findRoot, findSandbox, readExperiment, rootPaths } from 'skill-trial/settings';

const name = String(process.argv[2]);
const root = findRoot();
const program = await agentOf(await readExperiment(root, name), rootPaths(root).experiment(name))
  .find(root)
  .then(
    ({ package: found, version }) => `${found} ${version}`,
    () => 'not installed',
  );
const sandbox = await findSandbox('auto');
console.log(JSON.stringify({ node: process.versions.node, platform: process.platform, arch: process.arch, program, sandbox }));
