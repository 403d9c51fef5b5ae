import { join } from 'node:path';
import type { Case } from '../src/case.js';
import { claimFindings } from '../src/claim.js';
import { type Desk, mark, openDesk } from '../src/desk.js';
import type { Lab } from '../src/lab.js';
import { runPaths } from '../src/paths.js';
import { tempFolder, writeFiles } from './fixture.js';

const row = (id: string, weight: number) => ({ id, requirement: 'x', weight, evidence_rule: 'y' });

/** A case with two review rows, one test row that people score, and one documentation row. */
export const tinyCase = {
  name: 'tiny',
  rubrics: { control_row: 'T2' },
  rubricRows: { review: [row('R1', 3), row('R2', 2)], tests: [row('T1', 2), row('T2', 3)], documentation: [row('D1', 1)] },
} as Case;

export const [a, b] = ['a'.repeat(64), 'b'.repeat(64)];
export const pairName = 'pair-0123456789';

/** A lab over a folder of its own in which `score` has laid out one pair: x delivered a, y delivered b. */
export async function tinyLab(pairs: Record<string, [string, string]> = { [pairName]: [a, b] }): Promise<Lab> {
  const root = await tempFolder();
  const run = runPaths(root, 'tiny');
  const variant = (content: string) => JSON.stringify({ schemaVersion: 1, variant: 'v-0', case: 'tiny', content });
  for (const [pair, contents] of Object.entries(pairs))
    for (const [index, content] of contents.entries())
      await writeFiles(join(run.blind, pair, `variant-${'xy'[index]}`), {
        'variant.json': variant(content),
        'response.md': '1. Units stay taken.\n2. No check of quantities.\n',
        'patch.diff': '',
      });
  let seconds = 0;
  return {
    root,
    run,
    experiment: { name: 'tiny', sheets_from: [], seed: 1 },
    cases: new Map([['tiny', tinyCase]]),
    now: () => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds++)),
  } as unknown as Lab;
}

export interface Choice {
  R1?: boolean;
  R2?: boolean;
  T1?: number;
  D1?: boolean;
  /** Status of the first claim; the second is always style. */
  finding?: 'confirmed' | 'contradicted';
  without?: string[];
}

/** Marks everything of a desk as one evaluator, variant by variant in the order of the desk. */
export async function markAll(desk: Desk, evaluator: string, choices: Choice[] = []): Promise<void> {
  for (const { pair } of desk.pairs) await mark(desk, evaluator, { kind: 'guess', pair, side: 'x' });
  for (const [index, { case: name, content }] of desk.variants.entries()) {
    const { R1 = true, R2 = false, T1 = 2, D1 = true, finding = 'confirmed', without = [] } = choices[index] ?? {};
    const place = { case: name, content, evidence: [{ file: 'response.md', line: 1, quote: 'Units' }], note: '' };
    for (const id of without)
      await mark(desk, evaluator, { kind: 'applicability', case: name, row: id, applicable: false, note: 'not in this case' });
    await mark(desk, evaluator, { kind: 'mark', ...place, sheet: 'review', row: 'R1', value: R1 });
    if (!without.includes('R2')) await mark(desk, evaluator, { kind: 'mark', ...place, sheet: 'review', row: 'R2', value: R2 });
    await mark(desk, evaluator, { kind: 'mark', ...place, sheet: 'tests', row: 'T1', value: T1 });
    await mark(desk, evaluator, { kind: 'mark', ...place, sheet: 'documentation', row: 'D1', value: D1 });
    const findings = claimFindings(content, [
      { text: 'Units stay taken.', line: 1 },
      { text: 'No check of quantities.', line: 2 },
    ]).map((one, at) => ({ ...one, status: at === 0 ? finding : ('style' as const) }));
    await mark(desk, evaluator, { kind: 'claims', case: name, content, findings });
  }
}

export { openDesk };
