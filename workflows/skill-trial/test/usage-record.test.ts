import { describe, expect, test } from 'vitest';
import type { CallRecord } from '../src/call-record.js';
import type { Trajectory } from '../src/trajectory.js';
import { type CallUsage, unknownUsage, usageFromParts } from '../src/usage.js';
import { answeredCalls, UsageRecord, usageMismatches, usageRecord } from '../src/usage-record.js';

const usage = (parts: Partial<Omit<CallUsage, 'inputTotal'>> = {}) =>
  usageFromParts({ inputUncached: 100, inputCached: 50, cacheCreation: 0, output: 10, reasoning: null, ...parts });
const call = (of: CallUsage | null, parts: Partial<CallRecord> = {}) =>
  ({ kind: 'model-call', status: 200, model: 'm-1', usage: of, ...parts }) as CallRecord;
const trajectory = (parts: Partial<Trajectory> = {}): Trajectory => ({
  response: 'done',
  model: null,
  startedAt: null,
  finishedAt: null,
  modelCalls: null,
  toolCalls: [],
  usage: null,
  loaded: [],
  stop: null,
  error: null,
  ...parts,
});
const record = (calls: CallRecord[], parts: Partial<Trajectory> = {}) =>
  usageRecord({
    mode: 'A',
    calls,
    trajectory: trajectory(parts),
    startedAt: '2026-01-01T00:00:00.000Z',
    finishedAt: '2026-01-01T00:01:00.000Z',
    elapsedSeconds: 60,
  });

describe('the usage record', () => {
  test('it has the twelve keys of the protocol, and fits its schema', () => {
    const made = record([call(usage())]);
    expect(UsageRecord.parse(made)).toEqual(made);
    expect(Object.keys(made)).toEqual([
      'mode',
      'model',
      'started_at',
      'finished_at',
      'elapsed_seconds',
      'input_tokens_uncached',
      'input_tokens_cached',
      'output_tokens',
      'peak_context_tokens',
      'model_calls',
      'tool_calls',
      'usage_source',
    ]);
  });

  test('cache creation counts as uncached input, never as a cached read', () => {
    expect(record([call(usage({ cacheCreation: 30 })), call(usage())])).toMatchObject({
      input_tokens_uncached: 230,
      input_tokens_cached: 100,
      output_tokens: 20,
      peak_context_tokens: 190,
      model_calls: 2,
    });
  });

  test.each<[string, CallUsage | null]>([
    ['a call without usage', null],
    ['a call whose usage is unknown', unknownUsage],
  ])('%s makes every token figure null, never 0 nor a partial sum', (_what, unknown) => {
    expect(record([call(usage()), call(unknown)])).toMatchObject({
      input_tokens_uncached: null,
      input_tokens_cached: null,
      output_tokens: null,
      peak_context_tokens: null,
      model_calls: 2,
    });
  });

  test('an unknown cached part leaves the output known', () => {
    const ollama: CallUsage = { ...unknownUsage, inputTotal: 100, output: 5 };
    expect(record([call(ollama)])).toMatchObject({
      input_tokens_uncached: null,
      input_tokens_cached: null,
      output_tokens: 5,
      peak_context_tokens: 105,
    });
  });

  test('an unknown cache creation makes the uncached input null, not smaller', () => {
    expect(record([call({ ...usage(), cacheCreation: null })])).toMatchObject({
      input_tokens_uncached: null,
      input_tokens_cached: 50,
    });
  });

  test('a known 0 stays 0', () => {
    expect(record([call(usage({ inputCached: 0, output: 0 }))])).toMatchObject({ input_tokens_cached: 0, output_tokens: 0 });
  });

  test.each<[string, CallRecord[]]>([
    ['no call', []],
    ['calls that were refused', [call(null, { status: 503 }), call(null, { status: 429 })]],
    ['a call that was never answered', [call(null, { status: null })]],
    ['side requests', [call(null, { kind: 'side-request' })]],
  ])('with %s there are no tokens to know, and 0 calls were answered', (_what, calls) => {
    expect(record(calls)).toMatchObject({
      input_tokens_uncached: null,
      input_tokens_cached: null,
      output_tokens: null,
      peak_context_tokens: null,
      model_calls: 0,
    });
  });

  test('a refused call adds nothing to the answered ones', () => {
    expect(record([call(null, { status: 500 }), call(usage())])).toMatchObject({ output_tokens: 10, model_calls: 1 });
    expect(answeredCalls([call(null, { status: 500 }), call(usage())])).toHaveLength(1);
  });

  test('tool calls are counted by kind', () => {
    const tool = (name: string) => ({ line: 1, name, arguments: {}, failed: false, resultBytes: 0, resultLines: 0 });
    expect(record([], { toolCalls: [tool('bash'), tool('read'), tool('bash')] }).tool_calls).toEqual({
      number: 3,
      kinds: { bash: 2, read: 1 },
    });
  });

  test("the model is the runtime's own word first, else the one that was asked for, else null", () => {
    expect(record([call(usage())], { model: 'm-1-2026' }).model).toBe('m-1-2026');
    expect(record([call(usage())]).model).toBe('m-1');
    expect(record([]).model).toBeNull();
  });
});

describe("the agent's own sums", () => {
  const own = { inputUncached: 200, inputCached: 100, cacheCreation: 0, output: 20 };
  const calls = [call(usage()), call(usage())];

  test('agreement shows nothing', () => {
    expect(usageMismatches(calls, own)).toEqual([]);
  });

  test('every difference is shown with both figures', () => {
    expect(usageMismatches(calls, { ...own, output: 25, inputCached: 0 })).toEqual([
      'cached input: 100 tokens at the gateway, 0 by the agent',
      'output: 20 tokens at the gateway, 25 by the agent',
    ]);
  });

  test('the unknown differs from nothing', () => {
    expect(usageMismatches(calls, null)).toEqual([]);
    expect(usageMismatches(calls, { ...own, output: null })).toEqual([]);
    expect(usageMismatches([call(null)], own)).toEqual([]);
  });
});
