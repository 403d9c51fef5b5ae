import { appendFile, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { costOfCalls, type Prices } from './budget.js';
import type { CallRecord } from './call-record.js';
import { sumUsage } from './usage.js';

/** One line of progress.jsonl: what a trial is doing. The runners write, one owner draws (npm start). */
export const ProgressEvent = z.strictObject({
  at: z.iso.datetime(),
  trial: z.string(),
  event: z.enum(['started', 'call', 'ended', 'kept']),
  modelCalls: z.int().nonnegative(),
  /** Input (cached and not) and output so far, in tokens; null where the provider does not say. */
  tokens: z.int().nonnegative().nullable(),
  /** So far, in US dollars; null where the model has no prices or the provider says nothing. */
  costUsd: z.number().nonnegative().nullable(),
  note: z.string(),
});
export type ProgressEvent = z.infer<typeof ProgressEvent>;

/** What the calls of a trial so far come to. */
export function progressOf({
  at,
  calls,
  prices,
  ...event
}: {
  at: Date;
  trial: string;
  event: ProgressEvent['event'];
  calls: readonly Pick<CallRecord, 'usage'>[];
  prices: Prices | null;
  note: string;
}): ProgressEvent {
  const sum = sumUsage(calls.filter((call) => call.usage !== null).map((call) => call.usage));
  return {
    at: at.toISOString(),
    ...event,
    modelCalls: calls.length,
    tokens: sum.inputTotal === null || sum.output === null ? null : sum.inputTotal + sum.output,
    costUsd: costOfCalls(calls, prices),
  };
}

/** Appends one event; one write, so that lines of several runners do not mix. */
export async function writeProgress(file: string, event: ProgressEvent): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await appendFile(file, `${JSON.stringify(event)}\n`);
}
