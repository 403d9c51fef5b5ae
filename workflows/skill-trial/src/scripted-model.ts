import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { InfrastructureError } from './errors.js';
import { hashOf } from './hash.js';
import type { ModelRequest } from './model-call.js';
import type { Fault, Script } from './script.js';
import { nextTurn, promptTokens, type ScriptedTurn, scriptedUsage } from './scripted-turn.js';
import { type Wire, wireForPath } from './wire.js';

export type ScriptedModelOptions = (ScriptOptions | { play: (request: ModelRequest) => ScriptedTurn }) & {
  /** 0 takes a free port. */
  port?: number;
};

/** A script to play; `play` in its place is for a stand-in that is no agent's model (a scripted judge). */
interface ScriptOptions {
  script: Script;
  /** From 1. */
  repeat: number;
  seed: string | number;
  /** Answers the question for the available skills in place of the true list: for testing the lab's own check. */
  diagnosticAnswer?: string;
}

export interface ScriptedModel {
  /** `http://127.0.0.1:<port>`; every dialect is served under it, with or without `/v1`. */
  baseUrl: string;
  port: number;
  /** Model calls received, faults included. */
  requests(): number;
  /** Stops, and drops calls that a `hang` holds. */
  close(): Promise<void>;
}

/**
 * A server on 127.0.0.1 that answers as a model would, after a script: a stand-in for demonstrations and tests, never a measurement.
 * Speaks every dialect of `wires`, streaming or whole. Stateless: see `nextTurn`. Throws an InfrastructureError where the port is taken.
 */
export async function startScriptedModel(options: ScriptedModelOptions): Promise<ScriptedModel> {
  const play = 'play' in options ? options.play : (request: ModelRequest) => nextTurn(request, options.script, options);
  let requests = 0;
  const server = createServer((req, res) => {
    answer(req, res).catch((error: Error) => {
      if (res.headersSent) res.destroy();
      else
        send(
          res,
          400,
          (wireForPath(req.url ?? '') ?? undefined)?.writeError('invalid_request_error', error.message) ??
            JSON.stringify({ error: error.message }),
        );
    });
  });

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const path = req.url ?? '/';
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    if (req.method === 'GET' && /\/models(?:$|[/?])/.test(path))
      return send(res, 200, JSON.stringify({ object: 'list', data: [{ id: 'scripted', object: 'model' }] }));
    if (req.method === 'POST' && /\/messages\/count_tokens(?:$|\?)/.test(path)) {
      const request = (wireForPath('/messages') as Wire).readRequest(JSON.parse(body));
      return send(res, 200, JSON.stringify({ input_tokens: promptTokens(request, request.turns) }));
    }
    if (req.method === 'POST' && /:countTokens(?:$|\?)/.test(path)) {
      // the question stands alone, or as the request that it would be
      const { generateContentRequest, ...alone } = JSON.parse(body);
      const call = path.replace(':countTokens', ':generateContent');
      const request = (wireForPath(call) as Wire).readRequest(generateContentRequest ?? alone, call);
      return send(res, 200, JSON.stringify({ totalTokens: promptTokens(request, request.turns) }));
    }
    const wire = req.method === 'POST' ? wireForPath(path) : null;
    if (wire === null)
      return send(res, 404, JSON.stringify({ error: { message: `the scripted model has no ${req.method} ${path}` } }));
    requests += 1;
    const request = wire.readRequest(JSON.parse(body), path);
    const turn = play(request);
    if (turn.fault !== null) return fail(res, wire, request, turn.fault, path);
    const { contentType, chunks: pieces } = written(wire, request, turn, path);
    res.writeHead(200, { 'content-type': contentType });
    for (const piece of pieces) res.write(piece);
    res.end();
  }

  const listening = once(server, 'listening');
  server.listen(options.port ?? 0, '127.0.0.1');
  await listening.catch((error: Error) => {
    throw new InfrastructureError('the scripted model cannot listen', {
      expected: `port ${options.port ?? 0} of 127.0.0.1, free`,
      found: error.message,
      next: 'use port 0, or end the program that holds the port',
    });
  });
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    port,
    requests: () => requests,
    async close() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function written(
  wire: Wire,
  request: ModelRequest,
  { text, toolUses }: { text: string; toolUses: { name: string; arguments: unknown }[] },
  path: string,
) {
  const said = request.turns.filter((turn) => turn.role === 'assistant').length;
  // Ids must differ within a conversation, and be the same when it is held again.
  const toolCalls = toolUses.map((use, index) => ({ id: `call_${said + 1}_${index + 1}`, ...use }));
  const output = text + toolCalls.map((call) => call.name + JSON.stringify(call.arguments)).join('');
  const reply = {
    id: hashOf(request).slice(0, 12),
    model: request.model,
    text,
    toolCalls,
    usage: scriptedUsage(request, output),
  };
  return wire.writeResponse(reply, request.stream, path);
}

/** Fails as the fault says. */
async function fail(res: ServerResponse, wire: Wire, request: ModelRequest, fault: Fault, path: string): Promise<void> {
  if (fault.kind === 'hang') return;
  if (fault.kind === 'status')
    return send(res, fault.status ?? 500, wire.writeError('scripted_fault', `a scripted fault at call ${fault.at_call}`));
  const { contentType, chunks } = written(wire, request, { text: 'An answer that will not be finished.', toolUses: [] }, path);
  res.writeHead(200, { 'content-type': contentType });
  const [start = ''] = chunks;
  if (fault.kind === 'malformed') {
    res.end(request.stream ? `${start}event: ping\ndata: {"type": "broken\n\n` : '{"broken": ');
    return;
  }
  // Waits until the start has left, so that the client sees an answer that breaks rather than none.
  await new Promise<void>((sent) => res.write(request.stream ? start : start.slice(0, start.length / 2), () => sent()));
  res.destroy();
}

function send(res: ServerResponse, status: number, body: string): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(body);
}
