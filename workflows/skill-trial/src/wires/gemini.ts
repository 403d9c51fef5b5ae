import { z } from 'zod';
import type { ModelResponse, ToolCall, Turn } from '../model-call.js';
import { isEventStream, readEvents, writeEvent } from '../sse.js';
import { type CallUsage, tokenCount, usageFromTotal } from '../usage.js';
import type { Wire } from '../wire.js';
import { brokenResponse, errorText, halves, parseJson, withoutPartialOutput } from './body.js';

const Part = z.looseObject({
  text: z.string().optional(),
  /** Marks a text as reasoning: no part of the answer. */
  thought: z.boolean().optional(),
  functionCall: z.looseObject({ id: z.string().nullish(), name: z.string(), args: z.unknown().optional() }).optional(),
  functionResponse: z.looseObject({ id: z.string().nullish(), name: z.string(), response: z.unknown().optional() }).optional(),
});
type Part = z.infer<typeof Part>;
const Content = z.looseObject({ role: z.string().nullish(), parts: z.array(Part).nullish() });
type Content = z.infer<typeof Content>;

const Declaration = z.looseObject({
  name: z.string(),
  description: z.string().optional(),
  parameters: z.unknown().optional(),
  parametersJsonSchema: z.unknown().optional(),
});
const Request = z.looseObject({
  contents: z.union([z.array(Content), Content]),
  systemInstruction: z.union([z.string(), Content]).nullish(),
  system_instruction: z.union([z.string(), Content]).nullish(),
  tools: z.array(z.looseObject({ functionDeclarations: z.array(Declaration).optional() })).nullish(),
});

/** A whole body and one chunk of a stream have the same form. */
const Body = z.looseObject({
  modelVersion: z.string().nullish(),
  candidates: z
    .array(z.looseObject({ index: z.number().optional(), content: Content.nullish(), finishReason: z.string().nullish() }))
    .nullish(),
  promptFeedback: z.looseObject({ blockReason: z.string().nullish() }).nullish(),
  usageMetadata: z.looseObject({}).nullish(),
  error: z.unknown().optional(),
});

const callPath = /\/(?:models|tunedModels)\/([^/:?]+):(generateContent|streamGenerateContent)$/;

/** Model and method that a path names; null where it is no model call. */
function called(path: string): { model: string; stream: boolean } | null {
  const [, model, method] = callPath.exec(path.split('?')[0] ?? '') ?? [];
  return model === undefined ? null : { model: decodeURIComponent(model), stream: method === 'streamGenerateContent' };
}

/** Google's generateContent and streamGenerateContent (server-sent events with `alt=sse`, one JSON array without). */
export const gemini: Wire = {
  api: 'google-generative-ai',
  basePath: '/v1beta',
  matches: (path) => called(path) !== null,
  isSideRequest: (method, path) => {
    const own = path.split('?')[0] ?? '';
    return (
      (method === 'GET' && /\/models(?:\/[^/:]+)?$/.test(own)) || (method === 'POST' && /\/models\/[^/:]+:countTokens$/.test(own))
    );
  },
  keyHeaders: (key) => ({ 'x-goog-api-key': key }),
  modelOf: (_, path) => called(path)?.model ?? null,
  writeError: (type, message) => JSON.stringify({ error: { message, status: type } }),

  readRequest(body, path = '') {
    const { contents, systemInstruction, system_instruction, tools, ...parameters } = Request.parse(body);
    const { model, stream } = z.object({ model: z.string(), stream: z.boolean() }).parse(called(path));
    const system = systemInstruction ?? system_instruction ?? '';
    return {
      model,
      parameters,
      system: typeof system === 'string' ? system : textOf(system.parts, '\n\n'),
      tools: (tools ?? []).flatMap(({ functionDeclarations, ...builtIn }) => [
        ...(functionDeclarations ?? []).map((tool) => ({
          name: tool.name,
          description: tool.description ?? '',
          schema: tool.parametersJsonSchema ?? tool.parameters ?? null,
        })),
        ...Object.entries(builtIn).map(([name, schema]) => ({ name, description: '', schema })),
      ]),
      turns: readTurns(Array.isArray(contents) ? contents : [contents]),
      stream,
    };
  },

  writeRequest: ({ model, system, prompt }) => ({
    path: `/models/${encodeURIComponent(model)}:generateContent`,
    body: { systemInstruction: { parts: [{ text: system }] }, contents: [{ role: 'user', parts: [{ text: prompt }] }] },
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
    const { pieces, stream } = piecesOf(raw, contentType);
    const parts: Part[] = [];
    for (const piece of pieces) {
      const body = Body.safeParse(piece.value);
      if (!body.success) return brokenResponse(response, piece.text);
      const { modelVersion, candidates, promptFeedback, usageMetadata, error } = body.data;
      response.model ??= modelVersion ?? null;
      response.error ??= errorText(error);
      // each chunk counts up to itself: the last one counts
      if (usageMetadata !== null && usageMetadata !== undefined) response.usage = readUsage(usageMetadata);
      const candidate = candidates?.find((one) => (one.index ?? 0) === 0);
      parts.push(...(candidate?.content?.parts ?? []));
      response.stop = candidate?.finishReason ?? promptFeedback?.blockReason ?? response.stop;
      response.text = textOf(parts, '');
      response.toolCalls = readCalls(parts, new Map());
    }
    response.complete = response.stop !== null || (!stream && response.error !== null);
    return withoutPartialOutput(response);
  },

  readThinking({ generationConfig }) {
    const { thinkingConfig } = (generationConfig ?? {}) as {
      thinkingConfig?: { thinkingLevel?: unknown; thinkingBudget?: unknown };
    };
    if (typeof thinkingConfig?.thinkingLevel === 'string') return thinkingConfig.thinkingLevel.toLowerCase();
    return (thinkingConfig?.thinkingBudget ?? 0) === 0 ? 'off' : 'on';
  },

  writeResponse(reply, stream, path) {
    const finish = { finishReason: 'STOP', index: 0 };
    const head = { modelVersion: reply.model, responseId: reply.id };
    const text = (piece: string) => ({ text: piece });
    const calls = reply.toolCalls.map(({ id, name, arguments: args }) => ({ functionCall: { id, name, args } }));
    const content = (parts: object[]) => ({ content: { role: 'model', parts } });
    const usageMetadata = writeUsage(reply.usage);
    if (!stream) {
      const parts = [...(reply.text === '' ? [] : [text(reply.text)]), ...calls];
      const whole = { candidates: [{ ...content(parts), ...finish }], usageMetadata, ...head };
      return { contentType: 'application/json', chunks: [JSON.stringify(whole)] };
    }
    const pieces = [...(reply.text === '' ? [] : halves(reply.text).map(text)), ...calls];
    const events = [
      ...pieces.map((piece) => ({ candidates: [{ ...content([piece]), index: 0 }], ...head })),
      { candidates: [{ ...content([text('')]), ...finish }], usageMetadata, ...head },
    ].map((event) => JSON.stringify(event));
    if (path === undefined || /[?&]alt=sse(?:&|$)/.test(path))
      return { contentType: 'text/event-stream', chunks: events.map((data) => writeEvent({ event: null, data })) };
    return {
      contentType: 'application/json',
      chunks: events.map((event, at) => `${at === 0 ? '[' : ',\n'}${event}${at === events.length - 1 ? ']' : ''}`),
    };
  },
};

/** The pieces of an answer, each as text and as JSON: the events of a stream, the members of an array, or the whole body. */
function piecesOf(raw: Uint8Array, contentType: string): { pieces: { text: string; value: unknown }[]; stream: boolean } {
  if (isEventStream(raw, contentType))
    return { pieces: readEvents(raw).map(({ data }) => ({ text: data, value: parseJson(data) })), stream: true };
  const text = new TextDecoder().decode(raw);
  const value = parseJson(text);
  return { pieces: (Array.isArray(value) ? value : [value]).map((one) => ({ text, value: one })), stream: false };
}

/** Contents as turns: function responses apart, in order, then what else the same content holds. */
function readTurns(contents: readonly Content[]): Turn[] {
  /** Ids of the calls that have no answer yet, by function: an older client names the function alone. */
  const open = new Map<string, string[]>();
  return contents.flatMap(({ role, parts }) => {
    const all = parts ?? [];
    const results = all.flatMap(({ functionResponse: one }): Turn[] => {
      if (one === undefined) return [];
      const ids = open.get(one.name) ?? [];
      const id = one.id ?? ids[0] ?? null;
      open.set(
        one.name,
        ids.filter((other) => other !== id),
      );
      return [{ role: 'tool', text: resultText(one.response), toolCalls: [], toolResultFor: id }];
    });
    const rest = all.filter((part) => part.functionResponse === undefined);
    if (rest.length === 0 && results.length > 0) return results;
    const toolCalls = readCalls(rest, open);
    return [
      ...results,
      { role: role === 'model' ? 'assistant' : 'user', text: textOf(rest, '\n'), toolCalls, toolResultFor: null },
    ];
  });
}

/** The calls among some parts; one without an id is named by its function and its place among those without an answer. */
function readCalls(parts: readonly Part[], open: Map<string, string[]>): ToolCall[] {
  return parts.flatMap(({ functionCall: call }) => {
    if (call === undefined) return [];
    const ids = open.get(call.name) ?? [];
    const id = call.id ?? `${call.name}#${ids.length + 1}`;
    open.set(call.name, [...ids, id]);
    return [{ id, name: call.name, arguments: call.args ?? {} }];
  });
}

/** A function's answer is an object; clients put a text under `output`, `result` or `error`. */
function resultText(response: unknown): string {
  const { output, result, error } = (response ?? {}) as Record<string, unknown>;
  const text = output ?? result ?? error;
  return typeof text === 'string' ? text : JSON.stringify(response ?? {});
}

function textOf(parts: readonly Part[] | null | undefined, between: string): string {
  return (parts ?? []).flatMap((part) => (part.text === undefined || part.thought === true ? [] : [part.text])).join(between);
}

/**
 * `promptTokenCount` includes the cached tokens, but not those of built-in tools' results; `candidatesTokenCount` leaves out the
 * thoughts. A count of 0 is left out of the JSON (proto3), so that one missing beside `promptTokenCount` is 0, not unknown.
 * https://ai.google.dev/api/generate-content#UsageMetadata
 */
function readUsage(usage: Record<string, unknown>): CallUsage {
  const known = tokenCount(usage.promptTokenCount) !== null;
  const figure = (key: string) => (usage[key] === undefined && known ? 0 : tokenCount(usage[key]));
  const sum = (...figures: (number | null)[]) =>
    figures.includes(null) ? null : (figures as number[]).reduce((a, b) => a + b, 0);
  return usageFromTotal({
    inputTotal: sum(figure('promptTokenCount'), figure('toolUsePromptTokenCount')),
    inputCached: figure('cachedContentTokenCount'),
    output: sum(figure('candidatesTokenCount'), figure('thoughtsTokenCount')),
    reasoning: figure('thoughtsTokenCount'),
  });
}

function writeUsage(usage: CallUsage): object {
  const { inputTotal, inputCached, output, reasoning } = usage;
  return {
    promptTokenCount: inputTotal,
    ...(inputCached === null || inputCached === 0 ? {} : { cachedContentTokenCount: inputCached }),
    candidatesTokenCount: output === null ? null : output - (reasoning ?? 0),
    ...(reasoning === null || reasoning === 0 ? {} : { thoughtsTokenCount: reasoning }),
    totalTokenCount: (inputTotal ?? 0) + (output ?? 0),
  };
}
