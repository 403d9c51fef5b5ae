import { binomialCdf } from './distribution.js';
import { seededRandom } from './random.js';

/** A two-sided test whose units are cases. Null p: nothing to test. */
export interface CaseTest {
  p: number | null;
  /** The smallest p that this many cases can reach. */
  smallestP: number | null;
  /** Cases that the test uses. */
  cases: number;
  method: 'exact' | 'monte-carlo';
}

const none: CaseTest = { p: null, smallestP: null, cases: 0, method: 'exact' };

/**
 * Sign test over the cases' differences (Dixon and Mood 1946): the binomial probability of a split at least as uneven. Differences of
 * 0 tell no direction and are left out; with nothing else p is 1.
 */
export function signTest(differences: (number | null)[]): CaseTest {
  const known = differences.filter((value) => value !== null);
  if (known.length === 0) return none;
  const up = known.filter((value) => value > 0).length;
  const cases = up + known.filter((value) => value < 0).length;
  if (cases === 0) return { ...none, p: 1, smallestP: 1 };
  return { p: binomialTwoSided(up, cases), smallestP: Math.min(1, 2 * 0.5 ** cases), cases, method: 'exact' };
}

/**
 * Exact McNemar test of binary case outcomes: `gained` passed with the treatment only, `lost` without it only. It tests the sharp null
 * that the treatment changes no case. p is 1 without a discordant case.
 */
export function mcnemarTest(gained: number, lost: number): CaseTest {
  const cases = gained + lost;
  if (cases === 0) return { ...none, p: 1, smallestP: 1 };
  return { p: binomialTwoSided(gained, cases), smallestP: Math.min(1, 2 * 0.5 ** cases), cases, method: 'exact' };
}

function binomialTwoSided(k: number, n: number): number {
  return Math.min(1, 2 * binomialCdf(Math.min(k, n - k), n, 0.5));
}

/**
 * Permutation test over cases: the sign of each case's mean difference turned in every way (Fisher 1935); the statistic is the mean.
 * Up to `limit` turnings are enumerated; beyond, `samples` are drawn from the seed and p = (extreme + 1)/(samples + 1).
 */
export function signFlipTest(
  differences: (number | null)[],
  { limit = 65_536, samples = 9_999, seed = 1 }: { limit?: number; samples?: number; seed?: number } = {},
): CaseTest {
  const known = differences.filter((value) => value !== null);
  const cases = known.length;
  if (cases === 0) return none;
  const seen = Math.abs(known.reduce((sum, value) => sum + value, 0));
  const slack = 1e-9 * known.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const turnings = 2 ** cases;
  if (turnings <= limit) {
    let extreme = 0;
    const visit = (index: number, sum: number): void => {
      if (index === cases) {
        if (Math.abs(sum) >= seen - slack) extreme += 1;
        return;
      }
      const value = known[index] as number;
      visit(index + 1, sum + value);
      visit(index + 1, sum - value);
    };
    visit(0, 0);
    return { p: extreme / turnings, smallestP: Math.min(1, 2 / turnings), cases, method: 'exact' };
  }
  const random = seededRandom(seed);
  // both signs of each difference side by side: a sign that is drawn is looked up, for no processor can guess it
  const signed = Float64Array.from({ length: 2 * cases }, (_, at) => (known[at >> 1] as number) * (at % 2 === 1 ? 1 : -1));
  let extreme = 0;
  for (let sample = 0; sample < samples; sample++) {
    let [sum, bits] = [0, 0];
    for (let at = 0; at < cases; at++) {
      // one number gives thirty signs
      if (at % 30 === 0) bits = random.below(2 ** 30);
      sum += signed[2 * at + (bits & 1)] as number;
      bits >>= 1;
    }
    if (Math.abs(sum) >= seen - slack) extreme += 1;
  }
  return { p: (extreme + 1) / (samples + 1), smallestP: 1 / (samples + 1), cases, method: 'monte-carlo' };
}
