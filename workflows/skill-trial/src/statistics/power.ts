import { permutationTest } from '../permutation.js';
import { seededRandom } from './random.js';

/** How many cases, and runs of each arm on each case. */
export interface Design {
  cases: number;
  repeats: number;
}

/** The smallest two-sided p that the permutation test within cases can give: 2 / (2r choose r)^cases. */
export function smallestP({ cases, repeats }: Design): number {
  let arrangements = 1;
  for (let index = 1; index <= repeats; index++) arrangements *= (repeats + index) / index;
  return Math.min(1, 2 / arrangements ** cases);
}

export interface PowerOptions {
  alpha?: number;
  simulations?: number;
  seed?: number;
}

/**
 * The share of simulated experiments in which the lab's own test, permutation within cases, rejects. Runs are normal with standard
 * deviation 1 about their case, the arm's shifted by `effect` (in standard deviations between the runs of one arm on one case). 0 where
 * the design cannot reach alpha at all.
 */
export function powerOf(
  design: Design,
  effect: number,
  { alpha = 0.05, simulations = 300, seed = 1 }: PowerOptions = {},
): number {
  if (smallestP(design) > alpha + 1e-12) return 0;
  const random = seededRandom(seed);
  let rejected = 0;
  for (let simulation = 0; simulation < simulations; simulation++) {
    const cases = Array.from({ length: design.cases }, () => ({
      a: Array.from({ length: design.repeats }, () => random.normal()),
      b: Array.from({ length: design.repeats }, () => random.normal() + effect),
    }));
    const { p } = permutationTest(cases, { limit: 1_000, samples: 499, seed: simulation });
    if (p !== null && p <= alpha + 1e-12) rejected += 1;
  }
  return rejected / simulations;
}

/** The smallest effect found with the wanted power, to a tenth of a standard deviation; null where none up to 6 reaches it. */
export function detectableEffect(design: Design, wanted = 0.8, options: PowerOptions = {}): number | null {
  if (powerOf(design, 6, options) < wanted) return null;
  let [low, high] = [0, 60];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (powerOf(design, middle / 10, options) >= wanted) high = middle;
    else low = middle;
  }
  return high / 10;
}

/** The fewest repeats, or cases, with which an effect is found with the wanted power; null where `most` do not suffice. */
export function needed(
  vary: keyof Design,
  design: Design,
  effect: number,
  wanted = 0.8,
  { most = 40, ...options }: PowerOptions & { most?: number } = {},
): number | null {
  const enough = (count: number) => powerOf({ ...design, [vary]: count }, effect, options) >= wanted;
  if (!enough(most)) return null;
  let [low, high] = [0, most];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (middle > 0 && enough(middle)) high = middle;
    else low = middle;
  }
  return high;
}
