import { z } from 'zod';

/** The effect of a skill in the runs that load it because it is there. */
export const ComplierEffect = z.strictObject({
  /** Difference of the arms as assigned (intention to treat), in the metric's unit. */
  assigned: z.number().nullable(),
  /** Share of the arm's valid runs in which a skill of the arm was loaded. */
  activation: z.number().nullable(),
  /** assigned / activation; null where either is unknown or no run loaded a skill. */
  estimate: z.number().nullable(),
  assumption: z.string(),
});
export type ComplierEffect = z.infer<typeof ComplierEffect>;

/**
 * The complier average effect, intention to treat over activation rate (Bloom 1984; Angrist, Imbens and Rubin 1996). The assumption is
 * part of the value: without it the figure means nothing.
 */
export function complierEffect(assigned: number | null, loaded: number, runs: number): ComplierEffect {
  const activation = runs === 0 ? null : loaded / runs;
  return {
    assigned,
    activation,
    estimate: assigned === null || activation === null || activation === 0 ? null : assigned / activation,
    assumption: 'a skill that is listed and not loaded changes nothing, and the control cannot load it',
  };
}
