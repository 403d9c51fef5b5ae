import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeLimiter } from '../src/limiter.js';

test('admits up to the limit, each key for itself', () => {
  const limiter = makeLimiter({ limit: 2, windowMs: 1000, now: () => 5 });
  assert.deepEqual([limiter.allow('a'), limiter.allow('a'), limiter.allow('a'), limiter.allow('b')], [true, true, false, true]);
  assert.equal(limiter.size(), 2);
});
