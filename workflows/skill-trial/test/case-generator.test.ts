import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createTree } from '@nx/devkit/testing';
import { describe, expect, test } from 'vitest';
import { makeBase } from '../src/base.js';
import { readCase } from '../src/case.js';
import { LabError } from '../src/errors.js';
import generateCase, { type CaseOptions } from '../src/generators/case.js';
import { runPaths } from '../src/paths.js';
import { plainPlace } from '../src/place.js';
import { measureReference } from '../src/reference.js';
import { readRequirementDocument } from '../src/requirement-document.js';
import { findSandbox } from '../src/sandbox.js';
import { adviseTests, coverageOfCase, readVerifierTests } from '../src/test-advice.js';
import { tempFolder, writeFiles } from './fixture.js';

/** The case as the generator writes it, read back. */
async function generated(options: CaseOptions) {
  const tree = createTree();
  tree.write('skills-src/boundary-first/SKILL.md', '---\nname: boundary-first\n---\n');
  generateCase(tree, options);
  const files = tree.listChanges().filter(({ path }) => path.startsWith('data/'));
  const root = await tempFolder();
  await writeFiles(root, Object.fromEntries(files.map(({ path, content }) => [path, content as Buffer])));
  return { root, one: await readCase(join(root, 'data/cases', options.name)) };
}

describe('a new case', () => {
  test.for(['node', 'python'] as const)(
    'in %s holds as it is made: document, coverage, tests that tell',
    async (language, { skip }) => {
      if (language === 'python' && !existsSync('/usr/bin/pytest-3') && process.env.CI !== 'true')
        skip('python3-pytest is not installed');
      const { root, one } = await generated({ name: 'greet-all', language, type: 'fix', skill: 'boundary-first' });
      expect(one).toMatchObject({ language, skills: ['boundary-first'], requirement: { type: 'fix' } });
      const document = readRequirementDocument(one.taskBytes.toString('utf8'));
      expect(Object.keys(document.sections)).toEqual(
        expect.arrayContaining(['background', 'requirement', 'file operations', 'acceptance criteria']),
      );
      expect(document.criteria.map(({ id }) => id)).toEqual(one.requirement?.criteria.map(({ id }) => id));
      expect(document.files).toEqual(one.requirement?.files);
      expect(await coverageOfCase(one)).toEqual({ untested: [], untraced: [] });
      expect(adviseTests((await readVerifierTests(one)) ?? [])).toEqual([]);
      const run = runPaths(root, 'x');
      const base = await makeBase(one, run.bases);
      const reference = await measureReference({ run }, one, base, plainPlace((await findSandbox('auto')).kind));
      expect(reference).toMatchObject({ hasSolution: true, outOfReach: [], unsteady: [] });
      expect(reference?.failToPass).toBeGreaterThanOrEqual(2);
      expect(reference?.passToPass).toBeGreaterThanOrEqual(2);
    },
  );

  const wrong: [string, CaseOptions, RegExp][] = [
    ['a name with a space', { name: 'my case' }, /cannot be called "my case"/],
    ['a skill that is not there', { name: 'a', skill: 'boundary' }, /did you mean boundary-first\?/],
    ['a name that is taken', { name: 'taken' }, /is there already/],
  ];
  test.each(wrong)('%s is refused and nothing is written', (_what, options, message) => {
    const tree = createTree();
    tree.write('skills-src/boundary-first/SKILL.md', '');
    tree.write('data/cases/taken/case.yaml', 'mine');
    const before = tree.listChanges().length;
    expect(() => generateCase(tree, options)).toThrow(message);
    expect(() => generateCase(tree, options)).toThrow(LabError);
    expect(tree.listChanges()).toHaveLength(before);
  });
});
