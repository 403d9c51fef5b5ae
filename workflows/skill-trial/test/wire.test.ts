import { describe, expect, test } from 'vitest';
import type { Reply } from '../src/model-call.js';
import { usageFromTotal } from '../src/usage.js';
import { wireForPath, wireOf, wires } from '../src/wire.js';

const bytes = (text: string) => new TextEncoder().encode(text);
const sse = (...data: unknown[]) =>
  bytes(data.map((one) => `data: ${typeof one === 'string' ? one : JSON.stringify(one)}\n\n`).join(''));
const named = (...events: { type: string }[]) =>
  bytes(events.map((one) => `event: ${one.type}\ndata: ${JSON.stringify(one)}\n\n`).join(''));
const STREAM = 'text/event-stream; charset=utf-8';
const JSON_TYPE = 'application/json';

test('a path belongs to one dialect, with any prefix and query', () => {
  expect(wireForPath('/v1/chat/completions')?.api).toBe('openai-completions');
  expect(wireForPath('/api/v1/messages?beta=true')?.api).toBe('anthropic-messages');
  expect(wireForPath('/responses')?.api).toBe('openai-responses');
  expect(wireForPath('/v1/messages/count_tokens')).toBeNull();
});

describe.each(wires.map((wire) => [wire.api, wire] as const))('%s', (_, wire) => {
  const reply: Reply = {
    id: 'abc',
    model: 'm',
    text: 'Grüße, 🙂 done',
    toolCalls: [
      { id: 'call_1', name: 'read', arguments: { path: 'a.ts' } },
      { id: 'call_2', name: 'bash', arguments: { command: 'ls "x"\n' } },
    ],
    usage: usageFromTotal({ inputTotal: 100, inputCached: 60, output: 7, reasoning: null }),
  };

  test.each([true, false])('reads back what it writes (stream: %s)', (stream) => {
    const { contentType, chunks } = wire.writeResponse(reply, stream);
    const read = wire.readResponse(bytes(chunks.join('')), contentType);
    expect(read).toMatchObject({ model: 'm', text: reply.text, toolCalls: reply.toolCalls, complete: true, error: null });
    expect(read.usage).toMatchObject({ inputTotal: 100, inputUncached: 40, inputCached: 60, output: 7 });
    if (stream) expect(chunks.length).toBeGreaterThan(5);
  });

  test('a stream cut anywhere is not complete and has no output figure', () => {
    const { contentType, chunks } = wire.writeResponse(reply, true);
    // Chat completions end with the reason to stop; the usage and [DONE] that follow add nothing to the text.
    const last = wire.api === 'openai-completions' ? chunks.length - 3 : chunks.length - 1;
    for (let end = 0; end <= last; end += 1) {
      const read = wire.readResponse(bytes(chunks.slice(0, end).join('')), contentType);
      expect(read.complete, `after ${end} chunks`).toBe(false);
      expect(read.usage?.output ?? null).toBeNull();
    }
  });

  test('a broken event is an error and never throws', () => {
    const read = wire.readResponse(sse('{"type": "bro'), STREAM);
    expect(read).toMatchObject({ complete: false, usage: null });
    expect(read.error).toContain('unreadable');
    expect(wire.readResponse(bytes('<html>'), 'text/html').complete).toBe(false);
    expect(wire.readResponse(bytes(''), JSON_TYPE).complete).toBe(false);
  });

  test('an error body gives its message', () => {
    expect(wire.readResponse(bytes(wire.writeError('overloaded', 'try later')), JSON_TYPE)).toMatchObject({
      error: 'try later',
      complete: true,
      usage: null,
    });
  });

  test('a request without a model is refused', () => {
    expect(() => wire.readRequest({ messages: [], input: [] })).toThrow();
  });
});

describe('chat completions', () => {
  const wire = wireOf('openai-completions');

  test('a request is read: system and developer text, tools, turns, parameters', () => {
    const request = wire.readRequest({
      model: 'm',
      messages: [
        { role: 'system', content: 'S' },
        { role: 'developer', content: [{ type: 'text', text: 'D' }] },
        { role: 'user', content: [{ type: 'text', text: 'hello' }] },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'read', arguments: '{"path":"x"}' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'text of x' },
      ],
      tools: [{ type: 'function', function: { name: 'read', description: 'Reads', parameters: { type: 'object' } } }],
      stream: true,
      temperature: 0.2,
      max_completion_tokens: 5,
    });
    expect(request).toEqual({
      model: 'm',
      parameters: { temperature: 0.2, max_completion_tokens: 5 },
      system: 'S\n\nD',
      tools: [{ name: 'read', description: 'Reads', schema: { type: 'object' } }],
      turns: [
        { role: 'user', text: 'hello', toolCalls: [], toolResultFor: null },
        { role: 'assistant', text: '', toolCalls: [{ id: 'c1', name: 'read', arguments: { path: 'x' } }], toolResultFor: null },
        { role: 'tool', text: 'text of x', toolCalls: [], toolResultFor: 'c1' },
      ],
      stream: true,
    });
  });

  test('tool calls that arrive in pieces are put together by index', () => {
    const delta = (tool_calls: unknown) => ({ model: 'm', choices: [{ index: 0, delta: { tool_calls } }] });
    const read = wire.readResponse(
      sse(
        delta([{ index: 1, id: 'b', function: { name: 'two', arguments: '{' } }]),
        delta([{ index: 0, id: 'a', function: { name: 'one', arguments: '{"x"' } }]),
        delta([
          { index: 0, function: { arguments: ':1}' } },
          { index: 1, function: { arguments: '}' } },
        ]),
        { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
        '[DONE]',
      ),
      STREAM,
    );
    expect(read.toolCalls).toEqual([
      { id: 'a', name: 'one', arguments: { x: 1 } },
      { id: 'b', name: 'two', arguments: {} },
    ]);
    expect(read.usage).toBeNull();
  });

  test('a server that does not split the prompt leaves the split null (Ollama)', () => {
    const body = {
      model: 'm',
      choices: [{ index: 0, message: { content: 'hi' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
    };
    expect(wire.readResponse(bytes(JSON.stringify(body)), JSON_TYPE).usage).toEqual({
      ...{ inputTotal: 9, inputUncached: null, inputCached: null, cacheCreation: null, output: 2, reasoning: null },
    });
  });

  test('cached and reasoning tokens are taken out of the totals that include them', () => {
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 20,
      prompt_tokens_details: { cached_tokens: 64 },
      completion_tokens_details: { reasoning_tokens: 8 },
    };
    const read = wire.readResponse(
      sse({ choices: [{ index: 0, delta: { content: 'x' }, finish_reason: 'stop' }] }, { choices: [], usage }, '[DONE]'),
      STREAM,
    );
    expect(read.usage).toEqual({
      inputTotal: 100,
      inputUncached: 36,
      inputCached: 64,
      cacheCreation: 0,
      output: 20,
      reasoning: 8,
    });
  });
});

describe('Anthropic messages', () => {
  const wire = wireOf('anthropic-messages');

  test('tool results become turns of their own, in order, before what the user adds', () => {
    const request = wire.readRequest({
      model: 'm',
      max_tokens: 9,
      system: [{ type: 'text', text: 'S', cache_control: { type: 'ephemeral' } }],
      messages: [
        { role: 'user', content: 'go' },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'ok' },
            { type: 'tool_use', id: 't1', name: 'Read', input: { file_path: '/x' } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: 'X' }] },
            { type: 'text', text: 'more' },
          ],
        },
      ],
      tools: [{ name: 'Read', input_schema: {} }],
    });
    expect(request.parameters).toEqual({ max_tokens: 9 });
    expect(request.system).toBe('S');
    expect(request.turns.map((turn) => [turn.role, turn.text, turn.toolResultFor])).toEqual([
      ['user', 'go', null],
      ['assistant', 'ok', null],
      ['tool', 'X', 't1'],
      ['user', 'more', null],
    ]);
    expect(request.turns[1]?.toolCalls).toEqual([{ id: 't1', name: 'Read', arguments: { file_path: '/x' } }]);
  });

  test('cache reads and writes stand beside the uncached input, which excludes them', () => {
    const usage = { input_tokens: 10, cache_read_input_tokens: 200, cache_creation_input_tokens: 30, output_tokens: 1 };
    const read = wire.readResponse(
      named(
        { type: 'message_start', message: { model: 'm', content: [], usage } } as never,
        { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } } as never,
        { type: 'ping' },
        { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 't', name: 'n', input: {} } } as never,
        { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"a":' } } as never,
        { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '2}' } } as never,
        { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 25 } } as never,
        { type: 'message_stop' },
      ),
      STREAM,
    );
    expect(read).toMatchObject({ stop: 'tool_use', complete: true, toolCalls: [{ id: 't', name: 'n', arguments: { a: 2 } }] });
    expect(read.usage).toEqual({
      inputTotal: 240,
      inputUncached: 10,
      inputCached: 200,
      cacheCreation: 30,
      output: 25,
      reasoning: null,
    });
  });

  test('cache figures that are missing are null, not 0', () => {
    const body = {
      type: 'message',
      model: 'm',
      content: [{ type: 'text', text: 'hi' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 5, output_tokens: 2 },
    };
    expect(wire.readResponse(bytes(JSON.stringify(body)), JSON_TYPE).usage).toEqual({
      ...{ inputTotal: null, inputUncached: 5, inputCached: null, cacheCreation: null, output: 2, reasoning: null },
    });
  });

  test('an error event in a stream is the error', () => {
    const read = wire.readResponse(
      named({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } } as never),
      STREAM,
    );
    expect(read).toMatchObject({ complete: false, error: 'Overloaded' });
  });
});

describe('OpenAI Responses', () => {
  const wire = wireOf('openai-responses');

  test('what the model said between two inputs is one assistant turn', () => {
    const request = wire.readRequest({
      model: 'm',
      instructions: 'S',
      input: [
        { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'D' }] },
        { role: 'user', content: [{ type: 'input_text', text: 'go' }] },
        { type: 'reasoning', id: 'r', summary: [] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'ok' }] },
        { type: 'function_call', call_id: 'c1', name: 'exec_command', arguments: '{"cmd":"ls"}' },
        { type: 'custom_tool_call', call_id: 'c2', name: 'apply_patch', input: '*** Begin' },
        { type: 'function_call_output', call_id: 'c1', output: 'a' },
        { type: 'custom_tool_call_output', call_id: 'c2', output: 'b' },
      ],
      tools: [{ type: 'function', name: 'exec_command', parameters: {} }, { type: 'web_search' }],
      reasoning: { effort: 'low' },
    });
    expect(request.system).toBe('S\n\nD');
    expect(request.parameters).toEqual({ reasoning: { effort: 'low' } });
    expect(request.tools.map((tool) => tool.name)).toEqual(['exec_command', 'web_search']);
    expect(request.turns.map((turn) => [turn.role, turn.text, turn.toolResultFor])).toEqual([
      ['user', 'go', null],
      ['assistant', 'ok', null],
      ['tool', 'a', 'c1'],
      ['tool', 'b', 'c2'],
    ]);
    expect(request.turns[1]?.toolCalls).toEqual([
      { id: 'c1', name: 'exec_command', arguments: { cmd: 'ls' } },
      { id: 'c2', name: 'apply_patch', arguments: '*** Begin' },
    ]);
  });

  test('cached input is taken out of the input that includes it', () => {
    const usage = {
      input_tokens: 90,
      input_tokens_details: { cached_tokens: 50 },
      output_tokens: 9,
      output_tokens_details: { reasoning_tokens: 4 },
    };
    const read = wire.readResponse(
      bytes(JSON.stringify({ model: 'm', status: 'completed', output: [], usage, error: null })),
      JSON_TYPE,
    );
    expect(read.usage).toEqual({ inputTotal: 90, inputUncached: 40, inputCached: 50, cacheCreation: 0, output: 9, reasoning: 4 });
  });

  test('a failed response is complete, with its error', () => {
    const read = wire.readResponse(
      named({ type: 'response.failed', response: { status: 'failed', error: { code: 'x', message: 'no' } } } as never),
      STREAM,
    );
    expect(read).toMatchObject({ complete: true, error: 'no' });
  });
});
