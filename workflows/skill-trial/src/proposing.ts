import type { VariantBehaviour } from './behaviour.js';
import type { Case } from './case.js';
import type { DefectMatrix } from './defect-matrix.js';
import type { DocumentationCheck } from './documentation-check.js';
import type { Evidence } from './evidence.js';
import type { Proposal } from './proposal.js';
import type { SavedSheet } from './sheet.js';
import type { VariantChecks } from './variant-checks.js';

type Rule = Case['proofs']['tests'][string][number];
type Catch = DefectMatrix['differing'][number];

/** What the checks of one variant propose for its sheets; `files` holds the text of its test files, to name lines. */
export function proposalsOf(
  one: Pick<Case, 'proofs' | 'rubrics' | 'rubricRows'>,
  { defects, documentation }: Pick<VariantBehaviour, 'defects' | 'documentation'>,
  checks: Pick<VariantChecks, 'exposesDefect' | 'control'> | null,
  files: Map<string, string>,
): Proposal[] {
  const { tests, documentation: kinds } = one.proofs;
  return [
    ...(defects === null ? [] : Object.entries(tests).map(([row, rules]) => testProposal(row, rules, defects, files))),
    ...one.rubricRows.tests
      .filter(({ id }) => id === one.rubrics?.control_row && checks !== null)
      .map(({ id, weight }) => ({
        sheet: 'tests' as const,
        row: id,
        value: checks?.exposesDefect === true ? weight : 0,
        reason: `the negative control fills this row: ${checks?.control === null ? 'no new or changed test' : `on the clean base ${JSON.stringify(checks?.control)}`}`,
        evidence: [],
      })),
    ...(['entry', 'example', 'guarantees', 'commands'] as const).flatMap((kind): Proposal[] => {
      const row = kinds[kind];
      return row === undefined ? [] : [{ sheet: 'documentation', row, ...documentKinds[kind](documentation) }];
    }),
  ];
}

function testProposal(row: string, rules: Rule[], defects: DefectMatrix, files: Map<string, string>): Proposal {
  if (defects.status === 'no tests') return { sheet: 'tests', row, value: 0, reason: 'no new or changed test', evidence: [] };
  const caught = (name: string) => defects.mutants.find(({ mutant }) => mutant === name)?.caught ?? null;
  const earned = rules.map(({ points, any, all }) => {
    const seen = (any ?? all ?? []).map(caught);
    const some = seen.includes(true);
    // caught in part is a person's to judge, and so is what a test with another contract might have caught
    const met =
      any === undefined ? (seen.every((one) => one === true) ? true : some ? null : none(seen)) : some ? true : none(seen);
    return met === null ? null : met ? points : 0;
  });
  const names = [...new Set(rules.flatMap(({ any, all }) => any ?? all ?? []))];
  const words = names.map((name) => {
    const by = defects.mutants.find(({ mutant }) => mutant === name)?.by[0];
    const seen = caught(name);
    if (seen === null)
      return `mutant ${name}: not told, ${defects.differing.length} test(s) ask for another contract than the reference`;
    return seen
      ? `mutant ${name} caught by "${by?.test}" (${by?.outcome}: ${firstLine(by?.message)})`
      : `mutant ${name} not caught`;
  });
  const catches = names.flatMap((name) => defects.mutants.find(({ mutant }) => mutant === name)?.by.slice(0, 1) ?? []);
  return {
    sheet: 'tests',
    row,
    value: earned.some((one) => one === null) ? null : earned.reduce<number>((sum, one) => sum + (one ?? 0), 0),
    reason: words.join('; '),
    evidence: unique(catches.map((one) => testPlace(one, files))),
  };
}

function none(seen: (boolean | null)[]): false | null {
  return seen.every((one) => one === false) ? false : null;
}

function firstLine(message: string | null | undefined): string {
  return (
    (message ?? 'no message')
      .split('\n')
      .find((line) => line.trim() !== '')
      ?.trim()
      .slice(0, 160) ?? 'no message'
  );
}

/** Where a test stands in its file: the line that holds its name as written; null where the name is put together. */
export function testPlace({ file, test }: Pick<Catch, 'file' | 'test'>, files: Map<string, string>): Evidence {
  const own = test.split(' > ').at(-1)?.split('::').at(-1) ?? test;
  const lines = (files.get(file) ?? '').split('\n');
  const at = [own, own.replace(/\[.*\]$/, '')]
    .map((name) => lines.findIndex((line) => line.includes(name)))
    .find((index) => index >= 0);
  return {
    file,
    line: at === undefined ? null : at + 1,
    side: 'result',
    quote: at === undefined ? '' : (lines[at] as string).trim(),
  };
}

function unique(evidence: Evidence[]): Evidence[] {
  return [...new Map(evidence.map((one) => [JSON.stringify(one), one])).values()];
}

type Told = Pick<Proposal, 'value' | 'reason' | 'evidence'>;
const at = (rows: { file: string; line: number; quote?: string }[]): Evidence[] =>
  rows.map(({ file, line, quote }) => ({ file, line, side: 'result' as const, quote: quote ?? '' }));

/** What each kind of documentation check proposes for its row. */
const documentKinds: Record<'entry' | 'example' | 'guarantees' | 'commands', (found: DocumentationCheck) => Told> = {
  entry({ named, entries }) {
    if (named === null) return { value: null, reason: 'the case declares no entry point', evidence: [] };
    if (!named) return { value: false, reason: 'no documentation file names the entry point', evidence: [] };
    const broken = entries.filter((one) => !one.works);
    if (entries.length === 0) return { value: null, reason: 'it is named, but no module is named with it', evidence: [] };
    const words = entries.map(
      ({ module, works, error }) => `${module}: ${works ? 'imported, it is there' : (error ?? 'it has no such name')}`,
    );
    return { value: broken.length === 0, reason: words.join('; '), evidence: at(broken.length === 0 ? entries : broken) };
  },
  example({ examples }) {
    if (examples.length === 0) return { value: null, reason: 'no example states what it returns', evidence: [] };
    const wrong = examples.filter((one) => one.outcome === 'different' || one.outcome === 'failed');
    const words = examples.map(({ outcome, expected, actual, error }) =>
      outcome === 'failed'
        ? `it does not run: ${error}`
        : outcome === 'equal'
          ? `it returns ${actual}`
          : `documented ${expected}, returned ${actual}`,
    );
    return { value: wrong.length === 0, reason: words.join('; '), evidence: at(wrong.length === 0 ? examples : wrong) };
  },
  guarantees({ guarantees }) {
    const strong = guarantees.filter((one) => !one.negated);
    const words = (rows: typeof guarantees) => [...new Set(rows.map((one) => `"${one.word}"`))].join(', ');
    if (strong.length > 0)
      return {
        value: false,
        reason: `over-strong words: ${words(strong)}; a person judges what they promise`,
        evidence: at(strong),
      };
    if (guarantees.length > 0)
      return { value: null, reason: `${words(guarantees)} in sentences that deny something`, evidence: at(guarantees) };
    return { value: null, reason: 'no over-strong word; whether the description is true is judged by reading', evidence: [] };
  },
  commands({ commands }) {
    const tests = commands.filter(({ command }) => /test/i.test(command));
    const run = tests.filter((one) => one.outcome !== 'not run');
    if (tests.length === 0) return { value: false, reason: 'no documented command runs the tests', evidence: [] };
    if (run.length === 0) return { value: null, reason: `not run: ${tests[0]?.why}`, evidence: at(tests) };
    const failed = run.filter((one) => one.outcome === 'failed');
    const words = run.map(
      ({ command, directory, exitCode }) =>
        `\`${command.replace(/\s+/g, ' ')}\` in ${directory}: exit status ${exitCode ?? 'none'}`,
    );
    return { value: failed.length === 0, reason: words.join('; '), evidence: at(failed.length === 0 ? run : failed) };
  },
};

/** One proposal beside what one sheet says of the same row. */
export interface ProposalAgreement {
  content: string;
  case: string;
  sheet: Proposal['sheet'];
  row: string;
  proposed: number | boolean | null;
  scorer: string;
  scored: number | boolean;
  /** Null: the check could not tell. */
  agrees: boolean | null;
  reason: string;
}

/** Every proposal for a row that a sheet scores, beside each sheet; a row without sheet is left out. */
export function proposalAgreement(
  variants: { content: string; case: string; proposals: Proposal[] }[],
  sheets: Pick<SavedSheet, 'content' | 'case' | 'scorer' | 'rows' | 'tests' | 'documentation'>[],
): ProposalAgreement[] {
  return variants.flatMap(({ content, case: one, proposals }) =>
    proposals.flatMap(({ sheet: kind, row, value, reason }) =>
      sheets
        .filter((sheet) => sheet.content === content && sheet.case === one)
        .flatMap((sheet): ProposalAgreement[] => {
          const scored =
            kind === 'tests' ? sheet.tests[row]?.points : (kind === 'review' ? sheet.rows : sheet.documentation)[row]?.found;
          if (scored === undefined) return [];
          const agrees = value === null ? null : value === scored;
          return [{ content, case: one, sheet: kind, row, proposed: value, scorer: sheet.scorer, scored, agrees, reason }];
        }),
    ),
  );
}
