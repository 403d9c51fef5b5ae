import { lstat, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import picomatch from 'picomatch';
import { applyPatch } from './base.js';
import { redact } from './blinding.js';
import { baseOf, caseOf, type Lab } from './lab.js';
import { changedFiles } from './new-tests.js';
import { hasRecord, readJson } from './record.js';
import { trialsOfArm } from './schedule.js';
import { TrialSpec } from './spec.js';
import { TestCheck } from './test-check.js';
import type { TestResult } from './test-framework.js';
import { TrialRecord } from './trial-record.js';
import { Control } from './variant-checks.js';

/** One run of a variant's tests as a scorer may see it: no times, no paths of the run, tests in the order of their names. */
export interface BlindTestRun {
  check: string;
  exitCode: number | null;
  timedOut: boolean;
  tests: TestResult[];
}

/**
 * The recorded test runs of a variant, found by its content hash; null where the negative control has not run. Names and messages are
 * redacted as the response is, and durations and times of day taken out of the messages.
 */
export async function blindTestRuns(lab: Lab, content: string): Promise<BlindTestRun[] | null> {
  const control = await readJson(lab.run.controlIndex, Control).catch(() => null);
  const checks = control?.variants.find((variant) => variant.content === content);
  if (checks === undefined) return null;
  const clean = (text: string) => withoutTimes(redact(text, lab.skills.values()).text);
  const runs: BlindTestRun[] = [];
  for (const [name, { path }] of Object.entries(checks.records)) {
    const check = await readJson(join(lab.run.run, path, 'check.json'), TestCheck);
    const tests = check.tests.map(({ file, name: test, outcome, message }) => ({
      file: clean(file),
      name: clean(test),
      outcome,
      message: message === null ? null : clean(message.replaceAll(check.workspace, '.')),
    }));
    const key = (test: TestResult) => `${test.file}\n${test.name}`;
    tests.sort((a, b) => (key(a) < key(b) ? -1 : 1));
    runs.push({ check: name, exitCode: check.exitCode, timedOut: check.timedOut, tests });
  }
  return runs;
}

/** A text without durations and times of day: they could tell one run from another. */
export function withoutTimes(text: string): string {
  return text
    .replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?/g, '[time]')
    .replace(/(?<![\w.])\d+(\.\d+)?\s?(ms|s|secs?|seconds?|milliseconds?)(?![\w-])/g, '[duration]')
    .replace(/(duration_ms:?\s*)\d+(\.\d+)?/g, '$1[duration]');
}

/** A document of a variant's tree that its patch touches; `text` is null where the patch removes it or it is no regular file. */
export interface BlindDocument {
  path: string;
  change: 'added' | 'removed' | 'changed';
  text: Buffer | null;
}

/** The documents (by the case's globs) that a variant's patch touches, as they read in its tree, redacted. */
export async function blindDocuments(lab: Lab, variant: { case: string; content: string }): Promise<BlindDocument[]> {
  const found = await trialWith(lab, variant);
  if (found === null) return [];
  const isDocument = picomatch(caseOf(lab, variant.case).docs, { dot: true });
  const patch = join(found.folder, 'patch.diff');
  const changed = changedFiles(await readFile(patch, 'utf8')).filter(({ path }) => isDocument(path));
  if (changed.length === 0) return [];
  const scratch = await mkdtemp(join(tmpdir(), 'skill-trial-desk-'));
  try {
    const tree = join(scratch, 'tree');
    await applyPatch(await baseOf(lab, variant.case, found.record.baseCommit), patch, tree);
    const inside = await realpath(tree);
    const documents: BlindDocument[] = [];
    for (const { path, kind } of changed) {
      const bytes = kind === 'deleted' ? null : await regularFile(inside, path);
      documents.push({
        path: redact(path, lab.skills.values()).text,
        change: kind === 'deleted' ? 'removed' : kind === 'added' ? 'added' : 'changed',
        text: bytes === null ? null : redactBytes(bytes, lab),
      });
    }
    return documents;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Redacted with every byte kept that is no UTF-8: where there is one, each byte is read as one character. */
function redactBytes(bytes: Buffer, lab: Lab): Buffer {
  const encoding = Buffer.from(bytes.toString('utf8'), 'utf8').equals(bytes) ? 'utf8' : 'latin1';
  return Buffer.from(redact(bytes.toString(encoding), lab.skills.values()).text, encoding);
}

/** A file of the variant's tree; null for a link, which the agent may have pointed anywhere. */
async function regularFile(tree: string, path: string): Promise<Buffer | null> {
  return (await regularSize(tree, path)) === null ? null : readFile(join(tree, path));
}

/** The bytes of a file of the variant's tree; null for what is no regular file inside it. */
export async function regularSize(tree: string, path: string): Promise<number | null> {
  const file = join(tree, path);
  const found = await lstat(file).catch(() => null);
  return found?.isFile() && (await realpath(file)).startsWith(tree + sep) ? found.size : null;
}

/** A recorded trial that delivered this content; which one does not matter, the bytes are the same. */
async function trialWith(lab: Lab, variant: { case: string; content: string }) {
  for (const name of trialsOfArm(lab.experiment)) {
    const spec = await readJson(lab.run.spec(name), TrialSpec).catch(() => null);
    const folder = spec === null ? null : lab.run.trial(spec.hash, spec.repeat);
    if (folder === null || !(await hasRecord(folder))) continue;
    const record = await readJson(join(folder, 'trial.json'), TrialRecord);
    if (record.case === variant.case && record.content === variant.content) return { folder, record };
  }
  return null;
}
