import { canonicalJson } from './hash.js';
import { parseJson } from './wires/body.js';

/** A part of a request that differs from run to run although nothing has changed, and what it is replaced by before two are compared. */
export interface Normaliser {
  name: string;
  /** Global; sought in the request's text, in which a line break within a JSON string reads `\n` and a quote `\"`. */
  pattern: RegExp;
  /** With $1, $2, … for what the pattern keeps. */
  replacement: string;
  why: string;
}

/** How a request is brought to a text at all, before the normalisers of text are applied; counted and recorded like them. */
const toolOrder = {
  name: 'order of tool results',
  pattern: 'results of the tools that one turn called, next to each other in one list',
  replacement: 'sorted by the id of their call; a mark of the cache keeps its place',
  why: 'tools that run at the same time end in any order, and their results are sent as they end',
};
const keyOrder = {
  name: 'order of keys',
  pattern: 'JSON',
  replacement: 'JSON with sorted keys',
  why: 'some agents write the keys of a map in no fixed order',
};

const cut = /(?:\\n)*(?:\.\.\. \[\d+ characters truncated\] \.\.\.|…\d+ (?:tokens|chars|lines) truncated…)(?:\\n)*/;
const cutPlace = {
  name: 'place of a cut',
  pattern: String(cut),
  replacement: 'on both sides of a cut one request may have up to 10 lines more than the other',
  why: 'agents cut the middle of a long output by letters, and durations have more letters or fewer',
};
const cutLines = 10;

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

/** The normalisers of text, applied in this order. */
const texts: readonly Normaliser[] = [
  {
    name: 'date of today',
    pattern: /((?:Current date: |Today's date is |<current_date>))\d{4}-\d\d-\d\d/g,
    replacement: '$1<date>',
    why: 'agents tell the model the date on which they run',
  },
  {
    name: 'UUID',
    pattern: new RegExp(`(?<![0-9a-f-])${uuid}(?![0-9a-f-])`, 'g'),
    replacement: '<uuid>',
    why: 'agents name sessions, turns and messages by random ids',
  },
  {
    name: 'device id',
    pattern: /(device_id\\*": *\\*")[0-9a-f]{64}/g,
    replacement: '$1<device>',
    why: 'Claude Code draws one for each new configuration folder',
  },
  {
    name: 'duration of a test',
    pattern: /(duration_ms:? )\d+(?:\.\d+)?/g,
    replacement: '$1<ms>',
    why: "node --test prints how long each test took; the first form is TAP's, the second its summary's",
  },
  {
    name: 'duration of a test, in words',
    pattern: /(\bin |\()\d+\.\d+( ?ms\)|s\b)/g,
    replacement: '$1<time>$2',
    why: 'pytest prints "in 0.03s", the spec reporter of node --test "(1.234ms)"',
  },
  {
    name: 'wall time of a command',
    pattern: /(Wall time: )\d+(?:\.\d+)?( seconds)/g,
    replacement: '$1<s>$2',
    why: 'Codex tells the model how long a command took',
  },
  {
    name: 'token count of an output',
    pattern: /(Original token count: )\d+/g,
    replacement: '$1<tokens>',
    why: 'Codex estimates the tokens of an output from its length, and durations have more letters or fewer',
  },
  {
    name: 'token count of a cut output',
    pattern: /(original token count: )\d+/g,
    replacement: '$1<tokens>',
    why: 'Codex says it again in the warning of an output that it cut',
  },
  {
    name: 'cut within a line',
    pattern: /[^\n\\]*…\d+ chars truncated…[^\n\\]*/g,
    replacement: '…0 chars truncated…',
    why: 'Codex cuts by letters, in the middle of a line, and durations before it have more letters or fewer',
  },
  {
    name: 'chunk id of a command',
    pattern: /(Chunk ID: )[0-9a-f]+/g,
    replacement: '$1<id>',
    why: 'Codex gives each piece of output a random id',
  },
  {
    name: 'time of the turn',
    pattern: /(unix_ms\\*": *)\d{13}/g,
    replacement: '$1<time>',
    why: 'Codex sends the time at which its turn began, outside of what the model reads',
  },
  {
    name: 'state of the workspace',
    pattern: /\\"workspaces\\":\{\\"[^{}]*\{[^{}]*\}\},/g,
    replacement: '',
    why: 'Codex sends what git says of the folder where git answered in time, outside of what the model reads',
  },
  {
    name: 'temporary folder',
    pattern: /(\/tmp\/(?:[A-Za-z-]+[-.])?)[A-Za-z0-9]{6,10}(?=[/"'\\\s:)])/g,
    replacement: '$1<random>',
    why: 'programs make temporary folders with random names',
  },
];

/** Every declared normaliser, as a replay's result lists them. */
export const normalisers = [keyOrder, toolOrder, cutPlace, ...texts.map((row) => ({ ...row, pattern: String(row.pattern) }))];

/** A request's body in the form in which two are compared; adds to `uses` how often each normaliser changed something, by its name. */
export function normaliseBody(text: string, uses: Map<string, number> = new Map()): string {
  const json = parseJson(text);
  if (json === undefined) return normaliseText(text, uses);
  const sorted = canonicalJson(sortResults(json, uses));
  return normaliseText(sorted, uses);
}

/** A text with every volatile part replaced. */
export function normaliseText(text: string, uses: Map<string, number> = new Map()): string {
  let out = text;
  for (const { name, pattern, replacement } of texts) {
    out = out.replace(pattern, (...match) => {
      count(uses, name);
      return replacement.replace(/\$(\d)/g, (_, group) => String(match[Number(group)] ?? ''));
    });
  }
  return out;
}

/** Whether two normalised bodies are the same, but for where the cuts of long outputs fell. */
export function sameRequest(recorded: string, asked: string, uses: Map<string, number> = new Map()): boolean {
  if (recorded === asked) return true;
  const [before, after] = [recorded.split(cut), asked.split(cut)];
  if (before.length === 1 || before.length !== after.length) return false;
  const last = before.length - 1;
  const same = before.every((part, index) => samePart(part, after[index] as string, index > 0, index < last));
  if (same) count(uses, cutPlace.name);
  return same;
}

/** A part between two cuts: line by line, without the half line at a cut, and with up to 10 lines more on one side there. */
function samePart(a: string, b: string, cutBefore: boolean, cutAfter: boolean): boolean {
  const lines = (text: string) => text.split('\\n').slice(cutBefore ? 1 : 0, cutAfter ? -1 : undefined);
  const [left, right] = [lines(a), lines(b)];
  const shifts = cutBefore ? Array.from({ length: 2 * cutLines + 1 }, (_, index) => index - cutLines) : [0];
  return shifts.some((shift) => {
    const [one, other] = [left.slice(Math.max(0, shift)), right.slice(Math.max(0, -shift))];
    if (Math.abs(one.length - other.length) > (cutAfter ? cutLines : 0)) return false;
    return one.slice(0, other.length).every((line, index) => line === other[index]);
  });
}

function count(uses: Map<string, number>, name: string): void {
  uses.set(name, (uses.get(name) ?? 0) + 1);
}

/** The id of the call that an item answers, in any dialect; null where it is no tool's result. */
function answeredCall(item: unknown): string | null {
  const { type, role, tool_use_id, tool_call_id, call_id } = (item ?? {}) as Record<string, unknown>;
  if (type === 'tool_result') return String(tool_use_id);
  if (role === 'tool') return String(tool_call_id);
  return typeof type === 'string' && type.endsWith('_call_output') ? String(call_id) : null;
}

function sortResults(value: unknown, uses: Map<string, number>): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => sortResults(item, uses));
    for (let from = 0; from < items.length; from += 1) {
      let to = from;
      while (to < items.length && answeredCall(items[to]) !== null) to += 1;
      if (to - from > 1) items.splice(from, to - from, ...sortRun(items.slice(from, to) as Record<string, unknown>[], uses));
      from = Math.max(from, to - 1);
    }
    return items;
  }
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, sortResults(item, uses)]));
}

/** Results sorted by their call. Anthropic's mark of the cache stands on the last block, whichever that is: it keeps its place. */
function sortRun(run: Record<string, unknown>[], uses: Map<string, number>): Record<string, unknown>[] {
  const ids = run.map((item) => answeredCall(item) as string);
  const order = run.map((_, index) => index).sort((a, b) => compare(ids[a] as string, ids[b] as string) || a - b);
  if (order.some((at, index) => at !== index)) count(uses, toolOrder.name);
  return order.map((at, index) => {
    const { cache_control: _own, ...item } = run[at] as Record<string, unknown>;
    const mark = run[index]?.cache_control;
    return mark === undefined ? item : { ...item, cache_control: mark };
  });
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
