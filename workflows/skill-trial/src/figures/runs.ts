/** What the figures share: how arms and runs are named, marked and ordered. */
import { armColours, armShapes } from '../figure.js';
import type { TrialResult } from '../result.js';

export type RunName = Pick<TrialResult, 'id' | 'case' | 'arm' | 'repeat'>;

/** More runs than this are shown by arm: their names would no longer be readable. */
export const mostRuns = 24;

const otherColours = ['#009E73', '#7A4B8C', '#5C5C5C', '#B07A00'];
const otherShapes = ['square', 'triangle-up', 'cross', 'triangle-down'];

/** Arms in the order of their names. */
export function armsOf(runs: readonly { arm: string }[]): string[] {
  return [...new Set(runs.map((run) => run.arm))].sort();
}

/** Colour and shape of each arm: those of figure.ts for A and B, further ones in turn. An arm keeps its own in every figure. */
export function armScales(arms: readonly string[]) {
  const others = arms.filter((arm) => arm !== 'A' && arm !== 'B');
  const pick = (arm: string, a: string, b: string, rest: string[]) =>
    arm === 'A' ? a : arm === 'B' ? b : (rest[others.indexOf(arm) % rest.length] as string);
  const [circle, diamond] = armShapes.range as [string, string];
  return {
    colour: { domain: [...arms], range: arms.map((arm) => pick(arm, armColours.A, armColours.B, otherColours)) },
    shape: { domain: [...arms], range: arms.map((arm) => pick(arm, circle, diamond, otherShapes)) },
  };
}

/** Runs by case, arm and repeat, each with a short name: without the case where there is only one. */
export function namedRuns<R extends RunName>(runs: readonly R[]): { run: R; name: string }[] {
  const one = new Set(runs.map((run) => run.case)).size === 1;
  return [...runs]
    .sort((x, y) => compare(x.case, y.case) || compare(x.arm, y.arm) || x.repeat - y.repeat)
    .map((run) => ({ run, name: one ? `${run.arm} ${run.repeat}` : run.id }));
}

/** Names in natural order: R2 before R10. */
export function compare(x: string, y: string): number {
  return x.localeCompare(y, 'en', { numeric: true });
}

/** `1 run`, `2 runs`. */
export function counted(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
