import { appendFile, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';

/** One line of progress.jsonl: what a trial is doing. The runners write, one owner draws (npm start). */
export const ProgressEvent = z.strictObject({
  at: z.iso.datetime(),
  trial: z.string(),
  event: z.enum(['started', 'call', 'ended', 'kept']),
  modelCalls: z.int().nonnegative(),
  /** Input (cached and not) and output so far, in tokens; null where the provider does not say. */
  tokens: z.int().nonnegative().nullable(),
  note: z.string(),
});
export type ProgressEvent = z.infer<typeof ProgressEvent>;

/** Appends one event; one write, so that lines of several runners do not mix. */
export async function writeProgress(file: string, event: ProgressEvent): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await appendFile(file, `${JSON.stringify(event)}\n`);
}
