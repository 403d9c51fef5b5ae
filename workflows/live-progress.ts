import logUpdate from 'log-update';
import {
  type Lab,
  type Outlook,
  outlook,
  outlookWords,
  type ProgressEvent,
  progressFollower,
  recordedTrials,
  trialsOfArm,
  underWay,
} from 'skill-trial';

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
  let [ended, recorded] = [-1, 0];
  const follow = progressFollower(lab.run.progress);
  const draw = async () => {
    const events = await follow();
    const over = events.filter(({ event }) => event === 'ended' || event === 'kept').length;
    // records are counted when there may be more of them, not at every drawing
    if (over !== ended) [ended, recorded] = [over, await recordedTrials(lab)];
    line = describe(events, outlook(events, { recorded, total }), Date.now());
    if (line !== '') logUpdate(line);
  };
  let drawing = false;
  const timer = setInterval(() => {
    if (drawing) return;
    drawing = true;
    void draw()
      .catch(() => undefined)
      .finally(() => (drawing = false));
  }, 250);
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
export function describe(events: readonly ProgressEvent[], left: Outlook, now: number): string {
  const starts = underWay(events);
  const running = [...starts.keys()];
  if (running.length === 0) return '';
  const parts = running.map((trial) => {
    const last = events.findLast((event) => event.trial === trial);
    return `${trial} ${Math.round((now - (starts.get(trial) as number)) / 1000)} s, ${last?.modelCalls ?? 0} calls, ${last?.tokens ?? 'unknown'} tokens`;
  });
  return `▸ ${parts.join(' | ')} — ${outlookWords(left)}`;
}
