import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CallError, CallRecord } from './call-record.js';
import { normaliseBody, normaliseText, sameRequest } from './normaliser.js';
import { readBody, readCalls } from './recording.js';
import { diffRequests } from './request-diff.js';
import { isEventStream } from './sse.js';
import { wireOf } from './wire.js';

/** What a replay asked that the recording does not hold, or did not ask that it holds. */
export interface CallDifference {
  /** The recorded call it was held against; null where none was left. */
  call: number | null;
  what: string;
  /** A unified diff of the two requests, recorded to replayed; null where there is nothing to compare. */
  diff: string | null;
}

export interface RecordedModel {
  /** What to give the gateway as the provider's base URL. */
  baseUrl: string;
  /** Recorded calls that were asked for again so far. */
  served(): number;
  /** How often each normaliser was used on the requests that came. */
  uses(): Record<string, number>;
  /** Every difference so far; those that were not asked for again are added once the server is closed. */
  differences(): CallDifference[];
  close(): Promise<void>;
}

/** Calls that the gateway answered itself: a replay's gateway does so again. */
const ownAnswers: (CallError | null)[] = ['limit', 'model-mismatch', 'parameter-mismatch', 'not-allowed', 'unreadable-request'];

interface Stored {
  record: CallRecord;
  /** Method and path, and the body, normalised: what a request is known by. */
  place: string;
  text: string;
  answer: Buffer;
}

/**
 * A server on 127.0.0.1 that answers from the recording in `folder`: the same request gets the recorded answer, byte for byte, as a
 * stream where it was one; each recorded call is given once, the earliest first. A request that is not in the recording is answered
 * 400 and reported with its differences from the recorded one that was due. A RecordError where the recording cannot be read.
 */
export async function startRecordedModel(folder: string): Promise<RecordedModel> {
  const uses = new Map<string, number>();
  const due = await readStored(folder);
  const differences: CallDifference[] = [];
  let served = 0;

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const text = normaliseBody(Buffer.concat(chunks).toString('utf8'), uses);
    const place = `${req.method} ${normaliseText(req.url ?? '/')}`;
    const index = due.findIndex((one) => one.place === place && sameRequest(one.text, text, uses));
    const [found] = index === -1 ? [] : due.splice(index, 1);
    if (found !== undefined) {
      served += 1;
      return play(found, res);
    }
    const nearest = due.find((one) => one.place === place);
    differences.push({
      call: nearest?.record.seq ?? null,
      what:
        nearest === undefined
          ? `${place} was asked, and every recorded call of that kind had been asked before`
          : `the request differs from recorded request ${nearest.record.seq}`,
      diff: nearest === undefined ? null : diffRequests(nearest.text, text, nearest.record.seq),
    });
    const body = JSON.stringify({
      type: 'error',
      error: { type: 'not-recorded', message: 'The recording holds no such request.' },
    });
    res.writeHead(400, { 'content-type': 'application/json', 'x-should-retry': 'false' }).end(body);
  }

  const server = createServer((req, res) => void answer(req, res).catch(() => res.destroy()));
  const listening = once(server, 'listening');
  server.listen(0, '127.0.0.1');
  await listening;
  const [api] = due.map(({ record }) => record.api);
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${api === undefined ? '' : wireOf(api).basePath}`,
    served: () => served,
    uses: () => Object.fromEntries(uses),
    differences: () => [...differences],
    async close() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
      if (differences.length > 0) return;
      // after the first difference an agent ends early: only a replay without one has to have asked for everything
      for (const { record } of due)
        differences.push({ call: record.seq, what: `recorded request ${record.seq} was not asked again`, diff: null });
    },
  };
}

async function readStored(folder: string): Promise<Stored[]> {
  const stored: Stored[] = [];
  for (const record of await readCalls(folder)) {
    if (ownAnswers.includes(record.error)) continue;
    const body = async (hash: string | null) => (hash === null ? Buffer.alloc(0) : readBody(folder, hash));
    const text = normaliseBody((await body(record.request)).toString('utf8'));
    const place = `${record.method} ${normaliseText(record.path)}`;
    stored.push({ record, place, text, answer: await body(record.response) });
  }
  return stored;
}

/** The recorded answer, ended as it was: in full, broken off, or (where the agent left first) not at all. */
async function play({ record, answer }: Stored, res: ServerResponse): Promise<void> {
  const left = record.error === 'client-closed' || record.error === 'gateway-closed';
  if (record.status === null) return;
  const stream = isEventStream(answer, record.contentType ?? '');
  res.writeHead(record.status, { 'content-type': record.contentType ?? (stream ? 'text/event-stream' : 'application/json') });
  for (const piece of stream ? eventsOf(answer) : [answer]) await sent(res, piece);
  if (left) return;
  // broken off within the answer; without a first byte the whole answer was the gateway's own, and is given as such
  if (record.error === 'disconnect' && record.firstByteMs !== null) res.destroy();
  else res.end();
}

/** Writes and waits until the bytes have left, so that an answer can be broken off after them. */
function sent(res: ServerResponse, bytes: Buffer): Promise<void> {
  return new Promise((done) => {
    // called with an error where the client has gone
    res.write(bytes, () => done());
  });
}

/** A stream's bytes in pieces that end where its events do. */
function eventsOf(bytes: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  let from = 0;
  for (let at = bytes.indexOf('\n\n'); at !== -1; at = bytes.indexOf('\n\n', from)) {
    pieces.push(bytes.subarray(from, at + 2));
    from = at + 2;
  }
  return from < bytes.length ? [...pieces, bytes.subarray(from)] : pieces;
}
