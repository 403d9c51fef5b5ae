import { z } from 'zod';
import { CallUsage } from './usage.js';
import { wireApis } from './wire.js';

/**
 * What went wrong with a call, or null. The provider's: `upstream-status` (4xx, 5xx), `unreachable`, `timeout`, `disconnect`,
 * `incomplete` (it ended the answer early, or it made no sense). The agent's: `client-closed`, `unreadable-request`, `not-allowed`
 * (a path that is no model call), `model-mismatch`, `parameter-mismatch`. The lab's: `limit` (budget used up), `gateway-closed`.
 */
export const callErrors = [
  'upstream-status',
  'unreachable',
  'timeout',
  'disconnect',
  'incomplete',
  'client-closed',
  'unreadable-request',
  'not-allowed',
  'model-mismatch',
  'parameter-mismatch',
  'limit',
  'gateway-closed',
] as const;
export type CallError = (typeof callErrors)[number];

const hash = z.string().regex(/^[0-9a-f]{64}$/);

/** One request that reached the gateway. Times are monotonic, in milliseconds since the gateway opened; sizes are in bytes. */
export const CallRecord = z.strictObject({
  schemaVersion: z.literal(1),
  /** Order of arrival, from 1. Lines stand in order of completion. */
  seq: z.int().positive(),
  /** Wall time of arrival, ISO 8601. */
  at: z.iso.datetime(),
  api: z.enum(wireApis),
  /** `model-call`, or `side-request` for a list of models, a token count and refused paths: these count for nothing. */
  kind: z.enum(['model-call', 'side-request']),
  method: z.string(),
  path: z.string(),
  /** The status that the agent was answered; null where it went away before. */
  status: z.int().nullable(),
  startedMs: z.number(),
  /** When the first byte of the answer's body came from upstream; null where none came. */
  firstByteMs: z.number().nullable(),
  endedMs: z.number(),
  /** SHA-256 of the body as recorded (secrets redacted); null where there was none. */
  request: hash.nullable(),
  response: hash.nullable(),
  /** The answer's content type as the agent got it; null where there was no answer, or none was noted (older records). */
  contentType: z.string().nullable().default(null),
  requestBytes: z.int().nonnegative(),
  responseBytes: z.int().nonnegative(),
  /** Secrets taken out of path, request and response. */
  redactions: z.int().nonnegative(),
  /** The model that the request named. */
  model: z.string().nullable(),
  usage: CallUsage.nullable(),
  stop: z.string().nullable(),
  complete: z.boolean(),
  error: z.enum(callErrors).nullable(),
  /** Tool calls in the answer. */
  toolCalls: z.int().nonnegative(),
});
export type CallRecord = z.infer<typeof CallRecord>;
