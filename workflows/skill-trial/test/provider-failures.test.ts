import { expect, test } from 'vitest';
import type { CallRecord } from '../src/call-record.js';
import { describeFailures, providerFailures } from '../src/provider-failures.js';

const call = (edit: Partial<CallRecord>) => ({ kind: 'model-call', status: 200, error: null, ...edit }) as CallRecord;

test('429, 5xx and calls without a whole answer are counted apart; others, and the gateway’s own refusals, are not', () => {
  const calls = [
    call({}),
    call({ error: 'upstream-status', status: 429 }),
    call({ error: 'upstream-status', status: 429 }),
    call({ error: 'upstream-status', status: 503 }),
    call({ error: 'upstream-status', status: 400 }),
    call({ error: 'limit', status: 429 }),
    call({ error: 'parameter-mismatch', status: 400 }),
    call({ error: 'unreachable', status: 502 }),
    call({ error: 'timeout', status: 504 }),
    call({ error: 'disconnect' }),
    call({ error: 'incomplete' }),
    call({ error: 'client-closed', status: null }),
    call({ kind: 'side-request', error: 'upstream-status', status: 500 }),
  ];
  expect(providerFailures(calls)).toEqual({ rateLimited: 2, serverErrors: 1, unanswered: 4 });
});

test('no calls: none failed, and there is nothing to tell', () => {
  expect(providerFailures([])).toEqual({ rateLimited: 0, serverErrors: 0, unanswered: 0 });
  expect(describeFailures(providerFailures([]))).toBeNull();
  expect(describeFailures(null)).toBeNull();
  expect(describeFailures({ rateLimited: 2, serverErrors: 0, unanswered: 1 })).toContain('2 with status 429');
});
