// Prints what of this machine can change a lock, for the graph: it is hashed as an input of freeze.
import { findAgent, findRoot, findSandbox } from 'skill-trial/settings';

const program = await findAgent(String(process.argv[2]))
  .find(findRoot())
  .then(
    ({ package: name, version }) => `${name} ${version}`,
    () => 'not installed',
  );
const sandbox = await findSandbox('auto');
console.log(JSON.stringify({ node: process.versions.node, platform: process.platform, arch: process.arch, program, sandbox }));
