import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import type { CaseSettings } from './case.js';
import { readText, shown } from './document.js';
import { SettingsError } from './errors.js';
import type { RubricRow } from './rubric.js';

/** One mutant (a folder laid over the reference solution) and the requirements whose hidden tests have to fail on it. */
export interface MatrixRow {
  mutant: string;
  mustFail: string[];
}

/**
 * mutants/matrix.csv (`mutant,must_fail`, requirements separated by spaces): every folder beside it once, in the order of the file.
 * Requirements may overlap; one that is judged by reading alone (documentation) has no hidden test and occurs nowhere.
 */
export async function readMatrix(folder: string, hidden: CaseSettings['hidden']): Promise<MatrixRow[]> {
  const file = join(folder, 'matrix.csv');
  const text = await readText(file, 'mutants');
  let records: string[][];
  try {
    records = parse(text, { skip_empty_lines: true, bom: true });
  } catch (error) {
    return fail(file, 'not valid CSV', 'mutant,must_fail', (error as Error).message, 'correct the quoting');
  }
  const [head, ...rows] = records;
  if (head?.join(',') !== 'mutant,must_fail')
    fail(file, 'wrong header', 'mutant,must_fail', head?.join(',') ?? 'an empty file', 'correct the first line');
  const folders = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const matrix = rows.map(([mutant = '', must = '']) => ({ mutant, mustFail: must.split(' ').filter((id) => id !== '') }));
  const names = matrix.map((row) => row.mutant);
  const stray = folders.find((name) => !names.includes(name));
  if (stray !== undefined)
    fail(file, `mutant ${stray} has no row`, `a row for each folder: ${folders.join(', ')}`, names.join(', '), 'add it');
  for (const [index, { mutant, mustFail }] of matrix.entries()) {
    if (names.indexOf(mutant) !== index) fail(file, `mutant ${mutant} occurs twice`, 'each mutant once', mutant, 'remove one');
    if (!folders.includes(mutant)) fail(file, `mutant ${mutant} has no folder`, folders.join(', '), mutant, 'make the folder');
    const unknown = mustFail.find((id) => hidden[id] === undefined);
    if (unknown !== undefined)
      fail(
        file,
        `${mutant} names ${unknown}`,
        `requirements with a hidden test: ${Object.keys(hidden).join(', ')}`,
        unknown,
        'correct it',
      );
    if (mustFail.length === 0)
      fail(
        file,
        `${mutant} breaks nothing`,
        'at least one requirement that has to fail',
        'none',
        'name it, or remove the mutant',
      );
  }
  return matrix;
}

/** Holds `proofs` of case.yaml against the rubrics and the mutants: rows known, points within their weight, one rule each. */
export function checkProofs(
  { proofs, rubrics }: CaseSettings,
  rows: { tests: RubricRow[]; documentation: RubricRow[] },
  matrix: MatrixRow[],
  where: string,
): void {
  const known = (list: { id: string }[], id: string, field: string) => {
    if (!list.some((row) => row.id === id))
      fail(where, `${field} names row ${id}`, list.map((row) => row.id).join(', '), id, 'correct the row');
  };
  const mutants = matrix.map((row) => row.mutant);
  for (const [id, rules] of Object.entries(proofs.tests)) {
    known(rows.tests, id, 'proofs.tests');
    if (id === rubrics?.control_row)
      fail(where, `proofs.tests.${id} is filled twice`, 'the negative control alone fills it', id, 'remove it from proofs');
    const points = rules.reduce((sum, rule) => sum + rule.points, 0);
    const weight = rows.tests.find((row) => row.id === id)?.weight ?? 0;
    if (points !== weight) fail(where, `proofs.tests.${id}: the points do not add up`, `${weight}`, `${points}`, 'correct them');
    for (const { any, all } of rules) {
      if ((any === undefined) === (all === undefined))
        fail(where, `proofs.tests.${id}`, 'either any or all', any === undefined ? 'neither' : 'both', 'keep one of the two');
      const unknown = [...(any ?? []), ...(all ?? [])].find((name) => !mutants.includes(name));
      if (unknown !== undefined)
        fail(
          where,
          `proofs.tests.${id} names an unknown mutant`,
          mutants.join(', ') || 'no mutant at all',
          unknown,
          'correct it',
        );
    }
  }
  for (const [kind, id] of Object.entries(proofs.documentation))
    if (id !== undefined) known(rows.documentation, id, `proofs.documentation.${kind}`);
}

function fail(where: string, what: string, expected: string, found: string, next: string): never {
  throw new SettingsError(`${shown(where)}: ${what}`, { expected, found, next });
}
