import { z } from 'zod';

/**
 * The version of what is made of a report, here and in test-report.ts. Raise it with every change by which the same report can give other
 * results: a record names it in its check.json and in its conditions, so that what an earlier one made is made anew and never held
 * against this one. 1: before it had a number. 2: a report with a line that is no result holds no test; failures in JUnit XML and JSON
 * are told apart by the name of the error.
 */
export const testReader = 2;

/** What became of one test. Only `assertion` is a failure for the expected reason. */
export const TestOutcome = z.enum(['passed', 'assertion', 'crash', 'collection', 'timeout', 'skipped', 'todo']);
export type TestOutcome = z.infer<typeof TestOutcome>;

export const TestResult = z.strictObject({
  file: z.string(),
  name: z.string(),
  outcome: TestOutcome,
  message: z.string().nullable(),
});
export type TestResult = z.infer<typeof TestResult>;

export const TestFrameworkName = z.enum(['node-test', 'pytest', 'vitest', 'jest', 'junit', 'exit-status']);
export type TestFrameworkName = z.infer<typeof TestFrameworkName>;

/** What a run of tests has left: the text of its report, the exit status, the folder that held the tree. */
export interface TestOutput {
  text: string;
  exitCode: number | null;
  workspace: string;
  /** Where the report lies, for errors. */
  where: string;
}

/** How one test framework is started so that it writes a report, and how that report reads. */
export interface TestFramework {
  name: TestFrameworkName;
  /** The command for the complete suite (files: null) or for some files, to be ended after `timeoutMs`. */
  argv: (suite: string[], files: string[] | null, reporters: string, out: string, timeoutMs: number) => string[];
  env: (reporters: string, out: string) => Record<string, string>;
  read: (output: TestOutput) => TestResult[] | Promise<TestResult[]>;
}

const lines = ({ text, workspace }: TestOutput) => readTestLines(text, workspace);
const noEnv = () => ({});
/** Loaded when such a report is read: the process that runs a trial reads none, and starts sooner. */
const reports = () => import('./test-report.js');

/** Every framework the lab knows: one row each. */
export const testFrameworks: TestFramework[] = [
  {
    name: 'node-test',
    argv: (suite, files, reporters, out, timeoutMs) => [
      // node takes what follows a path for another path: the options stand before
      ...suite.slice(0, suite.indexOf('--test') + 1 || suite.length),
      // per file: one that hangs is told as such, and the others still run
      `--test-timeout=${Math.ceil(timeoutMs / 3)}`,
      `--test-reporter=${reporters}/node-test.mjs`,
      `--test-reporter-destination=${out}`,
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      ...suite.slice(suite.indexOf('--test') + 1 || suite.length),
      ...(files ?? []),
    ],
    env: noEnv,
    read: lines,
  },
  {
    name: 'pytest',
    argv: (suite, files) => [
      ...suite,
      '-p',
      'skill_trial_pytest',
      '-p',
      'no:cacheprovider',
      '-p',
      'no:randomly',
      ...(files ?? []),
    ],
    env: (reporters, out) => ({ PYTHONPATH: reporters, PYTHONDONTWRITEBYTECODE: '1', SKILL_TRIAL_TESTS: out }),
    read: lines,
  },
  {
    name: 'vitest',
    argv: (suite, files, reporters) => [...suite, `--reporter=${reporters}/vitest.mjs`, '--reporter=default', ...(files ?? [])],
    env: (_, out) => ({ SKILL_TRIAL_TESTS: out }),
    read: lines,
  },
  {
    name: 'jest',
    argv: (suite, files, _, out) => [...suite, '--json', `--outputFile=${out}`, ...(files ?? [])],
    env: noEnv,
    read: async ({ text, workspace }) => placed((await reports()).readJestJson(text), workspace),
  },
  {
    // any runner: the command names where it writes with {report}
    name: 'junit',
    argv: (suite, files, _, out) => [...suite.map((word) => word.replaceAll('{report}', out)), ...(files ?? [])],
    env: noEnv,
    read: async ({ text, workspace }) => placed((await reports()).readJunit(text), workspace),
  },
  {
    // a build check: the exit status is the one result
    name: 'exit-status',
    argv: (suite) => suite,
    env: noEnv,
    read: ({ exitCode }) => [
      {
        file: '',
        name: 'exit status 0',
        outcome: exitCode === 0 ? 'passed' : 'crash',
        message: exitCode === 0 ? null : `exit status ${exitCode ?? 'none: it was ended'}`,
      },
    ],
  },
];

export function findFramework(name: TestFrameworkName): TestFramework {
  return testFrameworks.find((framework) => framework.name === name) as TestFramework;
}

/** A reporter may say that a test has started, so that one that never ends is known. */
const TestLine = z.strictObject({ ...TestResult.shape, outcome: z.enum([...TestOutcome.options, 'started']) });

/** A report that holds no results, and why: whatever tests it tells of, none has run. */
export function unreadable(why: string): TestResult {
  return { file: '', name: 'report', outcome: 'collection', message: why };
}

/** Whether these results are those of a report that could not be read. */
export function isUnreadable(results: TestResult[]): boolean {
  return results.length === 1 && results.every((one) => one.file === '' && one.name === 'report' && one.outcome === 'collection');
}

/**
 * Result lines as a reporter wrote them, sorted by file and name; `workspace` is cut from the files' paths. The code under test may have
 * written others among them, and so spoilt or imitated a reporter's: with one line that is no result, the report is unreadable.
 */
export function readTestLines(text: string, workspace: string): TestResult[] {
  const lines: z.infer<typeof TestLine>[] = [];
  // a kill may cut the last line short: what has no end is no line
  for (let start = 0, end = text.indexOf('\n'); end !== -1; start = end + 1, end = text.indexOf('\n', start)) {
    const line = testLine(text.slice(start, end));
    if (line === null) return [unreadable(`line ${lines.length + 1} of the report is no result: none of them is trusted`)];
    lines.push(line);
  }
  const id = (line: { file: string; name: string }) => JSON.stringify([line.file, line.name]);
  const ended = new Set(lines.filter((line) => line.outcome !== 'started').map(id));
  const results = lines.flatMap(({ outcome, ...line }): TestResult[] => {
    if (outcome !== 'started') return [{ ...line, outcome }];
    return ended.has(id(line)) ? [] : [{ ...line, outcome: 'timeout', message: 'it started and never ended' }];
  });
  return placed(results, workspace);
}

function testLine(text: string): z.infer<typeof TestLine> | null {
  try {
    return TestLine.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/** Results with paths as they are in the repository, sorted by file and name. */
function placed(results: TestResult[], workspace: string): TestResult[] {
  // a file that cannot be imported is reported under its own path
  const below = (path: string) => (path.startsWith(`${workspace}/`) ? path.slice(workspace.length + 1) : path);
  return results
    .map((result) => ({ ...result, file: below(result.file), name: below(result.name) }))
    .sort((a, b) => (a.file + a.name < b.file + b.name ? -1 : 1));
}
