import { compareArms } from './comparison.js';
import { decide } from './decision.js';
import { DecisionRule } from './decision-rule.js';
import { allMetrics, type MetricId } from './metric.js';
import type { TrialResult } from './result.js';
import { makeSchedule } from './schedule.js';
import { testArms } from './statistic.js';
import { clusterBootstrap } from './statistics/bootstrap.js';
import type { Interval } from './statistics/interval.js';
import { type Random, seededRandom } from './statistics/random.js';
import { wilsonInterval } from './statistics/wilson.js';
import { delta, summarise } from './summary.js';

/** Seeded agents with a known effect. All sizes are in standard deviations between the runs of one arm on one case. */
export interface Scenario {
  title: string;
  cases: number;
  repeats: number;
  /** What the arm adds to every run. */
  effect: number;
  /** Standard deviation of the cases' own level, and of the effect between cases. */
  caseSpread: number;
  effectSpread: number;
  /** What is added from the first trial of the schedule to the last. */
  drift: number;
  /** Chance that a run of the control, or of the arm, times out; such a run loses two standard deviations. */
  timeouts: [number, number];
}

export const scenario = (title: string, cases: number, repeats: number, parts: Partial<Scenario> = {}): Scenario => ({
  title,
  cases,
  repeats,
  effect: 0,
  caseSpread: 1,
  effectSpread: 0,
  drift: 0,
  timeouts: [0, 0],
  ...parts,
});

/** How often an interval held the true effect, of the experiments that had one. */
export interface Coverage {
  held: number;
  of: number;
}

export interface Calibration {
  scenario: Scenario;
  experiments: number;
  /** Experiments that the decision rule called supported, and those it called out of reach. */
  supported: number;
  notAttainable: number;
  /** Of the shift of these cases' runs, of the shift over cases, and of the cluster bootstrap's mean. */
  within: Coverage;
  overCases: Coverage;
  bootstrap: Coverage;
}

const contrast = { arm: 'B', control: 'A' };
const rule = DecisionRule.parse({ primary: 'review_completeness', tested_class: 'simulated', untested_class: 'real' });

/** Runs many simulated experiments through the lab's own comparison, tests and decision rule. The seed settles every figure. */
export function calibrate(given: Scenario, experiments: number, seed: number): Calibration {
  const random = seededRandom(seed);
  const result: Calibration = {
    scenario: given,
    experiments,
    supported: 0,
    notAttainable: 0,
    within: { held: 0, of: 0 },
    overCases: { held: 0, of: 0 },
    bootstrap: { held: 0, of: 0 },
  };
  for (let experiment = 0; experiment < experiments; experiment++) {
    const { results, sampleEffect } = simulateTrials(given, random);
    const planned = { A: given.cases * given.repeats, B: given.cases * given.repeats };
    const rows = compareArms(results, [contrast], [rule.primary], planned, rule);
    const statistics = testArms(results, [contrast], [rule.primary], rule);
    const decided = decide({ rule, contrast, rows, statistics, critical: [], results, scripted: false, cases: given.cases });
    if (decided.inferential === 'supported') result.supported += 1;
    if (decided.inferential === 'not-attainable') result.notAttainable += 1;
    const [statistic] = statistics;
    count(result.within, statistic?.shift.interval ?? null, sampleEffect);
    count(result.overCases, statistic?.overCases.shift.interval ?? null, given.effect);
    count(result.bootstrap, clusterBootstrap(caseDifferences(results), { samples: 499, seed: experiment }), given.effect);
  }
  return result;
}

function count(coverage: Coverage, interval: Interval | null, truth: number): void {
  if (interval === null) return;
  coverage.of += 1;
  if (interval.low <= truth && truth <= interval.high) coverage.held += 1;
}

function caseDifferences(results: TrialResult[]): (number | null)[] {
  const mean = (arm: string, one: string) =>
    summarise(results.filter((run) => run.arm === arm && run.case === one).map((run) => run.values.review_completeness)).mean;
  return [...new Set(results.map((run) => run.case))].map((one) => delta(mean('A', one), mean('B', one)));
}

/** One simulated experiment in the order of the lab's own schedule; `sampleEffect` is the mean effect in the cases that were drawn. */
function simulateTrials(given: Scenario, random: Random): { results: TrialResult[]; sampleEffect: number } {
  const cases = Array.from({ length: given.cases }, (_, index) => `case-${index + 1}`);
  const level = new Map(cases.map((one) => [one, given.caseSpread * random.normal()]));
  const effect = new Map(cases.map((one) => [one, given.effect + given.effectSpread * random.normal()]));
  const arms = { A: { skills: [] }, B: { skills: ['simulated'] } };
  const schedule = makeSchedule({ cases, arms, repeats: given.repeats, order: 'alternate', seed: 1 });
  const results = schedule.map((line) => {
    const isArm = line.arm === 'B';
    const timedOut = random.next() < given.timeouts[isArm ? 1 : 0];
    const value =
      (level.get(line.case) as number) +
      (isArm ? (effect.get(line.case) as number) : 0) +
      (given.drift * (line.position - 1)) / Math.max(1, schedule.length - 1) +
      random.normal() -
      (timedOut ? 2 : 0);
    return simulatedRun(line, value, timedOut);
  });
  return { results, sampleEffect: summarise([...effect.values()]).mean as number };
}

function simulatedRun(
  line: { case: string; arm: string; repeat: number; position: number; trial: string },
  value: number,
  timedOut: boolean,
): TrialResult {
  const all = <T>(make: (id: MetricId) => T) =>
    Object.fromEntries(allMetrics.map(({ id }) => [id, make(id)])) as Record<MetricId, T>;
  return {
    id: line.trial,
    case: line.case,
    arm: line.arm,
    repeat: line.repeat,
    position: line.position,
    block: null,
    scripted: false,
    status: timedOut ? 'timed-out' : 'completed',
    reason: 'simulated',
    attempt: 1,
    valid: true,
    problems: [],
    concurrent: true,
    held: [],
    lock: 'simulated',
    spec: 'simulated',
    content: null,
    scoring: 'scored',
    values: { ...all(() => null), review_completeness: value },
    evidence: all(() => 'simulated'),
    rows: [],
    findings: null,
    precision: null,
    checks: null,
    verdict: null,
    grade: null,
    modelCalls: null,
    setupSeconds: 0,
    startedAt: '1970-01-01T00:00:00.000Z',
    activation: [],
    usageMismatches: [],
    warnings: [],
  };
}

/** Wilson's coverage at n tries, computed and not simulated: on average over all rates, and at the rate where it is least. */
export function wilsonCoverage(n: number, level = 0.95): { mean: number; least: number } {
  const intervals = Array.from({ length: n + 1 }, (_, k) => wilsonInterval(k, n, level) as Interval);
  const rates = Array.from({ length: 999 }, (_, index) => (index + 1) / 1000);
  const coverage = rates.map((rate) => {
    let chance = (1 - rate) ** n;
    let sum = 0;
    for (const [k, { low, high }] of intervals.entries()) {
      if (low <= rate && rate <= high) sum += chance;
      chance *= ((n - k) / (k + 1)) * (rate / (1 - rate));
    }
    return sum;
  });
  return { mean: summarise(coverage).mean as number, least: Math.min(...coverage) };
}

/** What the published table holds, by what may go wrong. */
export const scenarios: Scenario[] = [
  scenario('no effect, 3 runs: nothing can reject', 1, 3),
  scenario('no effect, one case', 1, 6),
  scenario('no effect', 2, 3),
  scenario('no effect', 4, 3),
  scenario('no effect', 6, 2),
  scenario('no effect', 10, 2),
  scenario('no effect, drift of 2', 4, 3, { drift: 2 }),
  scenario('no effect, cases far apart', 4, 3, { caseSpread: 5 }),
  scenario('no effect on average, effects differ by case', 10, 2, { effectSpread: 1 }),
  scenario('no effect, 20 % time out in both arms', 4, 3, { timeouts: [0.2, 0.2] }),
  scenario('no effect but 30 % time out with skills: an effect', 4, 3, { timeouts: [0, 0.3] }),
  scenario('effect 1', 4, 3, { effect: 1 }),
  scenario('effect 2', 2, 3, { effect: 2 }),
  scenario('effect 2', 4, 3, { effect: 2 }),
  scenario('effect 1, effects differ by case', 10, 2, { effect: 1, effectSpread: 0.5 }),
];

/** The table of a calibration, as Markdown; counts, so that anyone can work out the error. */
export function calibrationTable(rows: Calibration[]): string {
  const share = ({ held, of }: Coverage) => (of === 0 ? 'withheld' : `${((100 * held) / of).toFixed(1)} %`);
  const body = rows.map(({ scenario: one, experiments, supported, notAttainable, ...coverage }) => {
    const rate = notAttainable === experiments ? 'cannot reject' : `${((100 * supported) / experiments).toFixed(1)} %`;
    return `| ${one.title} | ${one.cases} × ${one.repeats} | ${experiments} | ${rate} | ${share(coverage.within)} | ${share(coverage.overCases)} | ${share(coverage.bootstrap)} |`;
  });
  return [
    '| agents | cases × runs an arm | experiments | called supported | 95 % shift, these cases | 95 % shift, over cases | 95 % cluster bootstrap |',
    '|---|---|---|---|---|---|---|',
    ...body,
  ].join('\n');
}
