import { InfrastructureError } from './errors.js';
import type { SessionResult } from './session.js';

/**
 * What of the surroundings kept the agent from running; null when its outcome is its own. The last model call decides. An agent that
 * never asked the model is quoted: it may say why.
 */
export function surroundingsTrouble(
  {
    outcome,
    calls,
    limit,
    hits,
    trajectory,
  }: Pick<SessionResult, 'outcome' | 'calls' | 'limit'> & Partial<Pick<SessionResult, 'hits' | 'trajectory'>>,
  wallSeconds: number,
): string | null {
  if (limit !== null) return null;
  const last = calls.filter((call) => call.kind === 'model-call').at(-1);
  if (last === undefined)
    return outcome.timedOut || outcome.exitCode === 0 || (hits ?? []).length > 0
      ? null
      : `the agent ended before it reached the model${quoted(trajectory)}`;
  switch (last.error) {
    case 'unreachable':
    case 'timeout':
    case 'disconnect':
    case 'incomplete':
      return `the model's last answer: ${last.error}`;
    case 'upstream-status':
      return last.status === 429 || (last.status ?? 0) >= 500 ? `the model's last answer: status ${last.status}` : null;
    case 'client-closed':
    case 'gateway-closed':
      // killed by the wall limit while it waited: the provider's fault if the silence filled more than half of the time
      return outcome.timedOut && last.firstByteMs === null && last.endedMs - last.startedMs > wallSeconds * 500
        ? 'the model did not answer before the wall limit'
        : null;
    default:
      return null;
  }
}

/** The agent's own words in one short line; '' where it said nothing. */
function quoted(trajectory: Pick<SessionResult['trajectory'], 'error' | 'response'> | undefined): string {
  const words = (trajectory?.error ?? trajectory?.response ?? '').replace(/\s+/g, ' ').trim();
  return words === '' ? '' : `: ${words.slice(0, 200)}`;
}

/** Whether an error is the surroundings' (a full disk, no free handles) and not the lab's own fault. */
export function isSurroundings(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return error instanceof InfrastructureError || code === 'ENOSPC' || code === 'EMFILE' || code === 'EIO';
}
