import { z } from 'zod';
import { type ModelResponse, parseArguments, type Turn } from '../model-call.js';
import { isEventStream, readEvents, writeEvent } from '../sse.js';
import { type CallUsage, tokenCount, usageFromTotal } from '../usage.js';
import type { Wire } from '../wire.js';
import {
  brokenResponse,
  effortOf,
  errorText,
  halves,
  joinText,
  modelInBody,
  parseJson,
  pathEnds,
  withoutPartialOutput,
} from './body.js';

const Content = z
  .union([z.string(), z.null(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))])
  .optional();

const Message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: Content,
  tool_calls: z
    .array(z.looseObject({ id: z.string(), function: z.looseObject({ name: z.string(), arguments: z.string() }) }))
    .nullish(),
  tool_call_id: z.string().optional(),
});

const Request = z.looseObject({
  model: z.string(),
  messages: z.array(Message),
  tools: z
    .array(
      z.looseObject({
        function: z
          .looseObject({ name: z.string(), description: z.string().optional(), parameters: z.unknown().optional() })
          .optional(),
      }),
    )
    .optional(),
  stream: z.boolean().nullish(),
});

const ToolDelta = z.looseObject({
  index: z.number().optional(),
  id: z.string().nullish(),
  function: z.looseObject({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
});
const Part = z.looseObject({ content: z.string().nullish(), tool_calls: z.array(ToolDelta).nullish() });

/** A whole body and one chunk of a stream differ only in `message` and `delta`, so one schema reads both. */
const Body = z.looseObject({
  model: z.string().nullish(),
  choices: z
    .array(
      z.looseObject({
        index: z.number().optional(),
        delta: Part.nullish(),
        message: Part.nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .nullish(),
  usage: z.looseObject({}).nullish(),
  error: z.unknown().optional(),
});

/** OpenAI chat completions, as OpenAI, OpenRouter, vLLM, llama.cpp and Ollama speak it. */
export const chatCompletions: Wire = {
  api: 'openai-completions',
  basePath: '/v1',
  matches: (path) => pathEnds(path, '/chat/completions'),
  isSideRequest: (method, path) => method === 'GET' && pathEnds(path, '/models'),
  keyHeaders: (key) => ({ authorization: `Bearer ${key}` }),
  modelOf: modelInBody,
  writeError: (type, message) => JSON.stringify({ error: { message, type, param: null, code: null } }),

  readRequest(body) {
    const { model, messages, tools, stream, ...parameters } = Request.parse(body);
    const system: string[] = [];
    const turns: Turn[] = [];
    for (const message of messages) {
      const text = joinText(message.content);
      if (message.role === 'system' || message.role === 'developer') system.push(text);
      else {
        turns.push({
          role: message.role === 'function' ? 'tool' : message.role,
          text,
          toolCalls: (message.tool_calls ?? []).map((call) => ({
            id: call.id,
            name: call.function.name,
            arguments: parseArguments(call.function.arguments),
          })),
          toolResultFor: message.tool_call_id ?? null,
        });
      }
    }
    return {
      model,
      parameters,
      system: system.join('\n\n'),
      tools: (tools ?? []).flatMap(({ function: tool }) =>
        tool === undefined ? [] : [{ name: tool.name, description: tool.description ?? '', schema: tool.parameters ?? null }],
      ),
      turns,
      stream: stream ?? false,
    };
  },

  writeRequest: ({ model, system, prompt }) => ({
    path: '/chat/completions',
    body: {
      model,
      messages: [
        { role: 'system', content: system },
        { role: 'user', content: prompt },
      ],
    },
  }),

  readResponse(raw, contentType) {
    const stream = isEventStream(raw, contentType);
    const data = stream ? readEvents(raw).map((event) => event.data) : [new TextDecoder().decode(raw)];
    const response: ModelResponse = {
      model: null,
      text: '',
      toolCalls: [],
      stop: null,
      usage: null,
      complete: false,
      error: null,
    };
    const calls: { id: string; name: string; text: string }[] = [];
    for (const piece of data) {
      if (piece === '[DONE]') continue;
      const body = Body.safeParse(parseJson(piece));
      if (!body.success) return brokenResponse(response, piece);
      const { model, choices, usage, error } = body.data;
      response.model ??= model ?? null;
      response.error ??= errorText(error);
      if (usage !== null && usage !== undefined) response.usage = readUsage(usage);
      // Only the first choice: agents ask for one, and the answers of several are alternatives, not one text.
      const choice = choices?.find((one) => (one.index ?? 0) === 0);
      const part = choice?.delta ?? choice?.message;
      response.text += part?.content ?? '';
      for (const [position, delta] of (part?.tool_calls ?? []).entries()) {
        const index = delta.index ?? position;
        calls[index] ??= { id: '', name: '', text: '' };
        calls[index].id ||= delta.id ?? '';
        calls[index].name ||= delta.function?.name ?? '';
        calls[index].text += delta.function?.arguments ?? '';
      }
      response.stop = choice?.finish_reason ?? response.stop;
    }
    response.toolCalls = calls.filter(Boolean).map(({ id, name, text }) => ({ id, name, arguments: parseArguments(text) }));
    response.complete = response.stop !== null || (!stream && response.error !== null);
    return withoutPartialOutput(response);
  },

  readThinking: ({ reasoning_effort, reasoning }) =>
    // OpenRouter takes the Responses dialect's object
    effortOf(reasoning_effort ?? (reasoning as { effort?: unknown } | undefined)?.effort),

  writeResponse(reply, stream) {
    const finish = reply.toolCalls.length > 0 ? 'tool_calls' : 'stop';
    const toolCalls = reply.toolCalls.map((call, index) => ({
      index,
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: JSON.stringify(call.arguments) },
    }));
    const head = { id: `chatcmpl-${reply.id}`, created: 0, model: reply.model };
    const usage = writeUsage(reply.usage);
    if (!stream) {
      const message = {
        role: 'assistant',
        content: reply.text === '' ? null : reply.text,
        ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}),
      };
      const choices = [{ index: 0, message, finish_reason: finish }];
      return {
        contentType: 'application/json',
        chunks: [JSON.stringify({ ...head, object: 'chat.completion', choices, usage })],
      };
    }
    const chunk = (delta: object, finish_reason: string | null = null) =>
      writeEvent({
        event: null,
        data: JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] }),
      });
    const chunks = [chunk({ role: 'assistant', content: '' })];
    if (reply.text !== '') for (const content of halves(reply.text)) chunks.push(chunk({ content }));
    for (const call of toolCalls) {
      const [first, second] = halves(call.function.arguments);
      chunks.push(chunk({ tool_calls: [{ ...call, function: { name: call.function.name, arguments: first } }] }));
      chunks.push(chunk({ tool_calls: [{ index: call.index, function: { arguments: second } }] }));
    }
    chunks.push(chunk({}, finish));
    chunks.push(
      writeEvent({ event: null, data: JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [], usage }) }),
    );
    chunks.push(writeEvent({ event: null, data: '[DONE]' }));
    return { contentType: 'text/event-stream', chunks };
  },
};

function readUsage(usage: Record<string, unknown>): CallUsage {
  const prompt = (usage.prompt_tokens_details ?? {}) as Record<string, unknown>;
  const completion = (usage.completion_tokens_details ?? {}) as Record<string, unknown>;
  return usageFromTotal({
    inputTotal: tokenCount(usage.prompt_tokens),
    inputCached: tokenCount(prompt.cached_tokens),
    cacheCreation: tokenCount(prompt.cache_write_tokens),
    output: tokenCount(usage.completion_tokens),
    reasoning: tokenCount(completion.reasoning_tokens),
  });
}

function writeUsage(usage: CallUsage): object {
  return {
    prompt_tokens: usage.inputTotal,
    completion_tokens: usage.output,
    total_tokens: (usage.inputTotal ?? 0) + (usage.output ?? 0),
    prompt_tokens_details: { cached_tokens: usage.inputCached },
    ...(usage.reasoning === null ? {} : { completion_tokens_details: { reasoning_tokens: usage.reasoning } }),
  };
}
