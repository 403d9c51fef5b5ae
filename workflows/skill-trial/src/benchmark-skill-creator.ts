import { type Benchmark, type BenchmarkEval, type BenchmarkRun, meanOf } from './benchmark.js';
import {
  configurations,
  type ExportFiles,
  exportJson,
  gradeRow,
  notesOf,
  notesOfAll,
  runSummary,
  scoredOnly,
} from './benchmark-parts.js';
import { countGrades, passRate } from './grade.js';

/**
 * The workspace that skill-creator's viewer and its aggregation read (decision 0033 says by which version that was tried):
 * eval-<id>/<configuration>/run-<n> with grading.json, timing.json, eval_metadata.json and outputs/, and benchmark.json beside them.
 */
export function skillCreatorFiles(
  list: 'expectations' | 'assertion_results',
  benchmark: Benchmark,
  skill: string,
  evals: BenchmarkEval[],
  at: string,
): ExportFiles {
  const files: ExportFiles = {};
  const ids = idsOf(evals);
  const runs = evals.flatMap((one, index) => {
    const id = ids[index] as string | number;
    const metadata = exportJson({ eval_id: id, eval_name: one.name, prompt: one.prompt });
    files[`eval-${id}/eval_metadata.json`] = metadata;
    return configurations.flatMap(([configuration, side]) =>
      one[side].map((run) => {
        const folder = `eval-${id}/${configuration}/run-${run.repeat}`;
        const expectations = scoredOnly(run).map(gradeRow);
        files[`${folder}/grading.json`] = exportJson({
          [list]: expectations,
          summary: runSummary(run),
          execution_metrics: {
            ...(run.toolCalls === null ? {} : { total_tool_calls: run.toolCalls }),
            output_chars: run.response.length,
          },
          user_notes_summary: { uncertainties: [], needs_review: notesOf(run), workarounds: [] },
        });
        // in timing.json alone: the aggregation reads its tokens only where grading.json tells no time
        files[`${folder}/timing.json`] = exportJson({
          ...(run.tokens === null ? {} : { total_tokens: run.tokens }),
          ...(run.seconds === null ? {} : { duration_ms: Math.round(run.seconds * 1000), total_duration_seconds: run.seconds }),
        });
        // the viewer looks in the run's own folder and in the one above
        files[`${folder}/eval_metadata.json`] = metadata;
        for (const [path, content] of Object.entries(outputsOf(run))) files[`${folder}/outputs/${path}`] = content;
        return {
          eval_id: id,
          eval_name: one.name,
          configuration,
          run_number: run.repeat,
          result: {
            ...runSummary(run),
            time_seconds: run.seconds,
            tokens: run.tokens,
            tool_calls: run.toolCalls,
            errors: run.status === 'failed' ? 1 : 0,
          },
          expectations,
          notes: notesOf(run),
        };
      }),
    );
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
    const [high, low] = [figures.with_skill[what]?.mean, figures.without_skill[what]?.mean];
    if (high === undefined || low === undefined) return null;
    return list === 'expectations' ? `${high - low < 0 ? '' : '+'}${(high - low).toFixed(digits)}` : high - low;
  };
  files['benchmark.json'] = exportJson({
    metadata: {
      skill_name: skill,
      skill_path: `skills-src/${skill}`,
      executor_model: benchmark.model,
      analyzer_model: benchmark.judge,
      timestamp: at,
      evals_run: ids,
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

/** What a run answered and the files that it left, as the viewer shows them; what is no longer there or too large is in no file. */
function outputsOf({ response, files = [] }: BenchmarkRun): ExportFiles {
  const made = files.flatMap(({ path, text, binary }): [string, string | Buffer][] => {
    const content = binary === null ? text : Buffer.from(binary, 'base64');
    return content === null ? [] : [[path, content]];
  });
  // as a file or as a folder
  const taken = (name: string) => made.some(([path]) => path === name || path.startsWith(`${name}/`));
  let answer = 'response.md';
  for (let n = 1; taken(answer); n++) answer = n === 1 ? 'final-answer.md' : `final-answer-${n}.md`;
  return { ...Object.fromEntries(made), [answer]: response };
}

/** An id for each eval, all of one type, as they are sorted by it: the source's own, or text where they are mixed or missing. */
function idsOf(evals: BenchmarkEval[]): (string | number)[] {
  if (evals.every(({ id }) => typeof id === 'number')) return evals.map(({ id }) => id as number);
  if (evals.every(({ id }) => id === null)) return evals.map((_, index) => index + 1);
  return evals.map(({ id }, index) => String(id ?? index + 1));
}

/** Mean, sample deviation, smallest, largest; null of nothing: the viewer then draws a dash, and stops at a mean of null. */
function spread(values: (number | null)[]) {
  const known = values.filter((value) => value !== null);
  const mean = meanOf(known);
  if (mean === null) return null;
  const squares = known.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return {
    mean,
    stddev: known.length < 2 ? 0 : Math.sqrt(squares / (known.length - 1)),
    min: Math.min(...known),
    max: Math.max(...known),
  };
}
