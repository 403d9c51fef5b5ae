import { type ComparisonRow, contrastName } from './comparison.js';
import { contrasts } from './experiment.js';
import type { Report } from './report.js';
import { type Block, type Content, details, type Inline, joined, record, table } from './report-document.js';
import { formatRun } from './report-view.js';

type Trial = Report['trials'][number];

/** More runs than these are not in a title: with many cases every title would hold them all. The row that it leads to has each. */
const titledRuns = 24;

/** The first of some runs, one a line, as a title can hold them; how many more there are is said. */
export function titled(lines: string[]): string {
  const more = lines.length - titledRuns;
  return [...lines.slice(0, titledRuns), ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

/** The values of one arm that a row was computed from, run by run. */
export function inputs(report: Report, row: ComparisonRow, arm: string): string {
  return inputLines(report, row, arm).join('; ');
}

/** The same as a title can hold them; of one case alone where it is named. */
export function titledInputs(report: Report, row: ComparisonRow, arm: string, ofCase?: string): string {
  return titled(inputLines(report, row, arm, ofCase));
}

function inputLines(report: Report, row: ComparisonRow, arm: string, ofCase?: string): string[] {
  const own = report.trials.filter((trial) => trial.arm === arm && (ofCase === undefined || trial.case === ofCase));
  if (own.length === 0) return ['no run is recorded'];
  return own.map(
    (trial) => `${trial.id}: ${trial.valid ? formatRun(trial.values[row.metric] ?? null, row.unit) : 'invalid, left out'}`,
  );
}

/** How the numbers of one row came about: the runs behind them, and where these are saved. */
export interface Account {
  /** Of its row in the page. */
  anchor: string;
  /** n and the runs' values, as a title can hold them. */
  inputs: string;
  cells: Content[];
}

/** A number that leads to its account and says its formula, inputs and n; plain words where there is no account. */
export function counted(account: Account | undefined, words: string, formula: string): Inline {
  return account === undefined ? words : { link: words, anchor: account.anchor, title: `${formula}. ${account.inputs}` };
}

/**
 * The accounts of a table of that kind with one row a skill, by the skill, in the contrast of that name. `casesOf` says on which cases it was
 * measured, `say` what one run gave, and `more` the files beside the runs' own records that the numbers come from.
 */
export function skillAccounts(
  report: Report,
  contrast: string,
  {
    kind,
    skills,
    casesOf,
    say,
    more,
  }: {
    kind: 'requirements' | 'evals' | 'activation';
    skills: string[];
    casesOf: (skill: string) => string[];
    say: (trial: Trial, skill: string) => string;
    more: string[];
  },
): Map<string, Account> {
  const pair = contrasts(report.conditions.settings).find((one) => contrastName(one) === contrast);
  if (pair === undefined) return new Map();
  return new Map(
    skills.map((skill, index) => {
      const cases = casesOf(skill);
      const of = (arm: string) => report.trials.filter((trial) => trial.arm === arm && cases.includes(trial.case));
      const [without, having] = [of(pair.control), of(pair.arm)];
      const lines = (trials: Trial[]) =>
        trials.map((trial) => `${trial.id}: ${trial.valid ? say(trial, skill) : 'invalid, left out'}`);
      const used = (trials: Trial[]) => `${trials.filter(({ valid }) => valid).length}/${trials.length}`;
      return [
        skill,
        {
          anchor: `how-${contrast}-${kind}-${index + 1}`,
          inputs: `n ${used(without)} without, ${used(having)} with. ${titled([...lines(without), ...lines(having)])}`,
          cells: [
            skill,
            lines(without).join('; ') || 'none',
            lines(having).join('; ') || 'none',
            joined([
              ...[...without, ...having].map((trial) => record(trial.record, trial.id)),
              ...more.map((path) => record(path)),
            ]),
          ],
        },
      ];
    }),
  );
}

/** The accounts of a contrast as a folded table that the numbers lead to. */
export function accountBlocks(
  contrast: string,
  accounts: Map<string, Account>,
  numbers: 'numbers' | 'activation' = 'numbers',
): Block[] {
  if (accounts.size === 0) return [];
  const rows = [...accounts.values()];
  const own = table(
    `The runs behind each skill’s ${numbers} (${contrast})`,
    ['Skill', 'Runs of the control', 'Runs of the arm', 'Saved records'],
    rows.map(({ cells }) => cells),
  );
  return [
    details(
      `How each skill’s ${numbers === 'numbers' ? 'numbers are made' : 'activation is counted'}: every run, records (${contrast})`,
      [{ ...own, rows: own.rows.map((row, index) => ({ ...row, id: (rows[index] as Account).anchor })) }],
    ),
  ];
}
