import { z } from 'zod';
import { type ModelResponse, parseArguments, type Turn } from '../model-call.js';
import { isEventStream, readEvents, writeEvent } from '../sse.js';
import { type CallUsage, tokenCount, usageFromTotal } from '../usage.js';
import type { Wire } from '../wire.js';
import { brokenResponse, effortOf, errorText, halves, joinText, modelInBody, parseJson, pathEnds } from './body.js';

const Parts = z.array(z.looseObject({ type: z.string(), text: z.string().optional() }));

const Item = z.looseObject({
  type: z.string().default('message'),
  id: z.string().nullish(),
  role: z.enum(['system', 'developer', 'user', 'assistant']).optional(),
  content: z.union([z.string(), Parts]).nullish(),
  call_id: z.string().optional(),
  name: z.string().optional(),
  arguments: z.string().optional(),
  input: z.string().optional(),
  output: z.union([z.string(), Parts, z.looseObject({})]).optional(),
});
type Item = z.infer<typeof Item>;

const Request = z.looseObject({
  model: z.string(),
  instructions: z.string().nullish(),
  input: z.union([z.string(), z.array(Item)]),
  tools: z
    .array(
      z.looseObject({
        type: z.string(),
        name: z.string().optional(),
        description: z.string().optional(),
        parameters: z.unknown().optional(),
      }),
    )
    .nullish(),
  stream: z.boolean().nullish(),
});

const Body = z.looseObject({
  model: z.string().nullish(),
  status: z.string().nullish(),
  output: z.array(Item).nullish(),
  usage: z.looseObject({}).nullish(),
  error: z.unknown().optional(),
});
const Event = z.looseObject({
  type: z.string(),
  response: Body.optional(),
  item: Item.optional(),
  message: z.string().optional(),
});

/** OpenAI Responses, as Codex speaks it. */
export const responses: Wire = {
  api: 'openai-responses',
  basePath: '/v1',
  matches: (path) => pathEnds(path, '/responses'),
  isSideRequest: (method, path) => method === 'GET' && pathEnds(path, '/models'),
  keyHeaders: (key) => ({ authorization: `Bearer ${key}` }),
  modelOf: modelInBody,
  writeError: (type, message) => JSON.stringify({ error: { message, type, param: null, code: null } }),

  readRequest(body) {
    const { model, instructions, input, tools, stream, ...parameters } = Request.parse(body);
    const items = typeof input === 'string' ? [{ type: 'message', role: 'user', content: input } satisfies Item] : input;
    const isSystem = (item: Item) => item.role === 'system' || item.role === 'developer';
    const system = [instructions ?? '', ...items.filter(isSystem).map((item) => joinText(item.content))];
    return {
      model,
      parameters,
      system: system.filter((text) => text !== '').join('\n\n'),
      // Built-in tools (web search, …) have no name of their own: their type names them.
      tools: (tools ?? []).map((tool) => ({
        name: tool.name ?? tool.type,
        description: tool.description ?? '',
        // an MCP server's tools stand together in a namespace
        schema: tool.parameters ?? tool.tools ?? null,
      })),
      turns: readTurns(items.filter((item) => !isSystem(item))),
      stream: stream ?? false,
    };
  },

  writeRequest: ({ model, system, prompt }) => ({ path: '/responses', body: { model, instructions: system, input: prompt } }),

  readResponse(raw, contentType) {
    const response: ModelResponse = {
      model: null,
      text: '',
      toolCalls: [],
      stop: null,
      usage: null,
      complete: false,
      error: null,
    };
    if (!isEventStream(raw, contentType)) {
      const text = new TextDecoder().decode(raw);
      const body = Body.safeParse(parseJson(text));
      if (!body.success) return brokenResponse(response, text);
      const error = errorText(body.data.error);
      return error === null ? readBody(body.data, body.data.output ?? []) : { ...response, complete: true, error };
    }
    const items: Item[] = [];
    let read = response;
    for (const { data } of readEvents(raw)) {
      const event = Event.safeParse(parseJson(data));
      if (!event.success) return brokenResponse(read, data);
      const { type, response: body, item, message } = event.data;
      if (type === 'response.output_item.done' && item !== undefined) items.push(item);
      // Codex's own back ends leave `output` of the last event empty: the items done before it are the answer.
      if (body !== undefined || item !== undefined)
        read = {
          ...readBody(body ?? { error: null }, items.length > 0 ? items : (body?.output ?? [])),
          model: body?.model ?? read.model,
        };
      if (type === 'error') read = { ...read, error: message ?? errorText(data) };
    }
    return read;
  },

  readThinking: ({ reasoning }) => effortOf((reasoning as { effort?: unknown } | null | undefined)?.effort),

  writeResponse(reply, stream) {
    const text = reply.text === '' ? [] : [messageItem(reply.id, reply.text)];
    const calls = reply.toolCalls.map((call) => ({
      type: 'function_call',
      id: `fc_${call.id}`,
      call_id: call.id,
      name: call.name,
      arguments: JSON.stringify(call.arguments),
      status: 'completed',
    }));
    const output = [...text, ...calls];
    const head = { id: `resp_${reply.id}`, object: 'response', created_at: 0, model: reply.model };
    const whole = { ...head, status: 'completed', error: null, output, usage: writeUsage(reply.usage) };
    if (!stream) return { contentType: 'application/json', chunks: [JSON.stringify(whole)] };
    const chunks: string[] = [];
    const event = (type: string, rest: object) =>
      chunks.push(writeEvent({ event: type, data: JSON.stringify({ type, sequence_number: chunks.length, ...rest }) }));
    event('response.created', { response: { ...head, status: 'in_progress', error: null, output: [], usage: null } });
    for (const item of text) {
      const at = { output_index: 0, item_id: item.id, content_index: 0 };
      event('response.output_item.added', { output_index: 0, item: { ...item, status: 'in_progress', content: [] } });
      event('response.content_part.added', { ...at, part: { type: 'output_text', text: '', annotations: [] } });
      for (const delta of halves(reply.text)) event('response.output_text.delta', { ...at, delta });
      event('response.output_text.done', { ...at, text: reply.text });
      event('response.content_part.done', { ...at, part: item.content[0] });
      event('response.output_item.done', { output_index: 0, item });
    }
    for (const [position, item] of calls.entries()) {
      const at = { output_index: text.length + position, item_id: item.id };
      event('response.output_item.added', {
        output_index: at.output_index,
        item: { ...item, arguments: '', status: 'in_progress' },
      });
      for (const delta of halves(item.arguments)) event('response.function_call_arguments.delta', { ...at, delta });
      event('response.function_call_arguments.done', { ...at, arguments: item.arguments });
      event('response.output_item.done', { output_index: at.output_index, item });
    }
    event('response.completed', { response: whole });
    return { contentType: 'text/event-stream', chunks };
  },
};

/** Items as turns. What the model said between two inputs (texts and calls, each an item) is one assistant turn. */
function readTurns(items: readonly Item[]): Turn[] {
  const turns: Turn[] = [];
  for (const item of items) {
    const isCall = item.call_id !== undefined && item.output === undefined;
    if (item.output !== undefined) {
      const text =
        typeof item.output === 'string' || Array.isArray(item.output) ? joinText(item.output) : JSON.stringify(item.output);
      turns.push({ role: 'tool', text, toolCalls: [], toolResultFor: item.call_id ?? null });
    } else if (isCall || item.role === 'assistant') {
      let turn = turns.at(-1);
      if (turn?.role !== 'assistant') {
        turn = { role: 'assistant', text: '', toolCalls: [], toolResultFor: null };
        turns.push(turn);
      }
      if (isCall) turn.toolCalls.push(readCall(item));
      else turn.text += joinText(item.content);
    } else if (item.type === 'message') {
      turns.push({ role: 'user', text: joinText(item.content), toolCalls: [], toolResultFor: null });
    }
  }
  return turns;
}

/** A function call has JSON `arguments`, a custom tool's call (Codex's apply_patch) has free text `input`. */
function readCall(item: Item) {
  const text = item.arguments ?? '';
  return { id: item.call_id ?? '', name: item.name ?? '', arguments: item.input ?? parseArguments(text) };
}

function readBody(body: z.infer<typeof Body>, items: readonly Item[]): ModelResponse {
  const [turn] = readTurns(items.map((item) => (item.type === 'message' ? { ...item, role: 'assistant' as const } : item)));
  return {
    model: body.model ?? null,
    text: turn?.text ?? '',
    toolCalls: turn?.toolCalls ?? [],
    stop: body.status ?? null,
    usage: body.usage === null || body.usage === undefined ? null : readUsage(body.usage),
    complete: body.status === 'completed' || body.status === 'incomplete' || body.status === 'failed',
    error: errorText(body.error),
  };
}

function messageItem(id: string, text: string) {
  return {
    type: 'message',
    id: `msg_${id}`,
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text, annotations: [] }],
  };
}

/** `input_tokens` includes the cached ones. */
function readUsage(usage: Record<string, unknown>): CallUsage {
  const input = (usage.input_tokens_details ?? {}) as Record<string, unknown>;
  const output = (usage.output_tokens_details ?? {}) as Record<string, unknown>;
  return usageFromTotal({
    inputTotal: tokenCount(usage.input_tokens),
    inputCached: tokenCount(input.cached_tokens),
    cacheCreation: tokenCount(input.cache_write_tokens),
    output: tokenCount(usage.output_tokens),
    reasoning: tokenCount(output.reasoning_tokens),
  });
}

function writeUsage(usage: CallUsage): object {
  return {
    input_tokens: usage.inputTotal,
    input_tokens_details: { cached_tokens: usage.inputCached },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
    total_tokens: (usage.inputTotal ?? 0) + (usage.output ?? 0),
  };
}
