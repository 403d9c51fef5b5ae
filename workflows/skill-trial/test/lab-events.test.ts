import { expect, test } from 'vitest';
import { readLabEvents } from '../src/lab-events.js';

const stream = (...events: object[]) => events.map((event) => `${JSON.stringify(event)}\n`).join('');

test('a stream in the lab’s own form is a trajectory, each thing with its line', () => {
  const read = readLabEvents(
    `a banner\n${stream(
      { type: 'model', at: '2026-01-01T00:00:01Z', model: 'm', input_uncached: 5, input_cached: 0, cache_creation: 0, output: 2 },
      { type: 'tool', name: 'read', arguments: { path: '/s/careful/SKILL.md' }, failed: false, result: 'a\nb' },
      { type: 'tool', name: 'bash', arguments: { command: 'cat /s/other/SKILL.md | head' }, failed: false },
      { type: 'tool', name: 'read', arguments: { path: '/s/third/SKILL.md' }, failed: true, result: 'no' },
      { type: 'skill', name: 'own' },
      { type: 'model', at: '2026-01-01T00:00:03Z', input_uncached: 1, input_cached: 6, cache_creation: 0, output: 3 },
      { type: 'answer', at: '2026-01-01T00:00:04Z', text: 'Done.' },
      { type: 'unknown', anything: 1 },
    )}`,
  );
  expect(read).toMatchObject({
    response: 'Done.',
    model: 'm',
    startedAt: '2026-01-01T00:00:01Z',
    finishedAt: '2026-01-01T00:00:04Z',
    modelCalls: 2,
    usage: { inputUncached: 6, inputCached: 6, cacheCreation: 0, output: 5 },
    stop: 'answer',
    error: null,
  });
  expect(read.toolCalls.map(({ line, failed, resultBytes, resultLines }) => [line, failed, resultBytes, resultLines])).toEqual([
    [3, false, 3, 2],
    [4, false, null, null],
    [5, true, 2, 1],
  ]);
  expect(read.loaded).toEqual([
    { skill: 'careful', line: 3, how: 'file-read' },
    { skill: 'other', line: 4, how: 'shell-read' },
    { skill: 'own', line: 6, how: 'runtime-event' },
  ]);
});

test('what the stream leaves out is unknown, not zero', () => {
  expect(readLabEvents('')).toEqual({
    ...{ response: '', model: null, startedAt: null, finishedAt: null, modelCalls: null, toolCalls: [], usage: null, loaded: [] },
    ...{ stop: null, error: null },
  });
  expect(readLabEvents(stream({ type: 'model', output: 2 }, { type: 'model' })).usage).toEqual({
    ...{ inputUncached: null, inputCached: null, cacheCreation: null, output: null },
  });
});

test('an error takes the answer away', () => {
  expect(readLabEvents(stream({ type: 'answer', text: 'half' }, { type: 'error', message: 'status 500' }))).toMatchObject({
    response: '',
    stop: 'error',
    error: 'status 500',
  });
});
