import { modelOf } from './arm.js';
import { tellingNothing } from './comparison.js';
import { contrasts, type Experiment } from './experiment.js';
import { metricOf } from './metric.js';
import type { Model } from './model.js';
import type { TrialResult } from './result.js';
import { type Design, detectableEffect, needed, smallestP } from './statistics/power.js';
import { ratio, summarise } from './summary.js';

/** What an experiment's design can show, before any of its runs. Effects in standard deviations between the runs of one arm on one case. */
export interface Plan {
  design: Design;
  contrasts: number;
  /** The smallest p of the planned test, before and after correction for the number of contrasts. */
  smallestP: number;
  smallestHolm: number;
  /** The smallest effect found with the wanted power; null: none. */
  detectable: number | null;
  power: number;
  /** Fewest repeats with these cases, and fewest cases with these repeats, for an effect of each size; null: more than were tried. */
  needed: { effect: number; repeats: number | null; cases: number | null }[];
  trials: number;
  /** Medians of earlier runs of this experiment, and what all trials would take one after the other; null without such runs. */
  earlierRuns: number;
  seconds: number | null;
  costUsd: number | null;
  /** Cases in which every run of both arms was at an end of the primary metric's scale: they cannot tell. Null without runs. */
  cannotTell: string[] | null;
}

/** The plan of an experiment. `earlier` are the results of runs that are recorded already, under any design. */
export function makePlan(experiment: Experiment, earlier: TrialResult[], power = 0.8): Plan {
  const design = { cases: experiment.cases.length, repeats: experiment.repeats };
  const pairs = contrasts(experiment);
  const alpha = 0.05 / pairs.length;
  const options = { alpha, simulations: 200 };
  const trials = design.cases * design.repeats * Object.keys(experiment.arms).length;
  const per = (value: number | null) => (value === null ? null : value * trials);
  const { primary } = experiment.decision;
  const scored = earlier.filter((run) => run.values[primary] !== null);
  return {
    design,
    contrasts: pairs.length,
    smallestP: smallestP(design),
    smallestHolm: Math.min(1, smallestP(design) * pairs.length),
    detectable: detectableEffect(design, power, options),
    power,
    needed: [1, 2, 3].map((effect) => ({
      effect,
      repeats: needed('repeats', design, effect, power, { ...options, most: 24 }),
      cases: needed('cases', design, effect, power, { ...options, most: 24 }),
    })),
    trials,
    earlierRuns: earlier.length,
    seconds: per(summarise(earlier.map((run) => run.values.elapsed_seconds)).median),
    costUsd: costOfAll(experiment, earlier, design),
    cannotTell:
      scored.length === 0
        ? null
        : [...new Set(pairs.flatMap((pair) => tellingNothing(scored, pair, primary, metricOf(primary).max)))],
  };
}

/** The median run of each arm times the runs that it is to have. Null where an arm has no run of a known cost. */
function costOfAll(experiment: Experiment, earlier: TrialResult[], { cases, repeats }: Design): number | null {
  return Object.keys(experiment.arms).reduce<number | null>((sum, arm) => {
    const own = earlier.filter((run) => run.arm === arm);
    const one = summarise(own.map((run) => costOf(modelOf(experiment, arm), run))).median;
    return sum === null || one === null ? null : sum + one * cases * repeats;
  }, 0);
}

/** One run at the declared prices; cache writes are charged as input, as the record does not tell them apart. Null where unknown. */
function costOf({ prices }: Model, { values }: TrialResult): number | null {
  const { input_tokens_uncached: fresh, input_tokens_cached: cached, output_tokens: output } = values;
  if (prices === undefined || fresh === null || cached === null || output === null) return null;
  return (fresh * prices.input + cached * prices.cached + output * prices.output) / 1e6;
}

/** The plan in plain words, a line each. */
export function planLines(plan: Plan): string[] {
  const { design, detectable } = plan;
  const p = (value: number) => (value < 0.001 ? '< 0.001' : value.toFixed(3));
  const shown = (value: number | null) => (value === null ? 'more than 24' : String(value));
  const minutes = ratio(60, plan.seconds);
  return [
    `${design.cases} case(s) × ${design.repeats} runs of each arm, ${plan.contrasts} contrast(s), ${plan.trials} trials`,
    `smallest p that the planned test can reach: ${p(plan.smallestP)}${plan.contrasts > 1 ? `; after correction for ${plan.contrasts} contrasts ${p(plan.smallestHolm)}` : ''}`,
    plan.smallestHolm > 0.05
      ? 'no result of this design can reach p < .05, whatever the skills do: it can describe, not conclude'
      : detectable === null
        ? `no effect up to 6 standard deviations is found with ${100 * plan.power} % power`
        : `smallest effect found with ${100 * plan.power} % power: ${detectable} standard deviations between runs`,
    design.cases < 6
      ? 'fewer than 6 cases: nothing can be shown for cases like these'
      : `over cases p can reach ${p(2 / 2 ** design.cases)}`,
    ...plan.needed.map(
      ({ effect, repeats, cases }) =>
        `for an effect of ${effect} standard deviation${effect === 1 ? '' : 's'} between runs, ${100 * plan.power} % power: ${shown(repeats)} repeats with these cases, or ${shown(cases)} cases with these repeats`,
    ),
    plan.seconds === null
      ? 'time: unknown, no earlier run of this experiment'
      : `time: about ${(minutes as number).toFixed(1)} min one after the other, from ${plan.earlierRuns} earlier runs`,
    plan.costUsd === null
      ? 'cost: unknown (it needs earlier runs of every arm, and the prices of its model)'
      : `cost: about ${plan.costUsd.toFixed(2)} USD, from ${plan.earlierRuns} earlier runs`,
    plan.cannotTell === null
      ? 'cases that cannot tell: unknown, nothing is scored'
      : plan.cannotTell.length === 0
        ? 'cases that cannot tell: none so far'
        : `cases that cannot tell (both arms at an end of the scale): ${plan.cannotTell.join(', ')}`,
  ];
}
