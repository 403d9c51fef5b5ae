import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip as gunzipCallback, gzip as gzipCallback } from 'node:zlib';
import { CallRecord } from './call-record.js';
import { InfrastructureError, RecordError } from './errors.js';
import { sha256 } from './hash.js';

const gzip = promisify(gzipCallback);
const gunzip = promisify(gunzipCallback);

/** What a gateway writes: `<dir>/calls.jsonl`, one line a call, and `<dir>/bodies/<SHA-256 of the bytes>.gz`. */
export interface Recording {
  /** Keeps a body, whatever its size, once; returns its SHA-256, or null for no bytes. */
  saveBody(bytes: Uint8Array): Promise<string | null>;
  /** Adds a line. */
  append(record: CallRecord): Promise<void>;
  /** Waits for what is under way and closes the file. */
  close(): Promise<void>;
}

/** A new recording in a folder. An InfrastructureError where the folder cannot be written, a RecordError where it holds one already. */
export async function openRecording(dir: string): Promise<Recording> {
  let file: FileHandle;
  try {
    await mkdir(join(dir, 'bodies'), { recursive: true });
    file = await open(join(dir, 'calls.jsonl'), 'wx');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      throw new RecordError(`${dir} holds a recording already`, {
        expected: 'a folder without calls.jsonl',
        found: 'calls.jsonl',
        next: 'record each attempt in a folder of its own; records are written once',
      });
    }
    throw new InfrastructureError(`cannot record in ${dir}`, {
      expected: 'a folder that can be written',
      found: (error as Error).message,
      next: 'free disk space or correct the permissions, then run again',
    });
  }
  const saved = new Map<string, Promise<void>>();
  let line: Promise<unknown> = Promise.resolve();
  return {
    async saveBody(bytes) {
      if (bytes.length === 0) return null;
      const hash = sha256(bytes);
      let write = saved.get(hash);
      if (write === undefined) {
        write = writeBody(join(dir, 'bodies', `${hash}.gz`), bytes);
        saved.set(hash, write);
      }
      await write;
      return hash;
    },
    append(record) {
      const text = `${JSON.stringify(CallRecord.parse(record))}\n`;
      // One after another: two lines written at once could mix.
      const next = line.then(() => file.appendFile(text));
      line = next.catch(() => {});
      return next;
    },
    async close() {
      await Promise.allSettled([...saved.values(), line]);
      await file.close();
    },
  };
}

async function writeBody(path: string, bytes: Uint8Array): Promise<void> {
  if (await stat(path).catch(() => null)) return;
  const partial = `${path}.${randomUUID()}.partial`;
  await writeFile(partial, await gzip(bytes));
  await rename(partial, path);
}

/** The calls that a folder's recording lists, in order of arrival. A RecordError names the line that is no call record. */
export async function readCalls(dir: string): Promise<CallRecord[]> {
  const path = join(dir, 'calls.jsonl');
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw new RecordError(`no record of model calls at ${path}`, {
      expected: 'calls.jsonl',
      found: error.message,
      next: 'run the trial again',
    });
  });
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line, index) => readLine(line, `${path}:${index + 1}`)).sort((a, b) => a.seq - b.seq);
}

function readLine(line: string, where: string): CallRecord {
  let found: string;
  try {
    const record = CallRecord.safeParse(JSON.parse(line));
    if (record.success) return record.data;
    const issue = record.error.issues[0];
    found = `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`;
  } catch {
    found = line.slice(0, 80);
  }
  throw new RecordError(`${where} is no call record`, {
    expected: 'a call record of schema version 1',
    found,
    next: 'restore the file from its bundle, or run the trial again',
  });
}

/** A recorded body, checked against its hash. A RecordError where it is missing or altered. */
export async function readBody(dir: string, hash: string): Promise<Buffer> {
  const path = join(dir, 'bodies', `${hash}.gz`);
  const problem = (found: string) =>
    new RecordError(`recorded body ${path} cannot be used`, {
      expected: `bytes of SHA-256 ${hash}`,
      found,
      next: 'restore the file from its bundle',
    });
  const bytes = await readFile(path)
    .then((packed) => gunzip(packed))
    .catch((error: Error) => {
      throw problem(error.message);
    });
  const found = sha256(bytes);
  if (found !== hash) throw problem(`bytes of SHA-256 ${found}`);
  return bytes;
}
