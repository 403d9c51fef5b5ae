import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, request as httpRequest, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { InfrastructureError, RecordError } from '../src/errors.js';
import { type GatewayOptions, openGateway } from '../src/gateway.js';
import { sha256 } from '../src/hash.js';
import { readBody, readCalls } from '../src/recording.js';
import { Redactor } from '../src/redaction.js';
import { usageFromTotal } from '../src/usage.js';
import { wireOf } from '../src/wire.js';

const KEY = 'sk-secret-0123456789';
const wire = wireOf('openai-completions');
const anthropic = wireOf('anthropic-messages');
const usage = usageFromTotal({ inputTotal: 100, inputCached: 60, output: 7, reasoning: null });
const reply = (text = 'hello') => wire.writeResponse({ id: 'x', model: 'm', text, toolCalls: [], usage }, false).chunks.join('');
const ask = (more: object = {}) => JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }], ...more });

let dir: string;
let disposals: (() => Promise<unknown>)[];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gateway-'));
  disposals = [() => rm(dir, { recursive: true })];
});
afterEach(async () => {
  for (const dispose of disposals.reverse()) await dispose();
});

/** A clock that counts the times it was asked. */
function counter() {
  let ms = 0;
  return { now: () => new Date('2026-01-02T03:04:05Z'), monotonicMs: () => ms++ };
}

async function serve(handler: RequestListener): Promise<string> {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  disposals.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function open(baseUrl: string, more: Partial<GatewayOptions> = {}) {
  const gateway = await openGateway({
    upstream: { baseUrl: `${baseUrl}/v1`, api: 'openai-completions', key: KEY },
    ...{
      listen: { host: '127.0.0.1', port: 0 },
      dir: join(dir, 'record'),
      budget: { modelCalls: null },
      frozen: { model: 'm' },
      clock: counter(),
    },
    ...more,
  });
  disposals.push(() => gateway.close());
  return gateway;
}

const post = (url: string | null, body: string, init: RequestInit = {}) =>
  fetch(`${url}/chat/completions`, {
    method: 'POST',
    body,
    headers: { authorization: 'Bearer dummy', 'content-type': 'application/json' },
    ...init,
  });

const json =
  (body: string, status = 200): RequestListener =>
  (_, res) =>
    void res.writeHead(status, { 'content-type': 'application/json' }).end(body);

async function bytesOf(req: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function gate<T = void>() {
  let open: (value: T) => void = () => {};
  const passed = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { open, passed };
}

describe('what is recorded', () => {
  test('a call is one line, with the provider’s figures and both bodies by their hash', async () => {
    const gateway = await open(await serve(json(reply())));
    const answer = await post(gateway.url, ask());
    expect(await answer.text()).toBe(reply());
    await gateway.close();
    const [call] = await readCalls(join(dir, 'record'));
    expect(call).toMatchObject({
      seq: 1,
      at: '2026-01-02T03:04:05.000Z',
      kind: 'model-call',
      status: 200,
      model: 'm',
      usage,
      stop: 'stop',
      complete: true,
    });
    expect(call).toMatchObject({
      error: null,
      path: '/v1/chat/completions',
      requestBytes: ask().length,
      responseBytes: reply().length,
      toolCalls: 0,
    });
    expect(call?.request).toBe(sha256(ask()));
    expect((await readBody(join(dir, 'record'), call?.response ?? '')).toString()).toBe(reply());
    expect(gateway.calls()).toEqual([call]);
  });

  test('the record is on disk before the agent sees the end of the answer', async () => {
    const gateway = await open(await serve(json(reply())));
    await (await post(gateway.url, ask())).text();
    expect(await readCalls(join(dir, 'record'))).toHaveLength(1);
  });

  test('bodies of 5 MB are kept whole', async () => {
    const text = 'wörd '.repeat(1_000_000);
    const gateway = await open(
      await serve(async (req, res) => res.end((await bytesOf(req)).length > 5e6 ? reply(text) : 'short')),
    );
    const sent = ask({ messages: [{ role: 'user', content: text }] });
    const got = await (await post(gateway.url, sent)).text();
    await gateway.close();
    const [call] = gateway.calls();
    expect(got).toBe(reply(text));
    expect((await readBody(join(dir, 'record'), call?.request ?? '')).toString()).toBe(sent);
    expect((await readBody(join(dir, 'record'), call?.response ?? '')).toString()).toBe(got);
  });

  test('a request and a streamed answer of 60 MB each pass through and are kept whole', async () => {
    const size = 60e6;
    const answer = wire
      .writeResponse({ id: 'x', model: 'm', text: 'b'.repeat(size), toolCalls: [], usage }, true)
      .chunks.join('');
    const gateway = await open(
      await serve(async (req, res) => {
        const got = await bytesOf(req);
        res.writeHead(got.length > size ? 200 : 400, { 'content-type': 'text/event-stream' });
        for (let from = 0; from < answer.length; from += 1e6)
          if (!res.write(answer.slice(from, from + 1e6))) await once(res, 'drain');
        res.end();
      }),
    );
    const sent = ask({ stream: true, messages: [{ role: 'user', content: 'a'.repeat(size) }] });
    const got = Buffer.from(await (await post(gateway.url, sent)).arrayBuffer());
    expect(sha256(got)).toBe(sha256(answer));
    await gateway.close();
    const [call] = await readCalls(join(dir, 'record'));
    expect(call).toMatchObject({ complete: true, usage, request: sha256(sent), response: sha256(answer) });
    expect(call).toMatchObject({ requestBytes: sent.length, responseBytes: answer.length, contentType: 'text/event-stream' });
    for (const hash of [call?.request, call?.response])
      expect((await readBody(join(dir, 'record'), hash ?? '')).length).toBeGreaterThan(size);
  });

  test('an altered body is refused', async () => {
    const gateway = await open(await serve(json(reply())));
    await (await post(gateway.url, ask())).text();
    await gateway.close();
    const hash = gateway.calls()[0]?.request ?? '';
    await writeFile(join(dir, 'record', 'bodies', `${hash}.gz`), gzipSync('other'));
    await expect(readBody(join(dir, 'record'), hash)).rejects.toThrow(RecordError);
  });

  test('a folder that holds a recording is refused, and left as it is', async () => {
    const url = await serve(json(reply()));
    const first = await open(url);
    await first.close();
    await expect(open(url)).rejects.toThrow(RecordError);
  });
});

describe('the key', () => {
  test('it replaces the agent’s own, and only it reaches upstream', async () => {
    const seen = gate<IncomingMessage['headers']>();
    const gateway = await open(
      await serve((req, res) => {
        seen.open(req.headers);
        res.end(reply());
      }),
    );
    await post(gateway.url, ask(), {
      headers: { authorization: 'Bearer dummy', 'x-api-key': 'dummy', 'x-stays': '1', connection: 'keep-alive' },
    });
    const headers = await seen.passed;
    expect(headers).toMatchObject({ authorization: `Bearer ${KEY}`, 'accept-encoding': 'identity', 'x-stays': '1' });
    expect(JSON.stringify(headers)).not.toContain('dummy');
  });

  test('Anthropic’s dialect carries it in x-api-key, under a base URL without /v1', async () => {
    const seen = gate<[string | undefined, IncomingMessage['headers']]>();
    const url = await serve((req, res) => {
      seen.open([req.url, req.headers]);
      res.end('{}');
    });
    const gateway = await open(url, { upstream: { baseUrl: url, api: 'anthropic-messages', key: KEY } });
    await (await fetch(`${gateway.url}/v1/messages?beta=true`, { method: 'POST', body: ask() })).text();
    const [path, headers] = await seen.passed;
    expect(path).toBe('/v1/messages?beta=true');
    expect(headers['x-api-key']).toBe(KEY);
    expect(headers.authorization).toBeUndefined();
  });

  test('it is never on disk and never reaches the agent, even if request, path and answer repeat it', async () => {
    const gateway = await open(
      await serve((_, res) => {
        res.writeHead(401, { 'content-type': 'application/json' });
        // The answer comes in two chunks that break within the key.
        res.write(`{"error":{"message":"bad key ${KEY.slice(0, 9)}`, () => res.end(`${KEY.slice(9)}"}}`));
      }),
    );
    const answer = await fetch(`${gateway.url}/chat/completions?key=${KEY}`, { method: 'POST', body: ask({ user: KEY }) });
    expect(await answer.text()).toBe('{"error":{"message":"bad key [redacted]"}}');
    await gateway.close();
    expect(gateway.calls()[0]).toMatchObject({
      redactions: 3,
      error: 'upstream-status',
      status: 401,
      path: '/v1/chat/completions?key=[redacted]',
    });
    for (const entry of await readdir(join(dir, 'record'), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const raw = await readFile(join(entry.parentPath, entry.name));
      const text = entry.name.endsWith('.gz') ? gunzipSync(raw).toString() : raw.toString();
      expect(text, entry.name).not.toContain(KEY);
      expect(text, entry.name).not.toContain('dummy');
    }
  });

  test('base64 and URLs are seen through, whatever stands before and after', () => {
    const key = 'sk/secret+0123456789=ü';
    for (const before of ['', 'a', 'ab', 'user:', 'Basic user:'])
      for (const after of ['', '!', ' and more'])
        for (const form of ['base64', 'base64url'] as const) {
          const text = Buffer.from(`${before}${key}${after}`).toString(form);
          const redactor = new Redactor([key]);
          const clean = redactor.all(Buffer.from(text)).toString();
          expect(redactor.count, `${before}|${after}`).toBe(1);
          expect(clean).toContain('[redacted]');
          // what is left decodes to less than half of the key
          expect(clean.replace('[redacted]', '').length).toBeLessThan(text.length - 12);
        }
    const lower = encodeURIComponent(key).replace(/%../g, (code) => code.toLowerCase());
    for (const text of [encodeURIComponent(key), lower])
      expect(new Redactor([key]).all(Buffer.from(`?k=${text}&x`)).toString()).toBe('?k=[redacted]&x');
  });

  test('a redactor finds a secret wherever the chunks break, and holds back nothing else', () => {
    for (let at = 1; at < KEY.length; at += 1) {
      const redactor = new Redactor([KEY]);
      const out = [
        redactor.push(Buffer.from(`a ${KEY.slice(0, at)}`)),
        redactor.push(Buffer.from(`${KEY.slice(at)} b`)),
        redactor.flush(),
      ];
      expect(Buffer.concat(out).toString()).toBe('a [redacted] b');
      expect(out[0]?.toString()).toBe('a ');
    }
    expect(new Redactor([KEY]).push(Buffer.from('all of it')).toString()).toBe('all of it');
  });
});

describe('streaming', () => {
  test('a chunk reaches the agent before upstream has sent the next', async () => {
    const second = gate();
    const chunks = wire.writeResponse({ id: 'x', model: 'm', text: 'hello', toolCalls: [], usage }, true).chunks;
    const gateway = await open(
      await serve(async (_, res) => {
        res.writeHead(200, { 'content-type': 'text/event-stream' });
        res.write(chunks[0]);
        await second.passed;
        res.end(chunks.slice(1).join(''));
      }),
    );
    const reader = (await post(gateway.url, ask({ stream: true }))).body?.getReader();
    const first = await reader?.read();
    expect(new TextDecoder().decode(first?.value)).toBe(chunks[0]);
    expect(gateway.calls()).toEqual([]);
    second.open();
    let rest = '';
    for (let next = await reader?.read(); next !== undefined && !next.done; next = await reader?.read())
      rest += new TextDecoder().decode(next.value);
    expect(rest).toBe(chunks.slice(1).join(''));
    expect(gateway.calls()[0]).toMatchObject({ complete: true, usage });
  });

  test('a compressed answer is unpacked for the agent and for the record', async () => {
    const gateway = await open(
      await serve((_, res) => void res.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(reply()))),
    );
    const answer = await post(gateway.url, ask());
    expect(await answer.text()).toBe(reply());
    expect(answer.headers.get('content-encoding')).toBeNull();
    expect(gateway.calls()[0]).toMatchObject({ usage, complete: true });
  });
});

describe('what the lock and the budget forbid', () => {
  test('another model than frozen is answered 400 and never reaches upstream', async () => {
    let reached = 0;
    const gateway = await open(
      await serve((_, res) => {
        reached += 1;
        res.end(reply());
      }),
    );
    const answer = await post(gateway.url, ask({ model: 'other' }));
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('frozen to model');
    expect(reached).toBe(0);
    expect(gateway.calls()[0]).toMatchObject({ error: 'model-mismatch', model: 'other', usage: null });
  });

  test('the call after the last one allowed is refused, and the trial told once', async () => {
    const told: unknown[] = [];
    const gateway = await open(await serve(json(reply())), { budget: { modelCalls: 2 }, onLimit: (ended) => told.push(ended) });
    const statuses: number[] = [];
    for (let call = 0; call < 4; call += 1) {
      const answer = await post(gateway.url, ask());
      statuses.push(answer.status);
      if (call === 2) expect(answer.headers.get('x-should-retry')).toBe('false');
      if (call === 1) expect(gateway.ended()).toBeNull();
      await answer.text();
    }
    expect(statuses).toEqual([200, 200, 429, 429]);
    expect(gateway.calls().map((call) => call.error)).toEqual([null, null, 'limit', 'limit']);
    expect(told).toEqual([{ limit: 'model-calls', seq: 3, at: '2026-01-02T03:04:05.000Z' }]);
    expect(gateway.ended()).toEqual(told[0]);
  });

  const prices = { input: 3, cached: 0.3, cacheWrite: 3.75, output: 15 };
  // One reply costs (40 × 3 + 60 × 0.3 + 7 × 15) / 1e6 = $0.000243.
  test.each([
    ['output-tokens', { modelCalls: null, outputTokens: 14 }, 2],
    // 100 of the prompt and 7 of the answer, twice
    ['tokens', { modelCalls: null, tokens: 214 }, 2],
    ['tokens', { modelCalls: null, tokens: 215 }, 3],
    ['cost', { modelCalls: null, costUsd: { limit: 0.000486, prices } }, 2],
    ['cost', { modelCalls: null, costUsd: { limit: 0.000487, prices } }, 3],
  ])('a limit on %s ends the trial at the first call after it is used up', async (limit, budget, allowed) => {
    const gateway = await open(await serve(json(reply())), { budget });
    for (let call = 0; call <= allowed; call += 1) await (await post(gateway.url, ask())).text();
    expect(gateway.ended()).toMatchObject({ limit, seq: allowed + 1 });
  });

  test('an answer without the prompt’s figure ends a trial that has a limit on all tokens', async () => {
    const gateway = await open(await serve(json(reply().replace('"prompt_tokens":100', '"prompt_tokens":null'))), {
      budget: { modelCalls: null, tokens: 1_000_000 },
    });
    await (await post(gateway.url, ask())).text();
    expect((await post(gateway.url, ask())).status).toBe(429);
    expect(gateway.ended()?.limit).toBe('usage-unknown');
  });

  const tool = { type: 'function', function: { name: 'bash', parameters: {} } };
  const main = (more: object = {}) => ask({ tools: [tool], temperature: 0, ...more });
  test('a sub-agent, which has other tools, may have other parameters, and keeps to them', async () => {
    const other = { type: 'function', function: { name: 'read', parameters: {} } };
    const gateway = await open(await serve(json(reply())));
    const statuses: number[] = [];
    for (const body of [
      ask({ tools: [tool], temperature: 0 }),
      ask({ tools: [other], temperature: 1 }),
      ask({ tools: [tool], temperature: 0 }),
      ask({ tools: [other], temperature: 0 }),
    ])
      statuses.push((await post(gateway.url, body)).status);
    expect(statuses).toEqual([200, 200, 200, 400]);
  });

  test('parameters other than those of the first main request are refused by name, and never reach upstream', async () => {
    let reached = 0;
    const gateway = await open(
      await serve((_, res) => {
        reached += 1;
        res.end(reply());
      }),
    );
    expect((await post(gateway.url, main())).status).toBe(200);
    // the same again under another session's name; a title request, which offers no tools, has parameters of its own
    expect((await post(gateway.url, main({ user: 'someone' }))).status).toBe(200);
    expect((await post(gateway.url, ask({ temperature: 1 }))).status).toBe(200);
    for (const [more, named] of [
      [{ temperature: 0.5 }, 'temperature: 0, then 0.5'],
      [{ max_tokens: 5 }, 'max_tokens: not sent, then 5'],
    ] as const) {
      const answer = await post(gateway.url, main(more));
      expect(answer.status).toBe(400);
      expect(await answer.text()).toContain(named);
    }
    expect(reached).toBe(3);
    expect(gateway.calls().map((call) => call.error)).toEqual([null, null, null, 'parameter-mismatch', 'parameter-mismatch']);
  });

  test('a frozen level of thinking binds the first request too', async () => {
    const gateway = await open(await serve(json(reply())), { frozen: { model: 'm', parameters: { thinking: 'high' } } });
    expect(await (await post(gateway.url, main())).text()).toContain('thinking high is frozen, the request asks for off');
    expect(gateway.calls()[0]?.error).toBe('parameter-mismatch');
    const other = await open(await serve(json(reply())), {
      dir: join(dir, 'other'),
      frozen: { model: 'm', parameters: { thinking: 'high' } },
    });
    expect((await post(other.url, main({ reasoning_effort: 'high' }))).status).toBe(200);
  });

  test('an answer without figures ends a trial that has a token limit: it could not be held to it', async () => {
    const body = JSON.stringify({ model: 'm', choices: [{ index: 0, message: { content: 'x' }, finish_reason: 'stop' }] });
    const gateway = await open(await serve(json(body)), { budget: { modelCalls: null, outputTokens: 1000 } });
    await (await post(gateway.url, ask())).text();
    expect((await post(gateway.url, ask())).status).toBe(429);
    expect(gateway.ended()?.limit).toBe('usage-unknown');
    expect(gateway.calls()[0]?.usage).toBeNull();
  });

  test('a path that is no model call is refused; a list of models passes and counts for nothing', async () => {
    const gateway = await open(await serve(json('{"data":[]}')), { budget: { modelCalls: 1 } });
    expect((await fetch(`${gateway.url}/files`, { method: 'POST', body: '{}' })).status).toBe(404);
    expect(await (await fetch(`${gateway.url}/models`)).text()).toBe('{"data":[]}');
    expect(gateway.calls()).toMatchObject([
      { kind: 'side-request', error: 'not-allowed' },
      { kind: 'side-request', error: null },
    ]);
    expect(gateway.ended()).toBeNull();
  });

  test('a request that is no JSON is refused and kept', async () => {
    const gateway = await open(await serve(json(reply())));
    expect((await post(gateway.url, 'nonsense')).status).toBe(400);
    expect(gateway.calls()[0]).toMatchObject({ error: 'unreadable-request', request: sha256('nonsense') });
  });
});

describe('what goes wrong upstream', () => {
  test('nobody there: 502, unreachable', async () => {
    const gateway = await open('http://127.0.0.1:1');
    expect((await post(gateway.url, ask())).status).toBe(502);
    expect(gateway.calls()[0]).toMatchObject({ error: 'unreachable', status: 502, firstByteMs: null, usage: null });
  });

  test.each([429, 500])('a status of %i passes through', async (status) => {
    const gateway = await open(await serve(json('{"error":{"message":"no"}}', status)));
    const answer = await post(gateway.url, ask());
    expect([answer.status, await answer.text()]).toEqual([status, '{"error":{"message":"no"}}']);
    expect(gateway.calls()[0]).toMatchObject({ error: 'upstream-status', status, complete: false });
  });

  test('a stream that breaks off is a disconnect, and broken for the agent too', async () => {
    const gateway = await open(await serve((_, res) => void res.write('data: {"choices":[]}\n\n', () => res.destroy())));
    await expect(post(gateway.url, ask()).then((answer) => answer.text())).rejects.toThrow();
    await gateway.close();
    expect(gateway.calls()[0]).toMatchObject({ error: 'disconnect', status: 200, complete: false });
    expect(gateway.calls()[0]?.responseBytes).toBeGreaterThan(0);
  });

  test('a connection closed before the status is a disconnect: 502', async () => {
    const gateway = await open(await serve((req) => req.socket.destroy()));
    expect((await post(gateway.url, ask())).status).toBe(502);
    expect(gateway.calls()[0]?.error).toBe('disconnect');
  });

  test('a stream that ends early, yet properly, is incomplete', async () => {
    const gateway = await open(
      await serve((_, res) => void res.end('data: {"choices":[{"index":0,"delta":{"content":"x"}}]}\n\n')),
    );
    await (await post(gateway.url, ask())).text();
    expect(gateway.calls()[0]).toMatchObject({ error: 'incomplete', complete: false, usage: null });
  });

  test('silence beyond the timeout: 504', async () => {
    const gateway = await open(await serve(() => {}), { timeoutMs: 1 });
    expect((await post(gateway.url, ask())).status).toBe(504);
    expect(gateway.calls()[0]?.error).toBe('timeout');
  });

  test('an agent that goes away ends the call upstream', async () => {
    const arrived = gate();
    const dropped = gate();
    const gateway = await open(
      await serve((req, res) => {
        res.on('close', () => dropped.open());
        req.resume();
        arrived.open();
      }),
    );
    const leave = new AbortController();
    const call = post(gateway.url, ask(), { signal: leave.signal }).catch((error: Error) => error.name);
    await arrived.passed;
    leave.abort();
    expect(await call).toBe('AbortError');
    await dropped.passed;
    await gateway.close();
    expect(gateway.calls()[0]).toMatchObject({ error: 'client-closed', status: null });
  });
});

describe('closing', () => {
  test('calls under way are recorded, and nothing listens any more', async () => {
    const arrived = gate();
    const gateway = await open(await serve(() => arrived.open()));
    const call = post(gateway.url, ask())
      .then((answer) => answer.text())
      .catch((error: Error) => error.message);
    await arrived.passed;
    await gateway.close();
    await call;
    expect(await readCalls(join(dir, 'record'))).toMatchObject([{ error: 'gateway-closed', request: sha256(ask()) }]);
    await expect(post(gateway.url, ask())).rejects.toThrow();
    await gateway.close();
  });

  test('a socket serves like a port, takes the place of one left behind, and is gone afterwards', async () => {
    const socketPath = join(dir, 'model.sock');
    const stale = createServer().listen(socketPath);
    await once(stale, 'listening');
    const url = await serve(json(reply()));
    const gateway = await open(url, { listen: { socketPath } });
    const text = await new Promise<string>((resolve, reject) => {
      const req = httpRequest({ socketPath, path: `${gateway.basePath}/chat/completions`, method: 'POST' }, async (res) =>
        resolve((await bytesOf(res)).toString()),
      );
      req.on('error', reject).end(ask());
    });
    expect(text).toBe(reply());
    expect(gateway).toMatchObject({ url: null, socketPath });
    await gateway.close();
    expect(existsSync(socketPath)).toBe(false);
    stale.close();
  });

  test('an address in use is the surroundings’ fault, and says so', async () => {
    const url = await serve(json(reply()));
    const port = Number(new URL(url).port);
    await expect(open(url, { listen: { host: '127.0.0.1', port } })).rejects.toThrow(InfrastructureError);
  });

  test('a gateway of Anthropic’s dialect names no /v1 in its base URL', async () => {
    const gateway = await open('http://127.0.0.1:1', {
      upstream: { baseUrl: 'http://127.0.0.1:1', api: anthropic.api, key: null },
    });
    expect(gateway.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });
});
