import { type Benchmark, type BenchmarkEval, type BenchmarkRun, meanOf } from './benchmark.js';
import { configurations, type ExportFiles, exportJson, gradeRow, notesOfAll, runSummary, scoredOnly } from './benchmark-parts.js';
import { countGrades, passRate } from './grade.js';

/** pi-skill-eval’s form. */
export function piFiles(benchmark: Benchmark, skill: string, evals: BenchmarkEval[], iteration: number): ExportFiles {
  const files: ExportFiles = {};
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
        files[`${folder}/grading.json`] = exportJson({
          expectations: scoredOnly(run).map(({ id, ...rest }) => ({ id, ...gradeRow({ id, ...rest }) })),
          summary: runSummary(run),
        });
        files[`${folder}/outputs/prompt.txt`] = one.prompt;
        files[`${folder}/outputs/raw_result.json`] = exportJson({ result: run.response, status: run.status });
      }
  const totals = Object.fromEntries(configurations.map(([name, side]) => [name, variant(evals.flatMap((one) => one[side]))]));
  const [withIt, without] = [totals.with_skill, totals.without_skill] as [ReturnType<typeof variant>, ReturnType<typeof variant>];
  const difference = (high: number | null, low: number | null) => (high === null || low === null ? null : high - low);
  files['benchmark.json'] = exportJson({
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
            assertions: one[side].flatMap((run) =>
              scoredOnly(run).map(({ id, ...rest }) => ({ id, ...gradeRow({ id, ...rest }) })),
            ),
          },
        ]),
      ),
    })),
    ...(notesOfAll(benchmark).length === 0 ? {} : { notes: notesOfAll(benchmark) }),
  });
  return files;
}
