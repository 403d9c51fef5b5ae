import { readFile } from 'node:fs/promises';
import logUpdate from 'log-update';
import { type Lab, ProgressEvent, trialsOfArm } from 'skill-trial';

export interface LiveProgress {
  /** Prints a lasting line above the live one. */
  print: (text: string) => void;
  stop: () => void;
}

/** Draws one live line (trial, elapsed, tokens, what is left) from the runners' progress lines; without a terminal it draws none. */
export function followProgress(lab: Lab, _say: (text: string) => void): LiveProgress {
  if (!process.stdout.isTTY || process.env.CI === 'true') return { print: (text) => console.log(text), stop: () => undefined };
  const total = trialsOfArm(lab.experiment).length;
  let line = '';
  const draw = async () => {
    const text = await readFile(lab.run.progress, 'utf8').catch(() => '');
    const events = text
      .split('\n')
      .filter((row) => row !== '')
      .map((row) => ProgressEvent.parse(JSON.parse(row)));
    line = describe(events, total, Date.now());
    if (line !== '') logUpdate(line);
  };
  const timer = setInterval(() => void draw().catch(() => undefined), 250);
  return {
    print: (text) => {
      logUpdate.clear();
      console.log(text);
      if (line !== '') logUpdate(line);
    },
    stop: () => {
      clearInterval(timer);
      logUpdate.clear();
    },
  };
}

/** The live line for what the progress lines say at a moment (in ms); '' when no trial is under way. */
export function describe(events: ProgressEvent[], total: number, now: number): string {
  const starts = new Map<string, number>();
  const spent: number[] = [];
  const done = new Set<string>();
  for (const event of events) {
    if (event.event === 'started') starts.set(event.trial, Date.parse(event.at));
    if (event.event === 'kept') done.add(event.trial);
    if (event.event === 'ended') {
      spent.push(Date.parse(event.at) - (starts.get(event.trial) ?? Date.parse(event.at)));
      starts.delete(event.trial);
      done.add(event.trial);
    }
  }
  const running = [...starts.keys()];
  if (running.length === 0) return '';
  const parts = running.map((trial) => {
    const last = events.findLast((event) => event.trial === trial);
    return `${trial} ${Math.round((now - (starts.get(trial) as number)) / 1000)} s, ${last?.modelCalls ?? 0} calls, ${last?.tokens ?? 'unknown'} tokens`;
  });
  const mean = spent.length === 0 ? null : spent.reduce((a, b) => a + b, 0) / spent.length;
  const left = total - done.size;
  const eta = mean === null ? 'time left unknown' : `about ${Math.round((mean * left) / 1000)} s left`;
  return `▸ ${parts.join(' | ')} — ${done.size} of ${total} trials done, ${eta}`;
}
