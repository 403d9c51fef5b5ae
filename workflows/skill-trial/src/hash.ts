import { createHash, createHmac } from 'node:crypto';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';

/** SHA-256 of the bytes, as 64 hex digits. */
export function sha256(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** HMAC-SHA-256 of a text under a secret, as 64 hex digits. */
export function hmac(secret: string, text: string): string {
  return createHmac('sha256', secret).update(text).digest('hex');
}

/**
 * JSON with sorted keys and no spaces: equal values give equal bytes. Keys whose value is undefined are left out; NaN and
 * infinities are refused, since JSON would turn them into null in silence.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`canonical JSON has no ${value}: use null for an unknown number`);
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${Array.from(value, (item) => canonicalJson(item === undefined ? null : item)).join(',')}]`;
  if (typeof value === 'object') {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(',')}}`;
  }
  throw new TypeError(`canonical JSON has no ${typeof value}`);
}

/** SHA-256 of a value's canonical JSON. */
export function hashOf(value: unknown): string {
  return sha256(canonicalJson(value));
}

export interface TreeFile {
  /** Path below the folder, with forward slashes. */
  path: string;
  mode: '100644' | '100755' | '120000';
  sha256: string;
  size: number;
}

/** Every file below a folder, sorted by path, with content hash and git mode. Folders named `.git` are left out. */
export async function listTree(folder: string, below = ''): Promise<TreeFile[]> {
  const files: TreeFile[] = [];
  const entries = await readdir(join(folder, below), { withFileTypes: true });
  for (const entry of entries) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) {
      if (entry.name !== '.git') files.push(...(await listTree(folder, path)));
      continue;
    }
    const full = join(folder, path);
    if (entry.isSymbolicLink()) {
      const target = await readlink(full);
      files.push({ path, mode: '120000', sha256: sha256(target), size: Buffer.byteLength(target) });
    } else if (entry.isFile()) {
      const [bytes, stat] = [await readFile(full), await lstat(full)];
      files.push({ path, mode: stat.mode & 0o100 ? '100755' : '100644', sha256: sha256(bytes), size: bytes.length });
    }
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** One hash for a whole folder: its paths, modes and contents; `keep` leaves files out by their path. */
export async function hashTree(folder: string, keep: (path: string) => boolean = () => true): Promise<string> {
  return hashListing((await listTree(folder)).filter((file) => keep(file.path)));
}

/** The hash that `hashTree` gives a folder of these files. */
export function hashListing(files: Pick<TreeFile, 'path' | 'mode' | 'sha256'>[]): string {
  return hashOf(files.map(({ path, mode, sha256: content }) => [path, mode, content]));
}
