import { z } from 'zod';
import type { CallRecord } from './call-record.js';
import type { Trajectory } from './trajectory.js';
import { peakContext, sumUsage } from './usage.js';

const tokens = z.int().nonnegative().nullable();

/** The usage record of decision 0019, part 3: twelve keys, null where unknown, never estimated from characters. */
export const UsageRecord = z.strictObject({
  mode: z.string(),
  model: z.string().nullable(),
  started_at: z.iso.datetime(),
  finished_at: z.iso.datetime(),
  elapsed_seconds: z.number().nonnegative(),
  /** Cache creation is no cached read: it counts here. */
  input_tokens_uncached: tokens,
  input_tokens_cached: tokens,
  output_tokens: tokens,
  peak_context_tokens: tokens,
  model_calls: z.int().nonnegative().nullable(),
  tool_calls: z.strictObject({ number: z.int().nonnegative(), kinds: z.record(z.string(), z.int().positive()) }).nullable(),
  usage_source: z.string(),
});
export type UsageRecord = z.infer<typeof UsageRecord>;

/** Calls that got an answer from the model: the others used no tokens. */
export function answeredCalls(calls: readonly CallRecord[]): CallRecord[] {
  return calls.filter((call) => call.kind === 'model-call' && call.status !== null && call.status >= 200 && call.status < 300);
}

/** The twelve keys from the gateway's calls and the agent's event stream. Times are the runtime's own where it states them. */
export function usageRecord(input: {
  mode: string;
  calls: readonly CallRecord[];
  trajectory: Trajectory;
  startedAt: string;
  finishedAt: string;
  elapsedSeconds: number;
}): UsageRecord {
  const answered = answeredCalls(input.calls);
  const usages = answered.map((call) => call.usage);
  const sum = sumUsage(usages);
  const uncached = sum.inputUncached === null || sum.cacheCreation === null ? null : sum.inputUncached + sum.cacheCreation;
  const kinds: Record<string, number> = {};
  for (const call of input.trajectory.toolCalls) kinds[call.name] = (kinds[call.name] ?? 0) + 1;
  return {
    mode: input.mode,
    model: input.trajectory.model ?? answered[0]?.model ?? null,
    started_at: input.startedAt,
    finished_at: input.finishedAt,
    elapsed_seconds: input.elapsedSeconds,
    input_tokens_uncached: answered.length === 0 ? null : uncached,
    input_tokens_cached: answered.length === 0 ? null : sum.inputCached,
    output_tokens: answered.length === 0 ? null : sum.output,
    peak_context_tokens: peakContext(usages),
    model_calls: answered.length,
    tool_calls: { number: input.trajectory.toolCalls.length, kinds },
    usage_source: "provider figures recorded at the gateway; times from the lab's monotonic clock around the whole invocation",
  };
}

/** Where the agent's own token sums differ from the provider's: shown, never averaged away. [] when they agree or one is unknown. */
export function usageMismatches(calls: readonly CallRecord[], own: Trajectory['usage']): string[] {
  if (own === null) return [];
  const sum = sumUsage(answeredCalls(calls).map((call) => call.usage));
  const pairs: [string, number | null, number | null][] = [
    ['uncached input', sum.inputUncached, own.inputUncached],
    ['cached input', sum.inputCached, own.inputCached],
    ['cache creation', sum.cacheCreation, own.cacheCreation],
    ['output', sum.output, own.output],
  ];
  return pairs.flatMap(([what, gateway, agent]) =>
    gateway === null || agent === null || gateway === agent
      ? []
      : [`${what}: ${gateway} tokens at the gateway, ${agent} by the agent`],
  );
}
