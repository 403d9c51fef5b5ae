import { readCalls } from './recording.js';
import type { Study } from './study.js';
import { readTrajectory, type SavedTrial, type TrialStatus } from './trial-record.js';

/** One trial over time. Every time is in seconds since the run started; null where it is not known. */
export interface Timeline {
  id: string;
  case: string;
  arm: string;
  repeat: number;
  status: TrialStatus;
  elapsedSeconds: number;
  calls: {
    /** The number in calls.jsonl. */
    call: number;
    start: number;
    end: number;
    /** The whole prompt, cached or not. */
    promptTokens: number | null;
    outputTokens: number | null;
    error: string | null;
  }[];
  /** `at` is when the model had asked for it: when it began is in no record that all agents have. */
  tools: { name: string; call: number | null; at: number | null; failed: boolean | null }[];
  /** `at` is the first request that held the skill's text; where no request does, when the model asked to read it. */
  loads: { skill: string; at: number | null }[];
  /** Whether the event stream names exactly as many tool calls as the recorded answers: else their places may be wrong. */
  matched: boolean;
}

/** The timelines of a study's recorded trials, in schedule order. */
export async function readTimelines(study: Pick<Study, 'trials'>): Promise<Timeline[]> {
  const timelines: Timeline[] = [];
  // one record at a time: all of them at once may be more than memory holds
  for (const trial of study.trials) timelines.push(await readTimeline(trial));
  return timelines;
}

async function readTimeline({ folder, record, attestation }: SavedTrial): Promise<Timeline> {
  const trajectory = await readTrajectory(folder);
  const recorded = await readCalls(folder);
  const first = recorded[0];
  // the gateway's clock is monotonic, but its zero is not the run's: one wall-clock difference joins the two
  const zero = first === undefined ? 0 : first.startedMs - Math.max(0, Date.parse(first.at) - Date.parse(record.startedAt));
  const seconds = (ms: number) => Math.round(ms - zero) / 1000;
  const answered = recorded.filter((call) => call.kind === 'model-call');
  const asking = answered.flatMap((call) => Array.from({ length: call.toolCalls }, () => call));
  const placed = trajectory.toolCalls.map((tool, index) => ({ tool, call: asking[index] ?? null }));
  const loadedAt = (skill: string): number | null => {
    const seen = attestation.bodies.find((body) => body.skill === skill);
    const request = recorded.find((call) => call.seq === seen?.call);
    if (request !== undefined) return seconds(request.startedMs);
    const line = trajectory.loaded.find((load) => load.skill === skill)?.line ?? 0;
    const reading = placed.findLast(({ tool }) => tool.line <= line)?.call ?? null;
    return reading === null ? null : seconds(reading.endedMs);
  };
  const skills = [...new Set([...trajectory.loaded, ...attestation.bodies].map((load) => load.skill))].sort();
  return {
    id: record.id,
    case: record.case,
    arm: record.arm,
    repeat: record.repeat,
    status: record.status,
    elapsedSeconds: record.elapsedSeconds,
    calls: answered.map((call) => ({
      call: call.seq,
      start: seconds(call.startedMs),
      end: seconds(call.endedMs),
      promptTokens: call.usage?.inputTotal ?? null,
      outputTokens: call.usage?.output ?? null,
      error: call.error,
    })),
    tools: placed.map(({ tool, call }) => ({
      name: tool.name,
      call: call?.seq ?? null,
      at: call === null ? null : seconds(call.endedMs),
      failed: tool.failed,
    })),
    loads: skills.map((skill) => ({ skill, at: loadedAt(skill) })),
    matched: asking.length === trajectory.toolCalls.length,
  };
}
