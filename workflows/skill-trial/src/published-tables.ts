import { parse } from 'csv-parse/sync';
import { z } from 'zod';
import { check, readText, shown } from './document.js';
import type { EfficiencyRow } from './statistics/efficiency.js';

const number = z
  .string()
  .regex(/^-?\d+(\.\d+)?$/, 'a number')
  .transform(Number);
/** `243K`, `1.1M`: tokens as the table prints them, rounded. */
const tokens = z
  .string()
  .regex(/^\d+(\.\d+)?[KM]$/, 'a number with K or M')
  .transform((text) => Number(text.slice(0, -1)) * (text.endsWith('K') ? 1e3 : 1e6));

const BenchmarkLine = z.object({
  skill: z.string().min(1),
  tests_batch1: number,
  passed_with_inferred: number,
  passed_without_inferred: number,
  pass_with_pct: number,
  pass_without_pct: number,
  tokens_with: tokens,
  tokens_without: tokens,
  rho_pct: number,
  ce_paper: z.string(),
});
const EvalLine = z.object({
  skill: z.string().min(1),
  total: number,
  passed_with_inferred: number,
  passed_without_inferred: number,
  with_pct: number,
  without_pct: number,
  delta_published: number,
});

/** One skill of data/published/swe-skills-bench.csv. */
export interface BenchmarkRow extends EfficiencyRow {
  skill: string;
  /** ρ as printed, a fraction. */
  rho: number;
  /** Cost efficiency as printed; null for a dash, and where no printed value was found. */
  printedEfficiency: number | null;
}

/** One skill of data/published/pi-skill-evals.csv. */
export interface EvalRow extends EfficiencyRow {
  skill: string;
  /** Whole per cent, as printed. */
  withPercent: number;
  withoutPercent: number;
  /** Percentage points, as printed. */
  printedDifference: number;
}

/** The 49 rows of the benchmark's table. An unreadable cell is a SettingsError that names the line. */
export async function readBenchmarkTable(file: string): Promise<BenchmarkRow[]> {
  return (await readLines(file, BenchmarkLine)).map((row) => ({
    skill: row.skill,
    n: row.tests_batch1,
    passedWith: row.passed_with_inferred,
    passedWithout: row.passed_without_inferred,
    tokensWith: row.tokens_with,
    tokensWithout: row.tokens_without,
    rho: row.rho_pct / 100,
    printedEfficiency: /^-?[\d.]+$/.test(row.ce_paper) ? Number(row.ce_paper) : null,
  }));
}

/** The 25 rows of the runtime evals' table; tokens were not published and are null. */
export async function readEvalTable(file: string): Promise<EvalRow[]> {
  return (await readLines(file, EvalLine)).map((row) => ({
    skill: row.skill,
    n: row.total,
    passedWith: row.passed_with_inferred,
    passedWithout: row.passed_without_inferred,
    tokensWith: null,
    tokensWithout: null,
    withPercent: row.with_pct,
    withoutPercent: row.without_pct,
    printedDifference: row.delta_published,
  }));
}

async function readLines<S extends z.ZodType>(file: string, schema: S): Promise<z.output<S>[]> {
  const rows = parse(await readText(file, 'published table'), { columns: true, bom: true }) as unknown[];
  return rows.map((row, index) => check(row, schema, `${shown(file)}:${index + 2}`));
}
