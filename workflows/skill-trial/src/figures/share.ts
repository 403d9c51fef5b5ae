import type { Grid, GridState } from './grid.js';

/** The cells of a heat map that counts runs: shades by share, the counts as text. */
export const shareStates: GridState[] = [
  { state: 'all runs', fill: '#00467F', ink: '#ffffff' },
  { state: 'half or more', fill: '#5E8FBF', ink: '#000000' },
  { state: 'fewer than half', fill: '#BDD3E8', ink: '#222222' },
  { state: 'none', fill: '#F6C8A4', ink: '#222222' },
  { state: 'unknown', fill: '#EEEEEE', ink: '#222222' },
];

/** One such cell: `yes` of `known` runs. */
export function shareCell(row: string, column: string, yes: number, known: number): Grid['cells'][number] {
  const state =
    known === 0
      ? 'unknown'
      : yes === known
        ? 'all runs'
        : yes === 0
          ? 'none'
          : yes * 2 >= known
            ? 'half or more'
            : 'fewer than half';
  return { row, column, state, text: known === 0 ? '?' : `${yes}/${known}` };
}
