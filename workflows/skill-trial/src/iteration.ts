import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type BenchmarkRun, EarlierBenchmark, makeBenchmark } from './benchmark.js';
import { benchmarkChanges } from './benchmark-change.js';
import { exportBenchmark } from './benchmark-export.js';
import { benchmarkMarkdown } from './benchmark-markdown.js';
import type { ExportFiles } from './benchmark-parts.js';
import { SettingsError } from './errors.js';
import { hashOf } from './hash.js';
import { jsonBytes, type MadeFiles, madeFiles, mostOfAll } from './made-file.js';
import type { RunPaths } from './paths.js';
import { prettyJson, readJson } from './record.js';
import { readCalls } from './recording.js';
import { reviewPage } from './review-page.js';
import type { Study } from './study.js';
import { sumUsage } from './usage.js';
import { answeredCalls } from './usage-record.js';

/** The folders of all iterations, the first one first. */
export async function listIterations(run: RunPaths): Promise<string[]> {
  return (await iterationNumbers(run)).map(run.iteration);
}

async function iterationNumbers({ run }: RunPaths): Promise<number[]> {
  return (await readdir(run))
    .flatMap((name) => /^iteration-(\d+)$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

/** The most characters of one answer that a benchmark holds, and of all answers: each may take six bytes as JSON. */
const [longestAnswer, mostAnswers] = [2 ** 20, 16 * 2 ** 20];

/** The beginning of an answer that is too long to be held with all others, and how much it is of the whole. */
export function beginningOf(answer: string, most: number): string {
  return answer.length <= most
    ? answer
    : `${answer.slice(0, most)}\n[the first ${most} of ${answer.length} characters; the whole is in response.md of the record]\n`;
}

/**
 * What the runs of an earlier iteration left, by their content: a patch names its files by their hashes, so that the same one leaves the
 * same. Only where nothing had to be left out.
 */
export function filesByContent({ evals }: EarlierBenchmark): Map<string, MadeFiles> {
  const runs: BenchmarkRun[] = evals.flatMap((one) => [...one.with, ...one.without, ...Object.values(one.further).flat()]);
  return new Map(
    runs.flatMap(({ content, files = [], moreFiles = 0 }): [string, MadeFiles][] => {
      const whole = files.every(({ kind, text, binary }) => kind === 'deleted' || text !== null || binary !== null);
      return files.length > 0 && moreFiles === 0 && whole ? [[content, { files, more: 0 }]] : [];
    }),
  );
}

/**
 * Writes the results of graded evals as iteration-N: benchmark.md, review.html, results.json, and a folder for each skill in the
 * dialect of experiment.yaml. Equal results are the iteration that is there; other ones are the next. Null where nothing is graded.
 */
export async function writeIteration(study: Study): Promise<{ number: number; folder: string; fresh: boolean } | null> {
  const { lab, grading } = study;
  if (grading === null || lab.experiment.evals === undefined) return null;
  const responses = new Map<string, string>();
  const made = new Map<string, MadeFiles>();
  const tokens = new Map<string, number | null>();
  const last = (await iterationNumbers(lab.run)).at(-1);
  const before = last === undefined ? null : await readJson(join(lab.run.iteration(last), 'results.json'), EarlierBenchmark);
  const known = before === null ? new Map<string, MadeFiles>() : filesByContent(before);
  let room = mostOfAll;
  for (const trial of study.trials) {
    const response = await readFile(join(trial.folder, 'response.md'), 'utf8');
    responses.set(trial.record.id, beginningOf(response, Math.min(longestAnswer, Math.floor(mostAnswers / study.trials.length))));
    const earlier = known.get(trial.record.content);
    const own = earlier !== undefined && jsonBytes(earlier.files) <= room ? earlier : await madeFiles(lab, trial, room);
    room -= jsonBytes(own.files);
    made.set(trial.record.id, own);
    const answered = answeredCalls(await readCalls(trial.folder));
    const { inputTotal, output } = sumUsage(answered.map(({ usage }) => usage));
    const isKnown = answered.length > 0 && inputTotal !== null && output !== null;
    tokens.set(trial.record.id, isKnown ? inputTotal + output : null);
  }
  const benchmark = makeBenchmark(study, responses, made, tokens);
  const same = before !== null && hashOf(before) === hashOf(benchmark);
  const number = same ? (last as number) : (last ?? 0) + 1;
  const folder = lab.run.iteration(number);
  if (same) return { number, folder, fresh: false };
  const changes = before === null ? null : benchmarkChanges(before, benchmark);
  const files: ExportFiles = {
    'results.json': prettyJson(benchmark),
    'benchmark.md': benchmarkMarkdown(
      benchmark,
      number,
      changes?.map((row) => `${row.case}.${row.arm}.${row.repeat} ${row.assertion}: ${row.before} → ${row.now}`) ?? null,
    ),
    'review.html': reviewPage(benchmark, number, changes),
    ...exportBenchmark(benchmark, lab.experiment.evals.dialect, number, lab.now().toISOString()),
  };
  for (const [path, content] of Object.entries(files)) {
    // ids are a source's own words
    if (path.split('/').some((part) => part === '..' || part === ''))
      throw new SettingsError(`${path} is no path of an export`, {
        expected: 'ids without slashes',
        found: path,
        next: 'change the id of the eval',
      });
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return { number, folder, fresh: true };
}
