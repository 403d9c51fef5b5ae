import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { PrerequisiteError } from '../src/errors.js';
import { freeze } from '../src/freeze.js';
import { openGit } from '../src/git.js';
import { type Lab, openLab } from '../src/lab.js';
import type { Lock } from '../src/lock.js';
import { runPaths } from '../src/paths.js';
import { type Spec, specHash } from '../src/spec.js';
import { failure, tempFolder, writeFiles } from './fixture.js';

const rubric = (weight: number) => `id,requirement,weight,evidence_rule\nR1,x,${weight},y\n`;
const skill = (name: string, body: string) => `---\nname: ${name}\ndescription: Does ${name}.\n---\n${body}\n`;
const caseFiles = (name: string): Record<string, string> => ({
  'case.yaml': stringify({
    schema_version: 1,
    name,
    title: 'Tiny',
    summary: 'Tiny.',
    language: 'node',
    repo: { path: 'repo' },
    task: 'task.txt',
    reference: 'reference.md',
    rubrics: { review: 'review.csv', tests: 'tests.csv', documentation: 'docs.csv' },
    tests: { framework: 'node-test', include: ['test/**/*.test.js'] },
    suite: ['node', '--test'],
    docs: ['README.md'],
    area: ['**'],
  }),
  'task.txt': 'Mend it.\n',
  'reference.md': 'The answer.\n',
  'review.csv': rubric(3),
  'tests.csv': rubric(2),
  'docs.csv': rubric(1),
  'repo/package.json': '{"type":"module"}',
  'repo/test/a.test.js': "import test from 'node:test';\ntest('green', () => {});\n",
});
const settings = {
  schema_version: 1,
  name: 'tiny',
  title: 'Tiny',
  question: 'Does it matter?',
  cases: ['one', 'two'],
  arms: { A: { skills: [] }, B: { skills: ['left', 'right'] }, C: { skills: ['right'] } },
  repeats: 2,
  seed: 1,
  agent: { name: 'pi' },
  model: {
    id: 'm-1',
    api: 'openai-completions',
    base_url: 'http://127.0.0.1:1/v1',
    prices: { input: 1, cached: 1, cache_write: 1, output: 1 },
  },
  limits: { wall_seconds: 60, model_calls: 10, cost_usd: 1 },
  sandbox: 'auto',
  decision: { tested_class: 'small', untested_class: 'large' },
};
type Settings = typeof settings;

/** Freezes the experiment with some changes in a checkout of its own; returns the spec hashes by `<case>.<arm>`, and the lock's id. */
async function frozen(
  change: { files?: Record<string, string>; settings?: (settings: Settings) => object; version?: string } = {},
): Promise<{ specs: Record<string, string>; id: string }> {
  const root = await checkout({ ...settings, ...change.settings?.(settings) });
  await writeFiles(root, change.files ?? {});
  const { conditions, id } = await freezeIn(root, change.version);
  return { specs: conditions.specs, id };
}

async function checkout(experiment: object): Promise<string> {
  const root = await tempFolder({
    'package.json': '{}',
    'skills-src/left/SKILL.md': skill('left', 'Left.'),
    'skills-src/right/SKILL.md': skill('right', 'Right.'),
    'data/experiments/tiny/experiment.yaml': stringify(experiment),
  });
  for (const one of settings.cases) await writeFiles(join(root, 'data/cases', one), caseFiles(one));
  return root;
}

async function freezeIn(root: string, version = '1.0.0'): Promise<Lock> {
  const lab = await openLab(root, 'tiny', () => new Date('2026-01-01T00:00:00Z'));
  const agent: Lab['agent'] = {
    ...lab.agent,
    find: async () => ({ package: 'agent', version, folder: '/agent', argv: () => ['true'] }),
  };
  return (await freeze({ ...lab, agent })).lock;
}

const all = ['one.A', 'one.B', 'one.C', 'two.A', 'two.B', 'two.C'];
const limits = (parts: object) => (own: Settings) => ({ limits: { ...own.limits, ...parts } });
const model = (parts: object) => (own: Settings) => ({ model: { ...own.model, ...parts } });

let before: Awaited<ReturnType<typeof frozen>>;
beforeEach(async () => {
  before ??= await frozen();
});

describe('a change of a frozen condition changes exactly the specs that depend on it', () => {
  test.each<[string, string[], Parameters<typeof frozen>[0]]>([
    ['nothing', [], {}],
    ['the task of one case', ['one.A', 'one.B', 'one.C'], { files: { 'data/cases/one/task.txt': 'Mend it!\n' } }],
    ['the base tree of one case', ['two.A', 'two.B', 'two.C'], { files: { 'data/cases/two/repo/README.md': 'x\n' } }],
    ['one skill', ['one.B', 'two.B'], { files: { 'skills-src/left/SKILL.md': skill('left', 'Left!') } }],
    ['a skill that two arms have', ['one.B', 'one.C', 'two.B', 'two.C'], { files: { 'skills-src/right/more.md': 'x\n' } }],
    ['the skills of one arm', ['one.C', 'two.C'], { settings: (own) => ({ arms: { ...own.arms, C: { skills: ['left'] } } }) }],
    [
      'rubrics and reference sheet',
      [],
      {
        files: {
          'data/cases/one/review.csv': rubric(2),
          'data/cases/one/tests.csv': rubric(3),
          'data/cases/one/docs.csv': rubric(2),
          'data/cases/one/reference.md': 'Another.\n',
        },
      },
    ],
    ['attempts', [], { settings: limits({ attempts: 5 }) }],
    ['the name of the key', [], { settings: model({ key_env: 'OTHER_KEY' }) }],
    [
      'title, repeats and acceptance rule',
      [],
      {
        settings: (own) => ({ title: 'Tiny, too', repeats: 3, decision: { ...own.decision, min_improvement: 0.2 } }),
      },
    ],
  ])('%s: %j', async (what, expected, change) => {
    const after = await frozen(change);
    expect(all.filter((name) => after.specs[name] !== before.specs[name])).toEqual(expected);
    // whatever was changed, the lock says so
    expect(after.id === before.id).toBe(what === 'nothing');
  });

  test.each<[string, Parameters<typeof frozen>[0]]>([
    ['the model', { settings: model({ id: 'm-2' }) }],
    ['the server of the model', { settings: model({ base_url: 'http://127.0.0.1:2/v1' }) }],
    ['the generation parameters', { settings: model({ parameters: { thinking: 'high' } }) }],
    ['the wall limit', { settings: limits({ wall_seconds: 61 }) }],
    ['the limit of model calls', { settings: limits({ model_calls: 11 }) }],
    ['the cost cap, which can end a run', { settings: limits({ cost_usd: 2 }) }],
    ['the prices, by which a cap ends it', { settings: model({ prices: { input: 2, cached: 2, cache_write: 2, output: 2 } }) }],
    ['the seed', { settings: () => ({ seed: 2 }) }],
    ['the version of the agent', { version: '1.0.1' }],
  ])('%s: every one', async (_what, change) => {
    // one case is enough: what holds for all arms of it holds for the other's
    const after = await frozen({ ...change, settings: (own) => ({ cases: ['one'], ...change?.settings?.(own) }) });
    expect(Object.keys(after.specs)).toEqual(['one.A', 'one.B', 'one.C']);
    for (const [name, hash] of Object.entries(after.specs)) expect(hash, name).not.toBe(before.specs[name]);
  });

  test('no two trials of different conditions share a spec', () => {
    expect(new Set(Object.values(before.specs)).size).toBe(all.length);
  });
});

describe('the skills of an older revision', () => {
  const from = (revision: string) => ({
    ...settings,
    cases: ['one'],
    arms: { A: { skills: [] }, B: { skills: ['left'], skills_from: revision } },
  });

  test('are those of that revision or refused: the copy of an earlier freeze stands for no other, and is not frozen again', async () => {
    const root = await checkout(from('v1'));
    const git = openGit(root);
    await git.init();
    await git.add('skills-src');
    await git.commit('first');
    await git.addTag('v1');
    await writeFiles(root, { 'skills-src/left/SKILL.md': skill('left', 'Changed since.') });
    const lock = await freezeIn(root);

    await writeFiles(root, { 'data/experiments/tiny/experiment.yaml': stringify(from('v2')) });
    const error = await failure(PrerequisiteError, () => openLab(root, 'tiny'));
    expect(error.message).toContain('No revision v2');

    // the same revision in a checkout that lacks it, as in a bundle: read, and not frozen
    await writeFiles(root, { 'data/experiments/tiny/experiment.yaml': stringify(from('v1')) });
    await git.raw(['tag', '-d', 'v1']);
    const kept = (await openLab(root, 'tiny')).skills.get('B/left');
    expect(kept?.sha256).toBe(lock.conditions.skills['B/left']?.sha256);
    expect(kept?.body).toBe('Left.\n');
    const refused = await failure(PrerequisiteError, () => freezeIn(root));
    expect(refused.message).toContain('No revision v1 to take the skills of arm B from');

    // below another repository that knows a v1 of its own, an unpacked bundle is read with what it carries
    await git.add('skills-src');
    await git.commit('another');
    await git.addTag('v1');
    const read = async (revisions: 'git' | 'frozen') => (await openLab(root, 'tiny', undefined, revisions)).skills.get('B/left');
    expect([(await read('git'))?.body, (await read('frozen'))?.body]).toEqual(['Changed since.\n', 'Left.\n']);
    await rm(runPaths(root, 'tiny').frozenSkills, { recursive: true });
    expect((await failure(PrerequisiteError, () => read('frozen'))).message).toContain('Skill left of v1 is not in the bundle');
  });
});

describe('the hash of a spec', () => {
  const spec = {
    limits: { wall_seconds: 1, model_calls: 1, cost_usd: null, attempts: 1 },
    model: { id: 'm' },
    seed: 1,
  } as unknown as Spec;

  test('without a cost cap it does not depend on the prices', () => {
    const priced = { ...spec, model: { ...spec.model, prices: { input: 1, cached: 1, cache_write: 1, output: 1 } } };
    expect(specHash(priced)).toBe(specHash(spec));
  });

  test('it does not depend on the order of keys', () => {
    expect(specHash(Object.fromEntries(Object.entries(spec).toReversed()) as Spec)).toBe(specHash(spec));
  });
});
