import { z } from 'zod';
import type { CallRecord } from './call-record.js';

/** Model calls of one trial that the provider did not answer as asked. They passed through to the agent, which may have tried again. */
export const ProviderFailures = z.strictObject({
  /** Status 429. */
  rateLimited: z.int().nonnegative(),
  /** Status 500 and above. */
  serverErrors: z.int().nonnegative(),
  /** No answer, one broken off, or one that made no sense. */
  unanswered: z.int().nonnegative(),
});
export type ProviderFailures = z.infer<typeof ProviderFailures>;

/** Counts them over the calls. A call that the gateway refused itself is none. */
export function providerFailures(calls: readonly CallRecord[]): ProviderFailures {
  const model = calls.filter((call) => call.kind === 'model-call');
  const refused = model.filter((call) => call.error === 'upstream-status');
  return {
    rateLimited: refused.filter((call) => call.status === 429).length,
    serverErrors: refused.filter((call) => (call.status ?? 0) >= 500).length,
    unanswered: model.filter((call) => ['unreachable', 'timeout', 'disconnect', 'incomplete'].includes(call.error ?? '')).length,
  };
}

/** The counts in words, or null where there is none to tell. */
export function describeFailures(failures: ProviderFailures | null): string | null {
  if (failures === null) return null;
  const { rateLimited, serverErrors, unanswered } = failures;
  if (rateLimited + serverErrors + unanswered === 0) return null;
  return `model calls that failed at the provider: ${rateLimited} with status 429, ${serverErrors} with status 5xx, ${unanswered} without a whole answer`;
}
