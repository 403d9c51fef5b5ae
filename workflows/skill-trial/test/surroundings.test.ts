import { describe, expect, test } from 'vitest';
import type { CallRecord } from '../src/call-record.js';
import { InfrastructureError, SettingsError } from '../src/errors.js';
import type { ProcessOutcome } from '../src/process.js';
import { isSurroundings, surroundingsTrouble } from '../src/surroundings.js';
import type { Trajectory } from '../src/trajectory.js';

const outcome = (edit: Partial<ProcessOutcome> = {}): ProcessOutcome => ({
  ...{
    exitCode: 0,
    signal: null,
    timedOut: false,
    stopped: null,
    startedAt: '',
    finishedAt: '',
    elapsedSeconds: 1,
    sweptProcesses: 0,
  },
  ...edit,
});
const call = (edit: Partial<CallRecord> = {}): CallRecord =>
  ({ kind: 'model-call', status: 200, error: null, startedMs: 0, firstByteMs: 1, endedMs: 2, ...edit }) as CallRecord;
const trouble = (calls: CallRecord[], edit: Partial<ProcessOutcome> = {}, limit: string | null = null) =>
  surroundingsTrouble({ outcome: outcome(edit), calls, limit }, 100);

describe('a run that ended because its provider did not answer is an infrastructure failure', () => {
  test.each(['unreachable', 'timeout', 'disconnect', 'incomplete'] as const)('last call: %s', (error) => {
    expect(trouble([call(), call({ error })])).toContain(error);
  });
  test.each([429, 500, 503, 529])('last call answered %i', (status) => {
    expect(trouble([call({ error: 'upstream-status', status })])).toContain(String(status));
  });
  test('the agent that never reached the model', () => {
    expect(trouble([], { exitCode: 1 })).toBe('the agent ended before it reached the model');
    const trajectory = { error: null, response: 'Prompt is\n too long' } as Trajectory;
    const said = surroundingsTrouble({ outcome: outcome({ exitCode: 1 }), calls: [], limit: null, trajectory }, 100);
    expect(said).toBe('the agent ended before it reached the model: Prompt is too long');
  });
  test('a silence of more than half of the wall limit, when the limit ends the run', () => {
    const silent = call({ error: 'client-closed', firstByteMs: null, startedMs: 40_000, endedMs: 100_000 });
    expect(trouble([silent], { timedOut: true })).toContain('before the wall limit');
  });
});

describe("an agent's failure is its own", () => {
  test('a good answer after a failed one: the last call decides', () => {
    expect(trouble([call({ error: 'disconnect' }), call()])).toBe(null);
  });
  test('a request that the provider refuses (400) is no fault of the surroundings', () => {
    expect(trouble([call({ error: 'upstream-status', status: 400 })], { exitCode: 1 })).toBe(null);
  });
  test('a silence of less than half of the wall limit is a slow agent', () => {
    const short = call({ error: 'client-closed', firstByteMs: null, startedMs: 60_000, endedMs: 100_000 });
    expect(trouble([short], { timedOut: true })).toBe(null);
  });
  test('an answer that was still coming at the wall limit is a slow agent', () => {
    const coming = call({ error: 'client-closed', firstByteMs: 20, startedMs: 10, endedMs: 100_000 });
    expect(trouble([coming], { timedOut: true })).toBe(null);
  });
  test('a limit that the lab enforced', () => {
    expect(trouble([call({ error: 'limit', status: 429 })], {}, 'model-calls')).toBe(null);
  });
  test('a side request does not decide', () => {
    expect(trouble([call(), call({ kind: 'side-request', error: 'upstream-status', status: 500 })])).toBe(null);
  });
});

test('a full disk is the surroundings, a wrong setting is not', () => {
  expect(isSurroundings(Object.assign(new Error('full'), { code: 'ENOSPC' }))).toBe(true);
  expect(isSurroundings(new InfrastructureError('x', { expected: '', found: '', next: '' }))).toBe(true);
  expect(isSurroundings(new SettingsError('x', { expected: '', found: '', next: '' }))).toBe(false);
});
