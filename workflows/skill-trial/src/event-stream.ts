import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Agent } from './agent.js';
import { prettyJson } from './record.js';
import type { Trajectory } from './trajectory.js';

/**
 * The trajectory that a record's events.jsonl gives. An agent can print anything: a stream that gives more than memory can hold as one
 * text, or a value out of its range, is one without an answer, and `error` says so. A stream of a form that the lab does not know is an
 * error of the lab as before: it must not be recorded as the agent's.
 */
export async function readEventStream(folder: string, agent: Pick<Agent, 'readEvents'>): Promise<Trajectory> {
  const text = await readFile(join(folder, 'events.jsonl'), 'utf8');
  try {
    const trajectory = agent.readEvents(text);
    prettyJson(trajectory); // as it is written
    return trajectory;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return {
      response: '',
      model: null,
      startedAt: null,
      finishedAt: null,
      modelCalls: null,
      toolCalls: [],
      usage: null,
      loaded: [],
      stop: null,
      error: 'the event stream is too large, or out of range, to be read',
    };
  }
}
