// Prints what of this machine can change a lock, for the graph: it is hashed as an input of freeze. conditions.js <experiment>, or
// conditions.js --agent=<name> for all experiments that name no program, image or revision of their own.
import {
  agentOf,
  commitOf,
  findAgent,
  findRoot,
  findSandbox,
  presentImages,
  readExperiment,
  rootPaths,
} from 'skill-trial/settings';

const word = String(process.argv[2]);
const root = findRoot();
const shared = /^--agent=(.+)$/.exec(word)?.[1];
const experiment = shared === undefined ? await readExperiment(root, word) : null;
const agent = experiment === null ? findAgent(String(shared)) : agentOf(experiment, rootPaths(root).experiment(word));
const program = await agent.find(root).then(
  ({ package: found, version }) => `${found} ${version}`,
  () => 'not installed',
);
// a branch or tag that moves is another treatment
const revisions: Record<string, string | null> = {};
for (const { skills_from: revision } of Object.values(experiment?.arms ?? {}))
  if (revision !== undefined) revisions[revision] = await commitOf(root, revision);
const sandbox = await findSandbox('auto');
const images = experiment === null ? {} : await presentImages(experiment, root);
const { platform, arch, versions } = process;
console.log(JSON.stringify({ node: versions.node, platform, arch, program, sandbox, images, revisions }));
