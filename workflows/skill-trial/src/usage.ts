import { z } from 'zod';

const tokens = z.int().nonnegative().nullable();

/**
 * What one model call used, in tokens, from the provider's own figures. Unknown is null, never 0.
 *
 * The three input figures are disjoint and add up to `inputTotal`. They are null, and `inputTotal` alone is known, where a provider
 * (Ollama, older llama.cpp) reports the prompt's length without saying how much of it was cached.
 */
export const CallUsage = z.strictObject({
  /** Prompt tokens in all, however they were billed. */
  inputTotal: tokens,
  /** Prompt tokens neither read from a cache nor written to one. */
  inputUncached: tokens,
  /** Prompt tokens read from a cache. */
  inputCached: tokens,
  /** Prompt tokens written to a cache and billed apart; 0 in dialects that bill none apart (OpenAI's). Never a cached read. */
  cacheCreation: tokens,
  /** Generated tokens, reasoning included. */
  output: tokens,
  /** The part of `output` that was reasoning; null where the provider does not tell it apart (Anthropic). */
  reasoning: tokens,
});
export type CallUsage = z.infer<typeof CallUsage>;

const FIGURES = ['inputTotal', 'inputUncached', 'inputCached', 'cacheCreation', 'output', 'reasoning'] as const;

/** A usage of which nothing is known. */
export const unknownUsage: CallUsage = Object.freeze({
  inputTotal: null,
  inputUncached: null,
  inputCached: null,
  cacheCreation: null,
  output: null,
  reasoning: null,
});

/**
 * Each figure summed over the calls, in tokens. A figure that is unknown in any call is null in the sum: a partial sum would pass
 * for a whole one. No calls at all sum to 0. Leave out the calls that got no completion (refused by the gateway, answered 4xx or
 * 5xx): they used no tokens and say so by having no usage.
 */
export function sumUsage(calls: readonly (CallUsage | null)[]): CallUsage {
  const sum = { ...unknownUsage };
  for (const figure of FIGURES) sum[figure] = total(calls.map((call) => call?.[figure] ?? null));
  return sum;
}

/**
 * The largest context of any call, in tokens: its whole prompt (uncached, cached and written to the cache) plus its output. Null
 * where there are no calls, or where one call's prompt or output is unknown, since that call may have been the largest.
 */
export function peakContext(calls: readonly (CallUsage | null)[]): number | null {
  const contexts = calls.map((call) => total([call?.inputTotal ?? null, call?.output ?? null]));
  return contexts.length === 0 || contexts.includes(null) ? null : Math.max(...(contexts as number[]));
}

/** The usage with `inputTotal` worked out from its three parts; null where one of them is. */
export function usageFromParts(parts: Omit<CallUsage, 'inputTotal'>): CallUsage {
  return { inputTotal: total([parts.inputUncached, parts.inputCached, parts.cacheCreation]), ...parts };
}

/**
 * The usage of a provider whose prompt figure includes the cached tokens. Without a cached figure the split is unknown; a cached
 * figure larger than the prompt is no figure either.
 */
export function usageFromTotal(figures: {
  inputTotal: number | null;
  inputCached: number | null;
  cacheCreation?: number | null;
  output: number | null;
  reasoning: number | null;
}): CallUsage {
  const { inputTotal, inputCached, output, reasoning } = figures;
  const cacheCreation = figures.cacheCreation ?? 0;
  const inputUncached = inputTotal === null || inputCached === null ? null : inputTotal - inputCached - cacheCreation;
  if (inputUncached === null || inputUncached < 0) {
    return {
      inputTotal,
      inputUncached: null,
      inputCached: inputUncached === null ? inputCached : null,
      cacheCreation: null,
      output,
      reasoning,
    };
  }
  return { inputTotal, inputUncached, inputCached, cacheCreation, output, reasoning };
}

/** A token count as a provider wrote it, or null for anything that is none. */
export function tokenCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : null;
}

function total(figures: readonly (number | null)[]): number | null {
  let sum = 0;
  for (const figure of figures) {
    if (figure === null) return null;
    sum += figure;
  }
  return sum;
}
