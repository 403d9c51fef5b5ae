import { z } from 'zod';

/** An interval at the wanted level; `attained` is what its method guarantees, never below the level for an exact one. */
export const Interval = z.strictObject({
  low: z.number(),
  high: z.number(),
  level: z.number(),
  attained: z.number(),
  method: z.string(),
});
export type Interval = z.infer<typeof Interval>;
