import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { CaseSettings } from '../src/case.js';
import { SettingsError } from '../src/errors.js';
import { checkExperiment, Experiment } from '../src/experiment.js';
import { describeLosses } from '../src/loss-report.js';
import { readRequirementDocument } from '../src/requirement-document.js';
import { importSweSkillsBench } from '../src/swe-skills-bench.js';
import { type BenchEnvironment, contextLines, importEnvironment } from '../src/swe-skills-environment.js';
import { failure, tempFolder, writeFiles } from './fixture.js';

const commit = '0123456789abcdef0123456789abcdef01234567';

const task = `# Task: Count parcels

## Background

The depot cannot say how many parcels it holds.

## Files to Create/Modify

- \`depot/count.py\` - new
- \`README.md\`

## Requirements

Add a counter.

\`\`\`markdown
## Acceptance Criteria
- not this one: it stands in a code block
\`\`\`

## Acceptance Criteria

- [ ] \`count\` gives 0 for an empty depot
  - a nested remark
- AC-7: a parcel given back is
  counted no more
`;

/** A checkout of the benchmark's shape with its defects; nothing of it is copied. */
const config = `skills:
  - id: count-parcels
    name: Count parcels
    description: Counting things that come and go.
    type: Logistics
    repo: {url: 'https://git.example/depot/depot.git', commit: ${commit}}
    environment:
      base_image: python:3
      env_vars: {DEPOT: north, SHELVES: 3}
      setup_commands: [apt-get install -y libdepot, pip install -e .]
      pre_process: [python tools/count.py]
      gpu: none
      limits: {cpus: 1}
      limits: {cpus: 2, memory: 4g, disk: 10g}
    evaluation:
      - {level: L1, method: build_check, params: {test_command: 'python -m compileall -q /workspace', timeout: 60}}
      - {level: L2, method: unit_test, params: {test_command: 'pytest', min_pass_rate: 1, timeout: 300}}
  - {id: Unpinned_Skill, repo: {url: 'https://git.example/depot/other.git', commit: main}}
  - {id: no-treatment, repo: {url: 'https://git.example/depot/other.git', commit: ${commit}}}
  - {id: no-tests, repo: {url: 'https://git.example/depot/other.git', commit: ${commit}}}
`;

describe('a checkout of SWE-Skills-Bench', () => {
  let from: string;

  beforeAll(async () => {
    from = await mkdtemp(join(tmpdir(), 'skill-trial-bench-'));
    const skill = (name: string) => `---\nname: ${name}\ndescription: Says how.\n---\n\n# How\n`;
    await writeFiles(from, {
      'config/benchmark_config.yaml': config,
      'tasks/batch1/count-parcels.md': task,
      'tasks/batch2/count-parcels.md': task,
      'tasks/batch10/count-parcels.md': task,
      'tasks/batch1/no-tests.md': task,
      'tests/batch1/test_count_parcels.py': 'ROOT = "/workspace"\n\n\ndef test_AC_1():\n    assert ROOT\n',
      'tests/batch2/test_count_parcels.py': 'def test_something():\n    assert True\n',
      'skills/count-parcels/SKILL.md': skill('Count Parcels'),
      'skills/count-parcels/table.md': 'more',
      'skills/Unpinned_Skill/SKILL.md': skill('x'),
      'skills/no-tests/SKILL.md': skill('x'),
    });
  });
  afterAll(() => rm(from, { recursive: true, force: true }));

  it('becomes one case for each skill and batch that has a task and tests, and one experiment for each skill', async () => {
    const made = await importSweSkillsBench({ from });
    expect(made.cases).toEqual(['swe-count-parcels-b1', 'swe-count-parcels-b2']);
    expect(made.experiments).toEqual(['swe-count-parcels']);
    const one = CaseSettings.parse(parse(made.files['data/cases/swe-count-parcels-b1/case.yaml'] as string));
    expect(one).toMatchObject({
      repo: { git: 'https://git.example/depot/depot.git', commit },
      skills: ['count-parcels'],
      requirement: { category: 'Logistics', files: ['depot/count.py', 'README.md'], traced: false },
      verifier: { workspace: '/workspace' },
    });
    expect(one.verifier?.checks.map(({ level, framework, timeout_seconds: limit }) => [level, framework, limit])).toEqual([
      ['L1', 'exit-status', 60],
      ['L2', 'pytest', 300],
    ]);
    expect(made.files['data/cases/swe-count-parcels-b1/task.txt']).toBe(task);
    expect(one.environment).toEqual({ dockerfile: 'container/Dockerfile' });
    expect(one.setup).toMatchObject({ command: 'pip install -e .\npython tools/count.py', network: 'none' });
    const dockerfile = String(made.files['data/cases/swe-count-parcels-b1/container/Dockerfile']);
    for (const line of ['FROM python:3', 'RUN apt-get install -y libdepot', 'ENV DEPOT="north"', 'ENV SHELVES="3"'])
      expect(dockerfile.split('\n')).toContain(line);
    const file = '/checkout/data/experiments/swe-count-parcels/experiment.yaml';
    const experiment = Experiment.parse(parse(made.files['data/experiments/swe-count-parcels/experiment.yaml'] as string));
    expect(checkExperiment(experiment, file)).toMatchObject({
      tags: ['swe-skills-bench'],
      repeats: 3,
      limits: { cpus: 2, memory_mb: 4096 },
    });
    expect(made.files['skills-src/count-parcels/SKILL.md']).toContain('name: count-parcels\n');
  });

  it('names every loss: hidden keys, unreachable pins, missing tests and skills, files and settings left behind', async () => {
    const { losses } = await importSweSkillsBench({ from });
    const said = losses.map(({ status, where, what }) => `${status} ${where} ${what}`).join('\n');
    expect(said).toMatch(/warned config\/benchmark_config\.yaml:14 a key stands twice/);
    expect(said).toMatch(/missing Unpinned_Skill the repository is pinned to main/);
    expect(said).toMatch(/missing no-treatment skills\/no-treatment\/SKILL\.md/);
    expect(said).toMatch(/missing tasks\/batch1\/no-tests\.md tests\/batch1\/test_no_tests\.py/);
    expect(said).toMatch(/missing tasks\/batch10\/count-parcels\.md/);
    expect(said).toMatch(/dropped count-parcels further files of the skill: table\.md/);
    expect(said).toMatch(/dropped count-parcels environment: gpu/);
    expect(said).toMatch(/dropped count-parcels environment: limits\.disk/);
    expect(said).toMatch(/mapped count-parcels environment: python:3 with Node, git and socat added/);
    expect(said).toMatch(/mapped count-parcels environment: setup_commands are the set-up, without a network/);
    expect(said).toMatch(/warned tasks\/batch1\/count-parcels\.md 1 of 2 criteria are named by no test, and 0 tests name none/);
    expect(said).toMatch(/warned tasks\/batch2\/count-parcels\.md 2 of 2 criteria are named by no test, and 1 tests name none/);
  });

  it('takes only the wanted skills and batches, and a local mirror where there is one', async () => {
    await mkdir(join(from, 'mirrors', 'depot+depot'), { recursive: true });
    const made = await importSweSkillsBench({ from, skills: ['count-parcels'], batches: [2], mirrors: join(from, 'mirrors') });
    expect(made.cases).toEqual(['swe-count-parcels-b2']);
    expect(parse(made.files['data/cases/swe-count-parcels-b2/case.yaml'] as string).repo.git).toBe(
      join(from, 'mirrors/depot+depot'),
    );
    expect(describeLosses(made)[0]).toBe('1 case(s) in 1 experiment(s): swe-count-parcels');
  });

  it('is refused where there is none, and for a skill that it has not', async () => {
    await writeFile(join(from, 'empty'), '');
    await failure(SettingsError, () => importSweSkillsBench({ from: join(from, 'mirrors') }));
    const error = await failure(SettingsError, () => importSweSkillsBench({ from, skills: ['count-parcel'] }));
    expect(error.expected).toContain('count-parcels');
  });
});

describe('the environment of a benchmark skill', () => {
  const imported = async (environment: BenchEnvironment) => {
    const lost: string[] = [];
    const from = await tempFolder({
      'docker/Dockerfile': 'FROM depot\n',
      'docker/Copying': 'FROM depot\nCOPY requirements.txt /tmp/\nCOPY --from=node /bin/node /bin/\n',
    });
    const made = await importEnvironment(environment, from, (status, what) => lost.push(`${status} ${what}`));
    return { ...made, lost };
  };

  it('takes its own Dockerfile where the checkout has it, and says so where not', async () => {
    const own = await imported({ dockerfile: 'docker/Dockerfile', setup_commands: 'apt-get install -y x', env_vars: { A: 1 } });
    expect(own.files['container/Dockerfile']).toBe('FROM depot\nRUN apt-get install -y x\nENV A="1"\n');
    expect(own.settings).toEqual({ environment: { dockerfile: 'container/Dockerfile' } });
    const gone = await imported({ dockerfile: 'no/Dockerfile' });
    expect([gone.settings, gone.lost]).toEqual([{}, ['missing environment: no no/Dockerfile in the checkout']]);
  });

  it('names what its Dockerfile copies from a context that is not carried over', async () => {
    const { lost } = await imported({ dockerfile: 'docker/Copying' });
    expect(lost.filter((line) => line.startsWith('missing'))).toEqual([
      expect.stringMatching(/^missing environment: docker\/Copying: COPY requirements\.txt \/tmp\/: the files are not copied/),
    ]);
  });

  it.for([
    ['COPY a.txt /a', ['COPY a.txt /a']],
    ['copy --chown=1 \\\n  # why\n  a b \\\n  /c/', ['copy --chown=1 a b /c/']],
    ['ADD ["a b", "/c"]', ['ADD ["a b", "/c"]']],
    ['ADD https://example.org/x /x', []],
    ['ADD https://example.org/x y.txt /x/', ['ADD https://example.org/x y.txt /x/']],
    ['COPY --from=node /usr/bin/node /usr/bin/', []],
    ['COPY <<EOF /a\nhello\nEOF', []],
    ['# COPY a /a\nRUN echo COPY a', []],
  ] as const)('takes from %j the files of the context %j', ([dockerfile, lines]) => {
    expect(contextLines(`FROM depot\n${dockerfile}\n`)).toEqual(lines);
  });

  it('writes a variable so that nothing in its value is one', async () => {
    const { files } = await imported({ dockerfile: 'docker/Dockerfile', env_vars: { A: '$HOME/"x"\\y' } });
    expect(files['container/Dockerfile']).toBe('FROM depot\nENV A="\\$HOME/\\"x\\"\\\\y"\n');
  });

  it('has nowhere to put packages of the system and variables without an image', async () => {
    const made = await imported({ setup_commands: ['sudo apt-get install x', 'make'], env_vars: { A: 'b' } });
    expect(made.settings).toEqual({ setup: { command: 'make' } });
    expect(made.lost.filter((line) => line.startsWith('dropped'))).toHaveLength(2);
  });

  it.for([
    ['4g', 4096],
    ['512m', 512],
    ['1.5GiB', 1536],
    [2048, 2048],
    ['lots', undefined],
    [0, undefined],
  ] as const)('reads a memory limit of %s', async ([memory, mb]) => {
    const { limits, lost } = await imported({ limits: { memory } });
    expect([limits.memory_mb, lost.length]).toEqual([mb, mb === undefined ? 1 : 0]);
  });
});

describe('a requirement document', () => {
  it('gives its criteria with ids, its own where it has them, and the files it names', () => {
    expect(readRequirementDocument(task)).toMatchObject({
      title: 'Count parcels',
      criteria: [
        { id: 'AC-1', text: '`count` gives 0 for an empty depot' },
        { id: 'AC-7', text: 'a parcel given back is counted no more' },
      ],
      files: ['depot/count.py', 'README.md'],
    });
  });

  it('lacks what is not there', () => {
    expect(readRequirementDocument('just words')).toEqual({ title: '', sections: {}, criteria: [], files: [] });
    expect(readRequirementDocument('').criteria).toEqual([]);
  });
});
