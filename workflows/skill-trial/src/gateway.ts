import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { addAbortSignal } from 'node:stream';
import type { Agent } from 'undici';
import { type Budget, type Limit, Meter } from './budget.js';
import { type Draft, judge, newDraft } from './call-draft.js';
import type { CallError, CallRecord } from './call-record.js';
import type { Clock } from './clock.js';
import { InfrastructureError } from './errors.js';
import { changedParameters, type FrozenParameters, generationParameters, thinkingTrouble } from './generation-parameters.js';
import { type ListenAddress, listen } from './listening.js';
import type { ModelRequest } from './model-call.js';
import { openRecording, type Recording } from './recording.js';
import { Redactor } from './redaction.js';
import { forward, type Upstream } from './upstream.js';
import { type Wire, wireOf } from './wire.js';
import { parseJson } from './wires/body.js';

export interface GatewayOptions {
  upstream: Upstream;
  /** Where the agent reaches it: a Unix socket (for a sandbox), or a free port of 127.0.0.1. */
  listen: ListenAddress;
  /** The folder to record in; it must not hold a recording. */
  dir: string;
  budget: Budget;
  frozen: { model: string; parameters?: FrozenParameters };
  clock: Clock;
  /** How long upstream may stay silent, before the answer or within it, in milliseconds; 300,000 where absent. */
  timeoutMs?: number;
  /** Called once, at the first call that a used-up budget refuses. */
  onLimit?: (ended: Ended) => void;
}

/** Which limit ended the trial, and the call that it refused first. */
export interface Ended {
  limit: Limit;
  seq: number;
  at: string;
}

export interface Gateway {
  /** What to give the agent as base URL (an SDK's, with the dialect's base path); null when it listens on a socket. */
  url: string | null;
  socketPath: string | null;
  /** What follows host and port in a base URL: for an agent that reaches the socket through a forwarded port. */
  basePath: string;
  /** The calls recorded so far, in order of arrival. */
  calls(): CallRecord[];
  /** The limit that ended the trial, or null. */
  ended(): Ended | null;
  /** Ends every call under way, waits until all records are on disk, and stops listening. */
  close(): Promise<void>;
}

/**
 * The recording proxy of one trial, between the agent and the model. It adds the key, which the agent never gets; passes the answer
 * on as it arrives; records every request in full, before the agent sees the end of the answer; refuses another model than the
 * frozen one and other generation parameters than the frozen ones or those the trial began with (400), and calls beyond the budget
 * (429, with `x-should-retry: false`).
 * Throws an InfrastructureError where it cannot listen or record.
 */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const { upstream, clock, frozen, dir } = options;
  const wire = wireOf(upstream.api);
  const recording = await openRecording(dir);
  const meter = new Meter(options.budget);
  const timeout = options.timeoutMs ?? 300_000;
  // loaded when a session runs: the steps that only read records start faster without it
  const { Agent } = await import('undici');
  const agent = new Agent({ headersTimeout: timeout, bodyTimeout: timeout, connect: { timeout } });
  const opened = clock.monotonicMs();
  const elapsed = () => clock.monotonicMs() - opened;
  const records: CallRecord[] = [];
  const underWay = new Set<Promise<void>>();
  const closing = new AbortController();
  const failures: unknown[] = [];
  let seq = 0;
  let ended: Ended | null = null;
  /** The parameters of the first request with a set of tools, to which all others with that set are held: a sub-agent has fewer tools. */
  const references = new Map<string, Record<string, unknown>>();
  let closed: Promise<void> | null = null;

  async function finish(draft: Draft): Promise<void> {
    const { requestBody, responseBody, ...rest } = draft;
    const [request, response] = await Promise.all([recording.saveBody(requestBody), recording.saveBody(responseBody)]);
    const record: CallRecord = {
      ...rest,
      endedMs: elapsed(),
      request,
      response,
      requestBytes: requestBody.length,
      responseBytes: responseBody.length,
    };
    await recording.append(record);
    records.push(record);
  }

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const secrets = upstream.key === null ? [] : [upstream.key];
    const draft = newDraft(req, wire, ++seq, clock.now(), elapsed(), new Redactor(secrets));
    const gone = new AbortController();
    res.on('close', () => res.writableFinished || gone.abort());
    const refuse = async (status: number, error: CallError, message: string) => {
      const body = Buffer.from(wire.writeError(error, message));
      Object.assign(draft, { status, error, responseBody: body, contentType: 'application/json' });
      await finish(draft);
      // The SDKs of OpenAI and Anthropic obey this header: a retry of a refused call would be refused again.
      res.writeHead(status, { 'content-type': 'application/json', 'x-should-retry': 'false' }).end(body);
    };
    const sent = await readAll(req, closing.signal);
    if (sent === null) {
      draft.error = closing.signal.aborted ? 'gateway-closed' : 'client-closed';
      return finish(draft);
    }
    const clean = new Redactor(secrets);
    draft.requestBody = clean.all(sent);
    draft.redactions += clean.count;
    // Begun before upstream is asked, so that the request is kept even if the lab is killed while the call goes on; a failure to
    // write shows again when the call is finished.
    recording.saveBody(draft.requestBody).catch(() => {});

    if (draft.kind === 'side-request' && !wire.isSideRequest(draft.method, draft.path)) {
      return refuse(404, 'not-allowed', `The gateway passes on ${wire.api} model calls only, not ${draft.method} ${draft.path}.`);
    }
    if (draft.kind === 'model-call') {
      const encoding = req.headers['content-encoding'] ?? 'identity';
      const body = parseJson(sent.toString());
      const model = body === undefined ? null : wire.modelOf(body, draft.path);
      if (encoding !== 'identity' || model === null) {
        const found = encoding === 'identity' ? 'no model in it' : `content-encoding ${encoding}`;
        return refuse(400, 'unreadable-request', `The gateway needs plain JSON with a model; found ${found}.`);
      }
      draft.model = model;
      if (model !== frozen.model) {
        return refuse(400, 'model-mismatch', `This trial is frozen to model "${frozen.model}"; the request names "${model}".`);
      }
      const request = mainRequest(wire, body, draft.path);
      if (request !== null) {
        const own = generationParameters(request);
        const tools = request.tools.map((tool) => tool.name).join();
        const reference = references.get(tools) ?? own;
        references.set(tools, reference);
        const thinking = thinkingTrouble(wire.api, request, frozen.parameters ?? {});
        const changed = [...changedParameters(reference, own), ...(thinking === null ? [] : [thinking])];
        if (changed.length > 0)
          return refuse(400, 'parameter-mismatch', `This trial is frozen to its generation parameters: ${changed.join('; ')}.`);
      }
      const limit = meter.admit();
      if (limit !== null) {
        if (ended === null) {
          ended = { limit, seq: draft.seq, at: draft.at };
          options.onLimit?.(ended);
        }
        return refuse(429, 'limit', `The budget of this trial is used up (${limit}). Do not try again.`);
      }
    }
    const answer = await forward({
      ...{ req, res, body: sent, upstream, wire, agent, redactor: new Redactor(secrets) },
      signal: AbortSignal.any([gone.signal, closing.signal]),
      onFirstByte: () => {
        draft.firstByteMs = elapsed();
      },
    });
    draft.status = answer.status;
    draft.responseBody = answer.body;
    draft.contentType = answer.contentType === '' ? null : answer.contentType;
    draft.redactions += answer.redactions;
    draft.error = answer.error;
    if (draft.kind === 'model-call') judge(draft, wire.readResponse(answer.body, answer.contentType), meter);
    // A client may leave once it has read the last event, before the connection ends: nothing is missing then.
    if (answer.error === 'client-closed')
      draft.error = closing.signal.aborted ? 'gateway-closed' : draft.complete ? null : 'client-closed';
    await finish(draft);
    answer.end();
  }

  const server = createServer((req, res) => {
    const call = handle(req, res).catch((error: unknown) => {
      // The record could not be written (disk full, …): a call without record must not look like one that went well.
      failures.push(error);
      res.destroy();
    });
    underWay.add(call);
    call.finally(() => underWay.delete(call));
  });
  server.requestTimeout = 0;
  try {
    await listen(server, options.listen);
  } catch (error) {
    await Promise.allSettled([recording.close(), agent.destroy()]);
    throw error;
  }
  const socketPath = 'socketPath' in options.listen ? options.listen.socketPath : null;
  return {
    url: socketPath === null ? `http://127.0.0.1:${(server.address() as AddressInfo).port}${wire.basePath}` : null,
    socketPath,
    basePath: wire.basePath,
    calls: () => [...records].sort((a, b) => a.seq - b.seq),
    ended: () => ended,
    close: () => {
      closed ??= shut(server, { closing, underWay, recording, agent, failures });
      return closed;
    },
  };
}

/** The request in the common form where it is one of a loop (it offers tools); null for others and for one that cannot be read. */
function mainRequest(wire: Wire, body: unknown, path: string): ModelRequest | null {
  try {
    const request = wire.readRequest(body, path);
    return request.tools.length > 0 ? request : null;
  } catch {
    return null;
  }
}

/** The request's body, or null where it did not come in full. */
async function readAll(req: IncomingMessage, signal: AbortSignal): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of addAbortSignal(signal, req)) chunks.push(chunk as Buffer);
  } catch {
    return null;
  }
  return Buffer.concat(chunks);
}

interface Parts {
  closing: AbortController;
  underWay: Set<Promise<void>>;
  recording: Recording;
  agent: Agent;
  failures: unknown[];
}

async function shut(server: Server, { closing, underWay, recording, agent, failures }: Parts): Promise<void> {
  const closed = new Promise<void>((done) => server.close(() => done()));
  closing.abort();
  server.closeIdleConnections();
  await Promise.allSettled([...underWay]);
  server.closeAllConnections();
  await closed;
  await Promise.allSettled([recording.close(), agent.destroy()]);
  if (failures.length > 0) {
    throw new InfrastructureError('the gateway could not record every call', {
      expected: 'each call on disk',
      found: String(failures[0]),
      next: 'free disk space, then run the trial again',
    });
  }
}
