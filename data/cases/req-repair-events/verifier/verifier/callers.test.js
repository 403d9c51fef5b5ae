import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { startCounter } from '../src/counter.js';
import { makeEvents } from '../src/events.js';
import { startLog } from '../src/log.js';

test('[AC-1] the counter counts its own events', () => {
  const events = makeEvents();
  const counter = startCounter(events, 'saved');
  for (const name of ['saved', 'other', 'saved']) events.emit(name);
  assert.equal(counter.count(), 2);
});

test('[AC-1] the log keeps values in order', () => {
  const events = makeEvents();
  const log = startLog(events, 'saved');
  for (const value of [3, 1, 2]) events.emit('saved', value);
  assert.deepEqual(log.values(), [3, 1, 2]);
});

test('[AC-2] stopping one does not stop the other', () => {
  const events = makeEvents();
  const [counter, log] = [startCounter(events, 'saved'), startLog(events, 'saved')];
  events.emit('saved', 1);
  counter.stop();
  events.emit('saved', 2);
  assert.equal(counter.count(), 1);
  log.stop();
  events.emit('saved', 3);
  assert.deepEqual(log.values(), [1, 2]);
});

test('[AC-3] the event module refuses the old interface still', async () => {
  assert.throws(() => makeEvents().on('saved', () => {}), TypeError);
  assert.equal(makeEvents().off, undefined);
  assert.doesNotMatch(await readFile(new URL('../src/events.js', import.meta.url), 'utf8'), /arguments|\boff\b/);
});
