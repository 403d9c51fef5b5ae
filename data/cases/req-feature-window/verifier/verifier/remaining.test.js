import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeLimiter } from '../src/limiter.js';

function limiterAt(limit) {
  const clock = { at: 10_000 };
  return { clock, limiter: makeLimiter({ limit, windowMs: 1000, now: () => clock.at }) };
}

test('[AC-1] the whole limit for a key never seen, less after each call', () => {
  const { limiter } = limiterAt(3);
  assert.equal(limiter.remaining('a'), 3);
  limiter.allow('a');
  limiter.allow('a');
  assert.equal(limiter.remaining('a'), 1);
  assert.equal(limiter.remaining('b'), 3);
});

test('[AC-2] asking counts no call', () => {
  const { limiter } = limiterAt(1);
  for (let times = 0; times < 5; times++) limiter.remaining('a');
  assert.equal(limiter.allow('a'), true);
  assert.equal(limiter.allow('a'), false);
});

test('[AC-2] asking makes no entry', () => {
  const { limiter } = limiterAt(1);
  limiter.remaining('never seen');
  assert.equal(limiter.size(), 0);
});

test('[AC-3] a call is gone exactly one window later, and not before', () => {
  const { clock, limiter } = limiterAt(1);
  limiter.allow('a');
  clock.at += 999;
  assert.equal(limiter.remaining('a'), 0);
  clock.at += 1;
  assert.equal(limiter.remaining('a'), 1);
  assert.equal(limiter.allow('a'), true);
});

test('[AC-4] a limit of 0 leaves 0', () => {
  const { limiter } = limiterAt(0);
  limiter.allow('a');
  assert.equal(limiter.remaining('a'), 0);
});

test('[regression] what was admitted before is admitted still', () => {
  const { limiter } = limiterAt(2);
  assert.deepEqual([limiter.allow('a'), limiter.allow('a'), limiter.allow('a')], [true, true, false]);
});
