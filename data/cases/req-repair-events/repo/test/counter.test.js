import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startCounter } from '../src/counter.js';
import { makeEvents } from '../src/events.js';

test('counts what happens', () => {
  const events = makeEvents();
  const counter = startCounter(events, 'saved');
  events.emit('saved');
  events.emit('other');
  assert.equal(counter.count(), 1);
});
