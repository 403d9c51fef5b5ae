import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { presentImages } from '../src/present-images.js';
import { tempFolder } from './fixture.js';

const settings = (name: string, environment: string) => `schema_version: 1
name: ${name}
title: Tiny
summary: A tiny case
language: node
repo: {path: repo}
environment: ${environment}
task: task.txt
eval:
  skill: tea
  source: {dialect: pi, file: tea/evals.json, id: first, name: first}
  assertions: [{id: ends, text: It ends, kind: behavior, check: {type: completed}}]
`;

/** A checkout with a case in a pulled image and one in an image of its own. */
const checkout = () =>
  tempFolder({
    'data/cases/pulled/case.yaml': settings('pulled', '{image: "depot:1"}'),
    'data/cases/pulled/task.txt': 'Do it.\n',
    'data/cases/pulled/repo/a.txt': 'a\n',
    'data/cases/built/case.yaml': settings('built', '{dockerfile: container/Dockerfile}'),
    'data/cases/built/task.txt': 'Do it.\n',
    'data/cases/built/repo/a.txt': 'a\n',
    'data/cases/built/container/Dockerfile': 'FROM depot:1\n',
  });
const experiment = { cases: ['pulled', 'built'], sandbox_image: 'sandbox:1' };

test('an image that is built from a Dockerfile is a condition, by a name of its folder', async () => {
  const root = await checkout();
  const here = () => presentImages(experiment, root, async (name) => `id of ${name}`);
  const first = await here();
  const names = ['sandbox:1', 'depot:1', expect.stringMatching(/^localhost\/skill-trial-case-built:[0-9a-f]{16}$/)];
  expect(Object.keys(first)).toEqual(names);
  expect(await here()).toEqual(first);
  await appendFile(join(root, 'data/cases/built/container/Dockerfile'), 'RUN true\n');
  expect(Object.keys(await here())[2]).not.toBe(Object.keys(first)[2]);
});

test('an image that is not here, or no more, is never what it was: no cached freeze stands for building it', async () => {
  const root = await checkout();
  const removed = () => presentImages(experiment, root, async (name) => (name.startsWith('localhost/') ? null : `id of ${name}`));
  const [one, two] = [await removed(), await removed()];
  expect(Object.keys(one)).toEqual(Object.keys(two));
  expect(Object.keys(one).filter((name) => one[name] !== two[name])).toEqual([expect.stringContaining('case-built:')]);
});
