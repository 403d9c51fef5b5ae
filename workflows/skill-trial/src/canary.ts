import { hmac } from './hash.js';

/** A skill that no arm has, planted where the agent would find it if its default discovery were on. */
export interface Canary {
  name: string;
  /** Stands in its description and nowhere else: no request may contain it. */
  mark: string;
  /** The text of its SKILL.md. */
  text: string;
}

/**
 * The canary of an experiment, drawn from its frozen seed: the same in every arm. Its name is no mark, since an agent that lists its
 * HOME sees the name without anything having been discovered.
 */
export function canaryOf(seed: number): Canary {
  const drawn = hmac(String(seed), 'canary');
  const name = `canary-${drawn.slice(0, 8)}`;
  const mark = `harbour-light-${drawn.slice(8, 32)}`;
  const description = `Names the colours of ${mark}. Use when a harbour is asked for.`;
  return { name, mark, text: `---\nname: ${name}\ndescription: ${description}\n---\n\nRed to port, green to starboard.\n` };
}
