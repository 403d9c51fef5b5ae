import { z } from 'zod';

/** One tool call as the agent's own event stream tells it. `line` is the line of events.jsonl that holds it, from 1. */
export const ToolCall = z.strictObject({
  line: z.int().positive(),
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  /** null: the stream holds no result (the run ended before it). */
  failed: z.boolean().nullable(),
  resultBytes: z.int().nonnegative().nullable(),
  resultLines: z.int().nonnegative().nullable(),
});
export type ToolCall = z.infer<typeof ToolCall>;

/** An agent's run in one form for all agents, read from its event stream alone. Every unknown is null. */
export const Trajectory = z.strictObject({
  /** The last answer in words; '' when there is none. */
  response: z.string(),
  model: z.string().nullable(),
  /** The runtime's own clock, where its events carry one. */
  startedAt: z.iso.datetime().nullable(),
  finishedAt: z.iso.datetime().nullable(),
  modelCalls: z.int().nonnegative().nullable(),
  toolCalls: z.array(ToolCall),
  /** The agent's own sums, in tokens; compared with the gateway's, never used in their place. */
  usage: z
    .strictObject({
      inputUncached: z.number().nullable(),
      inputCached: z.number().nullable(),
      cacheCreation: z.number().nullable(),
      output: z.number().nullable(),
    })
    .nullable(),
  /** A skill counts as loaded when the runtime says so or when its SKILL.md was read without error. */
  loaded: z.array(
    z.strictObject({ skill: z.string(), line: z.int().positive(), how: z.enum(['runtime-event', 'file-read', 'shell-read']) }),
  ),
  /** How the model's last turn ended; 'error' means the provider did not answer. */
  stop: z.string().nullable(),
  error: z.string().nullable(),
});
export type Trajectory = z.infer<typeof Trajectory>;

/** Lines that begin as an event and are none: a real stream has one or two, and each takes as long as many events. */
const mostBroken = 100_000;

/**
 * Each line of a JSONL stream with its number from 1; a line that is no JSON (a banner, a torn last line) is left out. One line at a
 * time: an agent may print more lines than an array can hold. A RangeError where more than 100,000 lines begin as JSON and are none.
 */
export function* jsonLines(text: string): Generator<{ line: number; value: Record<string, unknown> }> {
  let broken = 0;
  for (let [from, line] = [0, 1]; from < text.length; line++) {
    const end = text.indexOf('\n', from);
    const raw = text.slice(from, end === -1 ? text.length : end);
    from += raw.length + 1;
    // a flood of other lines is passed over at no cost
    if (!/^\s*[[{]/.test(raw)) continue;
    let value: Record<string, unknown> | undefined;
    try {
      value = JSON.parse(raw);
    } catch {
      broken += 1;
      if (broken > mostBroken) throw new RangeError(`more than ${mostBroken} lines are no JSON`);
    }
    if (value !== undefined) yield { line, value };
  }
}

/** The skill whose SKILL.md a path names (`…/<skill>/SKILL.md`); null when it names none. */
export function skillOfPath(path: unknown): string | null {
  return typeof path === 'string' ? (/([a-z0-9-]+)\/SKILL\.md$/.exec(path)?.[1] ?? null) : null;
}

/** Skills whose SKILL.md a shell command reads, as far as the command names the file. */
export function skillsOfCommand(command: unknown): string[] {
  return typeof command === 'string' ? [...command.matchAll(/([a-z0-9-]+)\/SKILL\.md/g)].map((match) => match[1] as string) : [];
}
