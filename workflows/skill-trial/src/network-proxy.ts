import { appendFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server as SocketServer } from 'node:net';
import { join } from 'node:path';
import { z } from 'zod';
import type { Clock } from './clock.js';

/** An address that a policy names. */
export const HostPort = z.string().regex(/^[A-Za-z0-9.-]+:\d{1,5}$/, 'host:port, without a scheme');

/** One connection that something inside asked the proxy for: a line of network.jsonl. */
export const Connection = z.strictObject({
  at: z.iso.datetime(),
  host: z.string(),
  port: z.int(),
  /** `connect`: a tunnel, as for https; else the method of a plain request. */
  method: z.string(),
  allowed: z.boolean(),
});
export type Connection = z.infer<typeof Connection>;

export interface NetworkProxy {
  way: { socket: string } | { port: number };
  close(): Promise<void>;
}

/** Hosts that a policy lets through, as `host:port`, in lower case; a policy that is one word lets none through. */
export function allowedHosts(network: string | { allow: string[] }): string[] {
  return typeof network === 'string' ? [] : network.allow.map((one) => one.toLowerCase());
}

/**
 * The way out for everything but the model: lets the hosts of the policy through, refuses all others, and writes each into
 * network.jsonl of `dir` before it answers. Connections that heed no proxy variable do not come here: where the sandbox has a network of its own they fail.
 */
export async function openNetworkProxy(options: {
  allow: string[];
  listen: { socketPath: string } | { host: string; port: number };
  dir: string;
  clock: Clock;
}): Promise<NetworkProxy> {
  const { RequestError, Server } = await import('proxy-chain');
  const file = join(options.dir, networkLog);
  await writeFile(file, '');
  const proxy = new Server({
    port: 0,
    host: '127.0.0.1',
    prepareRequestFunction: ({ hostname, port, isHttp, request }) => {
      const allowed = options.allow.includes(`${hostname.toLowerCase()}:${port}`);
      const line: Connection = {
        at: options.clock.now().toISOString(),
        host: hostname,
        port,
        method: isHttp ? (request.method ?? 'GET') : 'connect',
        allowed,
      };
      appendFileSync(file, `${JSON.stringify(line)}\n`);
      if (!allowed) throw new RequestError(`The network policy of this machine does not allow ${hostname}:${port}`, 403);
      return {};
    },
  });
  if ('port' in options.listen) {
    await proxy.listen();
    return { way: { port: proxy.port }, close: () => proxy.close(true) };
  }
  const sockets = await listenOn(options.listen.socketPath, proxy);
  return {
    way: { socket: options.listen.socketPath },
    close: async () => {
      const closed = new Promise((resolve) => sockets.close(resolve));
      proxy.closeConnections();
      await closed;
    },
  };
}

/** Hands the connections of a Unix socket to the proxy, which wants an address of its clients and listens on ports only. */
async function listenOn(
  path: string,
  proxy: { server: { emit(event: 'connection', socket: unknown): boolean } },
): Promise<SocketServer> {
  const server = createServer((socket) => {
    Object.defineProperty(socket, 'remoteAddress', { value: '127.0.0.1' });
    proxy.server.emit('connection', socket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  return server;
}

export const networkLog = 'network.jsonl';

/** The connections of a recorded session; null where it has no such record (made before there was one). */
export async function readConnections(folder: string): Promise<Connection[] | null> {
  const text = await readFile(join(folder, networkLog), 'utf8').catch(() => null);
  if (text === null) return null;
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => Connection.parse(JSON.parse(line)));
}
