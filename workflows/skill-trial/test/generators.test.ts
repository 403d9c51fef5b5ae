import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTree } from '@nx/devkit/testing';
import { describe, expect, test } from 'vitest';
import { LabError } from '../src/errors.js';
import generateNotebook from '../src/generators/notebook.js';
import { cellsAsModule, Notebook } from '../src/notebook.js';
import { checkNotebooks } from '../src/notebook-check.js';
import { tempFolder } from './fixture.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const library = join(root, 'workflows/skill-trial');

function checkout() {
  const tree = createTree();
  tree.write('data/experiments/inventory/experiment.yaml', '');
  tree.write('data/experiments/invoices/experiment.yaml', '');
  return tree;
}

describe('the collection', async () => {
  const { generators } = JSON.parse(await readFile(join(library, 'generators.json'), 'utf8')) as {
    generators: Record<string, { factory: string; schema: string; description: string }>;
  };
  test.each(Object.entries(generators))('%s has a factory, help for every option and an example', async (name, generator) => {
    expect(existsSync(join(library, generator.factory.replace('./dist/', 'src/').replace(/\.js$/, '.ts')))).toBe(true);
    expect(generator.description).not.toBe('');
    const schema = JSON.parse(await readFile(join(library, generator.schema), 'utf8'));
    expect(schema.examples[0].command).toContain(`skill-trial:${name}`);
    for (const [option, { description }] of Object.entries<{ description?: string }>(schema.properties))
      expect(description, `${name} --${option}`).toMatch(/\w+ \w+/);
  });
});

describe('notebook', () => {
  test('a new notebook is valid, without outputs, asks its question and passes the strict type check', async () => {
    const tree = checkout();
    generateNotebook(tree, { name: 'tool-calls', experiment: 'invoices', question: 'Do skills save tool calls?' });
    const text = tree.read('notebooks/tool-calls.ipynb', 'utf8') as string;
    const notebook = Notebook.parse(JSON.parse(text));
    expect(notebook.cells[0]?.source).toContain('Do skills save tool calls?');
    expect(notebook.cells.at(-1)?.source).toMatch(/^## What follows/);
    expect(cellsAsModule(notebook).text).toContain("process.env.SKILL_TRIAL_EXPERIMENT ?? 'invoices'");
    expect(await checkNotebooks(root, await tempFolder({ 'tool-calls.ipynb': text }))).toEqual([]);
  });

  const wrong: [string, { name: string; experiment?: string; question?: string }, RegExp][] = [
    ['a name with a space', { name: 'my question' }, /cannot be called "my question"/],
    ['a path', { name: '../x' }, /cannot be called/],
    ['an experiment that is not there', { name: 'a', experiment: 'invento' }, /did you mean inventory\?/],
    ['an empty question', { name: 'a', question: ' ' }, /question is empty/],
  ];
  test.each(wrong)('%s is refused and nothing is written', (_what, options, message) => {
    const tree = checkout();
    const before = tree.listChanges().length;
    expect(() => generateNotebook(tree, options)).toThrow(message);
    expect(() => generateNotebook(tree, options)).toThrow(LabError);
    expect(tree.listChanges()).toHaveLength(before);
  });

  test('a notebook that is there is never written over', () => {
    const tree = checkout();
    tree.write('notebooks/mine.ipynb', 'mine');
    expect(() => generateNotebook(tree, { name: 'mine' })).toThrow(/is there already/);
    expect(tree.read('notebooks/mine.ipynb', 'utf8')).toBe('mine');
  });
});
