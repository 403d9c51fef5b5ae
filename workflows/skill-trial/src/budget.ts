import { z } from 'zod';
import type { CallUsage } from './usage.js';

/** What a million tokens cost, in US dollars. */
export const Prices = z.strictObject({
  input: z.number().nonnegative(),
  cached: z.number().nonnegative(),
  cacheWrite: z.number().nonnegative(),
  output: z.number().nonnegative(),
});
export type Prices = z.infer<typeof Prices>;

/** What one trial may use; null is no limit. */
export const Budget = z.strictObject({
  /** Model calls let through. */
  modelCalls: z.int().positive().nullable(),
  /** All tokens over all calls: prompts, cached or not, and what was generated. */
  tokens: z.int().positive().nullable().default(null),
  /** Generated tokens over all calls. */
  outputTokens: z.int().positive().nullable().default(null),
  /** US dollars over all calls, at the prices given. */
  costUsd: z.strictObject({ limit: z.number().positive(), prices: Prices }).nullable().default(null),
});
export type Budget = z.input<typeof Budget>;

/** The limits by name. `usage-unknown`: a token or cost limit was set and a whole answer came without figures to hold it to. */
export const limits = ['model-calls', 'tokens', 'output-tokens', 'cost', 'usage-unknown'] as const;
export type Limit = (typeof limits)[number];

/**
 * What one call cost, in US dollars; null where a figure that it needs is unknown. Where a provider gives the prompt without its
 * cached part, all of it is charged as uncached: a limit may end a trial early, never late.
 */
export function costOf(usage: CallUsage, prices: Prices): number | null {
  const { inputTotal, inputUncached, inputCached, cacheCreation, output } = usage;
  if (output === null || inputTotal === null) return null;
  const split = inputUncached !== null && inputCached !== null && cacheCreation !== null;
  const input = split
    ? inputUncached * prices.input + inputCached * prices.cached + cacheCreation * prices.cacheWrite
    : inputTotal * Math.max(prices.input, prices.cacheWrite);
  return (input + output * prices.output) / 1e6;
}

/** What several calls cost together; null without prices, or where one call's cost is unknown. */
export function costOfCalls(calls: readonly { usage: CallUsage | null }[], prices: Prices | null): number | null {
  if (prices === null) return null;
  return calls.reduce<number | null>((sum, { usage }) => {
    const cost = usage === null ? null : costOf(usage, prices);
    return sum === null || cost === null ? null : sum + cost;
  }, 0);
}

/** Counts what a trial has used. A limit ends the trial at the first call after it is used up, not at the call that uses it up. */
export class Meter {
  readonly #budget: z.output<typeof Budget>;
  #calls = 0;
  #tokens = 0;
  #outputTokens = 0;
  #cost = 0;
  #unknown = false;

  constructor(budget: Budget) {
    this.#budget = Budget.parse(budget);
  }

  /** Takes one call, or says which limit is used up. */
  admit(): Limit | null {
    const { modelCalls, tokens, outputTokens, costUsd } = this.#budget;
    if (modelCalls !== null && this.#calls >= modelCalls) return 'model-calls';
    if (tokens !== null && this.#tokens >= tokens) return 'tokens';
    if (outputTokens !== null && this.#outputTokens >= outputTokens) return 'output-tokens';
    if (costUsd !== null && this.#cost >= costUsd.limit) return 'cost';
    if (this.#unknown && (tokens !== null || outputTokens !== null || costUsd !== null)) return 'usage-unknown';
    this.#calls += 1;
    return null;
  }

  /** Adds a call's figures. A call cut short has no output figure and adds nothing: providers give none for it. */
  add(usage: CallUsage | null, complete: boolean): void {
    const cost = usage === null || this.#budget.costUsd === null ? null : costOf(usage, this.#budget.costUsd.prices);
    this.#tokens += (usage?.inputTotal ?? 0) + (usage?.output ?? 0);
    this.#outputTokens += usage?.output ?? 0;
    this.#cost += cost ?? 0;
    if (!complete) return;
    const { tokens, costUsd } = this.#budget;
    const unknown = usage === null || usage.output === null || (tokens !== null && usage.inputTotal === null);
    if (unknown || (costUsd !== null && cost === null)) this.#unknown = true;
  }
}
