import { z } from 'zod';
import type { Benchmark, BenchmarkRun } from './benchmark.js';

/** One assertion that came out otherwise than in the iteration before. */
export const VerdictChange = z.strictObject({
  case: z.string(),
  arm: z.string(),
  repeat: z.int(),
  assertion: z.string(),
  before: z.string(),
  now: z.string(),
});
export type VerdictChange = z.infer<typeof VerdictChange>;

/** What changed between two iterations, run by run and assertion by assertion; one that is new or gone is named as such. */
export function benchmarkChanges(before: Pick<Benchmark, 'evals'>, now: Pick<Benchmark, 'evals'>): VerdictChange[] {
  const [old, fresh] = [verdicts(before), verdicts(now)];
  return [...new Set([...old.keys(), ...fresh.keys()])].flatMap((key) => {
    const [one, two] = [old.get(key), fresh.get(key)];
    const row = (two ?? one) as Row;
    return one?.verdict === two?.verdict
      ? []
      : [
          {
            case: row.case,
            arm: row.arm,
            repeat: row.repeat,
            assertion: row.assertion,
            before: one?.verdict ?? 'not there',
            now: two?.verdict ?? 'gone',
          },
        ];
  });
}

interface Row {
  case: string;
  arm: string;
  repeat: number;
  assertion: string;
  verdict: string;
}

function verdicts(benchmark: Pick<Benchmark, 'evals'>): Map<string, Row> {
  const rows = benchmark.evals.flatMap((one) =>
    [...one.with, ...one.without, ...Object.values(one.further).flat()].flatMap((run) =>
      run.assertions.map(
        (assertion): Row => ({
          case: run.case,
          arm: run.arm,
          repeat: run.repeat,
          assertion: assertion.id,
          verdict: verdictWord(run, assertion.passed),
        }),
      ),
    ),
  );
  return new Map(rows.map((row) => [JSON.stringify([row.case, row.arm, row.repeat, row.assertion]), row]));
}

/** A verdict in one word. */
export function verdictWord({ timedOut }: Pick<BenchmarkRun, 'timedOut'>, passed: boolean | null): string {
  return timedOut ? 'timed out' : passed === null ? 'unscored' : passed ? 'passed' : 'failed';
}
