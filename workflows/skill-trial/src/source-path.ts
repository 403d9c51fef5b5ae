/** Paths below the root of a source tree, with forward slashes on every system. */

/** A file's text without a byte-order mark; null: there is no file. */
export function textOf(bytes: Uint8Array | null): string | null {
  return bytes === null
    ? null
    : Buffer.from(bytes)
        .toString('utf8')
        .replace(/^\uFEFF/, '');
}

/** The folder of a path; '' at the root. */
export function folderOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
}

export function join(folder: string, path: string): string {
  return folder === '' ? path : `${folder}/${path}`;
}

/** A path without `.`, `..` and empty parts. */
export function normal(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
}
