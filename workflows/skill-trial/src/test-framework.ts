import { z } from 'zod';

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
    // records from before the lab had a reporter for it hold vitest's own JSON
    read: async (output) =>
      output.text.startsWith('{"numTotal')
        ? placed((await reports()).readJestJson(output.text), output.workspace)
        : lines(output),
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

/**
 * Result lines as a reporter wrote them, sorted by file and name; `workspace` is cut from the files' paths. The code under test may have
 * written others among them: that is one `collection` result, for a run with such lines is not to be trusted.
 */
export function readTestLines(text: string, workspace: string): TestResult[] {
  // a kill may cut the last line short
  const read = text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .map(testLine);
  const lines = read.filter((line) => line !== null);
  const strange = read.length - lines.length;
  const id = (line: { file: string; name: string }) => JSON.stringify([line.file, line.name]);
  const ended = new Set(lines.filter((line) => line.outcome !== 'started').map(id));
  const results = lines.flatMap(({ outcome, ...line }): TestResult[] => {
    if (outcome !== 'started') return [{ ...line, outcome }];
    return ended.has(id(line)) ? [] : [{ ...line, outcome: 'timeout', message: 'it started and never ended' }];
  });
  if (strange > 0) {
    const message = `${strange} lines of the report are no results`;
    results.push({ file: '', name: 'report', outcome: 'collection', message });
  }
  return placed(results, workspace);
}

function testLine(text: string): z.infer<typeof TestLine> | null {
  try {
    return TestLine.parse(JSON.parse(text));
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
