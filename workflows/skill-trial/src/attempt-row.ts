import { z } from 'zod';
import type { Study } from './study.js';

/** One attempt at a trial, as the report lists it. */
export const AttemptRow = z.strictObject({
  trial: z.string(),
  spec: z.string(),
  attempt: z.int().positive(),
  startedAt: z.string(),
  outcome: z.enum(['recorded', 'infrastructure', 'abandoned', 'restored', 'open']),
  reason: z.string(),
  /** Whether its spec is one of the present lock's. */
  current: z.boolean(),
});
export type AttemptRow = z.infer<typeof AttemptRow>;

/** Every attempt the ledger knows, in its order; a restored record counts as one that came from the cache. */
export function attemptRows(study: Pick<Study, 'lock' | 'ledger'>): AttemptRow[] {
  const specs = new Set(Object.values(study.lock.conditions.specs));
  return study.ledger.flatMap(({ event, at }): AttemptRow[] => {
    if (event.kind === 'restored') {
      return [
        {
          trial: event.trial,
          spec: event.spec,
          attempt: 1,
          startedAt: at,
          outcome: 'restored' as const,
          reason: 'taken over from the Nx cache',
          current: specs.has(event.spec),
        },
      ];
    }
    if (event.kind !== 'started') return [];
    const end = study.ledger.find(
      (line) =>
        line.event.kind === 'ended' &&
        line.event.trial === event.trial &&
        line.event.spec === event.spec &&
        line.event.attempt === event.attempt,
    )?.event;
    const ended = end?.kind === 'ended' ? end : null;
    return [
      {
        trial: event.trial,
        spec: event.spec,
        attempt: event.attempt,
        startedAt: at,
        outcome: ended?.outcome ?? ('open' as const),
        reason: ended?.reason ?? 'not ended',
        current: specs.has(event.spec),
      },
    ];
  });
}
