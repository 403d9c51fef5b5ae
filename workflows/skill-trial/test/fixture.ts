import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { LabError } from '../src/errors.js';
import { MetricId } from '../src/metric.js';
import type { TrialResult } from '../src/result.js';

/** A folder of the test's own, removed when the test is over; `files` are written into it. */
export async function tempFolder(files: Record<string, string | Buffer> = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'skill-trial-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFiles(folder, files);
  return folder;
}

export async function writeFiles(folder: string, files: Record<string, string | Buffer>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

/** Runs an action that must end in one error of a class, and returns that error. */
export async function failure<E extends LabError>(kind: new (...parts: never[]) => E, action: () => unknown): Promise<E> {
  try {
    await action();
  } catch (error) {
    expect(error, String((error as Error).stack)).toBeInstanceOf(kind);
    const { message, expected, found, next } = error as E;
    for (const part of [expected, found, next]) expect(part.trim(), message).not.toBe('');
    return error as E;
  }
  throw new Error(`expected a ${kind.name}, and nothing was thrown`);
}

/** A trial's result with the given parts; every metric is null unless given. */
export function trialResult({
  values,
  ...parts
}: Partial<Omit<TrialResult, 'values'>> & { values?: Partial<TrialResult['values']> }): TrialResult {
  const [one, arm, repeat] = [parts.case ?? 'c', parts.arm ?? 'A', parts.repeat ?? 1];
  const all = <T>(make: (id: MetricId) => T) =>
    Object.fromEntries(MetricId.options.map((id) => [id, make(id)])) as Record<MetricId, T>;
  return {
    id: `${one}.${arm}.${repeat}`,
    case: one,
    arm,
    repeat,
    position: 1,
    block: null,
    scripted: false,
    status: 'completed',
    reason: 'exit status 0',
    attempt: 1,
    valid: true,
    problems: [],
    concurrent: true,
    lock: 'lock',
    spec: 'spec',
    content: 'content',
    scoring: 'scored',
    evidence: all((id) => `trials/${one}.${arm}.${repeat}/${id}`),
    rows: [],
    findings: null,
    precision: null,
    checks: null,
    verdict: null,
    grade: null,
    modelCalls: null,
    setupSeconds: 0,
    startedAt: '2026-01-01T00:00:00.000Z',
    activation: [],
    usageMismatches: [],
    warnings: [],
    held: [],
    ...parts,
    values: { ...all(() => null), ...values },
  };
}

/** One result for each value of a metric in one arm. */
export function runsOf(arm: string, metric: MetricId, values: (number | null)[], one = 'c'): TrialResult[] {
  return values.map((value, index) => trialResult({ case: one, arm, repeat: index + 1, values: { [metric]: value } }));
}
