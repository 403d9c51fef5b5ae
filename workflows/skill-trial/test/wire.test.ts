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
  expect(wireForPath('/v1beta/models/gemini-3:streamGenerateContent?alt=sse')?.api).toBe('google-generative-ai');
  expect(wireForPath('/v1beta/models/gemini-3:countTokens')).toBeNull();
  expect(wireForPath('/v1beta/models')).toBeNull();
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
    // Google's stream has each call whole
    if (stream) expect(chunks.length).toBeGreaterThan(wire.api === 'google-generative-ai' ? 4 : 5);
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

  test('the model of a request is known before the request is read', () => {
    const path = '/v1beta/models/m:generateContent';
    expect(wire.modelOf({ model: 'm' }, path)).toBe('m');
    expect(wire.modelOf({}, '/v1')).toBeNull();
    expect(wire.modelOf(null, '/v1')).toBeNull();
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

describe('Google generateContent', () => {
  const wire = wireOf('google-generative-ai');
  const path = '/v1beta/models/gemini-3-pro:generateContent';

  test('the path names the model and whether the answer is a stream', () => {
    const contents = [{ role: 'user', parts: [{ text: 'go' }] }];
    expect(wire.readRequest({ contents }, path)).toMatchObject({ model: 'gemini-3-pro', stream: false });
    const stream = path.replace(':generate', ':streamGenerate');
    expect(wire.readRequest({ contents }, `${stream}?alt=sse`)).toMatchObject({ model: 'gemini-3-pro', stream: true });
    expect(wire.modelOf({ model: 'another' }, stream)).toBe('gemini-3-pro');
    expect(() => wire.readRequest({ contents }, '/v1beta/models')).toThrow();
    expect(wire.isSideRequest('POST', '/v1beta/models/gemini-3-pro:countTokens')).toBe(true);
    expect(wire.isSideRequest('POST', '/v1beta/models/gemini-3-pro:embedContent')).toBe(false);
  });

  test('a request is read: system text, tools, calls and their answers, parameters', () => {
    const request = wire.readRequest(
      {
        systemInstruction: { parts: [{ text: 'S' }, { text: 'T' }] },
        generationConfig: { temperature: 0, thinkingConfig: { includeThoughts: true } },
        tools: [
          {
            functionDeclarations: [
              { name: 'read_file', description: 'Reads', parametersJsonSchema: { type: 'object' } },
              { name: 'old', parameters: { type: 'OBJECT' } },
            ],
          },
          { googleSearch: {} },
        ],
        contents: [
          { role: 'user', parts: [{ text: 'go' }] },
          {
            role: 'model',
            parts: [
              { text: 'hidden', thought: true },
              { text: 'ok' },
              { functionCall: { id: 'c1', name: 'read_file', args: { path: 'a' } } },
              { functionCall: { name: 'old', args: { n: 1 } } },
              { functionCall: { name: 'old', args: { n: 2 } } },
            ],
          },
          {
            role: 'user',
            parts: [
              { functionResponse: { id: 'c1', name: 'read_file', response: { output: 'A' } } },
              { functionResponse: { name: 'old', response: { error: 'no' } } },
              { functionResponse: { name: 'old', response: { lines: 2 } } },
              { text: 'more' },
            ],
          },
        ],
      },
      path,
    );
    expect(request.system).toBe('S\n\nT');
    expect(request.parameters).toEqual({ generationConfig: { temperature: 0, thinkingConfig: { includeThoughts: true } } });
    expect(request.tools).toEqual([
      { name: 'read_file', description: 'Reads', schema: { type: 'object' } },
      { name: 'old', description: '', schema: { type: 'OBJECT' } },
      { name: 'googleSearch', description: '', schema: {} },
    ]);
    expect(request.turns.map((turn) => [turn.role, turn.text, turn.toolResultFor])).toEqual([
      ['user', 'go', null],
      ['assistant', 'ok', null],
      ['tool', 'A', 'c1'],
      ['tool', 'no', 'old#1'],
      ['tool', '{"lines":2}', 'old#2'],
      ['user', 'more', null],
    ]);
    expect(request.turns[1]?.toolCalls.map(({ id }) => id)).toEqual(['c1', 'old#1', 'old#2']);
  });

  test.each([
    // prompt includes cached, not the built-in tools' results; thoughts stand beside the candidates
    [
      {
        promptTokenCount: 100,
        cachedContentTokenCount: 64,
        candidatesTokenCount: 12,
        thoughtsTokenCount: 8,
        totalTokenCount: 120,
      },
      { inputTotal: 100, inputUncached: 36, inputCached: 64, cacheCreation: 0, output: 20, reasoning: 8 },
    ],
    [
      { promptTokenCount: 10, toolUsePromptTokenCount: 5, candidatesTokenCount: 2 },
      { inputTotal: 15, inputUncached: 15, inputCached: 0, cacheCreation: 0, output: 2, reasoning: 0 },
    ],
    // a count of 0 is left out of the JSON: only thoughts here, then nothing at all known
    [
      { promptTokenCount: 10, thoughtsTokenCount: 3 },
      { inputTotal: 10, inputUncached: 10, inputCached: 0, cacheCreation: 0, output: 3, reasoning: 3 },
    ],
    [{}, { inputTotal: null, inputUncached: null, inputCached: null, cacheCreation: null, output: null, reasoning: null }],
  ])('usage %j', (usageMetadata, usage) => {
    const body = { candidates: [{ content: { parts: [{ text: 'x' }] }, finishReason: 'STOP' }], usageMetadata };
    expect(wire.readResponse(bytes(JSON.stringify(body)), JSON_TYPE).usage).toEqual(usage);
  });

  test('a stream counts up; its last figures count; thoughts are no part of the answer', () => {
    const chunk = (parts: object[], more: object = {}) => ({ candidates: [{ content: { role: 'model', parts }, ...more }] });
    const read = wire.readResponse(
      sse(
        {
          ...chunk([{ text: 'hm', thought: true }]),
          usageMetadata: { promptTokenCount: 9, thoughtsTokenCount: 1 },
          modelVersion: 'm-1',
        },
        { ...chunk([{ text: 'a' }]), usageMetadata: { promptTokenCount: 9, thoughtsTokenCount: 2, candidatesTokenCount: 1 } },
        {
          ...chunk([{ functionCall: { name: 'f', args: { x: 1 } } }], { finishReason: 'STOP' }),
          usageMetadata: { promptTokenCount: 9, thoughtsTokenCount: 2, candidatesTokenCount: 4 },
        },
      ),
      STREAM,
    );
    expect(read).toMatchObject({ model: 'm-1', text: 'a', stop: 'STOP', complete: true, error: null });
    expect(read.toolCalls).toEqual([{ id: 'f#1', name: 'f', arguments: { x: 1 } }]);
    expect(read.usage).toMatchObject({ inputTotal: 9, output: 6, reasoning: 2 });
  });

  test('without alt=sse a stream is one JSON array, which reads the same; cut short it is broken', () => {
    const reply = {
      id: 'r',
      model: 'm',
      text: 'one two',
      toolCalls: [],
      usage: usageFromTotal({ inputTotal: 5, inputCached: 0, output: 2, reasoning: null }),
    };
    const { contentType, chunks } = wire.writeResponse(reply, true, '/v1beta/models/m:streamGenerateContent');
    expect(contentType).toBe('application/json');
    expect(JSON.parse(chunks.join(''))).toHaveLength(chunks.length);
    expect(wire.readResponse(bytes(chunks.join('')), contentType)).toMatchObject({ text: 'one two', complete: true });
    expect(wire.readResponse(bytes(chunks.slice(0, -1).join('')), contentType)).toMatchObject({ complete: false, usage: null });
    expect(wire.writeResponse(reply, true, '/v1beta/models/m:streamGenerateContent?alt=sse').contentType).toBe(
      'text/event-stream',
    );
  });

  test('a refused prompt is an answer without text, and an array that holds an error is that error', () => {
    const blocked = { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 3 } };
    expect(wire.readResponse(bytes(JSON.stringify(blocked)), JSON_TYPE)).toMatchObject({
      text: '',
      stop: 'SAFETY',
      complete: true,
    });
    const failed = [{ error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } }];
    expect(wire.readResponse(bytes(JSON.stringify(failed)), JSON_TYPE)).toMatchObject({
      error: 'The model is overloaded.',
      complete: true,
    });
  });
});
