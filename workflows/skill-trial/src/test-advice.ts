import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Case } from './case.js';
import type { Requirement } from './requirement.js';
import { readWrittenTests, type WrittenTest } from './written-test.js';

/** One weakness of a test: advice, and never an error. */
export interface TestAdvice {
  rule: 'no-assertion' | 'no-execution' | 'keyword-only' | 'vacuous-loop';
  file: string;
  line: number;
  title: string;
  text: string;
}

const rules: { rule: TestAdvice['rule']; text: string; holds: (test: WrittenTest) => boolean }[] = [
  {
    rule: 'no-assertion',
    text: 'it asserts nothing: it fails only where the code throws',
    holds: ({ assertions }) => assertions.length === 0,
  },
  {
    rule: 'no-execution',
    text: 'it runs nothing of what was made: text that looks right passes',
    holds: ({ executes }) => executes === 'none',
  },
  {
    rule: 'keyword-only',
    text: 'it only looks for words in a text: any text with them passes',
    holds: ({ assertions, executes }) =>
      executes !== 'import' && assertions.length > 0 && assertions.every(({ keyword }) => keyword),
  },
  {
    rule: 'vacuous-loop',
    text: 'every assertion stands in a loop over something that may be empty: then it asserts nothing',
    holds: ({ assertions }) => assertions.length > 0 && assertions.every(({ mayNeverRun }) => mayNeverRun),
  },
];

/** The weaknesses of tests, in the order of the tests. A reading of their text: what helpers of other files do is not seen. */
export function adviseTests(tests: WrittenTest[]): TestAdvice[] {
  return tests.flatMap((test) =>
    rules
      .filter(({ holds }) => holds(test))
      .map(({ rule, text }) => ({ rule, file: test.file, line: test.line, title: test.title, text })),
  );
}

/** Which criteria and tests do not know of each other. */
export interface Coverage {
  /** Criteria that no test names. */
  untested: string[];
  /** Tests that name no criterion, and do not say that they guard what was there before (regression). */
  untraced: WrittenTest[];
}

/** Compares the criteria of a requirement with the tests that are to verify them: AC-1 may be written AC_1 or AC1, in any case of letters. */
export function coverageOf(criteria: Requirement['criteria'], tests: WrittenTest[]): Coverage {
  const patterns = criteria.map(({ id }) => {
    const [, letters = '', digits = ''] = /^([A-Z]+)-?(\d+)$/.exec(id) ?? [];
    return { id, pattern: new RegExp(`(?<![A-Za-z0-9])${letters}[-_ ]?${digits}(?!\\d)`, 'i') };
  });
  return {
    untested: patterns.filter(({ pattern }) => !tests.some(({ naming }) => pattern.test(naming))).map(({ id }) => id),
    untraced: tests.filter(
      ({ naming, title }) => !/regression/i.test(title) && !patterns.some(({ pattern }) => pattern.test(naming)),
    ),
  };
}

/** The tests of a case's verifier as they are written; null where it has none in a language that is read. */
export async function readVerifierTests(one: Pick<Case, 'folder' | 'verifier'>): Promise<WrittenTest[] | null> {
  const below = one.verifier?.files;
  if (below === undefined) return null;
  const folder = join(one.folder, below);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const tests: WrittenTest[] = [];
  for (const path of paths)
    tests.push(...(readWrittenTests(path.slice(one.folder.length + 1), await readFile(path, 'utf8').catch(() => '')) ?? []));
  return tests.length === 0 ? null : tests;
}

/** The coverage of a case's criteria; null where it has none, or no tests that can be read. */
export async function coverageOfCase(one: Pick<Case, 'folder' | 'verifier' | 'requirement'>): Promise<Coverage | null> {
  if (one.requirement === undefined) return null;
  const tests = await readVerifierTests(one);
  return tests === null ? null : coverageOf(one.requirement.criteria, tests);
}
