import { once } from 'node:events';
import { lstat, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { InfrastructureError } from './errors.js';

/** A Unix socket (for a sandbox), or a port of loopback; 0 for a free one. */
export type ListenAddress = { socketPath: string } | { host: '127.0.0.1'; port: number };

/** Waits until a server listens; an InfrastructureError says why it cannot. */
export async function listen(server: Server, where: ListenAddress): Promise<void> {
  // A socket left behind by a killed run would refuse the address; a live one never stands in a trial's own folder.
  if ('socketPath' in where && (await lstat(where.socketPath).catch(() => null))?.isSocket()) await rm(where.socketPath);
  const ready = once(server, 'listening');
  if ('socketPath' in where) server.listen(where.socketPath);
  else server.listen(where.port, where.host);
  await ready.catch((error: NodeJS.ErrnoException) => {
    const place = 'socketPath' in where ? where.socketPath : `${where.host}:${where.port}`;
    const long = 'socketPath' in where && Buffer.byteLength(where.socketPath) > 107;
    throw new InfrastructureError(`the gateway cannot listen on ${place}`, {
      expected: long ? 'a socket path of at most 107 bytes' : 'a free address',
      found: error.code === 'EADDRINUSE' ? 'an address in use' : error.message,
      next: long ? 'choose a shorter folder for sockets' : 'use port 0 for a free port, or end the program that holds it',
    });
  });
}
