// npx nx g skill-trial:notebook <name> --experiment <experiment>
import type { Tree } from '@nx/devkit';
import { SettingsError } from '../errors.js';
import { kernelName } from '../kernelspec.js';
import { formatNotebook, type Notebook, type NotebookCell } from '../notebook.js';
import { mustBeExperiment, mustBeFree, mustBeSlug } from './target.js';

export interface NotebookOptions {
  name: string;
  experiment?: string;
  question?: string;
}

/** Writes `notebooks/<name>.ipynb`, which runs as it is made. Refuses a name that is taken and an experiment that is not there. */
export default function generateNotebook(tree: Tree, { name, experiment = 'inventory', question }: NotebookOptions): void {
  mustBeSlug('The notebook', name);
  mustBeExperiment(tree, experiment);
  const file = `notebooks/${name}.ipynb`;
  mustBeFree(tree, file);
  const words = question?.trim() ?? `${name.replaceAll('-', ' ')}?`;
  if (words === '')
    throw new SettingsError('The question is empty', {
      expected: 'some words',
      found: '""',
      next: 'leave --question out, or ask',
    });
  tree.write(file, formatNotebook(scaffold(name, experiment, words)));
}

/** The cells of a new notebook. They hold for any experiment: what is unknown stays null, and an experiment without trials says so. */
function scaffold(name: string, experiment: string, question: string): Notebook {
  const cells: NotebookCell[] = [];
  const next = (kind: string) => `${kind}-${cells.length + 1}`;
  const text = (...lines: string[]) =>
    cells.push({ cell_type: 'markdown', id: next('markdown'), metadata: {}, source: lines.join('\n') });
  const code = (...lines: string[]) =>
    cells.push({
      cell_type: 'code',
      id: next('code'),
      metadata: {},
      source: lines.join('\n'),
      outputs: [],
      execution_count: null,
    });
  text(`# ${name}`, '', `**Question.** ${question}`, '', 'Say here why it matters, and what answer would change your mind.');
  code(
    "import { findRoot, formatValue, metricOf, metrics, openStudy, opening, publish, showTable, summarise } from 'skill-trial';",
    '',
    `const study = await openStudy(findRoot(), process.env.SKILL_TRIAL_EXPERIMENT ?? '${experiment}');`,
    'console.log(opening(study));',
  );
  text(
    '## Every run, one metric',
    '',
    `The metrics are those of the report: \`metrics.map((one) => one.id)\` lists them. Unknown is \`null\`, never 0. An invalid trial has no values.`,
  );
  code(
    "const metric = 'tool_calls';",
    'const runs = study.results.map((one) => ({ trial: one.id, arm: one.arm, status: one.status, value: one.values[metric] ?? null }));',
    "if (runs.length === 0) console.log('No trial has been recorded yet.');",
    'else showTable(runs);',
  );
  code(
    'const arms = Object.keys(study.lab.experiment.arms).map((arm) => {',
    '  const summary = summarise(runs.filter((one) => one.arm === arm).map((one) => one.value));',
    '  return { arm: arm, median: summary.median, used: summary.nUsed, total: summary.nTotal };',
    '});',
    'showTable(arms.map((one) => ({ ...one, median: formatValue(one.median, metricOf(metric).unit) })));',
    `const result = publish('${name}', arms, { unit: metricOf(metric).unit, note: metricOf(metric).formula });`,
  );
  text(
    '## What follows, and what does not',
    '',
    '- Say what these runs showed, with the number of runs.',
    '- A metric looked at after the fact is exploratory: name it in `experiment.yaml` before the next run to make it the plan.',
  );
  return {
    nbformat: 4,
    nbformat_minor: 5,
    metadata: { kernelspec: { display_name: 'TypeScript (Skill Trial)', language: 'typescript', name: kernelName } },
    cells,
  };
}
