import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../src/clock.js';
import { openGateway } from '../src/gateway.js';
import { startRecordedModel } from '../src/recorded-model.js';
import { readBody, readCalls } from '../src/recording.js';
import { unknownUsage } from '../src/usage.js';
import { wireOf } from '../src/wire.js';
import { tempFolder } from './fixture.js';

const wire = wireOf('openai-completions');
const reply = (text: string, stream: boolean) =>
  wire.writeResponse({ id: 'x', model: 'm', text, toolCalls: [], usage: unknownUsage }, stream).chunks;
const ask = (text: string, more: object = {}) =>
  JSON.stringify({ model: 'm', messages: [{ role: 'user', content: `Current date: 2026-11-30\nread:\n${text}` }], ...more });

/** A gateway in a folder of its own in front of a server of the given base URL. */
async function gatewayBefore(baseUrl: string) {
  const dir = join(await tempFolder(), 'record');
  const gateway = await openGateway({
    ...{ upstream: { baseUrl, api: 'openai-completions', key: null }, listen: { host: '127.0.0.1', port: 0 }, dir },
    ...{ budget: { modelCalls: null }, frozen: { model: 'm' }, clock: systemClock },
  });
  onTestFinished(() => gateway.close());
  return { gateway, dir };
}

async function send(url: string | null, body: string) {
  const res = await fetch(`${url}/chat/completions`, { method: 'POST', body });
  return { status: res.status, type: res.headers.get('content-type'), body: await res.text().catch(() => 'broken off') };
}

/** What a server answers to some requests, recorded; and the same requests sent to the recording through a second gateway. */
async function recordAndReplay(answers: RequestListener, recorded: string[], replayed = recorded) {
  const server = createServer(answers).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close().closeAllConnections());
  const first = await gatewayBefore(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
  const before = [];
  for (const body of recorded) before.push(await send(first.gateway.url, body));
  await first.gateway.close();
  const model = await startRecordedModel(first.dir);
  onTestFinished(() => model.close());
  const second = await gatewayBefore(model.baseUrl);
  const after = [];
  for (const body of replayed) after.push(await send(second.gateway.url, body));
  await second.gateway.close();
  await model.close();
  return { before, after, model, first: first.dir, second: second.dir };
}

test('the same requests get the recorded answers byte for byte: a stream, a whole answer, a refusal, one that broke off', async () => {
  const answers: RequestListener[] = [
    (_, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      for (const chunk of reply('streamed: wörd', true)) res.write(chunk);
      res.end();
    },
    (_, res) => void res.writeHead(200, { 'content-type': 'application/json' }).end(reply('whole', false).join('')),
    (_, res) => void res.writeHead(429, { 'content-type': 'text/plain' }).end('slow down'),
    (_, res) =>
      void res.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {"choices":[]}\n\n', () => res.destroy()),
  ];
  let call = 0;
  const listener: RequestListener = (req, res) => {
    req.resume().on('end', () => answers[call++]?.(req, res));
  };
  const requests = ['one', 'two', 'three', 'four'].map((text) => ask(text));
  const { before, after, model, first, second } = await recordAndReplay(listener, requests);
  expect(after).toEqual(before);
  expect(after.map(({ status, type }) => [status, type])).toEqual([
    [200, 'text/event-stream; charset=utf-8'],
    [200, 'application/json'],
    [429, 'text/plain'],
    [200, 'text/event-stream'],
  ]);
  expect(after[3]?.body).toBe('broken off');
  expect(model.differences()).toEqual([]);
  expect(model.served()).toBe(4);
  const [recorded, replayed] = await Promise.all([readCalls(first), readCalls(second)]);
  for (const key of ['response', 'request', 'status', 'error', 'usage', 'stop', 'contentType'] as const)
    expect(replayed.map((one) => one[key])).toEqual(recorded.map((one) => one[key]));
  for (const { response } of recorded)
    if (response !== null) expect(await readBody(second, response)).toEqual(await readBody(first, response));
});

const plain: RequestListener = (req, res) => {
  req.resume().on('end', () => res.writeHead(200, { 'content-type': 'application/json' }).end(reply('ok', false).join('')));
};

test('another date is normalised and counted; one other byte is refused, with a diff that names it', async () => {
  const skill = 'Begin with a test that fails.\nThen mend.';
  const later = ask(skill).replace('2026-11-30', '2027-01-01');
  expect((await recordAndReplay(plain, [ask(skill)], [later])).model.uses()).toEqual({ 'date of today': 1 });
  const { after, model } = await recordAndReplay(plain, [ask(skill)], [ask(skill.replace('fails', 'falls'))]);
  expect(after[0]?.status).toBe(400);
  const [difference] = model.differences();
  expect(difference).toMatchObject({ call: 1, what: 'the request differs from recorded request 1' });
  expect(difference?.diff).toContain('-Begin with a test that fails.\n+Begin with a test that falls.');
  expect(model.differences()).toHaveLength(1);
});

test('a parameter that is new is named, and so are calls too many and calls that were not made', async () => {
  const changed = await recordAndReplay(plain, [ask('x')], [ask('x', { temperature: 1 })]);
  expect(changed.model.differences()[0]?.diff).toContain('+  "temperature": 1');
  const more = await recordAndReplay(plain, [ask('x')], [ask('x'), ask('x')]);
  expect(more.model.differences()).toEqual([
    { call: null, what: expect.stringContaining('every recorded call of that kind had been asked before'), diff: null },
  ]);
  const fewer = await recordAndReplay(plain, [ask('x'), ask('y')], [ask('x')]);
  expect(fewer.model.differences()).toEqual([{ call: 2, what: 'recorded request 2 was not asked again', diff: null }]);
});

test('equal requests get their answers in the order in which they were recorded', async () => {
  let call = 0;
  const counting: RequestListener = (req, res) => {
    req
      .resume()
      .on('end', () => res.writeHead(200, { 'content-type': 'application/json' }).end(reply(`answer ${++call}`, false).join('')));
  };
  const { after } = await recordAndReplay(counting, [ask('x'), ask('x')]);
  expect(after.map(({ body }) => body.includes('answer 1'))).toEqual([true, false]);
});
