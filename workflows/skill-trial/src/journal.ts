import { mkdir, open, readFile, truncate } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { check, shown } from './document.js';
import { RecordError } from './errors.js';
import { withFileLock } from './file-lock.js';
import { MarkEvent } from './mark.js';

/** One line of data/experiments/<name>/desk/<evaluator>.jsonl. */
export const JournalLine = z.strictObject({
  schemaVersion: z.literal(1),
  seq: z.int().nonnegative(),
  at: z.iso.datetime(),
  event: MarkEvent,
});
export type JournalLine = z.infer<typeof JournalLine>;

/** Every whole line of a journal; [] where there is none yet. A last line cut short by a crash is left out. */
export async function readJournal(file: string): Promise<JournalLine[]> {
  return parseJournal(await bytesOf(file), shown(file)).lines;
}

/**
 * Appends one event and syncs it to the disk before it returns. `decide` sees what is there (no other writer can come between) and
 * gives the event, or throws. A last line cut short is dropped first; nothing else is ever removed.
 */
export async function appendJournal(
  file: string,
  decide: (lines: JournalLine[]) => MarkEvent | Promise<MarkEvent>,
  now: () => Date,
): Promise<JournalLine[]> {
  await mkdir(dirname(file), { recursive: true });
  return withFileLock(`${file}.lock`, async () => {
    const bytes = await bytesOf(file);
    const { lines, whole } = parseJournal(bytes, shown(file));
    const line: JournalLine = {
      schemaVersion: 1,
      seq: lines.length,
      at: now().toISOString(),
      event: check(await decide(lines), MarkEvent, shown(file), RecordError),
    };
    if (whole < bytes.length) await truncate(file, whole);
    const lineBreak = whole > 0 && bytes[whole - 1] !== 10 ? '\n' : '';
    const handle = await open(file, 'a');
    try {
      await handle.appendFile(`${lineBreak}${JSON.stringify(line)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    return [...lines, line];
  });
}

/** The lines, and how many bytes of the file are whole. A last line that lacks only its line break is whole. */
function parseJournal(bytes: Buffer, where: string): { lines: JournalLine[]; whole: number } {
  const end = bytes.lastIndexOf(10) + 1;
  const rest = bytes.subarray(end).toString();
  const whole = rest !== '' && isJson(rest) ? bytes.length : end;
  const lines = bytes.subarray(0, whole).toString().split('\n');
  return {
    whole,
    lines: lines
      .filter((line) => line !== '')
      .map((line, index) => {
        const altered = (found: string): never => {
          throw new RecordError(`${where}:${index + 1}: the journal was altered`, {
            expected: 'lines numbered from 0, each a JSON object',
            found,
            next: 'restore the file from a copy; a journal is only ever appended to',
          });
        };
        if (!isJson(line)) return altered('a line that is no JSON');
        const parsed = check(JSON.parse(line), JournalLine, `${where}:${index + 1}`, RecordError);
        return parsed.seq === index ? parsed : altered(`line number ${parsed.seq}`);
      }),
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

async function bytesOf(file: string): Promise<Buffer> {
  return readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  });
}
