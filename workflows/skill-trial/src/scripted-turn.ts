import { type ModelRequest, type Turn, withoutAddedBlocks } from './model-call.js';
import { choosePlan, type Fault, holds, type Script, type Situation } from './script.js';
import { dialectOf, type ToolDialect, type ToolUse, toolDialects } from './tool-dialect.js';
import { type CallUsage, usageFromTotal } from './usage.js';

/** What the scripted model does next: it fails, or it says something and calls tools (none: the run ends). */
export type ScriptedTurn = { fault: Fault } | { fault: null; text: string; toolUses: ToolUse[] };

/** Prompts shorter than this many characters are no coding task and are answered "42". */
export const SHORT_PROMPT = 120;

/**
 * The next turn of the conversation that a request carries. All of it follows from the request, the script, the repeat and the
 * seed; nothing is remembered between calls. In this order:
 * 1. a prompt that asks which skills there are is answered with the names in the catalogue, or `diagnosticAnswer`;
 * 2. a prompt under 120 characters, or a request without tools (an agent's request for a title), is answered "42";
 * 3. anything else is the task: load the skills offered (if the script does), then the plan's turns, then its final answer;
 *    a prompt that follows the final answer in the same conversation gets the plan's answer to it.
 * Throws a TypeError where the tools offered are no known agent's.
 */
export function nextTurn(
  request: ModelRequest,
  script: Script,
  options: Omit<Situation, 'loaded' | 'told'> & { diagnosticAnswer?: string },
): ScriptedTurn {
  const prompt = promptOf(request.turns);
  const dialect = dialectOf(request);
  const rows: readonly ToolDialect[] = dialect === null ? toolDialects : [dialect];
  const catalogue = rows.flatMap((row) => row.catalogue(request));
  if (/which .*skills/i.test(prompt)) {
    const names = catalogue.map((entry) => `- ${entry.name}`).join('\n');
    const answer =
      options.diagnosticAnswer ?? (names === '' ? 'No skills are available.' : `These skills are available:\n${names}`);
    return { fault: null, text: answer, toolUses: [] };
  }
  if (prompt.length < SHORT_PROMPT || request.tools.length === 0) return { fault: null, text: '42', toolUses: [] };
  if (dialect === null)
    throw new TypeError(`no known agent offers the tools ${request.tools.map((tool) => tool.name).join(', ')}`);

  const said = request.turns.filter((turn) => turn.role === 'assistant').length;
  const told = request.turns.flatMap(({ role, text }) => (role === 'assistant' ? [] : [text])).join('\n');
  const situation = { ...options, loaded: dialect.loaded(request.turns), told };
  const { fault } = script;
  if (fault !== null && fault.at_call === said + 1 && holds(fault.when, 'fault', situation)) return { fault };
  const loads = script.load_skills === 'all' && catalogue.length > 0 ? 1 : 0;
  if (said < loads) return { fault: null, text: '', toolUses: catalogue.map((entry) => dialect.load(entry, request)) };
  const plan = choosePlan(script, situation);
  const answered = followUpsOf(request.turns);
  if (answered > 0) return { fault: null, text: plan.followUps?.[answered - 1] ?? plan.response, toolUses: [] };
  const turn = plan.turns[said - loads];
  if (turn === undefined) return { fault: null, text: plan.response, toolUses: [] };
  return { fault: null, text: turn.say, toolUses: turn.actions.map((action) => dialect.act(action, request)) };
}

/** How many prompts came after a final answer, which calls no tool. */
function followUpsOf(turns: readonly Turn[]): number {
  return turns.filter((turn, index) => {
    const before = turns[index - 1];
    return turn.role === 'user' && before?.role === 'assistant' && before.toolCalls.length === 0;
  }).length;
}

/**
 * What the user asked, without what agents put among it: reminders and environment. The first, since a session has one prompt and
 * later user turns are an agent's own (the text of a skill that Claude Code has loaded).
 */
function promptOf(turns: readonly Turn[]): string {
  const texts = turns.filter((turn) => turn.role === 'user').map((turn) => withoutAddedBlocks(turn.text).trim());
  return texts.find((text) => text !== '') ?? '';
}

/**
 * The scripted model's own figures, in tokens of four UTF-8 bytes: an invention, but one that follows from the request alone. What
 * stood before the model's last turn counts as cached, as it was the prompt of the call before; on a first call nothing does.
 */
export function scriptedUsage(request: ModelRequest, output: string): CallUsage {
  const lastSaid = request.turns.findLastIndex((turn) => turn.role === 'assistant');
  return usageFromTotal({
    inputTotal: promptTokens(request, request.turns),
    inputCached: lastSaid === -1 ? 0 : promptTokens(request, request.turns.slice(0, lastSaid)),
    output: Math.max(1, tokensOf(output)),
    reasoning: null,
  });
}

/** The length of a whole prompt, in the scripted model's tokens. */
export function promptTokens({ system, tools }: ModelRequest, turns: readonly Turn[]): number {
  return tokensOf([system, JSON.stringify(tools), ...turns.map((turn) => JSON.stringify(turn))].join('\n'));
}

function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}
