import { open, readFile } from 'node:fs/promises';
import { ProgressEvent } from './progress.js';
import { summarise } from './summary.js';

/** What is left of an experiment's trials, judged by its records and by the trials that have ended. */
export interface Outlook {
  done: number;
  total: number;
  /** Median time of a trial times the trials left, shared by those under way now; null before the first has ended. */
  secondsLeft: number | null;
  /** Median cost of a trial times the trials left; null where no trial's cost is known (no prices, or no usage). */
  usdLeft: number | null;
}

/** Trials under way, with the moment each was started. */
export function underWay(events: readonly ProgressEvent[]): Map<string, number> {
  const starts = new Map<string, number>();
  for (const { event, trial, at } of events) {
    if (event === 'started') starts.set(trial, Date.parse(at));
    if (event === 'ended' || event === 'kept') starts.delete(trial);
  }
  return starts;
}

/** `recorded`: how many of the `total` trials have a record now. What has ended tells how long and how dear one is, whatever came of it. */
export function outlook(events: readonly ProgressEvent[], { recorded, total }: { recorded: number; total: number }): Outlook {
  const started = new Map<string, number>();
  const [seconds, costs]: [number[], (number | null)[]] = [[], []];
  for (const { event, trial, at, costUsd } of events) {
    const from = started.get(trial);
    if (event === 'started') started.set(trial, Date.parse(at));
    if (event !== 'ended' || from === undefined) continue;
    seconds.push((Date.parse(at) - from) / 1000);
    costs.push(costUsd);
  }
  const left = Math.max(0, total - recorded);
  const [time, cost] = [summarise(seconds).median, summarise(costs).median];
  return {
    done: recorded,
    total,
    secondsLeft: time === null ? null : (time * left) / Math.max(1, underWay(events).size),
    usdLeft: cost === null ? null : cost * left,
  };
}

/** `12 of 60 trials done, about 20 min and 3.10 USD left`; what is unknown is called so, but for the cost of a model without prices. */
export function outlookWords({ done, total, secondsLeft, usdLeft }: Outlook): string {
  if (done >= total) return `${total} of ${total} trials done`;
  const time = secondsLeft === null ? 'time left unknown' : `about ${duration(secondsLeft)}`;
  const cost = usdLeft === null ? '' : ` and ${usdLeft.toFixed(2)} USD`;
  return `${done} of ${total} trials done, ${time}${cost}${secondsLeft === null ? '' : ' left'}`;
}

function duration(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

/** The events that say how far an experiment is; calls within a trial are most of the file and are left out. Unreadable lines too: a runner may be writing. */
export async function readProgress(file: string): Promise<ProgressEvent[]> {
  return eventsIn(await readFile(file, 'utf8').catch(() => ''), false);
}

/**
 * Reads a progress file again and again: each call gives all events so far, calls included, and reads only what was appended since the
 * last one. A line that is being written is left for the next call. Calls must not overlap.
 */
export function progressFollower(file: string): () => Promise<readonly ProgressEvent[]> {
  const events: ProgressEvent[] = [];
  let read = 0;
  return async () => {
    const handle = await open(file).catch(() => null);
    if (handle === null) return events;
    try {
      const { size } = await handle.stat();
      // a shorter file is another one
      if (size < read) [read, events.length] = [0, 0];
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - read), 0, size - read, read);
      const whole = buffer.subarray(0, bytesRead).lastIndexOf(10) + 1;
      for (const event of eventsIn(buffer.toString('utf8', 0, whole), true)) events.push(event);
      read += whole;
    } finally {
      await handle.close();
    }
    return events;
  };
}

function eventsIn(text: string, calls: boolean): ProgressEvent[] {
  return text.split('\n').flatMap((line) => {
    if (line === '' || (!calls && line.includes('"event":"call"'))) return [];
    const parsed = ProgressEvent.safeParse(json(line));
    return parsed.success ? [parsed.data] : [];
  });
}

function json(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
