import { randomUUID } from 'node:crypto';
import { copyFile, link, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { check, shown } from './document.js';
import { RecordError } from './errors.js';
import { canonicalJson, hashOf, listTree } from './hash.js';

const manifestName = 'manifest.json';

/** A record is a folder written once; its manifest lists every other file with its SHA-256 and size. */
export const Manifest = z.strictObject({
  schemaVersion: z.literal(1),
  files: z.array(z.strictObject({ path: z.string(), sha256: z.string().regex(/^[0-9a-f]{64}$/), size: z.int().nonnegative() })),
});
export type Manifest = z.infer<typeof Manifest>;

/** Writes a file whole or not at all: to a temporary name beside it, synced, then renamed. */
export async function writeWhole(file: string, bytes: string | Uint8Array): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const draft = `${file}.${randomUUID()}.draft`;
  try {
    const handle = await open(draft, 'wx');
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** JSON for people and machines: sorted keys, two spaces, a last newline. */
export function prettyJson(value: unknown): string {
  return `${JSON.stringify(JSON.parse(canonicalJson(value)), null, 2)}\n`;
}

/**
 * Seals a draft folder as a record: writes its manifest, then renames the folder into place. An existing record always wins: then
 * the draft is removed and the existing one's hash returned. Returns the hash of the manifest.
 */
export async function sealRecord(draft: string, target: string): Promise<string> {
  const files = (await listTree(draft)).filter((file) => file.path !== manifestName);
  const manifest: Manifest = { schemaVersion: 1, files: files.map(({ path, sha256, size }) => ({ path, sha256, size })) };
  // renamed into place, never written through: the draft may be a second name for another record's files
  await writeWhole(join(draft, manifestName), prettyJson(manifest));
  await mkdir(dirname(target), { recursive: true });
  try {
    await rename(draft, target);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
    await rm(draft, { recursive: true, force: true });
  }
  return recordHash(target);
}

export async function hasRecord(folder: string): Promise<boolean> {
  return (await stat(join(folder, manifestName)).catch(() => null)) !== null;
}

/** The hash that the ledger holds for a record: of its manifest. The files themselves are checked by checkRecord. */
export async function recordHash(folder: string): Promise<string> {
  return hashOf(await readManifest(folder));
}

export async function readManifest(folder: string): Promise<Manifest> {
  const file = join(folder, manifestName);
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) {
    throw new RecordError(`${shown(folder)} is no record`, {
      expected: manifestName,
      found: 'no such file',
      next: 'run the step that makes it',
    });
  }
  return check(parseJson(text, file), Manifest, shown(file), RecordError);
}

/** Every difference between a record and its manifest: `path: what`; [] when it is whole. */
export async function checkRecord(folder: string): Promise<string[]> {
  const manifest = await readManifest(folder);
  const present = new Map((await listTree(folder)).filter((file) => file.path !== manifestName).map((file) => [file.path, file]));
  const differences: string[] = [];
  for (const file of manifest.files) {
    const found = present.get(file.path);
    if (found === undefined) differences.push(`${file.path}: missing`);
    else if (found.sha256 !== file.sha256) differences.push(`${file.path}: altered`);
    present.delete(file.path);
  }
  return [...differences, ...[...present.keys()].map((path) => `${path}: not in the manifest`)];
}

/**
 * A second name for a record's files, for Nx to own: hard links where the file system can, else copies. Nx may delete or replace
 * what it owns; the record itself stays.
 */
export async function linkRecord(from: string, to: string): Promise<void> {
  await rm(to, { recursive: true, force: true });
  const walk = async (below: string): Promise<void> => {
    await mkdir(join(to, below), { recursive: true });
    for (const entry of await readdir(join(from, below), { withFileTypes: true })) {
      const path = join(below, entry.name);
      if (entry.isDirectory()) await walk(path);
      else await link(join(from, path), join(to, path)).catch(() => copyFile(join(from, path), join(to, path)));
    }
  };
  await walk('');
}

/** A JSON file of the lab's own, checked by its schema; an altered or older one is refused with the reason. */
export async function readJson<S extends z.ZodType>(file: string, schema: S): Promise<z.output<S>> {
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) {
    throw new RecordError(`${shown(file)} is missing`, {
      expected: 'a file made by an earlier step',
      found: 'no such file',
      next: 'run the earlier steps (npm start, or nx run <experiment>:report)',
    });
  }
  return check(parseJson(text, file), schema, shown(file), RecordError);
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RecordError(`${shown(file)} is not JSON`, {
      expected: 'JSON as the lab wrote it',
      found: (error as Error).message,
      next: 'restore the file from a copy',
    });
  }
}
