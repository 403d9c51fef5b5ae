import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Benchmark } from '../src/benchmark.js';
import { makeBenchmark } from '../src/benchmark.js';
import { exportBenchmark } from '../src/benchmark-export.js';
import { readBenchmark } from '../src/benchmark-reading.js';
import { readCase } from '../src/case.js';
import { importEvals } from '../src/eval-import.js';
import { Experiment } from '../src/experiment.js';
import type { TrialGrade } from '../src/grade.js';
import type { SourceTree } from '../src/source-tree.js';
import type { Study } from '../src/study.js';
import { tempFolder, trialResult } from './fixture.js';

// Import → run → export → read back, for every dialect. No agent runs here: the runs are made up, one that passes everything with the
// skill and one that passes nothing without it. workflows/test/evals.test.ts runs evals with a real agent.

const skill = '---\nname: tea\ndescription: Brews tea.\n---\nWarm the pot.\n';

/** The files of one dialect; ids, names and sentences as they must come back. */
const dialects: Record<string, { files: Record<string, string>; out: string; ids: unknown[]; texts: string[][] }> = {
  'skill-creator': {
    files: {
      'tea/evals/evals.json': JSON.stringify({
        skill_name: 'tea',
        evals: [
          { id: 0, prompt: 'Brew', expectations: ['Cup is full', 'Cup is hot'] },
          { id: 7, prompt: 'Pour', expectations: ['Nothing is spilt'] },
        ],
      }),
    },
    out: 'skill-creator',
    ids: [0, 7],
    texts: [['Cup is full', 'Cup is hot'], ['Nothing is spilt']],
  },
  agentskills: {
    files: {
      'tea/evals/evals.json': JSON.stringify({
        skill_name: 'tea',
        evals: [{ id: 1, prompt: 'Brew', assertions: ['Cup is full'] }],
      }),
    },
    out: 'agentskills',
    ids: [1],
    texts: [['Cup is full']],
  },
  pi: {
    files: {
      'tea/evals/evals.json': JSON.stringify({
        skill_name: 'tea',
        evals: [
          { id: 'b', name: 'brew', prompt: 'Brew', assertions: [{ id: 'full', text: 'Cup is full', type: 'behavior' }] },
          { id: 'p', name: 'pour', prompt: 'Pour', assertions: [{ id: 'dry', text: 'Nothing is spilt', type: 'quality' }] },
        ],
      }),
    },
    out: 'pi',
    ids: ['brew', 'pour'],
    texts: [['Cup is full'], ['Nothing is spilt']],
  },
  benchflow: {
    files: {
      'tea/evals/evals.json': JSON.stringify({
        version: '1',
        skill_name: 'tea',
        cases: [{ id: 'b1', question: 'Brew', ground_truth: 'A cup', expected_behavior: ['Cup is full'] }],
      }),
    },
    out: 'skill-creator',
    ids: ['b1'],
    texts: [['Cup is full']],
  },
  waza: {
    files: {
      'tea/eval.yaml': 'name: t\nskill: tea\nversion: "1"\nconfig: {executor: mock}\ntasks: ["tasks/*.yaml"]\n',
      'tea/tasks/one.yaml': 'id: one\nname: One\ninputs: {prompt: Brew}\nexpected: {output_contains: [cup]}\n',
    },
    out: 'skill-creator',
    ids: ['one'],
    texts: [[expect.stringContaining('cup') as never as string]],
  },
  'dotnet skill-validator': {
    files: { 'tea/eval.yaml': 'scenarios:\n- name: brews\n  prompt: Brew\n  rubric: [Cup is hot]\n' },
    out: 'skill-creator',
    ids: [1],
    texts: [['Cup is hot']],
  },
  skillgrade: {
    files: {
      'tea/eval.yaml':
        'version: "1"\nskill: ./tea\ntasks:\n- name: brew\n  instruction: Brew\n  graders: [{type: llm_rubric, rubric: Cup is hot, weight: 1}]\n',
    },
    out: 'skill-creator',
    // it has names and no ids
    ids: [1],
    texts: [['Cup is hot']],
  },
  harbor: {
    files: {
      'tea/brew/task.toml': 'version = "1.0"\n',
      'tea/brew/instruction.md': 'Brew',
      'tea/brew/tests/test.sh': 'echo 1 > /logs/verifier/reward.txt\n',
    },
    out: 'skill-creator',
    ids: ['brew'],
    texts: [[expect.any(String) as never as string]],
  },
  triggers: {
    files: {
      'tea/evals/trigger-evals.json': JSON.stringify([
        { query: 'make tea', should_trigger: true },
        { query: 'mend a tea cup', should_trigger: false },
      ]),
    },
    out: 'skill-creator',
    ids: [1, 2],
    texts: [[], []],
  },
};

/** Imports, and makes the benchmark of one run on each side of every eval. */
async function run(files: Record<string, string>): Promise<{ benchmark: Benchmark; experiment: Experiment }> {
  const all: Record<string, string> = { 'tea/SKILL.md': skill, ...files };
  const tree: SourceTree = {
    read: async (path) => (all[path] === undefined ? null : Buffer.from(all[path])),
    list: async (folder) => Object.keys(all).filter((path) => folder === '' || path.startsWith(`${folder}/`)),
  };
  const made = await importEvals(tree, { from: 'tea' });
  const root = await tempFolder(made.files);
  const experiment = Experiment.parse(parse(String(made.files[`data/experiments/${made.experiments[0]}/experiment.yaml`])));
  const cases = new Map(
    await Promise.all(made.cases.map(async (name) => [name, await readCase(join(root, 'data/cases', name))] as const)),
  );
  const trials = made.cases.flatMap((name) => ['A', 'B'].map((arm) => ({ id: `${name}.${arm}.1`, case: name, arm, repeat: 1 })));
  const study = {
    lab: { experiment, cases },
    results: trials.map((trial) => trialResult({ ...trial, values: { elapsed_seconds: 2 } })),
    grading: {
      schemaVersion: 1,
      judge: 'made-up',
      judgeScripted: true,
      trials: trials.map(
        ({ id, ...trial }): TrialGrade => ({
          trial: id,
          ...trial,
          content: 'c',
          skill: 'tea',
          timedOut: false,
          assertions: (cases.get(trial.case)?.eval?.assertions ?? []).map(({ id: own, text, kind, check }) => ({
            id: own,
            text,
            kind,
            by: check === undefined ? 'judge' : 'check',
            passed: trial.arm === 'B',
            evidence: 'made up',
          })),
          trigger: null,
          records: [],
        }),
      ),
    },
  } as never as Study;
  return { benchmark: makeBenchmark(study, new Map(trials.map(({ id }) => [id, `answer of ${id}`]))), experiment };
}

test.each(Object.entries(dialects))('%s: import, run, export, read back', async (_, { files, out, ids, texts }) => {
  const { benchmark, experiment } = await run(files);
  expect(experiment.evals?.dialect).toBe(out);
  const exported = exportBenchmark(benchmark, experiment.evals?.dialect ?? 'skill-creator', 1, '2026-01-01T00:00:00.000Z');
  const total = texts.flat().length;
  const back = readBenchmark(exported['tea/benchmark.json'] as string, 'benchmark.json');
  expect(back.skill).toBe('tea');
  const side = (passed: number) => ({ count: total === 0 ? null : { passed, total } });
  expect(back.configurations).toMatchObject({ with_skill: side(total), without_skill: side(0) });
  // tokens were not measured: they come back unknown
  expect(back.configurations.with_skill?.tokens).toBeNull();

  const written = JSON.parse(exported['tea/benchmark.json'] as string);
  const named = out === 'pi' ? written.evals.map((one: { name: string }) => one.name) : written.metadata.evals_run;
  expect(named).toEqual(ids);
  const gradings = Object.keys(exported).filter(
    (path) => path.endsWith('with_skill/run-1/grading.json') || /\/with_skill\/grading\.json$/.test(path),
  );
  const withSkill = gradings.filter((path) => !path.includes('without_skill'));
  expect(withSkill).toHaveLength(ids.length);
  for (const [index, path] of withSkill.entries()) {
    const grading = JSON.parse(exported[path] as string);
    const rows = (grading.expectations ?? grading.assertion_results) as { text: string; passed: boolean }[];
    expect(rows.map(({ text }) => text)).toEqual(texts[index]);
    expect(rows.every(({ passed }) => passed)).toBe(true);
    expect(grading.summary).toMatchObject({ passed: rows.length, failed: 0, total: rows.length });
    const answer = exported[join(dirname(path), out === 'pi' ? 'outputs/raw_result.json' : 'outputs/response.md')];
    expect(answer).toContain('answer of tea');
  }
});

test('files of several dialects in one folder make one experiment, and each skill its own benchmark', async () => {
  const { benchmark } = await run({
    ...dialects.pi?.files,
    ...dialects.triggers?.files,
    ...dialects.harbor?.files,
    'cake/SKILL.md': skill.replaceAll('tea', 'cake'),
  });
  expect(benchmark.evals.map(({ id }) => id)).toHaveLength(5);
  const exported = exportBenchmark(benchmark, 'agentskills', 1, '2026-01-01T00:00:00.000Z');
  expect(readBenchmark(exported['tea/benchmark.json'] as string, 'b').configurations.with_skill?.count).toEqual({
    passed: 3,
    total: 3,
  });
});
