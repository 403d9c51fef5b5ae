import type { ModelRequest, ModelResponse, Question, Reply } from './model-call.js';
import { anthropicMessages } from './wires/anthropic-messages.js';
import { chatCompletions } from './wires/chat-completions.js';
import { gemini } from './wires/gemini.js';
import { responses } from './wires/responses.js';

/** The names of the dialects, as pi's `models.json` spells them. */
export const wireApis = ['openai-completions', 'anthropic-messages', 'openai-responses', 'google-generative-ai'] as const;
export type WireApi = (typeof wireApis)[number];

/** One API dialect: how its requests and responses are told apart, read and written. */
export interface Wire {
  api: WireApi;
  /** What an SDK's base URL ends with before the dialect's own path: `/v1` for OpenAI's, `/v1beta` for Google's, nothing for Anthropic's. */
  basePath: string;
  /** Whether a request path (query and prefix allowed) is a model call of this dialect. */
  matches(path: string): boolean;
  /** Paths an agent may also ask for and that cost nothing (a list of models, a token count); everything else is refused. */
  isSideRequest(method: string, path: string): boolean;
  /** The model that a model call names, in its body or in its path; null where it names none. */
  modelOf(body: unknown, path: string): string | null;
  /** The request in the common form. Throws a ZodError where it is not of this dialect. `path` matters where the path names the model. */
  readRequest(body: unknown, path?: string): ModelRequest;
  /** A question of the lab's own, without tools and not streamed; `path` follows the base path. */
  writeRequest(question: Question): { path: string; body: object };
  /** The response in the common form; never throws, since a broken response is a finding. */
  readResponse(raw: Uint8Array, contentType: string): ModelResponse;
  /** How much the model is asked to think: `off`, a level by its name, or `on` where the dialect names none. */
  readThinking(parameters: Record<string, unknown>): string;
  /**
   * A reply in this dialect, in the chunks in which a server would send it (one chunk where `stream` is false). `path`, that of the
   * request, matters where it names the form of the stream.
   */
  writeResponse(reply: Reply, stream: boolean, path?: string): { contentType: string; chunks: string[] };
  /** An error body of this dialect. */
  writeError(type: string, message: string): string;
  /** The headers that carry the key. */
  keyHeaders(key: string): Record<string, string>;
}

/** Every dialect, one row each. */
export const wires: readonly Wire[] = [chatCompletions, anthropicMessages, responses, gemini];

/** The row of a dialect. */
export function wireOf(api: WireApi): Wire {
  const wire = wires.find((row) => row.api === api);
  if (wire === undefined) throw new TypeError(`no wire for "${api}": expected one of ${wireApis.join(', ')}`);
  return wire;
}

/** The dialect whose model call a path is, or null. */
export function wireForPath(path: string): Wire | null {
  return wires.find((row) => row.matches(path)) ?? null;
}
