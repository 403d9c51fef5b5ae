import type { FindingStatus } from './sheet.js';

/** One run as consistency sees it; findings null: not scored. `complete` false: the run was cut short. */
export interface FindingRun {
  arm: string;
  complete: boolean;
  findings: { key: string; status: FindingStatus }[] | null;
}

export interface FindingConsistency {
  key: string;
  arm: string;
  /** Runs by what they said of the finding; contradicted is not absent, and an unscored run is neither. */
  confirmed: number;
  unconfirmed: number;
  contradicted: number;
  style: number;
  absent: number;
  unscored: number;
  /** All runs of the arm, incomplete ones among them. */
  runs: number;
  completeRuns: number;
  /** confirmed / runs; null with no run, or with an unscored one. */
  overAll: number | null;
  /** confirmed in complete runs / complete runs; null likewise. */
  overComplete: number | null;
}

/** finding_consistency per finding and arm (decision 0019, part 6), for every finding that any run names; sorted by key, then arm. */
export function consistency(runs: FindingRun[]): FindingConsistency[] {
  const keys = [...new Set(runs.flatMap((run) => (run.findings ?? []).map((finding) => finding.key)))].sort();
  const arms = [...new Set(runs.map((run) => run.arm))].sort();
  return keys.flatMap((key) =>
    arms.map((arm) =>
      one(
        key,
        arm,
        runs.filter((run) => run.arm === arm),
      ),
    ),
  );
}

function one(key: string, arm: string, runs: FindingRun[]): FindingConsistency {
  const said = (run: FindingRun): FindingStatus | 'absent' | 'unscored' =>
    run.findings === null ? 'unscored' : (run.findings.find((finding) => finding.key === key)?.status ?? 'absent');
  const count = (what: ReturnType<typeof said>, among = runs) => among.filter((run) => said(run) === what).length;
  const complete = runs.filter((run) => run.complete);
  const fraction = (among: FindingRun[]) =>
    among.length === 0 || count('unscored', among) > 0 ? null : count('confirmed', among) / among.length;
  return {
    key,
    arm,
    confirmed: count('confirmed'),
    unconfirmed: count('unconfirmed'),
    contradicted: count('contradicted'),
    style: count('style'),
    absent: count('absent'),
    unscored: count('unscored'),
    runs: runs.length,
    completeRuns: complete.length,
    overAll: fraction(runs),
    overComplete: fraction(complete),
  };
}
