import { z } from 'zod';
import { CallUsage } from './usage.js';

/** A tool call as the model wrote it. `arguments` is the parsed JSON, or the raw text where that is not JSON. */
export const ToolCall = z.strictObject({ id: z.string(), name: z.string(), arguments: z.unknown() });
export type ToolCall = z.infer<typeof ToolCall>;

/** One turn of the conversation that a request carries. A tool's result is a turn of its own, in every dialect. */
export const Turn = z.strictObject({
  role: z.enum(['user', 'assistant', 'tool']),
  text: z.string(),
  toolCalls: z.array(ToolCall),
  /** The id of the tool call that a `tool` turn answers; null in other turns. */
  toolResultFor: z.string().nullable(),
});
export type Turn = z.infer<typeof Turn>;

/** A model request in one form for every dialect. */
export const ModelRequest = z.strictObject({
  model: z.string(),
  /** Everything that shapes the answer but the conversation: temperature, max_tokens, reasoning, … as the agent sent it. */
  parameters: z.record(z.string(), z.unknown()),
  /** All system and developer text, in order, joined by blank lines. */
  system: z.string(),
  tools: z.array(z.strictObject({ name: z.string(), description: z.string(), schema: z.unknown() })),
  turns: z.array(Turn),
  stream: z.boolean(),
});
export type ModelRequest = z.infer<typeof ModelRequest>;

/** A model response in one form for every dialect, read from the bytes that were recorded. */
export const ModelResponse = z.strictObject({
  /** The model that answered, as the provider names it; null where it does not say. */
  model: z.string().nullable(),
  text: z.string(),
  toolCalls: z.array(ToolCall),
  /** Why the model stopped, in the dialect's own word; null where the response never said. */
  stop: z.string().nullable(),
  /** Null where the provider gave no figures at all. */
  usage: CallUsage.nullable(),
  /** Whether the response reached its proper end: false for a stream cut short or a body that is no JSON. */
  complete: z.boolean(),
  /** The provider's error text, or what made the response unreadable; null where neither. */
  error: z.string().nullable(),
});
export type ModelResponse = z.infer<typeof ModelResponse>;

/** One question of the lab's own to a model. */
export interface Question {
  model: string;
  system: string;
  prompt: string;
}

/** What a scripted model says in one turn, before a dialect gives it its form. */
export interface Reply {
  /** Unique within the conversation; the ids of the message and its parts derive from it. */
  id: string;
  model: string;
  text: string;
  toolCalls: ToolCall[];
  usage: CallUsage;
}

/** A user turn without the blocks that an agent adds around what the user said: reminders, the environment. */
export function withoutAddedBlocks(text: string): string {
  return text.replace(/<(system-reminder|environment_context|user_instructions|session_context)>[\s\S]*?<\/\1>\s*/g, '');
}

/** The parsed JSON of a tool call's arguments, or the text itself where it is not JSON (a stream cut short). */
export function parseArguments(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
