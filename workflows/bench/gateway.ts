// What the recording gateway costs against a direct connection to the same server, in one run. The server, the gateway and the client
// are threads of their own. Rounds are paired: each does the same work over both ways, in an order that changes from round to round.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { openGateway, systemClock } from 'skill-trial';
import { argv } from 'zx';

/** Milliseconds, the same in every thread of a process. */
const now = () => performance.timeOrigin + performance.now();
const model = 'bench-1';
const tokens = 200;
const agent = new Agent({ keepAlive: true });
let asked = 0;

if (isMainThread) await measure();
else if (workerData.role === 'server') await serve();
else await gate();

/** Answers a call whole, or with `tokens` events that hold the time at which each was sent; `paced`: one in each turn of the loop. */
async function serve(): Promise<void> {
  const usage = { prompt_tokens: 1000, prompt_tokens_details: { cached_tokens: 0 }, completion_tokens: tokens };
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const { stream, user } = JSON.parse(Buffer.concat(chunks).toString()) as { stream: boolean; user: string };
    if (!stream) {
      const message = { role: 'assistant', content: 'word '.repeat(tokens) };
      const choices = [{ index: 0, message, finish_reason: 'stop' }];
      res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ model, choices, usage }));
      return;
    }
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    for (let sent = 0; sent < tokens; sent += 1) {
      res.write(`data: ${JSON.stringify({ model, choices: [{ index: 0, delta: { content: String(now()) } }] })}\n\n`);
      if (user === 'paced') await new Promise((next) => setTimeout(next, 1));
    }
    const last = { model, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage };
    res.end(`data: ${JSON.stringify(last)}\n\ndata: [DONE]\n\n`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  parentPort?.postMessage(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
}

async function gate(): Promise<void> {
  const gateway = await openGateway({
    upstream: { baseUrl: workerData.upstream, api: 'openai-completions', key: 'bench-key-0123456789' },
    listen: { host: '127.0.0.1', port: 0 },
    dir: workerData.folder,
    budget: { modelCalls: null },
    frozen: { model },
    clock: systemClock,
  });
  parentPort?.postMessage(gateway.url);
}

async function start(data: object): Promise<{ url: string; worker: Worker }> {
  const worker = new Worker(new URL(import.meta.url), { workerData: data });
  const [url] = await once(worker, 'message');
  return { url, worker };
}

async function measure(): Promise<void> {
  const rounds = Number(argv.rounds ?? 21);
  const folder = await mkdtemp(join(tmpdir(), 'skill-trial-bench-'));
  const server = await start({ role: 'server' });
  const gateway = await start({ role: 'gateway', upstream: server.url, folder: join(folder, 'record') });
  const works: [string, string, (url: string) => Promise<number>][] = [
    ['a whole call, one after the other', 'ms a call', (url) => calls(url, 50)],
    ['a streamed token, one stream', 'ms from server to client', (url) => delays(url)],
    [`64 streams at once, ${tokens} tokens each`, 'ms in all', (url) => parallel(url, 64)],
  ];
  try {
    console.log(
      `Node ${process.versions.node}, ${process.platform}-${process.arch}, ${cpus().length} cores; ${rounds} paired rounds\n`,
    );
    console.log('| what | unit | direct | gateway | added | ratio | ratio, middle half |\n|---|---|---|---|---|---|---|');
    for (const [what, unit, work] of works) {
      for (const url of [server.url, gateway.url]) await work(url); // warm
      const pairs: [number, number][] = [];
      for (let round = 0; round < rounds; round += 1) {
        if (round % 2 === 0) pairs.push([await work(server.url), await work(gateway.url)]);
        else {
          const through = await work(gateway.url);
          pairs.push([await work(server.url), through]);
        }
      }
      const [direct, through] = [pairs.map(([a]) => a), pairs.map(([, b]) => b)];
      const ratios = pairs.map(([a, b]) => b / a);
      const cells = [median(direct), median(through), median(pairs.map(([a, b]) => b - a))].map((ms) => ms.toFixed(3));
      const spread = `${quantile(ratios, 0.25).toFixed(2)} to ${quantile(ratios, 0.75).toFixed(2)}`;
      console.log(`| ${[what, unit, ...cells, median(ratios).toFixed(2), spread].join(' | ')} |`);
    }
  } finally {
    agent.destroy();
    await Promise.all([gateway.worker.terminate(), server.worker.terminate()]);
    await rm(folder, { recursive: true, force: true });
  }
}

/** One call; `onChunk` sees the answer as it arrives. Every request differs, so that the gateway has a body to keep for each. */
async function call(url: string, more: object, onChunk: (text: string) => void = () => {}): Promise<void> {
  asked += 1;
  const messages = [{ role: 'user', content: `call ${asked} ${'word '.repeat(800)}` }];
  const body = JSON.stringify({ model, stream: false, user: '', ...more, messages });
  const req = httpRequest(`${url}/chat/completions`, { method: 'POST', agent, headers: { 'content-type': 'application/json' } });
  req.end(body);
  const [res] = await once(req, 'response');
  for await (const chunk of res) onChunk(chunk.toString());
  if (res.statusCode !== 200) throw new Error(`status ${res.statusCode}`);
}

/** Mean time of a call, over `count` calls one after the other. */
async function calls(url: string, count: number): Promise<number> {
  const from = performance.now();
  for (let done = 0; done < count; done += 1) await call(url, {});
  return (performance.now() - from) / count;
}

/** Median time that a token takes from the server's write to the client. */
async function delays(url: string): Promise<number> {
  const found: number[] = [];
  await call(url, { stream: true, user: 'paced' }, (text) => {
    const at = now();
    for (const [, sent] of text.matchAll(/"content":"([\d.]+)"/g)) found.push(at - Number(sent));
  });
  if (found.length < tokens / 2) throw new Error(`${found.length} of ${tokens} tokens arrived whole`);
  return median(found);
}

/** Time until the last of `count` streams has ended, all begun at once. */
async function parallel(url: string, count: number): Promise<number> {
  const from = performance.now();
  await Promise.all(Array.from({ length: count }, () => call(url, { stream: true })));
  return performance.now() - from;
}

function quantile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const [low, high] = [sorted[Math.floor(at)] as number, sorted[Math.ceil(at)] as number];
  return low + (high - low) * (at - Math.floor(at));
}

function median(values: number[]): number {
  return quantile(values, 0.5);
}
