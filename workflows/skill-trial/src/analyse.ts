import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { z } from 'zod';
import { Published } from './analysis.js';
import { check, shown } from './document.js';
import { PrerequisiteError, RecordError } from './errors.js';
import type { Lab } from './lab.js';
import {
  executeNotebooks,
  formatNotebook,
  NotebookError,
  type NotebookRun,
  notebookWithOutputs,
  readNotebook,
} from './notebook.js';
import { type PublishedFigure, type PublishedValue, readPublished } from './publish.js';
import { writeWhole } from './record.js';

/** Which of the repository's notebooks publishes what. */
export const publishers: Record<keyof Published, string> = {
  trials: '1-inspect-trials',
  'rows-quality': '2-completeness-and-precision',
  'statistics-quality': '2-completeness-and-precision',
  'precision-pooled': '2-completeness-and-precision',
  'critical-risks': '2-completeness-and-precision',
  consistency: '3-consistency',
  'rows-cost': '4-time-and-tokens',
  'statistics-cost': '4-time-and-tokens',
};

export interface Analysis {
  published: Published;
  /** Sorted by the notebook that made them, then by name. */
  figures: PublishedFigure[];
  /** Results under other names: from notebooks of a person's own. */
  others: PublishedValue[];
}

export interface AnalyseOptions {
  onStep?: (text: string) => void;
  /** For each cell. */
  timeoutMs?: number;
}

type Where = Pick<Lab, 'root' | 'paths' | 'run'> & { experiment: Pick<Lab['experiment'], 'name'> };

/**
 * Executes every notebook of the notebooks folder on an experiment (but those aside, which are about other data), keeps the executed copies, and returns what they published. Where
 * a notebook fails or a result is missing, nothing stays published.
 */
export async function analyse(lab: Where, { onStep = () => {}, timeoutMs }: AnalyseOptions = {}): Promise<Analysis> {
  const { run } = lab;
  const listed = await listNotebooks(lab.paths.notebooks);
  await rm(run.published, { recursive: true, force: true });
  await rm(run.notebooks, { recursive: true, force: true });
  const keep = ({ name, notebook, results }: NotebookRun) =>
    writeWhole(join(run.notebooks, `${name}.ipynb`), formatNotebook(notebookWithOutputs(notebook, results)));
  const env = {
    SKILL_TRIAL_EXPERIMENT: lab.experiment.name,
    SKILL_TRIAL_PUBLISH: run.published,
    SKILL_TRIAL_ROOT: lab.root,
  };
  try {
    const paths: string[] = [];
    for (const path of listed) if ((await readNotebook(path)).metadata.skill_trial?.aside !== true) paths.push(path);
    onStep(`executing ${paths.length} notebooks`);
    for (const one of await executeNotebooks(paths, { cwd: lab.root, env, ...(timeoutMs === undefined ? {} : { timeoutMs }) })) {
      await keep(one);
      onStep(`${one.name}: ${(one.elapsedMs / 1000).toFixed(1)} s`);
    }
    return await readAnalysis(lab);
  } catch (error) {
    if (error instanceof NotebookError) await keep(error.run);
    await rm(run.published, { recursive: true, force: true });
    throw error;
  }
}

/** What `analyse` left: every result of the analysis of record, checked. A missing one names the notebook that should publish it. */
export async function readAnalysis(lab: Pick<Lab, 'run'>): Promise<Analysis> {
  const dir = lab.run.published;
  const { values, figures } = readPublished(dir);
  const names = Object.keys(publishers) as (keyof Published)[];
  const published = names.map((name) => {
    const found = values.find((value) => value.name === name);
    if (found === undefined) {
      throw new RecordError(`"${name}" has not been published`, {
        expected: `notebooks/${publishers[name]}.ipynb calls publish('${name}', …)`,
        found: values.length === 0 ? `nothing in ${shown(dir)}` : `only ${values.map((value) => value.name).join(', ')}`,
        next: 'restore the cell, then analyse again (npx nx run <experiment>:analyse)',
      });
    }
    return [name, checkValue(name, found)] as const;
  });
  return {
    published: Object.fromEntries(published) as unknown as Published,
    figures: [...figures].sort((x, y) => order(x.notebook, y.notebook) || order(x.name, y.name)),
    others: values.filter((value) => !names.includes(value.name as keyof Published)),
  };
}

function checkValue(name: keyof Published, { value, notebook }: PublishedValue): unknown {
  const schema: z.ZodType = Published.shape[name];
  return check(value, schema, `"${name}", published by notebook ${notebook}`);
}

/** The notebooks of a folder, by name. */
export async function listNotebooks(folder: string): Promise<string[]> {
  const names = (await readdir(folder).catch(() => [] as string[])).filter((name) => name.endsWith('.ipynb')).sort();
  if (names.length > 0) return names.map((name) => join(folder, name));
  throw new PrerequisiteError('There are no notebooks', {
    expected: `${[...new Set(Object.values(publishers))].join(', ')} in ${shown(folder)}`,
    found: 'no file that ends in .ipynb',
    next: 'restore the folder (git checkout -- notebooks)',
  });
}

function order(x: string, y: string): number {
  return x.localeCompare(y, 'en', { numeric: true });
}
