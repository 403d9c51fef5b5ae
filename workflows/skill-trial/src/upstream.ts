import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Agent, Dispatcher } from 'undici';
import type { CallError } from './call-record.js';
import type { Redactor } from './redaction.js';
import type { Wire, WireApi } from './wire.js';

/** The model behind the gateway. */
export interface Upstream {
  /** As an SDK takes it: `https://…/v1` for OpenAI's dialects, without `/v1` for Anthropic's. */
  baseUrl: string;
  api: WireApi;
  /** Null for a server that wants none. */
  key: string | null;
  /** Further headers (an organisation, a beta flag); never secrets. */
  headers?: Record<string, string>;
}

/** What came of a call that was passed on. */
export interface Answer {
  /** The status sent to the agent; null where it had gone before. */
  status: number | null;
  contentType: string;
  /** The bytes as the agent got them, or would have got them. */
  body: Buffer;
  redactions: number;
  error: CallError | null;
  /** Ends the agent's response: kept apart so that the record is written first. */
  end(): void;
}

interface Call {
  req: IncomingMessage;
  res: ServerResponse;
  body: Buffer;
  upstream: Upstream;
  wire: Wire;
  agent: Agent;
  redactor: Redactor;
  signal: AbortSignal;
  onFirstByte: () => void;
}

/** Headers that concern one connection (RFC 9110 §7.6.1) or that the gateway sets itself. */
const HOP_BY_HOP = ['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te', 'trailer'];
const NOT_SENT = new Set([
  ...HOP_BY_HOP,
  'transfer-encoding',
  'upgrade',
  'expect',
  'host',
  'content-length',
  'accept-encoding',
  'cookie',
]);
/** The agent's dummy key, in any place a dialect has for one. */
const KEYS = new Set(['authorization', 'x-api-key', 'api-key', 'x-goog-api-key']);
const NOT_RETURNED = new Set([...HOP_BY_HOP, 'transfer-encoding', 'upgrade', 'content-length', 'content-encoding', 'set-cookie']);

/** Passes one request on and its answer back, chunk by chunk as it arrives. Never throws: what goes wrong is in the answer. */
export async function forward(call: Call): Promise<Answer> {
  const { res, redactor, signal } = call;
  const answer: Answer = {
    status: null,
    contentType: '',
    body: Buffer.alloc(0),
    redactions: 0,
    error: null,
    end: () => res.end(),
  };
  const { request } = await import('undici');
  let reply: Dispatcher.ResponseData;
  try {
    reply = await request(upstreamUrl(call), {
      method: (call.req.method ?? 'GET') as Dispatcher.HttpMethod,
      headers: requestHeaders(call),
      body: call.body.length === 0 ? null : call.body,
      dispatcher: call.agent,
      signal,
    });
  } catch (error) {
    const kind = errorKind(error, signal);
    return kind === 'client-closed' ? { ...answer, error: kind, end: () => res.destroy() } : failed(call, answer, kind);
  }
  answer.status = reply.statusCode;
  answer.contentType = String(reply.headers['content-type'] ?? '');
  const pieces: Buffer[] = [];
  const pass = async (piece: Buffer) => {
    if (piece.length === 0) return;
    pieces.push(piece);
    if (!res.write(piece)) await room(res, signal);
  };
  try {
    res.writeHead(reply.statusCode, responseHeaders(reply.headers));
    res.flushHeaders();
    let first = true;
    for await (const chunk of decoded(reply)) {
      if (first) call.onFirstByte();
      first = false;
      await pass(redactor.push(chunk));
    }
    await pass(redactor.flush());
    if (reply.statusCode >= 400) answer.error = 'upstream-status';
  } catch (error) {
    answer.error = errorKind(error, signal, 'disconnect');
    // The agent must see a broken answer as broken: no proper end follows.
    answer.end = () => res.destroy();
  }
  answer.body = Buffer.concat(pieces);
  answer.redactions = redactor.count;
  return answer;
}

/** Waits until a slow client has taken what it was sent, or has gone. */
async function room(res: ServerResponse, signal: AbortSignal): Promise<void> {
  const settled = new AbortController();
  const until = { signal: AbortSignal.any([signal, settled.signal]) };
  await Promise.race([once(res, 'drain', until), once(res, 'close', until)]).finally(() => settled.abort());
}

/** An answer of the gateway's own where upstream gave none: 504 after a timeout, else 502. */
function failed({ res, wire, upstream }: Call, answer: Answer, error: CallError): Answer {
  const status = error === 'timeout' ? 504 : 502;
  const body = Buffer.from(
    wire.writeError(error, `The model server at ${new URL(upstream.baseUrl).host} did not answer (${error}).`),
  );
  const end = () => res.writeHead(status, { 'content-type': 'application/json' }).end(body);
  return { ...answer, status, contentType: 'application/json', body, error, end };
}

function errorKind(error: unknown, signal: AbortSignal, otherwise: CallError = 'unreachable'): CallError {
  if (signal.aborted) return 'client-closed';
  // undici's own codes: its classes would have to be loaded to compare with
  const code = (error as { code?: string }).code;
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') return 'timeout';
  // The connection stood, and broke before the status line.
  if (code === 'UND_ERR_SOCKET') return 'disconnect';
  return otherwise;
}

function upstreamUrl({ req, upstream, wire }: Call): string {
  const path = req.url ?? '/';
  const own = wire.basePath !== '' && path.startsWith(`${wire.basePath}/`) ? path.slice(wire.basePath.length) : path;
  const base = upstream.baseUrl.replace(/\/+$/, '');
  // Tolerates Anthropic's base URL written with the /v1 that its SDK adds itself.
  return base.endsWith('/v1') && own.startsWith('/v1/') ? `${base}${own.slice(3)}` : `${base}${own}`;
}

function requestHeaders({ req, upstream, wire }: Call): Record<string, string> {
  const named = String(req.headers.connection ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  const kept = Object.entries(req.headers).filter(([name]) => !NOT_SENT.has(name) && !KEYS.has(name) && !named.includes(name));
  return {
    ...Object.fromEntries(kept.map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')])),
    'accept-encoding': 'identity',
    ...upstream.headers,
    ...(upstream.key === null ? {} : wire.keyHeaders(upstream.key)),
  };
}

function responseHeaders(headers: Dispatcher.ResponseData['headers']): Record<string, string | string[]> {
  const named = String(headers.connection ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  const kept = Object.entries(headers).filter(
    ([name, value]) => value !== undefined && !NOT_RETURNED.has(name) && !named.includes(name),
  );
  return Object.fromEntries(kept) as Record<string, string | string[]>;
}

/** The body without its encoding: some servers compress although they were asked not to. */
function decoded(reply: Dispatcher.ResponseData): Readable {
  const encoding = String(reply.headers['content-encoding'] ?? 'identity').toLowerCase();
  const decoders = { gzip: createGunzip, 'x-gzip': createGunzip, deflate: createInflate, br: createBrotliDecompress };
  const make = decoders[encoding as keyof typeof decoders];
  if (make === undefined) return reply.body;
  const decoder = make();
  reply.body.on('error', (error) => decoder.destroy(error));
  return reply.body.pipe(decoder);
}
