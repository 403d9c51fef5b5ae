import { spawn } from 'node:child_process';
import { appendFile, lstat, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RecordError } from '../src/errors.js';
import { isAlive } from '../src/file-lock.js';
import { appendLedger, type LedgerEvent, type LedgerLine, parseLedger, readLedger } from '../src/ledger.js';
import { failure, tempFolder } from './fixture.js';

const hex = (digit: string) => digit.repeat(64);
const now = () => new Date('2026-01-01T00:00:00Z');
const started = (attempt: number): LedgerEvent => ({ kind: 'started', trial: 'c.A.1', spec: hex('a'), attempt });
const events: LedgerEvent[] = [
  { kind: 'lock', lock: hex('1'), conditions: hex('2') },
  started(1),
  {
    kind: 'ended',
    trial: 'c.A.1',
    spec: hex('a'),
    attempt: 1,
    outcome: 'infrastructure',
    reason: 'status 503 — später',
    record: null,
  },
  started(2),
  { kind: 'ended', trial: 'c.A.1', spec: hex('a'), attempt: 2, outcome: 'recorded', reason: 'the agent ran', record: hex('b') },
];

async function ledger(): Promise<{ file: string; lines: LedgerLine[]; text: string }> {
  const file = join(await tempFolder(), 'run', 'ledger.jsonl');
  for (const event of events) await appendLedger(file, event, now);
  return { file, lines: await readLedger(file), text: await readFile(file, 'utf8') };
}

/** Two writers of compiled code: spawned, so that they are processes of their own. */
const built = pathToFileURL(fileURLToPath(new URL('../dist/ledger.js', import.meta.url))).href;
function writer(file: string, name: string, count: number): Promise<number | null> {
  const code = `import { appendLedger } from ${JSON.stringify(built)};
    for (let attempt = 1; attempt <= ${count}; attempt++)
      await appendLedger(${JSON.stringify(file)}, { kind: 'started', trial: ${JSON.stringify(name)}, spec: ${JSON.stringify(hex('a'))}, attempt }, () => new Date());`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], { stdio: 'inherit' });
  return new Promise((resolve) => child.once('exit', resolve));
}

describe('the chain', () => {
  test('every line holds the hash of the one before, from zeros on', async () => {
    const { lines } = await ledger();
    expect(lines.map((line) => line.seq)).toEqual([0, 1, 2, 3, 4]);
    expect(lines.map((line) => line.event)).toEqual(events);
    expect(lines[0]?.previous).toBe(hex('0'));
    for (const [index, line] of lines.entries()) if (index > 0) expect(line.previous).toBe(lines[index - 1]?.hash);
  });

  test('a ledger that is not there is empty', async () => {
    expect(await readLedger('/nonexistent/ledger.jsonl')).toEqual([]);
  });

  test('one byte altered anywhere is found: no altered ledger reads the same', async () => {
    const { file, lines } = await ledger();
    const bytes = await readFile(file);
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, mask) => {
        const altered = Buffer.from(bytes);
        altered[at] = (altered[at] as number) ^ mask;
        let read: LedgerLine[];
        try {
          read = parseLedger(altered.toString(), 'ledger.jsonl');
        } catch (error) {
          expect(error).toBeInstanceOf(RecordError);
          return;
        }
        // the last line break alone may go: every line still reads as it was
        expect(at === bytes.length - 1 ? read : 'unnoticed').toEqual(lines);
      }),
      { numRuns: 400 },
    );
  });

  test.each<[string, (lines: string[]) => string[], RegExp]>([
    ['deleted', (lines) => lines.toSpliced(2, 1), /:3: the ledger was altered/],
    ['moved', (lines) => [lines[0], lines[2], lines[1], ...lines.slice(3)] as string[], /:2: the ledger was altered/],
    ['doubled', (lines) => lines.toSpliced(2, 0, lines[1] as string), /:3: the ledger was altered/],
    ['no JSON', (lines) => lines.with(1, 'x'), /:2: the ledger was altered/],
    [
      'of another schema version',
      (lines) => lines.with(1, (lines[1] as string).replace('"schemaVersion":1', '"schemaVersion":2')),
      /:2: schemaVersion/,
    ],
  ])('a middle line that is %s is found and named', async (_what, change, message) => {
    const { text } = await ledger();
    const altered = `${change(text.trimEnd().split('\n')).join('\n')}\n`;
    expect((await failure(RecordError, () => parseLedger(altered, 'ledger.jsonl'))).message).toMatch(message);
  });

  test('a line hashed anew breaks the line after it', async () => {
    const { lines, file } = await ledger();
    const other = join(await tempFolder(), 'ledger.jsonl');
    for (const event of [...events.slice(0, 2), started(9)]) await appendLedger(other, event, now);
    const forged = (await readFile(other, 'utf8')).trimEnd().split('\n')[2] as string;
    const text = (await readFile(file, 'utf8')).trimEnd().split('\n').with(2, forged).join('\n');
    expect(lines).toHaveLength(5);
    expect((await failure(RecordError, () => parseLedger(text, 'l'))).message).toMatch(/^l:4:/);
  });

  test('an altered ledger is not appended to', async () => {
    const { file, text } = await ledger();
    await writeFile(file, text.replace('503', '502'));
    await failure(RecordError, () => appendLedger(file, started(3), now));
    expect(await readFile(file, 'utf8')).toBe(text.replace('503', '502'));
  });
});

describe('a kill in the middle of a write', () => {
  test('wherever the last line is cut, the others are kept and the next append goes on from them', async () => {
    const { text, lines } = await ledger();
    const start = text.lastIndexOf('\n', text.length - 2) + 1;
    const folder = await tempFolder();
    for (const [index, cut] of [start + 1, start + 30, text.length - 2].entries()) {
      const file = join(folder, `${index}.jsonl`);
      await writeFile(file, text.slice(0, cut));
      expect(await readLedger(file)).toEqual(lines.slice(0, 4));
      expect((await appendLedger(file, started(3), now)).seq).toBe(4);
      expect((await readLedger(file)).map((line) => line.event)).toEqual([...events.slice(0, 4), started(3)]);
    }
  });

  test('a whole last line that lacks only its line break is kept', async () => {
    const { file, text, lines } = await ledger();
    await writeFile(file, text.trimEnd());
    expect(await readLedger(file)).toEqual(lines);
    await appendLedger(file, started(3), now);
    expect((await readLedger(file)).slice(0, 5)).toEqual(lines);
  });

  test('a first line cut short is dropped, and the ledger begins anew', async () => {
    const file = join(await tempFolder({ 'ledger.jsonl': '{"schemaVersion":1,"se' }), 'ledger.jsonl');
    expect(await readLedger(file)).toEqual([]);
    await appendLedger(file, started(1), now);
    expect((await readLedger(file)).map((line) => line.event)).toEqual([started(1)]);
  });

  test('a cut within a letter of several bytes is a cut like any other', async () => {
    const { file } = await ledger();
    const bytes = await readFile(file);
    await writeFile(file, Buffer.concat([bytes, Buffer.from('{"at":"ä').subarray(0, -1)]));
    await appendLedger(file, started(3), now);
    expect(await readLedger(file)).toHaveLength(6);
  });
});

describe('several writers', () => {
  test('two processes that append at once lose nothing and leave no lock', async () => {
    const folder = await tempFolder();
    const file = join(folder, 'ledger.jsonl');
    expect(await Promise.all([writer(file, 'one', 20), writer(file, 'two', 20)])).toEqual([0, 0]);
    const lines = await readLedger(file);
    for (const name of ['one', 'two']) {
      const own = lines.flatMap(({ event }) => (event.kind === 'started' && event.trial === name ? [event.attempt] : []));
      expect(own).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    }
    expect(await readdir(folder)).toEqual(['ledger.jsonl']);
  });

  test('appends of one process at once wait for each other', async () => {
    const file = join(await tempFolder(), 'ledger.jsonl');
    await Promise.all(Array.from({ length: 10 }, (_, index) => appendLedger(file, started(index + 1), now)));
    expect(await readLedger(file)).toHaveLength(10);
  });

  /** The id of a process that has ended. */
  const deadPid = () =>
    new Promise<number>((resolve) => {
      const child = spawn('true');
      child.once('close', () => resolve(child.pid as number));
    });

  test('the lock of a process that has ended is taken over, by many at once too', async () => {
    const folder = await tempFolder();
    const file = join(folder, 'ledger.jsonl');
    const dead = await deadPid();
    expect(isAlive(dead)).toBe(false);
    await symlink(`${dead}.1.token`, `${file}.lock`);
    expect(await Promise.all([writer(file, 'one', 5), writer(file, 'two', 5), writer(file, 'three', 5)])).toEqual([0, 0, 0]);
    expect(await readLedger(file)).toHaveLength(15);
    expect(await readdir(folder)).toEqual(['ledger.jsonl']);
  });

  test('a process that ended while it took a lock over is no obstacle', async () => {
    const file = join(await tempFolder(), 'ledger.jsonl');
    const dead = await deadPid();
    await symlink(`${dead}.1.token`, `${file}.lock`);
    await symlink(`${dead}.2.token`, `${file}.lock.takeover`);
    await appendLedger(file, started(1), now);
    expect(await readLedger(file)).toHaveLength(1);
  });

  test('a process number that was given out again is not mistaken for the owner', async () => {
    if (process.platform !== 'linux') return;
    const file = join(await tempFolder(), 'ledger.jsonl');
    await symlink(`${process.pid}.1.token`, `${file}.lock`); // this process did not start at tick 1
    await appendLedger(file, started(1), now);
    expect(await readLedger(file)).toHaveLength(1);
  });

  test('a failing append gives its lock back', async () => {
    const { file, text } = await ledger();
    await writeFile(file, text.replace('503', '502'));
    await failure(RecordError, () => appendLedger(file, started(3), now));
    expect(await lstat(`${file}.lock`).catch(() => 'none')).toBe('none');
  });

  test('events of an unknown kind are none', async () => {
    const { file, text } = await ledger();
    await appendFile(
      file,
      `${text.trimEnd().split('\n')[4]?.replace('"seq":4', '"seq":5').replace('"kind":"ended"', '"kind":"erased"')}\n`,
    );
    await failure(RecordError, () => readLedger(file));
  });
});
