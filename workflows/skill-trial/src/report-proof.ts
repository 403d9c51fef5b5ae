import { formatValue } from './number-format.js';
import type { Proof } from './proof.js';
import type { Report } from './report.js';
import { type Block, type Content, heading, list, type Section, table, text } from './report-document.js';

/** Behaviour, caught defects, size and proposals, and the judge; nothing where the step has not run. */
export function proofSection(report: Report): Section[] {
  const { proof } = report;
  if (proof === null) return [];
  const sealed = proof.patches.length === 0;
  const arms = report.arms.map((arm) => arm.name);
  const grid = <Row extends { case: string; arm: string }>(
    rows: Row[],
    name: (row: Row) => string,
    cell: (row: Row) => string,
  ): Content[][] =>
    [...new Set(rows.map((row) => JSON.stringify([row.case, name(row)])))].map((key) => {
      const [one, title] = JSON.parse(key) as [string, string];
      const of = (arm: string) => rows.find((row) => row.case === one && name(row) === title && row.arm === arm);
      return [`${one} ${title}`, ...arms.map((arm) => (of(arm) === undefined ? 'not available' : cell(of(arm) as Row)))];
    });
  const blocks: Block[] = [
    text('What tests can tell without an opinion. None of it enters a metric above: a person confirms what it proposes.'),
    ...(sealed ? [text('Withheld by arm and run until scoring is unblinded.')] : []),
    table(
      'Requirements that hold in the final code, by hidden tests that no agent sees: runs / valid runs',
      ['Case and requirement', ...arms.map((arm) => `#Arm ${arm}`)],
      grid(
        proof.requirements,
        (row) => row.requirement,
        ({ holds, error, runs }) => `${holds}/${runs}${error > 0 ? ` · ${error} could not be told` : ''}`,
      ),
    ),
    heading('Defects that the runs’ own tests catch'),
    text(
      'Each mutant is the reference solution with one thing broken. A run’s tests have to pass on the reference; one that does not asks for another contract, and is left out: a mutant that it might have caught is “not told”, never “missed”.',
    ),
    table(
      'Mutants caught: runs / valid runs',
      ['Case and mutant (what it breaks)', ...arms.map((arm) => `#Arm ${arm}`)],
      grid(
        proof.defects,
        (row) => `${row.mutant} (${row.breaks.join(', ')})`,
        ({ caught, notTold, runs }) => `${caught}/${runs}${notTold > 0 ? ` · ${notTold} not told` : ''}`,
      ),
    ),
    heading('Size of the patches, reported apart'),
    text('No quality score takes size as its input. Outside: what lies beyond the task’s area, as the case declares it.'),
    table(
      'Files, hunks and lines of each run',
      ['Run', '#Files', '#Hunks', '#Lines added', '#Lines removed', '#Lines outside the area'],
      proof.patches.map((row) => [
        row.trial,
        ...[row.files, row.hunks, row.added, row.removed, row.outside.added + row.outside.removed].map(String),
      ]),
    ),
    heading('What the checks propose, beside the sheets'),
    text(
      `${proof.proposals.told} of ${proof.proposals.rows} proposals could be told. Beside the sheets: ${proof.proposals.agree} agree, ${proof.proposals.differ.length} differ.`,
    ),
    ...(proof.proposals.differ.length === 0
      ? []
      : [
          table(
            'Where a proposal differs from a sheet',
            ['Variant', 'Row', 'Proposed', 'Scored', 'By', 'Why it is proposed'],
            proof.proposals.differ.map((row) => [
              row.content.slice(0, 12),
              row.row,
              String(row.proposed),
              String(row.scored),
              row.scorer,
              row.reason,
            ]),
          ),
        ]),
    ...judgeBlocks(proof.judge),
  ];
  return [{ id: 'behaviour', title: 'What tests prove', blocks }];
}

function judgeBlocks(judge: Proof['judge']): Block[] {
  if (judge === null) return [];
  const tokens = (value: number | null) => formatValue(value, 'tokens');
  return [
    heading(`The judge: ${judge.name}${judge.scripted ? ' (SCRIPTED)' : ''}`),
    ...(judge.scripted ? [text({ strong: 'A SCRIPTED judge understands nothing: its marks measure nothing.' })] : []),
    text(
      `A model that read the redacted variants; it counts in no score. ${judge.calls} calls, ${tokens(judge.inputTokens)} in, ${tokens(judge.outputTokens)} out, in a ledger of its own.${judge.only ? ' Judge only: no person has scored these variants, so nothing says whether it can be trusted.' : ''}`,
    ),
    table(
      'Rows that the judge scored, twice the same and with evidence that exists',
      ['Variant', 'Runs', '#Scored / rows', 'Unscored'],
      judge.variants.map((row) => [
        row.content.slice(0, 12),
        row.trials.join(', '),
        `${row.scored}/${row.rows}`,
        row.unscored.length === 0 ? 'none' : row.unscored.map((one) => `${one.row}: ${one.why}`).join('; '),
      ]),
    ),
    ...(judge.agreement.length === 0
      ? []
      : [
          table(
            'Agreement of the judge with each scorer, over the rows that both scored',
            ['Scorer', 'Sheet', '#Rows', '#Same', '#Percent', '#κ', '#AC1', '#α', 'Undefined'],
            judge.agreement.map((row) => [
              row.scorer,
              row.sheet,
              String(row.rows),
              String(row.same),
              formatValue(row.percent, 'fraction'),
              ...[row.kappa, row.ac1, row.alpha].map((value) => (value === null ? 'undefined' : value.toFixed(2))),
              row.reasons.join('; '),
            ]),
          ),
        ]),
    list(['A judge’s unscored row is no “not found”: it is a row without a verdict.']),
  ];
}
