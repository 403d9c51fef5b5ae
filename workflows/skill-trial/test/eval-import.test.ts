import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { CaseSettings } from '../src/case.js';
import { SettingsError } from '../src/errors.js';
import { type EvalImportOptions, importEvals } from '../src/eval-import.js';
import { Experiment } from '../src/experiment.js';
import { describeLosses } from '../src/loss-report.js';
import type { SourceTree } from '../src/source-tree.js';

/** A source tree in memory, with one skill unless it is named. */
function sources(files: Record<string, string | Buffer>): SourceTree {
  const all: Record<string, string | Buffer> = {
    'tea/SKILL.md': '---\nname: tea\ndescription: Brews tea.\n---\nWarm the pot.\n',
    ...files,
  };
  return {
    read: async (path) => (all[path] === undefined ? null : Buffer.from(all[path])),
    list: async (folder) => Object.keys(all).filter((path) => folder === '' || path.startsWith(`${folder}/`)),
  };
}

async function imported(files: Record<string, string | Buffer>, options: Partial<EvalImportOptions> = {}) {
  const made = await importEvals(sources(files), { from: 'tea', ...options });
  const cases = made.cases.map((name) => CaseSettings.parse(parse(String(made.files[`data/cases/${name}/case.yaml`]))));
  for (const name of made.experiments) Experiment.parse(parse(String(made.files[`data/experiments/${name}/experiment.yaml`])));
  return { ...made, cases, told: describeLosses({ ...made }).join('\n') };
}

const skillFiles = (files: object) =>
  Object.keys(files)
    .filter((path) => path.startsWith('skills-src/'))
    .map((path) => path.split('/').slice(2).join('/'))
    .sort();
const json = (value: unknown) => ({ 'tea/evals/evals.json': JSON.stringify(value) });
const skillCreator = (one: object) => json({ skill_name: 'tea', evals: [{ id: 1, prompt: 'Brew', ...one }] });

describe('evals.json', () => {
  test('skill-creator: prompt, files and expectations; the skill comes along without its evals', async () => {
    const { cases, files } = await imported({
      ...skillCreator({ expectations: ['Cup is full'], files: ['leaf.txt'], expected_output: 'Hot cup' }),
      'tea/evals/leaf.txt': 'green',
    });
    expect(cases[0]?.name).toBe('tea-1');
    expect(cases[0]?.eval).toMatchObject({
      skill: 'tea',
      assertions: [{ id: 'a1', text: 'Cup is full', kind: 'quality' }],
      expected_output: 'Hot cup',
      source: { dialect: 'skill-creator', id: 1 },
    });
    expect(String(files['data/cases/tea-1/task.txt'])).toBe('Brew');
    expect(String(files['data/cases/tea-1/repo/leaf.txt'])).toBe('green');
    expect(Object.keys(files).filter((path) => path.startsWith('skills-src/'))).toEqual(['skills-src/tea/SKILL.md']);
  });

  test('an expected output alone is no criterion: it is said, and nothing is scored by it', async () => {
    const { cases, told } = await imported(skillCreator({ expected_output: 'Hot cup' }));
    expect(cases[0]?.eval?.assertions).toEqual([]);
    expect(told).toContain('warned: tea/evals/evals.json: evals[0] has no criterion; its expected_output is kept for people');
  });

  test.each([
    ['agentskills', { assertions: ['Cup is full'] }, { id: 'a1', text: 'Cup is full', kind: 'quality' }],
    ['agentskills', { assertions: [{ name: 'full', description: 'Cup is full' }] }, { id: 'full', text: 'Cup is full' }],
    ['pi', { assertions: [{ id: 'x', text: 'Cup is full', type: 'behavior' }] }, { id: 'x', kind: 'behavior' }],
    [
      'pi',
      { assertions: [{ text: 'cup-full', description: 'Cup is full', type: 'format' }] },
      { id: 'cup-full', text: 'Cup is full' },
    ],
    [
      'pi',
      { assertions: [{ text: 'Says hot', type: 'regex', pattern: 'hot|warm' }] },
      { kind: 'pattern', check: { type: 'output-pattern', pattern: 'hot|warm', expect: 'match' } },
    ],
    [
      'pi',
      { assertions: [{ type: 'content_contains', value: 'hot' }] },
      { check: { type: 'output-text', values: ['hot'], of: 'all' } },
    ],
    ['pi', { assertions: [{ text: 'no ice', type: 'regex_absent', pattern: 'ice' }] }, { check: { expect: 'no-match' } }],
    ['pi', { assertions: [{ text: 'f', type: 'file_exists', path: 'cup.txt' }] }, { check: { type: 'file', path: 'cup.txt' } }],
    [
      'agentskills',
      { assertions: [{ text: 'warm', check: { contains_any: ['hot', 'warm'] } }] },
      { check: { of: 'any', values: ['hot', 'warm'] } },
    ],
    [
      'pi',
      { graders: [{ type: 'deterministic', run: 'test -f cup', weight: 2 }] },
      { weight: 2, check: { type: 'command', command: 'test -f cup' } },
    ],
    ['pi', { graders: [{ type: 'llm_rubric', rubric: 'Is it hot?', weight: 1 }] }, { id: 'grader-1', text: 'Is it hot?' }],
  ])('%s: %j', async (dialect, shape, expected) => {
    const { cases } = await imported(skillCreator(shape));
    expect(cases[0]?.eval?.source?.dialect).toBe(dialect);
    expect(cases[0]?.eval?.assertions[0]).toMatchObject(expected);
  });

  test.each([
    ['a list at the top', [{ id: 'b1', prompt: 'Brew', expectations: ['Full'] }]],
    [
      'cases with a question',
      { skill: 'tea', cases: [{ id: 'b1', question: 'Brew', expected_behavior: ['Full'], ground_truth: 'x' }] },
    ],
    [
      'test_cases with a user request',
      { skill: 'tea', test_cases: [{ id: 'b1', user_request: 'Brew', expected_behavior: 'Full' }] },
    ],
    ['input', { skill: 'tea', cases: [{ id: 'b1', input: 'Brew', expected_behavior: 'Full' }] }],
  ])('%s', async (_, shape) => {
    const { cases, files } = await imported(json(shape));
    expect(cases[0]?.name).toBe('tea-b1');
    expect(cases[0]?.eval?.assertions.map(({ text }) => text)).toEqual(['Full']);
    expect(files['data/cases/tea-b1/task.txt']).toBe('Brew');
  });

  test('skills that it depends on come along, and the case is paired with all of them', async () => {
    const { cases, told } = await imported({
      ...json({ skill_name: 'tea', skill_deps: ['kettle', 'spoon'], evals: [{ id: 0, prompt: 'Brew', assertions: [] }] }),
      'kettle/SKILL.md': '---\nname: kettle\ndescription: Boils.\n---\n',
    });
    expect(cases[0]).toMatchObject({ name: 'tea-0', skills: ['tea', 'kettle'] });
    expect(told).toContain('missing: tea/evals/evals.json: skill_deps: no SKILL.md of spoon');
  });
});

describe('defects of the wild', () => {
  test('byte-order mark and CRLF change nothing; the prompt keeps its bytes', async () => {
    const text = `\uFEFF${JSON.stringify({ skill_name: 'tea', evals: [{ id: 1, prompt: 'a\r\nb', expectations: ['x'] }] }, null, 2).replaceAll('\n', '\r\n')}`;
    const { files } = await imported({ 'tea/evals/evals.json': text });
    expect(files['data/cases/tea-1/task.txt']).toBe('a\r\nb');
  });

  test.each([
    ['{\n  "evals": [\n    {"id": 1,}\n  ]\n}', 'tea/evals/evals.json:3:14'],
    ['{"evals": [', 'tea/evals/evals.json:1:12'],
    ['{\r\n"evals": nope}', 'tea/evals/evals.json:2:11'],
  ])('invalid JSON is one error with line and column: %j', async (text, place) => {
    const error = await imported({ 'tea/evals/evals.json': text }).catch((caught) => caught);
    expect(error).toBeInstanceOf(SettingsError);
    expect(error.message.split('\n')[0]).toBe(`${place} is not valid JSON`);
  });

  test('a prompt that begins like a command of the agent is warned of', async () => {
    const { told } = await imported(skillCreator({ prompt: '/skill:tea brew', assertions: ['x'] }));
    expect(told).toContain('eval 1 begins with "/"');
  });

  test('lists within lists without end are one clear error', async () => {
    const text = `[{"prompt":"x","assertions":["y"],"nest":${'['.repeat(20_000)}${']'.repeat(20_000)}}]`;
    await expect(imported({ 'tea/evals/evals.json': text })).rejects.toThrow(
      'tea/evals/evals.json is nested deeper than 100 levels',
    );
  });

  test('a check that cannot be used is warned of once; a file that would leave the workspace is not delivered', async () => {
    const { told, files } = await imported(
      skillCreator({
        assertions: [{ text: 'Odd', type: 'regex', pattern: '(' }],
        should_trigger: 'yes',
        files: [{ path: '../../up.txt', content: 'x' }],
      }),
    );
    expect(told.match(/assertions\[0\]/g)).toHaveLength(1);
    expect(told).toContain('file ../../up.txt would lie outside of the workspace');
    expect(told).toContain('should_trigger is a string, true or false was expected');
    expect(Object.keys(files).filter((path) => path.includes('up.txt'))).toEqual([]);
  });

  test('bytes that are no UTF-8 are refused', async () => {
    await expect(imported({ 'tea/evals/evals.json': Buffer.from([0x7b, 0xff, 0x7d]) })).rejects.toThrow('is not UTF-8');
  });

  test('duplicate ids of evals and assertions get names of their own', async () => {
    const one = {
      id: 1,
      prompt: 'Brew',
      assertions: [
        { id: 'x', text: 'a' },
        { id: 'x', text: 'b' },
      ],
    };
    const { cases, told } = await imported(json({ skill_name: 'tea', evals: [one, one] }));
    expect(cases.map(({ name }) => name)).toEqual(['tea-1', 'tea-1-2']);
    expect(cases[0]?.eval?.assertions.map(({ id }) => id)).toEqual(['x', 'x-2']);
    expect(told).toContain('evals[1]: id 1 is there already');
  });

  test('wrong types are named one by one, and what can be used is used', async () => {
    const { cases, told } = await imported(
      json({
        skill_name: 7,
        evals: [
          { id: [], prompt: 'Brew', assertions: 'Full', files: 'leaf.txt' },
          { prompt: 3 },
          { id: 2 },
          null,
          { id: 3, prompt: 'Pour', assertions: [null, '', { text: '' }, 'Hot'], expected_behavior: true, odd: 1 },
        ],
      }),
    );
    expect(cases.map(({ name }) => name)).toEqual(['tea-1', 'tea-2', 'tea-3']);
    expect(cases[2]?.eval).toMatchObject({ assertions: [{ id: 'a4', text: 'Hot' }], extra: { odd: 1 } });
    for (const what of [
      'skill_name is a number',
      'evals[0].id is a list',
      'evals[0].files is a text',
      'evals[2] has no prompt',
      'evals[3] is null',
      'evals[4].expected_behavior is true',
      'odd kept as they are',
    ])
      expect(told).toContain(what.replace('a text', 'a string'));
  });

  test('names of other scripts, and a prompt of 5 MB', async () => {
    const prompt = '茶 '.repeat(1_250_000);
    const { cases, files } = await imported(
      json({
        skill_name: 'tea',
        evals: [
          { id: 'Grüner Tee', name: '緑茶', prompt, assertions: ['熱い'] },
          { id: '茶', prompt: 'x' },
        ],
      }),
    );
    expect(cases.map(({ name }) => name)).toEqual(['tea-gruner-tee', 'tea-2']);
    expect(cases[0]?.eval).toMatchObject({ source: { id: 'Grüner Tee', name: '緑茶' }, assertions: [{ text: '熱い' }] });
    expect(files['data/cases/tea-gruner-tee/task.txt']).toBe(prompt);
  });

  test('files: skill, then evals folder, then repository; absolute and missing ones are named, never delivered', async () => {
    const { files, told } = await imported({
      ...skillCreator({ files: ['a.txt', 'b.txt', 'c.txt', '/etc/passwd', '../../x', 'gone.txt'] }),
      'tea/a.txt': 'skill',
      'tea/evals/a.txt': 'evals',
      'tea/evals/b.txt': 'evals',
      'c.txt': 'root',
    });
    expect(['a', 'b', 'c'].map((name) => String(files[`data/cases/tea-1/repo/${name}.txt`]))).toEqual(['skill', 'evals', 'root']);
    expect(told).toContain('file b.txt is taken from the folder of the evals');
    expect(told).toContain('missing: tea/evals/evals.json: eval 1: file /etc/passwd lies outside');
    expect(told).toContain('file gone.txt is in none of');
    expect(Object.keys(files).filter((path) => path.includes('passwd') || path.includes('..'))).toEqual([]);
  });

  test('among several files a broken one is a loss; alone it is an error', async () => {
    const { told, cases } = await imported({ ...skillCreator({}), 'tea/evals/trigger.json': '{' });
    expect(cases.length).toBe(1);
    expect(told).toContain('missing: tea/evals/trigger.json: tea/evals/trigger.json:1:2 is not valid JSON');
  });

  test('without a SKILL.md there is no treatment', async () => {
    const tree = { ...sources(json([{ prompt: 'x' }])), list: async () => ['tea/evals/evals.json'] };
    await expect(importEvals(tree, { from: '' })).rejects.toThrow('without a treatment nothing is imported');
  });
});

describe('trigger files', () => {
  test.each([
    [
      'a list',
      [
        { query: 'make tea', should_trigger: true },
        { query: 'fix car', should_trigger: false },
      ],
    ],
    [
      'wrapped',
      {
        queries: [
          { query: 'make tea', should_trigger: true, reason: 'r' },
          { query: 'fix car', should_trigger: false },
        ],
      },
    ],
    ['two lists', { should_trigger: ['make tea'], should_not_trigger: ['fix car'] }],
    [
      'a skill or null',
      {
        skill: 'tea',
        cases: [
          { prompt: 'make tea', expected_trigger: 'tea' },
          { prompt: 'fix car', expected_trigger: null },
        ],
      },
    ],
    [
      'expected_primary',
      [
        { query: 'make tea', expected_primary: 'tea' },
        { query: 'fix car', expected_primary: 'none' },
      ],
    ],
  ])('%s', async (_, shape) => {
    const { cases } = await imported({ 'tea/evals/trigger-evals.json': JSON.stringify(shape) });
    expect(cases.map((one) => one.eval?.should_trigger)).toEqual([true, false]);
    expect(cases.map((one) => one.eval?.source?.dialect)).toEqual(['triggers', 'triggers']);
  });
});

describe('labels of triggers', () => {
  test.each([
    ['expected_primary', 'coffee', false],
    ['expected_skill', 'Tea', true],
    ['expected_skill', 'my-plugin:tea', true],
    ['expected_primary', ['coffee', 'tea'], true],
    ['expected_trigger', 'should_not', false],
    ['label', 'ambiguous', undefined],
  ])('%s: %j with no skill_name in the file', async (key, label, expected) => {
    const rows = [
      { query: 'make tea', [key]: label },
      { query: 'brew', [key]: true },
    ];
    const { cases, told } = await imported({ 'tea/evals/trigger-evals.json': JSON.stringify(rows) });
    expect(cases.map((one) => one.eval?.should_trigger)).toEqual(expected === undefined ? [true] : [expected, true]);
    if (expected === undefined) expect(told).toContain('entry[0] does not say whether it should trigger');
  });

  test('an id that is there twice is called by another, and said', async () => {
    const rows = [
      { id: 'a', query: 'x', should_trigger: true },
      { id: 'a', query: 'y', should_trigger: false },
    ];
    const { cases, told } = await imported({ 'tea/evals/trigger-evals.json': JSON.stringify(rows) });
    expect(cases.map((one) => one.eval?.source?.id)).toEqual(['a', 'a-2']);
    expect(told).toContain('entry[1]: id a is there already');
  });
});

describe('other projects', () => {
  test('waza: tasks in files, graders of the eval, follow-ups', async () => {
    const { cases, told } = await imported({
      'tea/eval.yaml':
        'name: t\nskill: tea\nversion: "1"\nconfig: {trials_per_task: 3, executor: mock}\nmetrics: [{name: m, weight: 1, threshold: 0.5}]\ngraders: [{type: text, name: g, config: {regex_match: ["hot"]}}]\ntasks: ["tasks/*.yaml"]\n',
      'tea/tasks/one.yaml':
        'id: one\nname: One\ninputs: {prompt: Brew, follow_up_prompts: [More], files: [{path: a.txt, content: x}]}\nexpected: {output_contains: [cup], should_trigger: true}\n',
    });
    expect(cases[0]).toMatchObject({ name: 'tea-one', eval: { follow_ups: ['More'], should_trigger: true } });
    expect(cases[0]?.eval?.assertions.map(({ check }) => check?.type)).toEqual(['output-pattern', 'output-text']);
    expect(told).toContain('dropped: tea/eval.yaml: config (trials_per_task, executor)');
  });

  test('skill-validator: typed assertions, rubric, tools, activation', async () => {
    const { cases, told } = await imported({
      'tea/eval.yaml':
        'scenarios:\n- name: S\n  prompt: Brew\n  setup: {files: [{path: a.txt, content: x}], commands: [make]}\n  assertions: [{type: file_contains, path: a.txt, value: x}, {type: exit_success}, {type: odd}]\n  rubric: [Is hot]\n  reject_tools: [bash]\n  expect_activation: false\n  timeout: 60\n',
    });
    expect(cases[0]?.eval?.assertions.map(({ check }) => check?.type)).toEqual(['file-text', 'completed', undefined, 'tool']);
    expect(cases[0]?.eval?.should_trigger).toBe(false);
    expect(told).toContain('assertions[2]: a type that is not known');
    expect(told).toContain('setup.commands');
  });

  test('skillgrade: instruction, workspace, graders', async () => {
    const { cases } = await imported({
      'tea/eval.yaml':
        'version: "1"\nskill: ./skills/tea\ntasks:\n- name: brew\n  instruction: Brew\n  workspace: [{src: leaf.txt, dest: in/leaf.txt}]\n  graders: [{type: deterministic, run: "test -f cup", weight: 0.7}, {type: llm_rubric, rubric: Is hot, weight: 0.3}]\n',
      'tea/leaf.txt': 'green',
    });
    expect(cases[0]?.eval?.assertions).toMatchObject([
      { weight: 0.7, check: { command: 'test -f cup', min_score: 1 } },
      { weight: 0.3, text: 'Is hot' },
    ]);
  });

  test('skillgrade: a file that instruction, rubric or run names is meant by its text; what a grader needs is laid out for it alone', async () => {
    const { cases, files } = await imported({
      'tea/eval.yaml':
        'skill: .\ntasks:\n- name: brew\n  instruction: instructions/brew.md\n  solution: solutions/solve.sh\n  graders: [{type: deterministic, run: node graders/check.js}, {type: llm_rubric, rubric: rubrics/hot.md}, {type: deterministic, run: graders/all.sh}]\n',
      'tea/instructions/brew.md': 'Brew',
      'tea/graders/check.js': 'print',
      'tea/graders/all.sh': 'node graders/check.js',
      'tea/rubrics/hot.md': 'Is hot',
      'tea/solutions/solve.sh': 'pour',
    });
    expect(String(files['data/cases/tea-brew/task.txt'])).toBe('Brew');
    expect(cases[0]?.eval?.assertions).toMatchObject([
      { check: { command: 'node graders/check.js', min_score: 1, files: 'graders' } },
      { text: 'Is hot' },
      { check: { command: 'node graders/check.js', min_score: 1, files: 'graders' } },
    ]);
    expect(files['data/cases/tea-brew/graders/check.js']).toBe('print');
    expect(skillFiles(files)).toEqual(['SKILL.md']);
  });

  test('Harbor: the tests stay hidden from the agent and grade by their reward', async () => {
    const { cases, files, told } = await imported(
      {
        'tea/bench/brew/task.toml': 'version = "1.0"\n[agent]\ntimeout_sec = 60.0\n',
        'tea/bench/brew/instruction.md': 'Brew',
        'tea/bench/brew/tests/test.sh': 'echo 1 > /logs/verifier/reward.txt\n',
        'tea/bench/brew/environment/Dockerfile': 'FROM scratch\n',
      },
      { from: 'tea/bench' },
    );
    expect(cases[0]?.eval?.assertions).toMatchObject([{ id: 'reward', check: { type: 'command', files: 'lab-tests' } }]);
    expect(files['data/cases/tea-brew/lab-tests/test.sh']).toBe('echo 1 > $TMPDIR/verifier/reward.txt\n');
    expect(Object.keys(files).filter((path) => path.includes('/repo/'))).toEqual(['data/cases/tea-brew/repo/.gitkeep']);
    expect(told).toContain('environment/');
    expect(skillFiles(files), 'neither tests nor solution come along with the skill').toEqual(['SKILL.md']);
  });

  test('a task.toml that is no TOML is named with its place', async () => {
    const error = await imported({ 'tea/t/task.toml': 'version = \n' }).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(SettingsError);
    expect(error.message.split('\n')[0]).toBe('tea/t/task.toml:1:11 is not valid TOML');
  });

  test('waza: what is not read of a grader is named, and a prompt file lies beside its task', async () => {
    const { files, told, cases } = await imported({
      'tea/eval.yaml':
        'skill: tea\nconfig: {}\ngraders: [{type: file, name: f, config: {must_exist: [a], must_not_exist: [b], content_patterns: [{path: a}]}}]\ntasks: [tasks/one.yaml]\n',
      'tea/tasks/one.yaml': 'id: one\ninputs: {prompt_file: one.md}\n',
      'tea/tasks/one.md': 'Brew',
    });
    expect(String(files['data/cases/tea-one/task.txt'])).toBe('Brew');
    expect(cases[0]?.eval?.assertions.map(({ check }) => check)).toMatchObject([{ expect: 'exists' }, { expect: 'absent' }]);
    expect(told).toContain('graders[0] (type file): content_patterns of its config');
    expect(skillFiles(files)).toEqual(['SKILL.md']);
  });
});

describe('skills', () => {
  const other = (name: string, text: string) => `---\nname: ${name}\ndescription: Brews.\n---\n${text}\n`;
  const evals = JSON.stringify([{ id: 1, prompt: 'Brew', assertions: ['Hot'] }]);

  test('two skills of one name: the second is refused by name, and its evals never run with the first', async () => {
    const { cases, told } = await imported(
      { ...json(JSON.parse(evals)), 'old/tea/SKILL.md': other('tea', 'Boil'), 'old/tea/evals/evals.json': evals },
      { from: '' },
    );
    expect(cases.map((one) => one.eval?.source?.file)).toEqual(['old/tea/evals/evals.json']);
    expect(told).toContain('another skill called tea comes from old/tea: this one and its evals are not imported');
  });

  test('a copy of a skill with the same evals counts once', async () => {
    const skill = '---\nname: tea\ndescription: Brews tea.\n---\nWarm the pot.\n';
    const copy = { 'z/tea/SKILL.md': skill, 'z/tea/evals/evals.json': evals };
    const { cases, told } = await imported({ 'tea/evals/evals.json': evals, ...copy }, { from: '' });
    expect(cases).toHaveLength(1);
    expect(told).toContain('dropped: z/tea/evals/evals.json: the same evals of tea as in tea/evals/evals.json');
  });

  test('names of another script stay apart', async () => {
    const { cases, files } = await imported(
      {
        '煎茶/SKILL.md': other('煎茶', 'one'),
        '煎茶/evals/evals.json': evals,
        '緑茶/SKILL.md': other('緑茶', 'two'),
        '緑茶/evals/evals.json': evals,
      },
      { from: '' },
    );
    expect(cases.map((one) => one.eval?.skill)).toEqual(['skill', 'skill-2']);
    expect(String(files['skills-src/skill-2/SKILL.md'])).toContain('two');
  });

  test('an eval that names another skill is run with that one', async () => {
    const { cases, told } = await imported({
      ...json({
        evals: [
          { id: 1, skill: 'tea', prompt: 'a', assertions: ['x'] },
          { id: 2, skill: 'milk', prompt: 'b', assertions: ['x'] },
          { id: 3, skill: 'gone', prompt: 'c', assertions: ['x'] },
        ],
      }),
      'milk/SKILL.md': other('milk', 'Warm'),
    });
    expect(cases.map((one) => one.eval?.skill)).toEqual(['tea', 'milk']);
    expect(told).toContain('missing: tea/evals/evals.json: no SKILL.md of gone: 1 evals that name it are not imported');
  });

  test.each([
    ['its own folder', { skill: 'pdf' }, ['SKILL.md', 'core/lib.py', 'forms.md', 'notes.md']],
    ['a repository', {}, ['SKILL.md', 'forms.md']],
  ])('a skill at the root of %s comes with its files, and what stays behind is said', async (_, more, expected) => {
    const all: Record<string, string> = {
      'SKILL.md': other('pdf', 'Read forms.md'),
      'forms.md': 'f',
      'notes.md': 'n',
      'core/lib.py': 'l',
      'evals/evals.json': evals,
    };
    const made = await importEvals(
      {
        ...more,
        read: async (path) => (all[path] === undefined ? null : Buffer.from(all[path])),
        list: async (folder) => Object.keys(all).filter((path) => folder === '' || path.startsWith(`${folder}/`)),
      },
      { from: 'evals/evals.json' },
    );
    expect(skillFiles(made.files)).toEqual(expected);
    const left = made.losses.filter(({ status }) => status === 'dropped').map(({ what }) => what.split(' of the ')[0]);
    expect(left).toEqual(expected.length === 2 ? ['notes.md, core/lib.py'] : []);
  });
});
