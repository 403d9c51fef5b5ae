// Prints what of this machine can change a lock, for the graph: it is hashed as an input of freeze.
import { agentOf, commitOf, findRoot, findSandbox, presentImages, readExperiment, rootPaths } from 'skill-trial/settings';

const name = String(process.argv[2]);
const root = findRoot();
const experiment = await readExperiment(root, name);
const program = await agentOf(experiment, rootPaths(root).experiment(name))
  .find(root)
  .then(
    ({ package: found, version }) => `${found} ${version}`,
    () => 'not installed',
  );
// a branch or tag that moves is another treatment
const revisions: Record<string, string | null> = {};
for (const { skills_from: revision } of Object.values(experiment.arms))
  if (revision !== undefined) revisions[revision] = await commitOf(root, revision);
const sandbox = await findSandbox('auto');
const images = await presentImages(experiment, root);
const { platform, arch, versions } = process;
console.log(JSON.stringify({ node: versions.node, platform, arch, program, sandbox, images, revisions }));
