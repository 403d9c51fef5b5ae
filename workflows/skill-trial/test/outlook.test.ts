import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { outlook, outlookWords, progressFollower, readProgress } from '../src/outlook.js';
import { type ProgressEvent, writeProgress } from '../src/progress.js';

/** An event at so many seconds after the start. */
const at = (seconds: number, trial: string, event: ProgressEvent['event'], costUsd: number | null = null): ProgressEvent => ({
  at: new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString(),
  trial,
  event,
  modelCalls: 1,
  tokens: null,
  costUsd,
  note: '',
});

describe('what is left of an experiment', () => {
  test('is the median of the ended trials times those left; a kept one tells nothing of time', () => {
    const events = [
      ...[at(0, 'a', 'started'), at(10, 'a', 'ended', 0.1)],
      ...[at(10, 'b', 'started'), at(40, 'b', 'ended', 0.3)],
      ...[at(40, 'c', 'started'), at(52, 'c', 'ended', 0.2)],
      at(52, 'd', 'kept'),
      at(52, 'e', 'started'),
    ];
    expect(outlook(events, { recorded: 4, total: 10 })).toEqual({
      done: 4,
      total: 10,
      secondsLeft: 72,
      usdLeft: expect.closeTo(1.2),
    });
    expect(outlookWords(outlook(events, { recorded: 4, total: 10 }))).toBe('4 of 10 trials done, about 72 s and 1.20 USD left');
    expect(outlookWords(outlook(events, { recorded: 4, total: 4 }))).toBe('4 of 4 trials done');
  });

  test('counts records and not events: an attempt that the surroundings ended, or an old line, is no trial done', () => {
    const failed = [at(0, 'a', 'started'), at(30, 'a', 'ended')];
    expect(outlook(failed, { recorded: 0, total: 2 })).toEqual({ done: 0, total: 2, secondsLeft: 60, usdLeft: null });
  });

  test('is shared by the trials that are under way', () => {
    const events = [at(0, 'a', 'started'), at(0, 'b', 'started'), at(60, 'a', 'ended'), at(60, 'c', 'started')];
    expect(outlook(events, { recorded: 1, total: 9 }).secondsLeft).toBe((60 * 8) / 2);
  });

  test('is unknown before a trial has ended, and its cost where none is known', () => {
    expect(outlook([], { recorded: 0, total: 3 })).toEqual({ done: 0, total: 3, secondsLeft: null, usdLeft: null });
    expect(outlookWords(outlook([at(0, 'a', 'started')], { recorded: 0, total: 3 }))).toBe(
      '0 of 3 trials done, time left unknown',
    );
    expect(outlookWords(outlook([at(0, 'a', 'started'), at(7200, 'a', 'ended')], { recorded: 1, total: 3 }))).toBe(
      '1 of 3 trials done, about 4.0 h left',
    );
  });

  test('is read from a file that a runner may be writing, without the calls within trials', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'skill-trial-outlook-'));
    const file = join(folder, 'progress.jsonl');
    const events = [at(0, 'a', 'started'), at(1, 'a', 'call'), at(2, 'a', 'ended')];
    for (const event of events) await writeProgress(file, event);
    await appendFile(file, '{"at":"2026-01-');
    expect(await readProgress(file)).toEqual([events[0], events[2]]);
    expect(await readProgress(join(folder, 'none.jsonl'))).toEqual([]);
    await rm(folder, { recursive: true });
  });

  test('is followed with the calls: a torn line is taken when it is whole, and another file from its beginning', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'skill-trial-outlook-'));
    const file = join(folder, 'progress.jsonl');
    const follow = progressFollower(file);
    expect(await follow()).toEqual([]);
    const events = [at(0, 'a', 'started'), at(1, 'ä', 'call'), at(2, 'a', 'ended')];
    for (const event of events.slice(0, 2)) await writeProgress(file, event);
    const text = Buffer.from(JSON.stringify(events[2]));
    await appendFile(file, text.subarray(0, 40));
    expect(await follow()).toEqual(events.slice(0, 2));
    await appendFile(file, Buffer.concat([text.subarray(40), Buffer.from('\n')]));
    expect(await follow()).toEqual(events);
    expect(await follow()).toEqual(events);
    await rm(file);
    await writeProgress(file, at(0, 'b', 'started'));
    expect(await follow()).toEqual([at(0, 'b', 'started')]);
    await rm(folder, { recursive: true });
  });
});
