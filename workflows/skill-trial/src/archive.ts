/** A zip whose bytes follow from its files alone, so that any changed byte can be found by packing them again. */
import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, mkdir, open, readlink, stat, symlink } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import yauzl from 'yauzl';
import yazl from 'yazl';
import { shown } from './document.js';
import { RecordError } from './errors.js';
import type { TreeFile } from './hash.js';

/** A file for an archive: its path there, and where its bytes are now. */
export interface ArchiveFile extends Pick<TreeFile, 'path' | 'mode'> {
  from: string;
}

// The oldest time that a zip can hold, by the clock of whoever packs: in the archive it is the same bytes everywhere.
const noTime = { mtime: new Date(1980, 0, 1), forceDosTimestamp: true };

/** The bytes of an archive, in the order of its files. Stored, not compressed: compressors differ from one Node to the next. */
export function packArchive(files: ArchiveFile[], comment: string): Readable {
  const zip = new yazl.ZipFile();
  const stream = zip.outputStream as Readable;
  zip.on('error', (error: Error) => stream.destroy(error));
  const add = async () => {
    for (const { path, from, mode } of files) {
      const options = { ...noTime, mode: Number.parseInt(mode, 8), compress: false };
      if (mode === '120000') zip.addBuffer(Buffer.from(await readlink(from)), path, options);
      else {
        const { size } = await stat(from);
        zip.addReadStreamLazy(path, { ...options, size }, (give) => give(null, createReadStream(from)));
      }
    }
    zip.end({ comment, forceZip64Format: false });
  };
  add().catch((error: Error) => stream.destroy(error));
  return stream;
}

/** What an archive says of itself before its files are looked at. */
export interface Unpacked {
  comment: string;
  /** Paths in the archive's order, with where each begins. */
  entries: { path: string; mode: TreeFile['mode']; offset: number }[];
}

/** Unpacks an archive that packArchive made into an empty folder. A RecordError names the file where it is no such archive. */
export async function unpackArchive(archive: string, folder: string): Promise<Unpacked> {
  const broken = (found: string) =>
    new RecordError(`${shown(archive)} cannot be unpacked`, {
      expected: 'a bundle as the lab packed it',
      found,
      next: 'get the file anew from whoever published it',
    });
  const entries: Unpacked['entries'] = [];
  try {
    const zip = await promisify<string, yauzl.Options, yauzl.ZipFile>(yauzl.open)(archive, {
      lazyEntries: true,
      autoClose: true,
    });
    await new Promise<void>((resolve, reject) => {
      zip.on('error', reject);
      zip.on('end', resolve);
      zip.on('entry', (entry: yauzl.Entry) => {
        unpackEntry(zip, entry, folder).then((mode) => {
          entries.push({ path: entry.fileName, mode, offset: entry.relativeOffsetOfLocalHeader });
          zip.readEntry();
        }, reject);
      });
      zip.readEntry();
    }).finally(() => zip.close());
    return { comment: String(zip.comment), entries };
  } catch (error) {
    throw broken((error as Error).message);
  }
}

/** Writes one entry; returns its mode. yauzl has refused absolute paths and ".." by now. */
async function unpackEntry(zip: yauzl.ZipFile, entry: yauzl.Entry, folder: string): Promise<TreeFile['mode']> {
  const { fileName: path } = entry;
  const bits = entry.externalFileAttributes >>> 16;
  const mode = (['100644', '100755', '120000'] as const).find((one) => Number.parseInt(one, 8) === bits);
  if (mode === undefined) throw new Error(`${path}: neither a file nor a link (mode ${bits.toString(8)})`);
  if (entry.compressionMethod !== 0) throw new Error(`${path}: compressed, and a bundle is not`);
  const target = join(folder, path);
  await mkdir(dirname(target), { recursive: true });
  const bytes = await promisify<yauzl.Entry, Readable>(zip.openReadStream.bind(zip))(entry);
  if (mode !== '120000') {
    // wx: an entry never goes through a link, or over a file, that another entry made
    await pipeline(bytes, createWriteStream(target, { flags: 'wx' }));
    await chmod(target, mode === '100755' ? 0o755 : 0o644);
    return mode;
  }
  const link = Buffer.concat(await bytes.toArray()).toString();
  const leads = posix.normalize(posix.join(posix.dirname(path), link));
  if (posix.isAbsolute(link) || leads === '..' || leads.startsWith('../'))
    throw new Error(`${path}: a link that leads out (${link})`);
  await symlink(link, target);
  return mode;
}

/** The first byte at which an archive is not what packing its files again gives, or null. A byte between the files counts too. */
export async function firstDifference(archive: string, packed: Readable): Promise<number | null> {
  const file = await open(archive);
  try {
    let at = 0;
    for await (const chunk of packed as AsyncIterable<Buffer>) {
      const found = Buffer.alloc(chunk.length);
      const { bytesRead } = await file.read(found, 0, chunk.length, at);
      if (bytesRead < chunk.length || !found.equals(chunk)) {
        const index = chunk.findIndex((byte, place) => place >= bytesRead || byte !== found[place]);
        return at + index;
      }
      at += chunk.length;
    }
    return (await file.stat()).size === at ? null : at;
  } finally {
    await file.close();
  }
}
