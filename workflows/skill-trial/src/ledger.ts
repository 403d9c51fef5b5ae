import { appendFile, mkdir, readFile, truncate } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { check, shown } from './document.js';
import { RecordError } from './errors.js';
import { withFileLock } from './file-lock.js';
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
  /** The desk's lock (its hash): from here on the sheets of its variants may not change. */
  z.strictObject({
    kind: z.literal('scoring-locked'),
    deskLock: Sha,
    rounds: z.int().positive(),
    evaluators: z.array(z.string()),
  }),
  /** The mapping was opened; `openDisputes` counts those left open on purpose, absent where no desk was used. */
  z.strictObject({ kind: z.literal('unblinded'), lock: Sha, openDisputes: z.int().nonnegative().optional() }),
  /** A judge's session on one variant, in the judge's own ledger; tokens null where the provider did not say. */
  z.strictObject({
    kind: z.literal('judged'),
    content: Sha,
    judge: z.string(),
    record: Sha,
    calls: z.int().nonnegative(),
    inputTokens: z.int().nonnegative().nullable(),
    outputTokens: z.int().nonnegative().nullable(),
  }),
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
  return withFileLock(`${file}.lock`, () => append(file, event, now));
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
