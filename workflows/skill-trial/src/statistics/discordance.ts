import { outline } from '../summary.js';

/** How the cases of two arms differ: a net change of zero can hide as many gained as lost. */
export interface Discordance {
  gained: string[];
  lost: string[];
  same: number;
  /** Cases in which an arm has no value. */
  unknown: number;
  /** Cases whose runs disagree within one arm. */
  unsteady: string[];
  /** Cases that cannot tell the arms apart: every run of both at the floor, or at the ceiling. Null bound: there is none. */
  atFloor: string[];
  atCeiling: string[];
}

/** Compares the arms' means case by case. `floor` and `ceiling` are the ends of the metric's scale. */
export function discordance(
  cases: { name: string; a: ArrayLike<number | null>; b: ArrayLike<number | null> }[],
  { floor, ceiling }: { floor: number | null; ceiling: number | null } = { floor: null, ceiling: null },
): Discordance {
  const result: Discordance = { gained: [], lost: [], same: 0, unknown: 0, unsteady: [], atFloor: [], atCeiling: [] };
  for (const { name, a, b } of cases) {
    const [before, after] = [outline(a), outline(b)];
    if ([before, after].some((arm) => arm.min !== arm.max)) result.unsteady.push(name);
    const [low, high] = [
      [before.min, after.min],
      [before.max, after.max],
    ];
    if (before.mean === null || after.mean === null) {
      result.unknown += 1;
      continue;
    }
    const change = after.mean - before.mean;
    if (change > 1e-9) result.gained.push(name);
    else if (change < -1e-9) result.lost.push(name);
    else result.same += 1;
    if (floor !== null && high.every((value) => value !== null && value <= floor)) result.atFloor.push(name);
    if (ceiling !== null && low.every((value) => value !== null && value >= ceiling)) result.atCeiling.push(name);
  }
  return result;
}
