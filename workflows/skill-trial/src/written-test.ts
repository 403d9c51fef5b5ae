import { extname } from 'node:path';
import { readJavaScriptTests } from './written-test/javascript.js';
import { readPythonTests } from './written-test/python.js';

/** A place in a test that can fail it: an assertion, or a call of a helper of the file that holds some. */
export interface AssertionSite {
  line: number;
  /** It only looks for a word or a pattern in a text. */
  keyword: boolean;
  /** It stands in a loop (or an all/every) over something that may be empty. */
  mayNeverRun: boolean;
}

/** A test as it is written, without being run. */
export interface WrittenTest {
  file: string;
  /** From 1. */
  line: number;
  title: string;
  /** Where it can name criteria: its title, those of the groups around it, its parameters, its docstring. */
  naming: string;
  assertions: AssertionSite[];
  /** How it runs what was made: by importing it, as a process, or not at all. What cannot be told counts as importing. */
  executes: 'import' | 'process' | 'none';
}

const readers: Record<string, (file: string, text: string) => WrittenTest[]> = {
  '.py': readPythonTests,
  ...Object.fromEntries(
    ['.js', '.mjs', '.cjs', '.jsx', '.ts', '.mts', '.cts', '.tsx'].map((ending) => [ending, readJavaScriptTests]),
  ),
};

/** The tests of a pytest, unittest, node:test, vitest or jest file; null for a language that is not read. */
export function readWrittenTests(file: string, text: string): WrittenTest[] | null {
  return readers[extname(file)]?.(file, text) ?? null;
}
