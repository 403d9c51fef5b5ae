import type { TopLevelSpec } from 'vega-lite';
import type { TrialResult } from '../result.js';
import { titled } from './frame.js';
import { type GridState, grid } from './grid.js';
import { armsOf, compare, mostRuns, namedRuns } from './runs.js';
import { shareCell, shareStates } from './share.js';

type Run = Pick<TrialResult, 'id' | 'case' | 'arm' | 'repeat' | 'valid' | 'status' | 'findings'>;

const states: GridState[] = [
  { state: 'confirmed (✓)', fill: '#00467F', ink: '#ffffff' },
  { state: 'unconfirmed (?)', fill: '#BDD3E8', ink: '#222222' },
  { state: 'contradicted (✗)', fill: '#D55E00', ink: '#000000' },
  { state: 'style advice (s)', fill: '#F3E3A1', ink: '#222222' },
  { state: 'absent (·)', fill: '#F4F4F4', ink: '#555555' },
  { state: 'not scored (–)', fill: '#ffffff', ink: '#555555' },
];
const says: Record<string, string> = {
  confirmed: 'confirmed (✓)',
  unconfirmed: 'unconfirmed (?)',
  contradicted: 'contradicted (✗)',
  style: 'style advice (s)',
};
const mostFindings = 40;

/** What each valid run said of each finding: finding × run, or × arm where there are many runs. Null where no run names one. */
export function consistencyFigure(results: readonly Run[]): TopLevelSpec | null {
  const valid = results.filter((run) => run.valid);
  const named = namedRuns(valid).map(({ run, name }) => ({ run, name: run.status === 'completed' ? name : `${name}*` }));
  const said = (run: Run, key: string) =>
    run.findings === null
      ? 'not scored (–)'
      : (says[run.findings.find((finding) => finding.key === key)?.status ?? ''] ?? 'absent (·)');
  const confirmed = (key: string) => valid.filter((run) => said(run, key) === 'confirmed (✓)').length;
  // those that most runs confirmed come first, so that a cut takes the rarest
  const all = [...new Set(valid.flatMap((run) => (run.findings ?? []).map((finding) => finding.key)))].sort(
    (x, y) => confirmed(y) - confirmed(x) || compare(x, y),
  );
  if (all.length === 0) return null;
  const keys = all.slice(0, mostFindings);
  const byRun = valid.length <= mostRuns;
  const arms = armsOf(valid);
  const cut = valid.some((run) => run.status !== 'completed');
  return grid({
    title: titled('What did each run say of each finding?', [
      byRun ? null : 'Runs that confirmed it / runs scored',
      byRun && cut ? '* the run was cut short' : null,
      all.length > keys.length ? `The ${keys.length} findings confirmed most often, of ${all.length}.` : null,
      valid.length < results.length ? `Not shown: ${results.length - valid.length} invalid.` : null,
    ]),
    description: `Heat map of findings by ${byRun ? 'run' : 'arm'}. ${keys
      .slice(0, 12)
      .map((key) => `${key}: confirmed in ${confirmed(key)} of ${valid.length} runs`)
      .join('; ')}.`,
    rows: keys,
    rowTitle: 'finding',
    columns: byRun ? named.map(({ name }) => name) : arms,
    columnTitle: byRun ? 'run (arm and repeat)' : 'arm',
    legend: byRun ? 'the run' : 'confirmed by',
    states: byRun ? states : shareStates,
    cells: keys.flatMap((key) =>
      byRun
        ? named.map(({ run, name }) => {
            const state = said(run, key);
            return { row: key, column: name, state, text: /\((.)\)/.exec(state)?.[1] as string };
          })
        : arms.map((arm) => {
            const scored = valid.filter((run) => run.arm === arm && run.findings !== null);
            return shareCell(key, arm, scored.filter((run) => said(run, key) === 'confirmed (✓)').length, scored.length);
          }),
    ),
  });
}
