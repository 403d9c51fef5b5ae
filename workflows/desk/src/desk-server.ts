import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import router from 'find-my-way';
import { type Desk, LabError, PrerequisiteError } from 'skill-trial';
import { Artifacts } from './artifact.js';
import { type DeskReply, type Route, scoringRoutes } from './desk-api.js';
import { Guard } from './guard.js';
import { contentSecurityPolicy, page, plainPage, readAssets } from './page-shell.js';
import { settleRoutes } from './settle-api.js';

export interface DeskOptions {
  evaluators: string[];
  /** Null: the experiment's own port, or a free one where that is taken. */
  port: number | null;
  /** Stops the server after so many minutes without a request; null: never. */
  idleMinutes: number | null;
}

export interface DeskServer {
  /** The address for each evaluator, with their token. */
  addresses: { evaluator: string; url: string }[];
  close: () => Promise<void>;
  /** Resolves with the reason once the server has stopped. */
  stopped: Promise<string>;
}

const mostBody = 1024 * 1024;

const headers = {
  'content-security-policy': contentSecurityPolicy,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
};

/** Serves the desk on 127.0.0.1. A port that was asked for and is taken is a PrerequisiteError. */
export async function startDesk(desk: Desk, options: DeskOptions): Promise<DeskServer> {
  const guard = new Guard(options.evaluators);
  const assets = await readAssets();
  const routes = router({
    ignoreTrailingSlash: false,
    maxParamLength: 200,
    defaultRoute: (_, response) => send(response, 404, 'Nothing is here.'),
  });
  for (const route of [...scoringRoutes(desk, new Artifacts(desk.lab)), ...settleRoutes(desk)]) serve(route);

  function serve([method, path, answer]: Route): void {
    routes.on(method, path, async (request, response, params, _store, query) => {
      const evaluator = guard.evaluatorFrom(request);
      if (evaluator === null) return send(response, 401, 'Open the address that the desk printed when it started.');
      const body = method === 'POST' ? await readBody(request) : null;
      const { status, body: json } = await answer({
        evaluator,
        params,
        query: new URLSearchParams(query as Record<string, string>),
        body,
      });
      sendJson(response, { status, body: json });
    });
  }

  routes.on('GET', '/', (request, response, _params, _store, query) => {
    // the token is given once, in the address; the cookie goes on
    const named = guard.evaluatorOf((query as Record<string, string>).token);
    if (named !== null) response.setHeader('set-cookie', guard.admits(named));
    else if (guard.evaluatorFrom(request) === null)
      return sendText(
        response,
        401,
        'text/html; charset=utf-8',
        plainPage('Open the address that the desk printed when it started.'),
      );
    sendText(response, 200, 'text/html; charset=utf-8', page);
  });
  routes.on('GET', '/assets/*', (_request, response, params) => {
    const asset = assets.get(params['*'] ?? '');
    if (asset === undefined) return send(response, 404, 'Nothing is here.');
    sendText(response, 200, asset.type, asset.bytes);
  });

  let stop: (reason: string) => void = () => undefined;
  const stopped = new Promise<string>((resolve) => {
    stop = resolve;
  });
  let idle: NodeJS.Timeout | null = null;
  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    idle?.refresh();
    const refusal = guard.refuses(request);
    if (refusal !== null) return send(response, refusal.status, refusal.message);
    Promise.resolve(routes.lookup(request, response)).catch((error) => fail(response, error));
  });
  const close = async (reason: string) => {
    if (idle !== null) clearTimeout(idle);
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
    stop(reason);
  };
  await listen(server, desk.lab.experiment.name, options.port);
  const { port } = server.address() as AddressInfo;
  guard.listensOn(port);
  if (options.idleMinutes !== null)
    idle = setTimeout(() => void close(`no request for ${options.idleMinutes} minutes`), options.idleMinutes * 60_000);
  return {
    addresses: options.evaluators.map((evaluator) => ({
      evaluator,
      url: `http://127.0.0.1:${port}/?token=${guard.tokens.get(evaluator)}`,
    })),
    close: () => close('closed'),
    stopped,
  };
}

/**
 * Listens on the port asked for; else on one that the experiment's name gives, so that a page which is still open finds the desk again
 * after a crash; else on any.
 */
async function listen(server: ReturnType<typeof createServer>, experiment: string, wanted: number | null): Promise<void> {
  const usual = 42_000 + (createHash('sha256').update(experiment).digest().readUInt16BE(0) % 2000);
  const attempt = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
        server.off('error', reject);
        resolve();
      });
    });
  try {
    await attempt(wanted ?? usual);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' && (error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
    if (wanted === null) return attempt(0);
    throw new PrerequisiteError(`Port ${wanted} cannot be used`, {
      expected: 'a free port of 127.0.0.1',
      found: (error as NodeJS.ErrnoException).code === 'EACCES' ? 'no permission for it' : 'another program listens there',
      next: 'stop that program, or leave --port out',
    });
  }
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    size += (part as Buffer).length;
    // read to its end all the same: a sender that is cut off never sees the answer
    if (size <= mostBody) parts.push(part as Buffer);
  }
  if (size > mostBody) throw new Refused(413, 'The change is too large.');
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8'));
  } catch {
    throw new Refused(400, 'The change is no JSON.');
  }
}

class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent) response.end();
  else if (error instanceof Refused) send(response, error.status, error.message);
  else if (error instanceof LabError) {
    const [what] = error.message.split('\n');
    const { expected, found, next } = error;
    sendJson(response, { status: 422, body: { error: what, expected, found, next } });
  } else {
    // what went wrong may name anything: it is for the terminal alone
    console.error(error);
    send(response, 500, 'The desk failed at this; its terminal says more.');
  }
}

function send(response: ServerResponse, status: number, message: string): void {
  sendJson(response, { status, body: { error: message } });
}

function sendJson(response: ServerResponse, { status, body }: DeskReply): void {
  sendText(response, status, 'application/json; charset=utf-8', JSON.stringify(body));
}

function sendText(response: ServerResponse, status: number, type: string, text: string | Buffer): void {
  response.writeHead(status, { 'content-type': type });
  response.end(text);
}
