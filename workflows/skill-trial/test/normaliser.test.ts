import { describe, expect, test } from 'vitest';
import { normaliseBody, normalisers, normaliseText, sameRequest } from '../src/normaliser.js';

const uuid = (digit: string) =>
  `${digit.repeat(8)}-${digit.repeat(4)}-7${digit.repeat(3)}-a${digit.repeat(3)}-${digit.repeat(12)}`;
const json = (value: unknown) => JSON.stringify(value);

describe('what differs from run to run although nothing has changed', () => {
  test.each<[string, string, string]>([
    ['date of today', 'Current date: 2026-11-30\\nCurrent', 'Current date: 2027-01-02\\nCurrent'],
    ['date of today', '<current_date>2026-11-30</current_date>', '<current_date>2026-12-01</current_date>'],
    ['UUID', `{"id":"msg_${uuid('1')}"}`, `{"id":"msg_${uuid('2')}"}`],
    ['device id', `{\\"device_id\\":\\"${'a'.repeat(64)}\\"}`, `{\\"device_id\\":\\"${'b'.repeat(64)}\\"}`],
    ['duration of a test', 'duration_ms: 12.5\\n# duration_ms 340', 'duration_ms: 3\\n# duration_ms 1200.25'],
    ['duration of a test, in words', '3 passed in 0.03s', '3 passed in 12.30s'],
    ['duration of a test, in words', '✔ works (1.25ms)', '✔ works (10.5ms)'],
    ['wall time of a command', 'Wall time: 0.0000 seconds', 'Wall time: 12.5 seconds'],
    ['token count of an output', 'Original token count: 418', 'Original token count: 1419'],
    ['chunk id of a command', 'Chunk ID: dc5c6e', 'Chunk ID: 012345'],
    ['time of the turn', '\\"turn_started_at_unix_ms\\":1796018138579', '\\"turn_started_at_unix_ms\\":1796019290876'],
    ['state of the workspace', '{\\"workspaces\\":{\\"/workspace\\":{\\"has_changes\\":false}},\\"x\\":1}', '{\\"x\\":1}'],
    ['temporary folder', 'in /tmp/pi-bash-a1B2c3/out', 'in /tmp/pi-bash-Zz9Yy8/out'],
  ])('%s', (name, first, second) => {
    const uses = new Map<string, number>();
    expect(normaliseText(first, uses)).toBe(normaliseText(second));
    expect([...uses.keys()]).toEqual([name]);
    expect(normalisers.map((row) => row.name)).toContain(name);
  });

  test('other numbers, dates and names stay', () => {
    const text = 'released 2026-11-30, within 30 seconds (2 minutes), id 12345, /tmp/notes.txt, in 5s';
    expect(normaliseText(text)).toBe(text);
  });
});

describe('the order in which tools end', () => {
  const anthropic = (ids: string[]) =>
    json({
      messages: [
        {
          role: 'user',
          content: ids.map((id, index) => ({
            type: 'tool_result',
            tool_use_id: id,
            content: `result of ${id}`,
            ...(index === ids.length - 1 ? { cache_control: { type: 'ephemeral' } } : {}),
          })),
        },
      ],
    });

  test('is no difference in any dialect, and the mark of the cache stays last', () => {
    const uses = new Map<string, number>();
    expect(normaliseBody(anthropic(['b', 'a', 'c']), uses)).toBe(normaliseBody(anthropic(['c', 'b', 'a'])));
    expect(uses.get('order of tool results')).toBe(1);
    const chat = (ids: string[]) => json({ messages: ids.map((id) => ({ role: 'tool', tool_call_id: id, content: id })) });
    const responses = (ids: string[]) =>
      json({ input: ids.map((id) => ({ type: 'function_call_output', call_id: id, output: id })) });
    for (const form of [chat, responses]) expect(normaliseBody(form(['a', 'b']))).toBe(normaliseBody(form(['b', 'a'])));
  });

  test('a result that is another is one, and results of different turns are not mixed', () => {
    expect(normaliseBody(anthropic(['a', 'b']))).not.toBe(normaliseBody(anthropic(['a', 'c'])));
    const turns = (first: string, second: string) =>
      json({ messages: [{ role: 'tool', tool_call_id: first }, { role: 'assistant' }, { role: 'tool', tool_call_id: second }] });
    expect(normaliseBody(turns('a', 'b'))).not.toBe(normaliseBody(turns('b', 'a')));
  });

  test('the order of keys is no difference', () => {
    expect(normaliseBody('{"a":1,"b":{"c":1,"d":2}}')).toBe(normaliseBody('{"b":{"d":2,"c":1},"a":1}'));
  });
});

describe('the place of a cut', () => {
  const lines = Array.from({ length: 60 }, (_, index) => `line ${index}`);
  /** The lines with a cut between two of them, each side ending in half a line. */
  const cutAt = (head: number, tail: number, all = lines) =>
    json({
      output: [...all.slice(0, head), 'hal', '', '... [2823 characters truncated] ...', '', 'f a line', ...all.slice(tail)].join(
        '\n',
      ),
    });
  const same = (a: string, b: string) => sameRequest(normaliseBody(a), normaliseBody(b));

  test('may move by up to 10 lines on each side', () => {
    expect(same(cutAt(20, 40), cutAt(21, 38))).toBe(true);
    expect(same(cutAt(20, 40), cutAt(30, 40))).toBe(true);
    expect(same(cutAt(20, 40), cutAt(31, 40))).toBe(false);
    expect(same(cutAt(20, 40), cutAt(20, 51))).toBe(false);
  });

  test('hides no other difference', () => {
    const other = lines.with(5, 'line five');
    const late = lines.with(55, 'another');
    expect(same(cutAt(20, 40), cutAt(20, 40, other))).toBe(false);
    expect(same(cutAt(20, 40), cutAt(21, 39, late))).toBe(false);
    expect(same(json({ output: 'a' }), json({ output: 'b' }))).toBe(false);
    expect(same(cutAt(20, 40), json({ output: lines.join('\n') }))).toBe(false);
  });
});
