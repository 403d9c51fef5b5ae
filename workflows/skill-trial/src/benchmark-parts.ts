import type { Benchmark, BenchmarkRun } from './benchmark.js';
import { type AssertionGrade, countGrades, passRate } from './grade.js';

/** Files of an export by path: text, or the bytes of a file that a run made. */
export type ExportFiles = Record<string, string | Buffer>;

/** The two configurations of a benchmark by their names in other projects. */
export const configurations = [
  ['with_skill', 'with'],
  ['without_skill', 'without'],
] as const;

export function exportJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** The grades that a dialect can hold; an unscored one has no place in any and is left out of every count. */
export function scoredOnly(run: BenchmarkRun): AssertionGrade[] {
  return run.timedOut
    ? run.assertions.map((one) => ({ ...one, passed: false, evidence: 'the run timed out' }))
    : run.assertions.filter(({ passed }) => passed !== null);
}

/** A grade in the form that all dialects share. */
export function gradeRow({ text, passed, evidence }: AssertionGrade) {
  return { text, passed: passed === true, evidence };
}

/** Counts of one run. A rate of nothing is unknown and left out: other projects read a null as 0, or stop at it. */
export function runSummary(run: BenchmarkRun) {
  const { passed, total } = countGrades([run]).all;
  const rate = passRate({ passed, total });
  return { passed, failed: total - passed, total, ...(rate === null ? {} : { pass_rate: rate }) };
}

/** What a reader of one run must know. */
export function notesOf(run: BenchmarkRun): string[] {
  const unscored = run.timedOut ? [] : run.assertions.filter(({ passed }) => passed === null);
  return [
    ...(run.timedOut ? ['timed out: counted as passing none'] : []),
    ...unscored.map(({ text, evidence }) => `unscored, in no count: ${text} (${evidence})`),
    ...(run.files ?? []).flatMap(({ path, bytesLeftOut }) =>
      bytesLeftOut === undefined ? [] : [`too large to be kept here: ${path} (${bytesLeftOut} bytes)`],
    ),
    ...(run.moreFiles === undefined ? [] : [`${run.moreFiles} more files were left than are named here`]),
  ];
}

/** What a reader of the whole file must know. */
export function notesOfAll({ scripted, deliver }: Pick<Benchmark, 'scripted' | 'deliver'>): string[] {
  return [
    ...(scripted ? ['SCRIPTED: a script stood in for the model or the judge; nothing here is measured'] : []),
    ...(deliver === 'prompt' ? ['with_skill: the text of the skill stood in front of the prompt, and no skill was listed'] : []),
  ];
}
