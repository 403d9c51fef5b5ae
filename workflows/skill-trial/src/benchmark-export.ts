import type { Benchmark, BenchmarkEval } from './benchmark.js';
import type { ExportFiles } from './benchmark-parts.js';
import { piFiles } from './benchmark-pi.js';
import { skillCreatorFiles } from './benchmark-skill-creator.js';
import type { EvalOutput } from './experiment.js';

/** benchmark.json, grading.json and timing.json of one skill's evals, by path below the iteration's folder, for each dialect. */
const writers: Record<
  EvalOutput['dialect'],
  (benchmark: Benchmark, skill: string, evals: BenchmarkEval[], iteration: number, at: string) => ExportFiles
> = {
  'skill-creator': (benchmark, skill, evals, _iteration, at) => skillCreatorFiles('expectations', benchmark, skill, evals, at),
  agentskills: (benchmark, skill, evals, _iteration, at) => skillCreatorFiles('assertion_results', benchmark, skill, evals, at),
  pi: piFiles,
};

/** The files of an iteration in a dialect: one folder for each skill. `at` is the time written into them. */
export function exportBenchmark(
  benchmark: Benchmark,
  dialect: EvalOutput['dialect'],
  iteration: number,
  at: string,
): ExportFiles {
  const skills = [...new Set(benchmark.evals.map(({ skill }) => skill))];
  return Object.assign(
    {},
    ...skills.map((skill) => {
      const own = benchmark.evals.filter((one) => one.skill === skill);
      return prefixed(`${skill}/`, writers[dialect](benchmark, skill, own, iteration, at));
    }),
  );
}

function prefixed(prefix: string, files: ExportFiles): ExportFiles {
  return Object.fromEntries(Object.entries(files).map(([path, content]) => [`${prefix}${path}`, content]));
}
