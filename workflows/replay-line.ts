import type { TrialReplay } from 'skill-trial';
import { chalk } from 'zx';

/** Tells of one replayed trial: its outcome, what was compared, and each difference. */
export function sayReplay(
  { trial, outcome, reason, calls, normalised, differences }: TrialReplay,
  say: (text: string) => void,
): void {
  const colour = { identical: chalk.green, different: chalk.red, 'not-replayed': chalk.yellow }[outcome];
  const uses = Object.entries(normalised).map(([name, count]) => `${name} ${count}`);
  const detail = reason ?? `${calls.asked} of ${calls.recorded} calls; normalised: ${uses.join(', ') || 'nothing'}`;
  say(`${trial} ${colour(outcome)}: ${detail}`);
  for (const { what, diff } of differences) say(`  ${what}${diff === null ? '' : `\n${diff}`}`);
}
