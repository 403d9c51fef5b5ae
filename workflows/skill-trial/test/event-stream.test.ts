import { stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { geminiCli } from '../src/agents/gemini-cli.js';
import { pi } from '../src/agents/pi.js';
import { keepBeginning } from '../src/contained-run.js';
import { readEventStream } from '../src/event-stream.js';
import { jsonLines } from '../src/trajectory.js';
import { tempFolder } from './fixture.js';

describe('an event stream', () => {
  test('of more than a text can hold is cut at the limit, and read: its first events count', async () => {
    const end = { type: 'message_end', message: { role: 'assistant', content: [{ type: 'text', text: 'done' }] } };
    const folder = await tempFolder({ 'events.jsonl': `${JSON.stringify(end)}\n` });
    const path = join(folder, 'events.jsonl');
    await truncate(path, 600 * 2 ** 20);
    await keepBeginning(path, 2 ** 20);
    expect((await stat(path)).size).toBe(2 ** 20);
    expect(await readEventStream(folder, pi)).toMatchObject({ response: 'done', modelCalls: 1 });
  });

  test('below the limit stays as it is', async () => {
    const folder = await tempFolder({ 'stderr.txt': 'as it was' });
    await keepBeginning(join(folder, 'stderr.txt'), 100);
    expect((await stat(join(folder, 'stderr.txt'))).size).toBe(9);
  });

  test('of more events than a call takes arguments is read', async () => {
    const lines = Array.from({ length: 200_000 }, (_, at) => `{"type":"message_end","message":{"timestamp":${1e12 + at}}}\n`);
    const folder = await tempFolder({ 'events.jsonl': lines.join('') });
    const { startedAt, finishedAt } = await readEventStream(folder, pi);
    expect([startedAt, finishedAt]).toEqual([new Date(1e12).toISOString(), new Date(1e12 + 199_999).toISOString()]);
  });

  test('of lines without end that are no events is passed over, and one of broken events has no answer', async () => {
    const answer = '{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"done"}]}}\n';
    const folder = await tempFolder({ 'events.jsonl': `${'y\n'.repeat(1_000_000)}${answer}` });
    expect(await readEventStream(folder, pi)).toMatchObject({ response: 'done', modelCalls: 1 });
    const broken = await tempFolder({ 'events.jsonl': `${'{\n'.repeat(100_000)}${answer}` });
    expect(await readEventStream(broken, pi)).toMatchObject({ response: 'done' });
    const flood = await tempFolder({ 'events.jsonl': `${'{\n'.repeat(100_001)}${answer}` });
    expect(await readEventStream(flood, pi)).toMatchObject({ response: '', error: expect.stringContaining('too large') });
  });

  test('out of range, or larger than a text when it is written, has no answer and says why', async () => {
    const folder = await tempFolder({ 'events.jsonl': '{"timestamp":"never"}\n' });
    const why = { response: '', toolCalls: [], error: expect.stringContaining('too large, or out of range') };
    expect(await readEventStream(folder, geminiCli)).toMatchObject(why);
    const read = pi.readEvents('');
    let deep: unknown = [];
    for (let depth = 0; depth < 100_000; depth++) deep = [deep];
    const call = { line: 1, name: 'x', arguments: { deep }, failed: null, resultBytes: null, resultLines: null };
    expect(await readEventStream(folder, { readEvents: () => ({ ...read, toolCalls: [call] }) })).toMatchObject(why);
  });

  test('of a form that the lab does not know is an error of the lab, not a failure of the agent', async () => {
    const folder = await tempFolder({ 'events.jsonl': '' });
    const readEvents = () => {
      throw new TypeError('unknown form');
    };
    await expect(readEventStream(folder, { readEvents })).rejects.toThrow('unknown form');
  });
});

test('lines of JSON are read one at a time, each with its number', () => {
  const text = 'a banner\n{"a":1}\n\nnull\n3\n \t{"b":2}\r\n{"torn":';
  expect([...jsonLines(text)]).toEqual([
    { line: 2, value: { a: 1 } },
    { line: 6, value: { b: 2 } },
  ]);
  expect([...jsonLines('')]).toEqual([]);
  const lines = jsonLines(`{"a":1}\n${'y\n'.repeat(10)}`);
  expect(lines.next().value).toEqual({ line: 1, value: { a: 1 } });
});
