import { z } from 'zod';
import { type ModelResponse, parseArguments, type Turn } from '../model-call.js';
import { isEventStream, readEvents, writeEvent } from '../sse.js';
import { type CallUsage, tokenCount, usageFromParts } from '../usage.js';
import type { Wire } from '../wire.js';
import { brokenResponse, errorText, halves, joinText, modelInBody, parseJson, pathEnds, withoutPartialOutput } from './body.js';

const Block = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  input: z.unknown().optional(),
  tool_use_id: z.string().optional(),
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))]).optional(),
});
type Block = z.infer<typeof Block>;

const Request = z.looseObject({
  model: z.string(),
  messages: z.array(
    z.looseObject({ role: z.enum(['user', 'assistant', 'system']), content: z.union([z.string(), z.array(Block)]) }),
  ),
  system: z.union([z.string(), z.array(Block)]).optional(),
  tools: z
    .array(z.looseObject({ name: z.string(), description: z.string().optional(), input_schema: z.unknown().optional() }))
    .optional(),
  stream: z.boolean().optional(),
});

const Usage = z.looseObject({});
const Message = z.looseObject({
  model: z.string().nullish(),
  content: z.array(z.looseObject({ type: z.string() })).nullish(),
  stop_reason: z.string().nullish(),
  usage: Usage.nullish(),
});
const Event = z.looseObject({
  type: z.string(),
  message: Message.optional(),
  index: z.number().optional(),
  content_block: Block.optional(),
  delta: z
    .looseObject({ text: z.string().optional(), partial_json: z.string().optional(), stop_reason: z.string().nullish() })
    .optional(),
  usage: Usage.nullish(),
  error: z.unknown().optional(),
});

/** Anthropic Messages. */
export const anthropicMessages: Wire = {
  api: 'anthropic-messages',
  basePath: '',
  matches: (path) => pathEnds(path, '/messages'),
  isSideRequest: (method, path) =>
    (method === 'GET' && pathEnds(path, '/models')) || (method === 'POST' && pathEnds(path, '/messages/count_tokens')),
  keyHeaders: (key) => ({ 'x-api-key': key }),
  modelOf: modelInBody,
  writeError: (type, message) => JSON.stringify({ type: 'error', error: { type, message } }),

  readRequest(body) {
    const { model, messages, system, tools, stream, ...parameters } = Request.parse(body);
    const systemText = [joinText(system)];
    const turns: Turn[] = [];
    for (const { role, content } of messages) {
      if (role === 'system') systemText.push(joinText(content));
      else
        turns.push(
          ...readTurns(role, typeof content === 'string' ? [{ type: 'text', text: content, input: undefined }] : content),
        );
    }
    return {
      model,
      parameters,
      system: systemText.filter((text) => text !== '').join('\n\n'),
      tools: (tools ?? []).map((tool) => ({
        name: tool.name,
        description: tool.description ?? '',
        schema: tool.input_schema ?? null,
      })),
      turns,
      stream: stream ?? false,
    };
  },

  writeRequest: ({ model, system, prompt }) => ({
    path: '/v1/messages',
    // the API wants a limit; an answer cut short by it is unreadable, and asked for again
    body: { model, max_tokens: 8192, system, messages: [{ role: 'user', content: prompt }] },
  }),

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
    if (!isEventStream(raw, contentType)) return readWhole(response, new TextDecoder().decode(raw));
    const usage: Record<string, unknown> = {};
    const calls = new Map<number, { id: string; name: string; input: unknown; text: string }>();
    for (const { data } of readEvents(raw)) {
      const event = Event.safeParse(parseJson(data));
      if (!event.success) return brokenResponse(response, data);
      const { type, message, index = 0, content_block: block, delta, error } = event.data;
      if (message !== undefined) response.model = message.model ?? null;
      // message_start has the prompt's figures, message_delta the output's (and the prompt's again in newer versions).
      for (const [key, value] of Object.entries({ ...message?.usage, ...event.data.usage }))
        if (tokenCount(value) !== null) usage[key] = value;
      if (Object.keys(usage).length > 0) response.usage = readUsage(usage);
      if (type === 'content_block_start' && block?.type === 'tool_use') {
        calls.set(index, { id: block.id ?? '', name: block.name ?? '', input: block.input, text: '' });
      }
      if (type === 'content_block_start' && block?.type === 'text') response.text += block.text ?? '';
      response.text += delta?.text ?? '';
      const call = calls.get(index);
      if (call !== undefined) call.text += delta?.partial_json ?? '';
      response.stop = delta?.stop_reason ?? response.stop;
      if (type === 'error') response.error = errorText(error);
      if (type === 'message_stop') response.complete = true;
      response.toolCalls = [...calls.values()].map(({ id, name, input, text }) => ({
        id,
        name,
        arguments: text === '' ? (input ?? {}) : parseArguments(text),
      }));
    }
    return withoutPartialOutput(response);
  },

  readThinking({ thinking, output_config }) {
    const type = (thinking as { type?: unknown } | undefined)?.type;
    if (type === undefined || type === 'disabled') return 'off';
    const effort = (output_config as { effort?: unknown } | undefined)?.effort;
    return typeof effort === 'string' ? effort : 'on';
  },

  writeResponse(reply, stream) {
    const stop = reply.toolCalls.length > 0 ? 'tool_use' : 'end_turn';
    const text = reply.text === '' ? [] : [{ type: 'text', text: reply.text }];
    const tools = reply.toolCalls.map((call) => ({ type: 'tool_use', id: call.id, name: call.name, input: call.arguments }));
    const head = { id: `msg_${reply.id}`, type: 'message', role: 'assistant', model: reply.model, stop_sequence: null };
    const usage = writeUsage(reply.usage);
    if (!stream) {
      const whole = { ...head, content: [...text, ...tools], stop_reason: stop, usage };
      return { contentType: 'application/json', chunks: [JSON.stringify(whole)] };
    }
    const event = (type: string, rest: object = {}) => writeEvent({ event: type, data: JSON.stringify({ type, ...rest }) });
    const chunks = [
      event('message_start', { message: { ...head, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } } }),
    ];
    const block = (index: number, start: object, deltas: object[]) => {
      chunks.push(event('content_block_start', { index, content_block: start }));
      for (const delta of deltas) chunks.push(event('content_block_delta', { index, delta }));
      chunks.push(event('content_block_stop', { index }));
    };
    for (const part of text)
      block(
        0,
        { type: 'text', text: '' },
        halves(part.text).map((piece) => ({ type: 'text_delta', text: piece })),
      );
    for (const [position, tool] of tools.entries()) {
      const pieces = halves(JSON.stringify(tool.input)).map((piece) => ({ type: 'input_json_delta', partial_json: piece }));
      block(text.length + position, { ...tool, input: {} }, pieces);
    }
    chunks.push(
      event('message_delta', { delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: reply.usage.output } }),
    );
    chunks.push(event('message_stop'));
    return { contentType: 'text/event-stream', chunks };
  },
};

/** A message's blocks as turns: tool results apart, in order, then what the user said beside them. */
function readTurns(role: 'user' | 'assistant', blocks: readonly Block[]): Turn[] {
  const results = blocks
    .filter((block) => block.type === 'tool_result')
    .map(
      (block): Turn => ({ role: 'tool', text: joinText(block.content), toolCalls: [], toolResultFor: block.tool_use_id ?? null }),
    );
  const rest = blocks.filter((block) => block.type !== 'tool_result');
  if (rest.length === 0 && results.length > 0) return results;
  const text = joinText(rest.filter((block) => block.type === 'text'));
  const toolCalls = rest
    .filter((block) => block.type === 'tool_use')
    .map((block) => ({ id: block.id ?? '', name: block.name ?? '', arguments: block.input ?? {} }));
  return [...results, { role, text, toolCalls, toolResultFor: null }];
}

function readWhole(response: ModelResponse, text: string): ModelResponse {
  const json = parseJson(text);
  const failed = z.looseObject({ error: z.unknown().optional() }).safeParse(json);
  if (failed.success && errorText(failed.data.error) !== null)
    return { ...response, complete: true, error: errorText(failed.data.error) };
  const message = Message.safeParse(json);
  if (!message.success || !Array.isArray(message.data.content)) return brokenResponse(response, text);
  const blocks = z.array(Block).safeParse(message.data.content);
  const [turn] = readTurns('assistant', blocks.success ? blocks.data : []);
  const { model, stop_reason, usage } = message.data;
  return {
    model: model ?? null,
    text: turn?.text ?? '',
    toolCalls: turn?.toolCalls ?? [],
    stop: stop_reason ?? null,
    usage: usage === null || usage === undefined ? null : readUsage(usage),
    complete: stop_reason !== null && stop_reason !== undefined,
    error: null,
  };
}

/** `input_tokens` leaves out what was read from or written to the cache. */
function readUsage(usage: Record<string, unknown>): CallUsage {
  return usageFromParts({
    inputUncached: tokenCount(usage.input_tokens),
    inputCached: tokenCount(usage.cache_read_input_tokens),
    cacheCreation: tokenCount(usage.cache_creation_input_tokens),
    output: tokenCount(usage.output_tokens),
    reasoning: null,
  });
}

function writeUsage(usage: CallUsage): object {
  return {
    input_tokens: usage.inputUncached,
    cache_read_input_tokens: usage.inputCached,
    cache_creation_input_tokens: usage.cacheCreation,
    output_tokens: usage.output,
  };
}
