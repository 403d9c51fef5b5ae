import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { armWords, modelOf, modelsOf, scriptsOf, writeOutArms } from '../src/arm.js';
import { PrerequisiteError, SettingsError } from '../src/errors.js';
import { contrasts, Experiment } from '../src/experiment.js';
import { openGit } from '../src/git.js';
import { openLab } from '../src/lab.js';
import { readSkillAt } from '../src/skill-revision.js';
import { failure, tempFolder } from './fixture.js';

const model = { id: 'm-1', api: 'openai-completions', scripted: 'b-better' };
const settings = {
  schema_version: 1,
  name: 'x',
  title: 'x',
  question: 'x',
  cases: ['shop'],
  arms: { A: {}, B: { skills: ['one', 'two', 'three'] } },
  repeats: 1,
  seed: 1,
  agent: { name: 'pi' },
  model,
  limits: { wall_seconds: 1, model_calls: 1 },
  decision: { tested_class: 'x', untested_class: 'x' },
};
const tinyCase = {
  schema_version: 1,
  name: 'shop',
  title: 'Shop',
  summary: 'Shop.',
  language: 'node',
  repo: { path: 'repo' },
  task: 'task.txt',
  reference: 'reference.md',
  rubrics: { review: 'rubric.csv', tests: 'rubric.csv', documentation: 'rubric.csv' },
  tests: { framework: 'node-test', include: ['test/**/*.test.js'] },
  suite: ['node', '--test'],
  docs: ['README.md'],
  area: ['**'],
};
const read = (parts: Record<string, unknown>) => writeOutArms(Experiment.parse({ ...settings, ...parts }), 'experiment.yaml');
const refused = (parts: Record<string, unknown>) => failure(SettingsError, async () => read(parts));
const A = {};
const B = { skills: ['one', 'two', 'three'] };

describe('arms', () => {
  test('without new keys are what was written', () => {
    const experiment = read({});
    expect(experiment.arms).toEqual({ A: { skills: [] }, B });
    expect(contrasts(experiment)).toEqual([{ arm: 'B', control: 'A' }]);
  });

  test('a placebo has the names of the arm that it imitates, and says what it is', () => {
    const { arms } = read({ arms: { A, B: { ...B, control: ['A', 'P'] }, P: { placebo: 'B' } } });
    expect(arms.P?.skills).toEqual(B.skills);
    expect(armWords(arms.P as never)).toContain('PLACEBO of B');
    expect(contrasts({ arms })).toEqual([
      { arm: 'B', control: 'A' },
      { arm: 'B', control: 'P' },
      { arm: 'P', control: 'A' },
    ]);
  });

  test('a placebo has the delivery and the model of the arm that it imitates: only the guidance differs', () => {
    const other = { id: 'm-2', api: 'openai-completions', base_url: 'http://127.0.0.1:1/v1', parameters: {} };
    const imitated = { ...B, control: 'A', deliver: 'prompt', model: other };
    const { arms } = read({ arms: { A, B: imitated, P: { placebo: 'B', control: 'B' } } });
    expect(arms.P).toEqual({ placebo: 'B', control: 'B', skills: B.skills, deliver: 'prompt', model: other });
    // named as well, and the same
    expect(read({ arms: { A, B: imitated, P: { placebo: 'B', control: 'B', deliver: 'prompt' } } }).arms.P).toEqual(arms.P);
  });

  test('an arm that ablation leaves without a skill on a paired case says where it comes from', async () => {
    const root = await tempFolder({
      'data/experiments/x/experiment.yaml': stringify({
        ...settings,
        ablation: { arm: 'B', leave_one_out: true },
        arms: { A, B: { skills: ['one', 'two'] } },
      }),
      'data/cases/shop/case.yaml': stringify({ ...tinyCase, skills: ['one'] }),
      'data/cases/shop/task.txt': 'Mend it.\n',
      'data/cases/shop/reference.md': 'The answer.\n',
      'data/cases/shop/rubric.csv': 'id,requirement,weight,evidence_rule\nR1,x,1,y\n',
      'data/cases/shop/repo/package.json': '{}',
      'skills-src/one/SKILL.md': '---\nname: one\ndescription: One.\n---\nOne.\n',
      'skills-src/two/SKILL.md': '---\nname: two\ndescription: Two.\n---\nTwo.\n',
    });
    const error = await failure(SettingsError, () => openLab(root, 'x'));
    expect(error.message).toContain('Arm B-without-one has no skill on case shop');
    expect(error.next).toContain('comes from ablation');
  });

  test('an ablation is written out: leave-one-out against the arm, single skills against its control', () => {
    const { arms } = read({ ablation: { arm: 'B', leave_one_out: true, single: true } });
    expect(Object.keys(arms)).toEqual([
      'A',
      'B',
      'B-without-one',
      'B-without-two',
      'B-without-three',
      'B-only-one',
      'B-only-two',
      'B-only-three',
    ]);
    expect(arms['B-without-two']).toMatchObject({ skills: ['one', 'three'], control: 'B' });
    expect(arms['B-only-two']).toMatchObject({ skills: ['two'], control: 'A' });
    expect(contrasts({ arms })).toHaveLength(7);
  });

  test('a model of its own is that arm’s alone; one script makes the experiment scripted', () => {
    const other = { id: 'm-2', api: 'openai-completions', base_url: 'http://127.0.0.1:1/v1', parameters: {} };
    const experiment = read({ arms: { A, B, C: { ...B, control: 'B', model: other } } });
    expect([modelOf(experiment, 'B').id, modelOf(experiment, 'C').id]).toEqual(['m-1', 'm-2']);
    expect(modelsOf(experiment).map(({ arm, model: one }) => [arm, one.id])).toEqual([
      ['A', 'm-1'],
      ['C', 'm-2'],
    ]);
    expect(scriptsOf(experiment)).toEqual(['b-better']);
  });

  test.each([
    ['a placebo of no arm', { arms: { A, B, P: { placebo: 'Q' } } }, 'arms.P.placebo'],
    ['a placebo of an arm without skills', { arms: { A, B, P: { placebo: 'A' } } }, 'arms.P.placebo'],
    ['a placebo with skills', { arms: { A, B, P: { placebo: 'B', skills: ['one'] } } }, 'arms.P.skills'],
    ['a placebo with another delivery', { arms: { A, B, P: { placebo: 'B', deliver: 'prompt' } } }, 'arms.P.deliver'],
    ['a placebo with another model', { arms: { A, B, P: { placebo: 'B', control: 'A', model } } }, 'arms.P.model'],
    ['a revision of nothing', { arms: { A, B, C: { skills_from: 'v1' } } }, 'arms.C.skills_from'],
    ['a model without a named control', { arms: { A, B, C: { ...B, model } } }, 'arms.C.control'],
    ['an ablation of one skill', { arms: { A, B: { skills: ['one'] } }, ablation: { arm: 'B', single: true } }, 'ablation.arm'],
    ['an ablation that makes nothing', { ablation: { arm: 'B' } }, 'ablation'],
    [
      'an ablation over an arm written by hand',
      { arms: { A, B, 'B-only-one': B }, ablation: { arm: 'B', single: true } },
      'B-only-one',
    ],
  ])('refused: %s', async (_name, parts, named) => {
    expect((await refused(parts)).message).toContain(named);
  });
});

describe('a skill of an older revision', () => {
  const skill = (words: string) => `---\nname: one\ndescription: ${words}\n---\n${words}\n`;
  const repository = async () => {
    const root = await tempFolder({ 'lab/skills-src/one/SKILL.md': skill('As it was.'), 'lab/skills-src/one/more.md': 'x\n' });
    const git = openGit(root);
    await git.init();
    await git.add('.');
    await git.commit('first');
    await git.addTag('v1');
    await git.raw(['rm', '-q', '-r', 'lab/skills-src/one']);
    await mkdir(join(root, 'lab'), { recursive: true });
    await git.commit('second');
    return join(root, 'lab');
  };

  test('comes from git, though it is not on the disk any more, and from below the repository’s top', async () => {
    const found = await readSkillAt(await repository(), 'skills-src/one', 'one', 'v1', '/nonexistent');
    expect(found.description).toBe('As it was.');
    expect(found.files.map(({ path }) => path)).toEqual(['SKILL.md', 'more.md']);
  });

  test('that had no such skill is refused, and names both', async () => {
    const root = await repository();
    const error = await failure(SettingsError, () => readSkillAt(root, 'skills-src/one', 'one', 'HEAD', '/nonexistent'));
    expect(error.message).toContain('one was not there at HEAD');
  });

  test('that git does not know is refused; with a frozen copy that one is read', async () => {
    const root = await repository();
    await failure(PrerequisiteError, () => readSkillAt(root, 'skills-src/one', 'one', 'v9', '/nonexistent'));
    const frozen = join(await tempFolder({ 'one/SKILL.md': skill('Frozen.') }), 'one');
    expect((await readSkillAt(root, 'skills-src/one', 'one', 'v9', frozen)).description).toBe('Frozen.');
  });
});
