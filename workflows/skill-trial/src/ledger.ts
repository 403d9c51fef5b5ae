import { randomUUID } from 'node:crypto';
import { appendFile, mkdir, readFile, readlink, rm, symlink, truncate } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { check, shown } from './document.js';
import { InfrastructureError, RecordError } from './errors.js';
import { hashOf } from './hash.js';

const Sha = z.string().regex(/^[0-9a-f]{64}$/);

/** What a ledger line says: a lock was made, an attempt began, an attempt ended, a record was taken over from the cache. */
export const LedgerEvent = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('lock'), lock: Sha, conditions: Sha }),
  z.strictObject({ kind: z.literal('started'), trial: z.string(), spec: Sha, attempt: z.int().positive() }),
  z.strictObject({
    kind: z.literal('ended'),
    trial: z.string(),
    spec: Sha,
    attempt: z.int().positive(),
    /** recorded: the agent ran, whatever it did; infrastructure: the surroundings failed; abandoned: the lab itself was killed. */
    outcome: z.enum(['recorded', 'infrastructure', 'abandoned']),
    reason: z.string(),
    /** Hash of the record's manifest; null unless recorded. */
    record: Sha.nullable(),
  }),
  z.strictObject({ kind: z.literal('restored'), trial: z.string(), spec: Sha, record: Sha }),
  z.strictObject({ kind: z.literal('check'), content: Sha, check: z.string(), record: Sha }),
  z.strictObject({ kind: z.literal('scored'), sheets: z.record(z.string(), Sha) }),
  z.strictObject({ kind: z.literal('unblinded'), lock: Sha }),
]);
export type LedgerEvent = z.infer<typeof LedgerEvent>;

export const LedgerLine = z.strictObject({
  schemaVersion: z.literal(1),
  seq: z.int().nonnegative(),
  at: z.iso.datetime(),
  previous: Sha,
  event: LedgerEvent,
  /** Hash of all the other fields, `previous` included: a changed line breaks every later one. */
  hash: Sha,
});
export type LedgerLine = z.infer<typeof LedgerLine>;

const genesis = '0'.repeat(64);

/** Every line of a ledger, its chain checked; [] where there is none yet. A last line cut short by a kill is left out. */
export async function readLedger(file: string): Promise<LedgerLine[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return parseLedger(text.slice(0, wholeLength(text)), shown(file));
}

/** The length of the text without a last line cut short. A last line that lacks only its line break is whole. */
function wholeLength(text: string): number {
  const end = text.lastIndexOf('\n') + 1;
  try {
    JSON.parse(text.slice(end));
    return text.length;
  } catch {
    return end;
  }
}

/** As readLedger, for a text in memory. */
export function parseLedger(text: string, where: string): LedgerLine[] {
  const lines = text.split('\n').filter((line) => line !== '');
  let previous = genesis;
  return lines.map((line, index) => {
    const broken = (found: string): never => {
      throw new RecordError(`${where}:${index + 1}: the ledger was altered`, {
        expected: 'a line whose hash covers its own content and the line before',
        found,
        next: 'restore the file from a copy; a ledger is only ever appended to',
      });
    };
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      return broken('a line that is no JSON');
    }
    const parsed = check(value, LedgerLine, `${where}:${index + 1}`, RecordError);
    const { hash, ...rest } = parsed;
    if (parsed.seq !== index) return broken(`line number ${parsed.seq}`);
    if (parsed.previous !== previous) return broken('another previous line');
    if (hashOf(rest) !== hash) return broken('content that its hash does not cover');
    previous = hash;
    return parsed;
  });
}

/** Appends one event; writers of several processes wait for each other. */
export async function appendLedger(file: string, event: LedgerEvent, now: () => Date): Promise<LedgerLine> {
  await mkdir(dirname(file), { recursive: true });
  return alone(`${file}.lock`, () => append(file, event, now));
}

async function append(file: string, event: LedgerEvent, now: () => Date): Promise<LedgerLine> {
  const lines = await readLedger(file);
  const onDisk = await readFile(file).catch(() => Buffer.alloc(0));
  const text = onDisk.toString();
  const whole = wholeLength(text);
  // A torn last line (a kill in the middle of a write) is dropped: nothing was concluded from it.
  if (whole < text.length) await truncate(file, onDisk.lastIndexOf(10) + 1);
  const lineBreak = whole > 0 && text[whole - 1] !== '\n' ? '\n' : '';
  const rest = {
    schemaVersion: 1 as const,
    seq: lines.length,
    at: now().toISOString(),
    previous: lines.at(-1)?.hash ?? genesis,
    event,
  };
  const line: LedgerLine = { ...rest, hash: hashOf(rest) };
  await appendFile(file, `${lineBreak}${JSON.stringify(line)}\n`);
  return line;
}

/**
 * Runs one action while holding a lock: a symbolic link, made in one step with its owner in it, so that no lock is ever without one.
 * A lock whose owner has ended is taken over, by one process alone: only who holds `<file>.takeover` may remove a dead owner's lock,
 * and looks at it again before. (Removing it after a look from afar could remove the lock of whoever was faster.)
 */
async function alone<T>(file: string, action: () => Promise<T>): Promise<T> {
  const token = `${process.pid}.${await startOf(process.pid)}.${randomUUID()}`;
  const deadline = Date.now() + 30_000;
  while (!(await tryLink(token, file))) {
    const held = await readlink(file).catch((error: NodeJS.ErrnoException) =>
      error.code === 'ENOENT' ? null : 'no lock of the lab',
    );
    if (held === null) continue; // released meanwhile
    const [pid, start] = held.split('.');
    if (/^\d+$/.test(pid ?? '') && (await startOf(Number(pid))) !== start) {
      await alone(`${file}.takeover`, async () => {
        if ((await readlink(file).catch(() => null)) === held) await rm(file, { force: true });
      });
    } else if (Date.now() > deadline) {
      throw new InfrastructureError(`${shown(file)} is held`, {
        expected: 'a free ledger',
        found: `process ${pid} holds it`,
        next: 'wait for that process, or remove the file if it is gone',
      });
    } else await new Promise((resolve) => setTimeout(resolve, 5));
  }
  try {
    return await action();
  } finally {
    await rm(file, { force: true });
  }
}

/** Makes the lock; false when there is one. */
async function tryLink(token: string, file: string): Promise<boolean> {
  try {
    await symlink(token, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** When a running process started, in clock ticks: a number used again by another process differs. 0 without /proc, '' when it is gone. */
async function startOf(pid: number): Promise<string> {
  if (!isAlive(pid)) return '';
  const text = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => null);
  return text === null ? '0' : (text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? '0');
}

/** Whether a process of this machine is running. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
