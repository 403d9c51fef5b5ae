import type { IncomingMessage } from 'node:http';
import type { Meter } from './budget.js';
import type { CallRecord } from './call-record.js';
import type { ModelResponse } from './model-call.js';
import type { Redactor } from './redaction.js';
import type { Wire } from './wire.js';

/** What is known of a call while it goes on; it becomes the record. */
export type Draft = Omit<CallRecord, 'endedMs' | 'request' | 'response'> & { requestBody: Buffer; responseBody: Buffer };

/** The draft of a request that has just arrived. */
export function newDraft(req: IncomingMessage, wire: Wire, seq: number, at: Date, startedMs: number, redactor: Redactor): Draft {
  const method = req.method ?? 'GET';
  const path = redactor.all(Buffer.from(req.url ?? '/')).toString();
  return {
    ...{ schemaVersion: 1, seq, at: at.toISOString(), api: wire.api, method, path, startedMs },
    kind: method === 'POST' && wire.matches(path) ? 'model-call' : 'side-request',
    ...{ status: null, firstByteMs: null, requestBytes: 0, responseBytes: 0, redactions: redactor.count, model: null },
    ...{ contentType: null, usage: null, stop: null, complete: false, error: null, toolCalls: 0 },
    ...{ requestBody: Buffer.alloc(0), responseBody: Buffer.alloc(0) },
  };
}

/** Writes into the draft what the answer says, and the error of one that came in full but is none. */
export function judge(draft: Draft, response: ModelResponse, meter: Meter): void {
  const answered = draft.status !== null && draft.status < 400;
  draft.usage = response.usage;
  draft.stop = response.stop;
  draft.complete = answered && response.complete && (draft.error === null || draft.error === 'client-closed');
  draft.toolCalls = response.toolCalls.length;
  if (draft.error === null && answered && (!response.complete || response.error !== null)) draft.error = 'incomplete';
  meter.add(response.usage, draft.complete);
}
