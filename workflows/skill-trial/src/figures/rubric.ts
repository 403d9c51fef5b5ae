import type { TopLevelSpec } from 'vega-lite';
import type { TrialResult } from '../result.js';
import type { RubricRow } from '../rubric.js';
import { titled } from './frame.js';
import { type GridState, grid } from './grid.js';
import { armsOf, compare, mostRuns, namedRuns } from './runs.js';
import { shareCell, shareStates } from './share.js';

type Run = Pick<TrialResult, 'id' | 'case' | 'arm' | 'repeat' | 'valid' | 'rows'>;
type Cases = ReadonlyMap<string, { rubricRows: { review: Pick<RubricRow, 'id' | 'requirement'>[] } }>;

const states: GridState[] = [
  { state: 'found', fill: '#00467F', ink: '#ffffff' },
  { state: 'not found', fill: '#F6C8A4', ink: '#222222' },
  { state: 'unknown', fill: '#EEEEEE', ink: '#222222' },
  { state: 'does not apply', fill: '#ffffff', ink: '#555555' },
];
const texts: Record<string, string> = { found: '✓', 'not found': '✗', unknown: '?', 'does not apply': 'n/a' };

/**
 * What each run's review found: rubric row × run, or × arm where there are many runs. `cases` gives the rows' wording. Null where
 * no run has been scored.
 */
export function rubricFigure(results: readonly Run[], cases: Cases = new Map()): TopLevelSpec | null {
  const scored = results.filter((run) => run.rows.length > 0);
  if (scored.length === 0) return null;
  const manyCases = new Set(scored.map((run) => run.case)).size > 1;
  const label = (one: string, row: Run['rows'][number]) => {
    const words = cases.get(one)?.rubricRows.review.find(({ id }) => id === row.id)?.requirement ?? '';
    return `${manyCases ? `${one} ` : ''}${row.id} (weight ${row.weight})${words === '' ? '' : ` ${words}`}`;
  };
  const stateOf = (run: Run, row: Run['rows'][number]) => {
    if (!row.applicable) return 'does not apply';
    if (!run.valid || row.found === null) return 'unknown';
    return row.found ? 'found' : 'not found';
  };
  const said = namedRuns(scored).flatMap(({ run, name }) =>
    run.rows.map((row) => ({ row: label(run.case, row), arm: run.arm, column: name, state: stateOf(run, row) })),
  );
  const rows = [...new Set(said.map((cell) => cell.row))].sort(compare);
  const byRun = scored.length <= mostRuns;
  const arms = armsOf(scored);
  const unscored = results.length - scored.length;
  const counts = arms.map((arm) => {
    const known = said.filter((cell) => cell.arm === arm && (cell.state === 'found' || cell.state === 'not found'));
    return `${arm}: ${known.filter((cell) => cell.state === 'found').length} of ${known.length} cells found`;
  });
  return grid({
    title: titled('Which risks did each review find?', [
      byRun ? '✓ found, ✗ not found, ? unknown' : 'Runs that found the row / runs in which that is known',
      unscored === 0 ? null : `Not shown: ${unscored} not scored yet.`,
    ]),
    description: `Heat map of rubric rows by ${byRun ? 'run' : 'arm'}. ${counts.join('; ')}.`,
    rows,
    rowTitle: 'rubric row',
    columns: byRun ? [...new Set(said.map((cell) => cell.column))] : arms,
    columnTitle: byRun ? 'run (arm and repeat)' : 'arm',
    legend: 'the review',
    states: byRun ? states : shareStates,
    cells: byRun
      ? said.map(({ row, column, state }) => ({ row, column, state, text: texts[state] as string }))
      : rows.flatMap((row) =>
          arms.map((arm) => {
            const known = said.filter((cell) => cell.row === row && cell.arm === arm && /found/.test(cell.state));
            return shareCell(row, arm, known.filter((cell) => cell.state === 'found').length, known.length);
          }),
        ),
  });
}
