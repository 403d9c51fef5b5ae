import type { Experiment } from './experiment.js';
import { canonicalJson } from './hash.js';
import type { ModelRequest } from './model-call.js';
import { type WireApi, wireOf } from './wire.js';

/** The generation parameters that the lock fixes by value; what it leaves open is fixed by a trial's first main request. */
export type FrozenParameters = Experiment['model']['parameters'];

/** Keys that name a session, a user or a transport, and shape no answer. */
const sessionKeys = [
  'metadata',
  'user',
  'prompt_cache_key',
  'prompt_cache_retention',
  'safety_identifier',
  'client_metadata',
  'previous_response_id',
  'store',
  'include',
  'stream_options',
];

/** What of a request shapes the answer beside its text and tools: temperature, reasoning effort, the most tokens, … as it was sent. */
export function generationParameters({ parameters }: Pick<ModelRequest, 'parameters'>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(parameters).filter(([key]) => !sessionKeys.includes(key)));
}

/** Each parameter that one set has otherwise than the other, as `name: before, then after`; [] when they are the same. */
export function changedParameters(before: Record<string, unknown>, after: Record<string, unknown>): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  const shown = (value: unknown) => (value === undefined ? 'not sent' : canonicalJson(value).slice(0, 80));
  return names.flatMap((name) =>
    canonicalJson(before[name] ?? null) === canonicalJson(after[name] ?? null)
      ? []
      : [`${name}: ${shown(before[name])}, then ${shown(after[name])}`],
  );
}

/**
 * How a request's thinking differs from the frozen level; null where it does not, or where none is frozen. A dialect that only says
 * that the model thinks (Anthropic's, with a budget of tokens) is held to that.
 */
export function thinkingTrouble(
  api: WireApi,
  request: Pick<ModelRequest, 'parameters'>,
  { thinking }: FrozenParameters,
): string | null {
  if (thinking === undefined) return null;
  const found = wireOf(api).readThinking(request.parameters);
  return found === thinking || (found === 'on' && thinking !== 'off')
    ? null
    : `thinking ${thinking} is frozen, the request asks for ${found}`;
}
