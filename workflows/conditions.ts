// Prints what of this machine can change a lock, for the graph: it is hashed as an input of freeze.
import { agentOf, findRoot, findSandbox, presentImages, readExperiment, rootPaths } from 'skill-trial/settings';

const name = String(process.argv[2]);
const root = findRoot();
const experiment = await readExperiment(root, name);
const program = await agentOf(experiment, rootPaths(root).experiment(name))
  .find(root)
  .then(
    ({ package: found, version }) => `${found} ${version}`,
    () => 'not installed',
  );
const sandbox = await findSandbox('auto');
const images = await presentImages(experiment, root);
console.log(
  JSON.stringify({ node: process.versions.node, platform: process.platform, arch: process.arch, program, sandbox, images }),
);
