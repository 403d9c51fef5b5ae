import { type Benchmark, type BenchmarkEval, type BenchmarkRun, meanOf } from './benchmark.js';
import type { EvalOutput } from './experiment.js';
import { type AssertionGrade, countGrades, passRate } from './grade.js';

/** The two configurations of a benchmark by their names in other projects. */
const configurations = [
  ['with_skill', 'with'],
  ['without_skill', 'without'],
] as const;

type Files = Record<string, string>;

/** benchmark.json, grading.json and timing.json of one skill's evals, by path below the iteration's folder, for each dialect. */
const writers: Record<
  EvalOutput['dialect'],
  (benchmark: Benchmark, skill: string, evals: BenchmarkEval[], iteration: number, at: string) => Files
> = {
  'skill-creator': (...parts) => creator('expectations', ...parts),
  agentskills: (...parts) => creator('assertion_results', ...parts),
  pi,
};

/** The files of an iteration in a dialect: one folder for each skill. `at` is the time written into them. */
export function exportBenchmark(benchmark: Benchmark, dialect: EvalOutput['dialect'], iteration: number, at: string): Files {
  const skills = [...new Set(benchmark.evals.map(({ skill }) => skill))];
  return Object.assign(
    {},
    ...skills.map((skill) => {
      const own = benchmark.evals.filter((one) => one.skill === skill);
      return prefixed(`${skill}/`, writers[dialect](benchmark, skill, own, iteration, at));
    }),
  );
}

function prefixed(prefix: string, files: Files): Files {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`${prefix}${path}`, text]));
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** A grade in the form that all dialects share; an unscored one has no place in them and is left out of every count. */
function scoredOnly(run: BenchmarkRun): AssertionGrade[] {
  return run.timedOut
    ? run.assertions.map((one) => ({ ...one, passed: false, evidence: 'the run timed out' }))
    : run.assertions.filter(({ passed }) => passed !== null);
}

function row({ text, passed, evidence }: AssertionGrade) {
  return { text, passed: passed === true, evidence };
}

function summary(run: BenchmarkRun) {
  const { passed, total } = countGrades([run]).all;
  return { passed, failed: total - passed, total, pass_rate: passRate({ passed, total }) ?? 0 };
}

function notesOf(run: BenchmarkRun): string[] {
  const unscored = run.timedOut ? [] : run.assertions.filter(({ passed }) => passed === null);
  return [
    ...(run.timedOut ? ['timed out: counted as passing none'] : []),
    ...unscored.map(({ text, evidence }) => `unscored, in no count: ${text} (${evidence})`),
  ];
}

/** What a reader of the whole file must know. */
function notesOfAll({ scripted, deliver }: Benchmark): string[] {
  return [
    ...(scripted ? ['SCRIPTED: a script stood in for the model or the judge; nothing here is measured'] : []),
    ...(deliver === 'prompt' ? ['with_skill: the text of the skill stood in front of the prompt, and no skill was listed'] : []),
  ];
}

/** Mean, sample deviation, smallest, largest; of nothing: null throughout. */
function spread(values: (number | null)[]) {
  const known = values.filter((value) => value !== null);
  const mean = meanOf(known);
  if (mean === null) return { mean: null, stddev: null, min: null, max: null };
  const squares = known.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return {
    mean,
    stddev: known.length < 2 ? 0 : Math.sqrt(squares / (known.length - 1)),
    min: Math.min(...known),
    max: Math.max(...known),
  };
}

function creator(
  list: 'expectations' | 'assertion_results',
  benchmark: Benchmark,
  skill: string,
  evals: BenchmarkEval[],
  _iteration: number,
  at: string,
): Files {
  const files: Files = {};
  const runs = evals.flatMap((one, index) =>
    configurations.flatMap(([configuration, side]) =>
      one[side].map((run) => {
        const folder = `eval-${one.id ?? index + 1}/${configuration}/run-${run.repeat}`;
        const expectations = scoredOnly(run).map(row);
        files[`${folder}/grading.json`] = json({
          [list]: expectations,
          summary: summary(run),
          execution_metrics: { total_tool_calls: run.toolCalls, output_chars: run.response.length },
          timing: { total_duration_seconds: run.seconds },
          user_notes_summary: { uncertainties: [], needs_review: notesOf(run), workarounds: [] },
        });
        files[`${folder}/timing.json`] = json({
          total_tokens: run.tokens,
          duration_ms: run.seconds === null ? null : Math.round(run.seconds * 1000),
          total_duration_seconds: run.seconds,
        });
        files[`${folder}/outputs/response.md`] = run.response;
        return {
          eval_id: one.id ?? index + 1,
          eval_name: one.name,
          configuration,
          run_number: run.repeat,
          result: {
            ...summary(run),
            time_seconds: run.seconds,
            tokens: run.tokens,
            tool_calls: run.toolCalls,
            errors: run.status === 'failed' ? 1 : 0,
          },
          expectations,
          notes: notesOf(run),
        };
      }),
    ),
  );
  for (const [index, one] of evals.entries())
    files[`eval-${one.id ?? index + 1}/eval_metadata.json`] = json({
      eval_id: one.id ?? index + 1,
      eval_name: one.name,
      prompt: one.prompt,
    });
  const figures = Object.fromEntries(
    configurations.map(([configuration, side]) => {
      const all = evals.flatMap((one) => one[side]);
      return [
        configuration,
        {
          pass_rate: spread(all.map((run) => passRate(countGrades([run]).all))),
          time_seconds: spread(all.map(({ seconds }) => seconds)),
          tokens: spread(all.map(({ tokens }) => tokens)),
        },
      ];
    }),
  ) as Record<'with_skill' | 'without_skill', Record<'pass_rate' | 'time_seconds' | 'tokens', ReturnType<typeof spread>>>;
  const difference = (what: 'pass_rate' | 'time_seconds' | 'tokens', digits: number) => {
    const [high, low] = [figures.with_skill[what].mean, figures.without_skill[what].mean];
    if (high === null || low === null) return null;
    return list === 'expectations' ? `${high - low < 0 ? '' : '+'}${(high - low).toFixed(digits)}` : high - low;
  };
  files['benchmark.json'] = json({
    metadata: {
      skill_name: skill,
      skill_path: `skills-src/${skill}`,
      executor_model: benchmark.model,
      analyzer_model: benchmark.judge,
      timestamp: at,
      evals_run: evals.map((one, index) => one.id ?? index + 1),
      runs_per_configuration: benchmark.repeats,
    },
    runs,
    run_summary: {
      ...figures,
      delta: {
        pass_rate: difference('pass_rate', 2),
        time_seconds: difference('time_seconds', 1),
        tokens: difference('tokens', 0),
      },
    },
    notes: notesOfAll(benchmark),
  });
  return files;
}
function pi(benchmark: Benchmark, skill: string, evals: BenchmarkEval[], iteration: number): Files {
  const files: Files = {};
  const variant = (runs: BenchmarkRun[]) => {
    const { passed, total } = countGrades(runs).all;
    const mean = (values: (number | null)[]) => meanOf(values);
    const seconds = mean(runs.map((run) => run.seconds));
    return {
      passed,
      total,
      tokens: mean(runs.map((run) => run.tokens)),
      duration_ms: seconds === null ? null : Math.round(seconds * 1000),
    };
  };
  const named = evals.map((one, index) => ({ ...one, folder: one.name === '' ? `eval-${index + 1}` : one.case }));
  for (const one of named)
    for (const [configuration, side] of configurations)
      for (const run of one[side]) {
        const folder = `${benchmark.repeats > 1 ? `trial-${run.repeat}/` : ''}${one.folder}/${configuration}`;
        files[`${folder}/grading.json`] = json({
          expectations: scoredOnly(run).map(({ id, ...rest }) => ({ id, ...row({ id, ...rest }) })),
          summary: summary(run),
        });
        files[`${folder}/outputs/prompt.txt`] = one.prompt;
        files[`${folder}/outputs/raw_result.json`] = json({ result: run.response, status: run.status });
      }
  const totals = Object.fromEntries(configurations.map(([name, side]) => [name, variant(evals.flatMap((one) => one[side]))]));
  const [withIt, without] = [totals.with_skill, totals.without_skill] as [ReturnType<typeof variant>, ReturnType<typeof variant>];
  const difference = (high: number | null, low: number | null) => (high === null || low === null ? null : high - low);
  files['benchmark.json'] = json({
    skill_name: skill,
    iteration,
    num_evals: evals.length,
    summary: {
      ...Object.fromEntries(
        Object.entries(totals).map(([name, { passed, total, tokens, duration_ms }]) => [
          name,
          {
            pass_rate: passRate({ passed, total }),
            passes: `${passed}/${total}`,
            mean_tokens: tokens,
            mean_duration_ms: duration_ms,
          },
        ]),
      ),
      delta_pass_rate: difference(passRate(withIt), passRate(without)),
      delta_tokens: difference(withIt.tokens, without.tokens),
      delta_duration_ms: difference(withIt.duration_ms, without.duration_ms),
    },
    evals: named.map((one) => ({
      name: one.name,
      ...Object.fromEntries(
        configurations.map(([configuration, side]) => [
          configuration,
          {
            ...variant(one[side]),
            assertions: one[side].flatMap((run) => scoredOnly(run).map(({ id, ...rest }) => ({ id, ...row({ id, ...rest }) }))),
          },
        ]),
      ),
    })),
    ...(notesOfAll(benchmark).length === 0 ? {} : { notes: notesOfAll(benchmark) }),
  });
  return files;
}
