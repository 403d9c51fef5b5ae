import { z } from 'zod';
import { jsonLines, skillOfPath, skillsOfCommand, type ToolCall, type Trajectory } from './trajectory.js';

const tokens = z.int().nonnegative().nullish();
const at = z.iso.datetime().optional();

/** One line of the lab's own event form, which an agent without an adapter may print. Whatever it leaves out is unknown. */
export const LabEvent = z.discriminatedUnion('type', [
  /** One answer of the model, with the figures that the provider gave; a figure left out is unknown. */
  z.looseObject({
    type: z.literal('model'),
    at,
    model: z.string().optional(),
    input_uncached: tokens,
    input_cached: tokens,
    cache_creation: tokens,
    output: tokens,
  }),
  /** A tool that has ended. */
  z.looseObject({
    type: z.literal('tool'),
    at,
    name: z.string(),
    arguments: z.record(z.string(), z.unknown()).default({}),
    failed: z.boolean().nullish(),
    result: z.string().nullish(),
  }),
  /** The runtime itself gave the model a skill. */
  z.looseObject({ type: z.literal('skill'), at, name: z.string() }),
  z.looseObject({ type: z.literal('answer'), at, text: z.string() }),
  z.looseObject({ type: z.literal('error'), at, message: z.string() }),
]);
export type LabEvent = z.infer<typeof LabEvent>;

/**
 * A stream in the lab's own event form. Lines of another form are passed over. A file of a skill that a tool reads counts as loaded,
 * by the tool's path or command, as for every agent.
 */
export function readLabEvents(stdout: string): Trajectory {
  const toolCalls: ToolCall[] = [];
  const loaded: Trajectory['loaded'] = [];
  const figures: Extract<LabEvent, { type: 'model' }>[] = [];
  const times: string[] = [];
  let answer: string | null = null;
  let error: string | null = null;
  for (const { line, value } of jsonLines(stdout)) {
    const read = LabEvent.safeParse(value);
    if (!read.success) continue;
    const event = read.data;
    if (event.at !== undefined) times.push(event.at);
    if (event.type === 'model') figures.push(event);
    else if (event.type === 'skill') loaded.push({ skill: event.name, line, how: 'runtime-event' });
    else if (event.type === 'answer') answer = event.text;
    else if (event.type === 'error') error = event.message;
    else {
      const { name, arguments: input, failed = null, result = null } = event;
      toolCalls.push({
        ...{ line, name, arguments: input, failed },
        resultBytes: result === null ? null : Buffer.byteLength(result),
        resultLines: result === null ? null : result === '' ? 0 : result.split('\n').length,
      });
      if (failed === false) loaded.push(...loadsOf(input, line));
    }
  }
  times.sort();
  return {
    response: error === null ? (answer ?? '') : '',
    model: figures.findLast((one) => one.model !== undefined)?.model ?? null,
    startedAt: times[0] ?? null,
    finishedAt: times.at(-1) ?? null,
    modelCalls: figures.length === 0 ? null : figures.length,
    toolCalls,
    usage:
      figures.length === 0
        ? null
        : {
            inputUncached: sumOf(figures.map((one) => one.input_uncached)),
            inputCached: sumOf(figures.map((one) => one.input_cached)),
            cacheCreation: sumOf(figures.map((one) => one.cache_creation)),
            output: sumOf(figures.map((one) => one.output)),
          },
    loaded,
    stop: error === null ? (answer === null ? null : 'answer') : 'error',
    error,
  };
}

function loadsOf(input: Record<string, unknown>, line: number): Trajectory['loaded'] {
  const texts = Object.values(input).filter((value) => typeof value === 'string');
  const paths = texts.flatMap((text) => skillOfPath(text) ?? []);
  if (paths.length > 0) return paths.map((skill) => ({ skill, line, how: 'file-read' }));
  return texts.flatMap(skillsOfCommand).map((skill) => ({ skill, line, how: 'shell-read' }));
}

function sumOf(figures: (number | null | undefined)[]): number | null {
  return figures.every((figure) => typeof figure === 'number') ? (figures as number[]).reduce((a, b) => a + b, 0) : null;
}
