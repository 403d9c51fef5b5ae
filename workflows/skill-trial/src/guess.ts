import { z } from 'zod';
import { wilsonInterval } from './statistics/wilson.js';

/** How often evaluators told the arms apart before they scored. */
export const GuessMeasure = z.strictObject({
  pairs: z.int().nonnegative(),
  /** Guesses that name a side; `cannotTell` counts the others, which enter no accuracy. */
  guesses: z.int().nonnegative(),
  correct: z.int().nonnegative(),
  cannotTell: z.int().nonnegative(),
  /** correct / guesses; null where nobody named a side. */
  accuracy: z.number().min(0).max(1).nullable(),
  /** Wilson interval, 95 %; null likewise. */
  low: z.number().nullable(),
  high: z.number().nullable(),
  evaluators: z.array(
    z.strictObject({
      name: z.string(),
      guesses: z.int().nonnegative(),
      correct: z.int().nonnegative(),
      cannotTell: z.int().nonnegative(),
    }),
  ),
  caution: z.string(),
});
export type GuessMeasure = z.infer<typeof GuessMeasure>;

const caution =
  'One half is what guessing without knowledge gives. More than that does not prove that the blinding failed: an effect of the skills that can be seen in the work can be guessed from it. The interval treats every guess as independent, although two evaluators may judge the same pair.';

/**
 * The share of guesses that named the side of the arm with skills. `truth` has that side for each pair; guesses of other pairs are
 * left out. Null where no guess was given at all.
 */
export function measureGuesses(
  truth: Map<string, 'x' | 'y'>,
  evaluators: { name: string; guesses: Record<string, 'x' | 'y' | null> }[],
): GuessMeasure | null {
  const rows = evaluators
    .map(({ name, guesses }) => {
      const own = Object.entries(guesses).filter(([pair]) => truth.has(pair));
      const named = own.filter(([, side]) => side !== null);
      return {
        name,
        guesses: named.length,
        correct: named.filter(([pair, side]) => truth.get(pair) === side).length,
        cannotTell: own.length - named.length,
      };
    })
    .filter((row) => row.guesses + row.cannotTell > 0);
  if (rows.length === 0) return null;
  const sum = (pick: (row: (typeof rows)[number]) => number) => rows.reduce((total, row) => total + pick(row), 0);
  const [guesses, correct] = [sum((row) => row.guesses), sum((row) => row.correct)];
  const interval = wilsonInterval(correct, guesses);
  return {
    pairs: truth.size,
    guesses,
    correct,
    cannotTell: sum((row) => row.cannotTell),
    accuracy: guesses === 0 ? null : correct / guesses,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    evaluators: rows,
    caution,
  };
}
