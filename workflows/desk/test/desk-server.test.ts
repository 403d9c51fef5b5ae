import { request } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { openDesk, openLab } from 'skill-trial';
import { startDesk } from 'skill-trial-desk';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { DeskRoot, name, other, plain, RunningDesk } from './desk-fixture.js';

let root: DeskRoot;
let desk: RunningDesk;

beforeAll(async () => {
  root = await DeskRoot.make([[plain, other]]);
  desk = await RunningDesk.start(root.root, name);
});

afterAll(async () => {
  await desk?.[Symbol.asyncDispose]();
  await root?.[Symbol.asyncDispose]();
});

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** A request with every header as given: fetch would set Host and Origin itself. */
function ask(
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
  body?: string,
  port = desk.port,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers: { host: `127.0.0.1:${port}`, ...headers } }, (got) => {
      let text = '';
      got.on('data', (chunk) => (text += chunk));
      got.on('end', () => resolve({ status: got.statusCode ?? 0, headers: got.headers, body: text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const cookie = (evaluator = 'anna') => ({ cookie: `desk-${desk.port}=${desk.token(evaluator)}` });
const own = () => ({ origin: `http://127.0.0.1:${desk.port}`, 'content-type': 'application/json' });
const undo = JSON.stringify({ seq: 0, event: { kind: 'undo' } });

describe('who is let in', () => {
  test('nobody without the token: no page, no asset of it, no data', async () => {
    for (const path of ['/', '/?token=wrong', '/api/desk', '/api/marks', '/api/settle']) {
      const answer = await ask(path);
      expect([path, answer.status]).toEqual([path, 401]);
      expect(answer.body).not.toContain(root.pairs[0]?.x);
    }
  });

  test('the address gives a cookie that no script can read and no other site can send', async () => {
    const answer = await ask(`/?token=${desk.token('anna')}`);
    expect(answer.status).toBe(200);
    expect(answer.headers['set-cookie']).toEqual([`desk-${desk.port}=${desk.token('anna')}; Path=/; HttpOnly; SameSite=Strict`]);
    expect((await ask('/api/desk', cookie())).status).toBe(200);
  });

  test('each address is its evaluator’s', async () => {
    expect(JSON.parse((await ask('/api/desk', cookie('anna'))).body).evaluator).toBe('anna');
    expect(JSON.parse((await ask('/api/desk', cookie('ben'))).body).evaluator).toBe('ben');
  });

  test.each(['evil.example', `evil.example:1`, '127.0.0.1', '[::1]:80'])(
    'a request for the host “%s” is refused',
    async (host) => {
      const answer = await ask('/api/desk', { ...cookie(), host });
      expect([400, 421]).toContain(answer.status);
      expect(answer.body).not.toContain('pairs');
    },
  );

  test('a change from another origin, from none, or as a form is refused and writes nothing', async () => {
    const send = (headers: Record<string, string>) => ask('/api/marks', { ...cookie(), ...headers }, 'POST', undo);
    expect((await send({ ...own(), origin: 'http://evil.example' })).status).toBe(403);
    expect((await send({ ...own(), origin: `http://127.0.0.1:${desk.port + 1}` })).status).toBe(403);
    expect((await send({ ...own(), origin: 'null' })).status).toBe(403);
    expect((await send({ 'content-type': 'application/json' })).status).toBe(403);
    expect((await send({ ...own(), 'content-type': 'text/plain' })).status).toBe(415);
    expect((await send({ ...own(), 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect(await root.journal('anna')).toEqual([]);
  });

  test('another page may not read the data either', async () => {
    for (const site of ['cross-site', 'same-site'])
      expect((await ask('/api/desk', { ...cookie(), 'sec-fetch-site': site, 'sec-fetch-mode': 'no-cors' })).status).toBe(403);
  });

  test('it listens on loopback alone', async () => {
    const outside = Object.values(networkInterfaces())
      .flat()
      .filter((one) => one?.internal === false && one.family === 'IPv4');
    for (const one of outside) {
      const reached = await new Promise<boolean>((resolve) => {
        const socket = connect({ host: one?.address as string, port: desk.port }, () => resolve(true));
        socket.on('error', () => resolve(false));
        socket.setTimeout(5000, () => resolve(false));
      });
      expect([one?.address, reached]).toEqual([one?.address, false]);
    }
    expect(desk.urls.anna).toContain('http://127.0.0.1:');
  });
});

describe('what every answer says', () => {
  test.each(['/api/desk', '/api/nothing', '/assets/page/theme.css', '/assets/nothing.js'])(
    '%s: a strict policy, no sniffing, no store',
    async (path) => {
      const { headers } = await ask(path, cookie());
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("require-trusted-types-for 'script'");
      expect(policy).not.toMatch(/unsafe-|\*|data:|blob:|https?:/);
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['cache-control']).toBe('no-store');
      expect(headers['referrer-policy']).toBe('no-referrer');
      expect(headers['cross-origin-resource-policy']).toBe('same-origin');
    },
  );

  test('a path that leads out of the assets finds nothing', async () => {
    for (const path of [
      '/assets/../package.json',
      '/assets/..%2f..%2fpackage.json',
      '/assets/page/../../package.json',
      '/assets/page/%2e%2e/desk-server.js',
    ])
      expect([path, (await ask(path, cookie())).status]).toEqual([path, 404]);
  });

  test('a change that is too large, no JSON, or no change is refused with words and no stack', async () => {
    const send = (body: string) => ask('/api/marks', { ...cookie(), ...own() }, 'POST', body);
    for (const [body, status] of [
      ['x'.repeat(2 * 1024 * 1024), 413],
      ['{', 400],
      ['{"seq":0,"event":{"kind":"conquer"}}', 422],
      ['{"seq":0,"event":{"kind":"undo"},"more":1}', 422],
    ] as const) {
      const answer = await send(body);
      expect(answer.status).toBe(status);
      expect(answer.body).not.toMatch(/\bat .*\.js|node_modules/);
    }
    expect(await root.journal('anna')).toEqual([]);
  });

  test('a change of a journal that is longer is a conflict, and says how it stands', async () => {
    const guess = { kind: 'guess', pair: root.pairs[0]?.pair, side: null };
    const send = (seq: number, event: object) =>
      ask('/api/marks', { ...cookie('ben'), ...own() }, 'POST', JSON.stringify({ seq, event }));
    expect((await send(0, guess)).status).toBe(200);
    const late = await send(0, { kind: 'notes', case: 'inventory', content: root.pairs[0]?.x, text: 'late' });
    expect(late.status).toBe(409);
    expect(JSON.parse(late.body).seq).toBe(1);
    expect(await root.journal('ben')).toEqual([guess]);
  });
});

describe('how it ends', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)('%s stops it, exit status 0', async (signal) => {
    await using second = await RunningDesk.start(root.root, name);
    expect(await second.stop(signal)).toEqual({ code: 0, signal: null });
    expect(second.output.text).toContain('stopped');
  });

  test('it stops once nobody has asked for the idle time, counted from the last request', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const minutes = (count: number) => vi.advanceTimersByTime(count * 60_000);
      const opened = await openDesk(await openLab(root.root, name));
      const server = await startDesk(opened, { evaluators: ['anna'], port: 0, idleMinutes: 10 });
      let reason: string | null = null;
      const stopped = server.stopped.then((words) => {
        reason = words;
      });
      const port = Number(new URL(server.addresses[0]?.url as string).port);
      minutes(9);
      expect((await ask('/', {}, 'GET', undefined, port)).status).toBe(401);
      minutes(9);
      expect((await ask('/', {}, 'GET', undefined, port)).status).toBe(401);
      expect(reason).toBeNull();
      minutes(10);
      await stopped;
      expect(reason).toBe('no request for 10 minutes');
    } finally {
      vi.useRealTimers();
    }
  });

  test('a taken port and a bad option are said in words', async () => {
    const taken = await RunningDesk.start(root.root, name, [`--port=${desk.port}`]).catch((error: Error) => error.message);
    expect(taken).toContain(`Port ${desk.port} cannot be used`);
    const bad = await RunningDesk.start(root.root, name, ['--idle-minutes=soon']).catch((error: Error) => error.message);
    expect(bad).toContain('--idle-minutes is not valid');
  });
});
