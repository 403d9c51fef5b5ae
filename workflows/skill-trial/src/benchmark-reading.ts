import { SettingsError } from './errors.js';
import { firstOf, isObject, type Loose } from './eval-reading.js';
import { jsonOf } from './eval-source.js';
import type { PassCount } from './grade.js';

/** What a benchmark.json of any dialect says of one configuration. Counts where it holds any, else the rate alone; tokens 0 are unknown. */
export interface BenchmarkSide {
  count: PassCount | null;
  rate: number | null;
  tokens: number | null;
}

export interface ReadBenchmark {
  skill: string | null;
  /** By the names that the file uses: with_skill, without_skill, old_skill, new_skill. */
  configurations: Record<string, BenchmarkSide>;
}

/** Reads a benchmark.json as projects write it: a rate as a fraction, in per cent or as "3/3"; runs, configurations[] or a summary. */
export function readBenchmark(text: string, file: string): ReadBenchmark {
  const value = jsonOf(text.replace(/^\uFEFF/, ''), file);
  if (!isObject(value)) {
    throw new SettingsError(`${file} is no benchmark`, {
      expected: 'an object',
      found: JSON.stringify(value)?.slice(0, 60) ?? 'nothing',
      next: 'give a benchmark.json',
    });
  }
  const metadata = isObject(value.metadata) ? value.metadata : {};
  const skill = firstOf({ ...value, ...metadata }, ['skill_name', 'skill'])?.value;
  const configurations: Record<string, BenchmarkSide> = {};
  for (const [name, side] of [...summaries(value)]) configurations[name] = side;
  // counts of the runs are exact where a summary is rounded
  for (const [name, runs] of runsByConfiguration(value)) {
    const results = runs.map((run) => (isObject(run.result) ? run.result : run));
    const count = {
      passed: results.reduce((sum, one) => sum + (numberOf(one.passed) ?? 0), 0),
      total: results.reduce((sum, one) => sum + (numberOf(one.total) ?? 0), 0),
    };
    const known = results.map((one) => tokensOf(one.tokens)).filter((one) => one !== null);
    configurations[name] = {
      count: count.total === 0 ? null : count,
      rate: count.total === 0 ? (configurations[name]?.rate ?? null) : count.passed / count.total,
      tokens: known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0) / known.length,
    };
  }
  return { skill: typeof skill === 'string' ? skill : null, configurations };
}

function runsByConfiguration(value: Loose): Map<string, Loose[]> {
  const byName = new Map<string, Loose[]>();
  for (const run of Array.isArray(value.runs) ? value.runs.filter(isObject) : []) {
    const name = String(run.configuration ?? 'with_skill');
    byName.set(name, [...(byName.get(name) ?? []), run]);
  }
  return byName;
}

function summaries(value: Loose): [string, BenchmarkSide][] {
  const list = Array.isArray(value.configurations)
    ? value.configurations.filter(isObject).map((one) => [String(one.name ?? one.configuration), one] as const)
    : [];
  const tables = [value.run_summary, value.summary].filter(isObject).flatMap((one) => Object.entries(one));
  return [...list, ...tables].flatMap(([name, side]): [string, BenchmarkSide][] => {
    if (!isObject(side) || name === 'delta') return [];
    const rate = isObject(side.pass_rate) ? side.pass_rate.mean : side.pass_rate;
    const tokens = isObject(side.tokens) ? side.tokens.mean : firstOf(side, ['mean_tokens', 'tokens'])?.value;
    const count = countOf(side.passes) ?? countOf(rate);
    return [[name, { count, rate: count === null ? rateOf(rate) : count.passed / count.total, tokens: tokensOf(tokens) }]];
  });
}

/** "3/4" as a count. */
function countOf(value: unknown): PassCount | null {
  const [, passed, total] = typeof value === 'string' ? (/^(\d+)\s*\/\s*([1-9]\d*)$/.exec(value.trim()) ?? []) : [];
  return passed === undefined ? null : { passed: Number(passed), total: Number(total) };
}

/** A rate as a fraction: numbers above 1 and texts with % are per cent. */
function rateOf(value: unknown): number | null {
  const [, digits, percent] = typeof value === 'string' ? (/^([\d.]+)\s*(%?)$/.exec(value.trim()) ?? []) : [];
  const number = digits === undefined ? numberOf(value) : Number(digits);
  if (number === null) return null;
  return percent === '%' || number > 1 ? number / 100 : number;
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

function tokensOf(value: unknown): number | null {
  const number = numberOf(value);
  return number === null || number === 0 ? null : number;
}
