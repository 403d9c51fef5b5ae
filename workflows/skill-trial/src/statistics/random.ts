import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** A stream of random numbers that a seed settles: the same seed gives the same numbers on every machine. */
export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number;
  /** A whole number from 0 up to, not including, n. */
  below(n: number): number;
  /** From the standard normal distribution (Box and Muller, 1958). */
  normal(): number;
}

/** A stream from a 32-bit seed. */
export function seededRandom(seed: number): Random {
  const generator = xoroshiro128plus(seed | 0);
  const next = () => uniformFloat64(generator);
  return {
    next,
    below: (n) => uniformInt(generator, 0, n - 1),
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
  };
}
