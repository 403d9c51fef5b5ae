/** ro-crate-metadata.json: what a bundle is, for machines that know nothing of the lab (RO-Crate 1.1, Workflow Run Crate 0.5). */

import { extname } from 'node:path';
import { modelsOf, scriptsOf } from './arm.js';
import type { LedgerLine } from './ledger.js';
import type { Report } from './report.js';
import type { TrialRecord } from './trial-record.js';

export interface CrateFile {
  path: string;
  sha256: string;
  size: number;
}

type Entity = { '@id': string; '@type': string | string[] } & Record<string, unknown>;

const mediaTypes: Record<string, string> = {
  '.json': 'application/json',
  '.jsonl': 'application/x-ndjson',
  '.html': 'text/html',
  '.md': 'text/markdown',
  '.csv': 'text/csv',
  '.yaml': 'application/yaml',
  '.svg': 'image/svg+xml',
  '.xml': 'application/xml',
  '.ipynb': 'application/x-ipynb+json',
  '.txt': 'text/plain',
  '.diff': 'text/x-diff',
};

const profiles = {
  'https://w3id.org/ro/wfrun/process/0.5': ['Process Run Crate', '0.5'],
  'https://w3id.org/ro/wfrun/workflow/0.5': ['Workflow Run Crate', '0.5'],
  'https://w3id.org/workflowhub/workflow-ro-crate/1.0': ['Workflow RO-Crate', '1.0'],
};

/** An npm package's page at its version; null for an agent that is described in experiment.yaml and has none. */
function packagePage({ package: name, version }: { package: string; version: string }): string | null {
  return /^(@[\w.-]+\/)?[\w.-]+$/.test(name) && /^\d+\.\d+\.\d+/.test(version)
    ? `https://www.npmjs.com/package/${name}/v/${version}`
    : null;
}

/** As the profile writes a time: with its offset. */
const timeOf = (at: string) => at.replace(/Z$/, '+00:00');

/** A path as an @id: relative to the crate, with what a URI cannot hold escaped. */
export const idOf = (path: string) => path.split('/').map(encodeURIComponent).join('/');

/**
 * The crate's JSON-LD. One action for the whole run of the workflow and one for each recorded trial. What is unknown (a licence, who
 * ran it) is left out or said to be unknown; nothing depends on when the crate is made.
 */
export function crateMetadata(
  report: Report,
  ledger: LedgerLine[],
  trials: { path: string; record: TrialRecord }[],
  files: CrateFile[],
): object {
  const settings = `data/experiments/${report.experiment}/experiment.yaml`;
  const { agent, skills, settings: experiment } = report.conditions;
  const page = agent.name === 'command' ? null : packagePage(agent);
  const agentId = page ?? '#agent';
  const [first, last] = [ledger[0]?.at ?? report.frozenAt, ledger.at(-1)?.at ?? report.frozenAt];
  const refer = (id: string) => ({ '@id': id });
  const present = new Set(files.map(({ path }) => path));
  const references = (paths: string[]) => paths.filter((path) => present.has(path)).map((path) => refer(idOf(path)));
  const results = ['report.json', 'report.md', 'index.html'].map((name) => `reports/${report.experiment}/${name}`);
  const inputs = [
    settings,
    ...experiment.cases.map((name) => `data/cases/${name}/case.yaml`),
    ...Object.keys(skills).map((key) =>
      key.includes('/') ? `data/runs/${report.experiment}/skills/${key}/SKILL.md` : `skills-src/${key}/SKILL.md`,
    ),
  ];
  const model = report.scripted
    ? `SCRIPTED model (${scriptsOf(experiment)
        .map((script) => `"${script}"`)
        .join(', ')}): a server played a written script, and nothing about the skills was measured`
    : `model ${modelsOf(experiment)
        .map(({ model: { id } }) => id)
        .join(', ')}`;
  const graph: Entity[] = [
    {
      '@id': 'ro-crate-metadata.json',
      '@type': 'CreativeWork',
      about: refer('./'),
      conformsTo: [refer('https://w3id.org/ro/crate/1.1'), refer('https://w3id.org/workflowhub/workflow-ro-crate/1.0')],
    },
    {
      '@id': './',
      '@type': 'Dataset',
      name: `${report.scripted ? 'SCRIPTED: ' : ''}${report.title}`,
      description: `${report.question} Run with ${model}. Every number in the report can be derived again from these records.`,
      datePublished: last.slice(0, 10),
      license: refer('#licence-not-stated'),
      conformsTo: Object.keys(profiles).map(refer),
      mainEntity: refer(idOf(settings)),
      mentions: [refer('#run'), ...trials.map(({ record }) => refer(`#trial-${record.id}`))],
      hasPart: files.map(({ path }) => refer(idOf(path))),
    },
    ...Object.entries(profiles).map(([id, [name, version]]): Entity => ({ '@id': id, '@type': 'CreativeWork', name, version })),
    {
      '@id': '#licence-not-stated',
      '@type': 'CreativeWork',
      name: 'No licence stated',
      description: 'Whoever made this bundle has not said under which terms it may be used.',
    },
    { '@id': '#skill-trial', '@type': 'ComputerLanguage', name: 'Skill Trial experiment', version: report.lab },
    {
      '@id': agentId,
      '@type': 'SoftwareApplication',
      name: `${agent.name} (${agent.package})`,
      softwareVersion: agent.version,
      ...(page === null ? {} : { url: page }),
      description: `The coding agent, with ${model}.`,
    },
    {
      '@id': '#run',
      '@type': 'CreateAction',
      name: `Experiment ${report.experiment}, lock ${report.lock.slice(0, 12)}`,
      description: `All trials of the experiment, their checks, scores and the report, with ${model}.`,
      instrument: refer(idOf(settings)),
      object: references(inputs),
      result: references(results),
      startTime: timeOf(first),
      endTime: timeOf(last),
      actionStatus: 'http://schema.org/CompletedActionStatus',
    },
    ...trials.map(
      ({ path, record }): Entity => ({
        '@id': `#trial-${record.id}`,
        '@type': 'CreateAction',
        name: `Trial ${record.id}: case ${record.case}, arm ${record.arm}, repeat ${record.repeat}`,
        description: record.scripted ? `SCRIPTED. ${record.reason}` : record.reason,
        instrument: refer(agentId),
        object: references([`${path}/prompt.txt`]),
        result: references([`${path}/response.md`, `${path}/patch.diff`, `${path}/usage.json`]),
        startTime: timeOf(record.startedAt),
        endTime: timeOf(record.finishedAt),
        // a trial that timed out or failed is a result of the experiment, and a failed action all the same
        actionStatus: `http://schema.org/${record.status === 'completed' ? 'Completed' : 'Failed'}ActionStatus`,
        ...(record.status === 'completed' ? {} : { error: `${record.status}: ${record.reason}` }),
      }),
    ),
    ...files.map(({ path, sha256, size }): Entity => {
      const main = path === settings;
      return {
        '@id': idOf(path),
        '@type': main ? ['File', 'SoftwareSourceCode', 'ComputationalWorkflow'] : 'File',
        name: main ? report.title : path,
        contentSize: String(size),
        encodingFormat: mediaTypes[extname(path)] ?? 'application/octet-stream',
        sha256,
        ...(main ? { programmingLanguage: refer('#skill-trial'), version: report.lock.slice(0, 12) } : {}),
      };
    }),
  ];
  return {
    '@context': ['https://w3id.org/ro/crate/1.1/context', { sha256: 'https://w3id.org/ro/terms/workflow-run#sha256' }],
    '@graph': graph,
  };
}
