import type { PatchFile, PatchLine } from '../src/desk-view.js';

/** One row of the patch as it is drawn. */
export type PatchRow =
  | { kind: 'file'; file: PatchFile; open: boolean }
  | { kind: 'remark'; file: PatchFile; words: string }
  | { kind: 'hunk'; file: PatchFile; header: string }
  | { kind: 'line'; file: PatchFile; line: PatchLine }
  | { kind: 'pair'; file: PatchFile; base: PatchLine | null; result: PatchLine | null };

/** The rows of a patch, unified or split; a closed file is its head alone. */
export function patchRows(files: PatchFile[], closed: ReadonlySet<string>, split: boolean): PatchRow[] {
  return files.flatMap((file): PatchRow[] => {
    const open = !closed.has(file.path);
    const head: PatchRow = { kind: 'file', file, open };
    if (!open) return [head];
    if (file.remark !== null) return [head, { kind: 'remark', file, words: file.remark }];
    return [
      head,
      ...file.hunks.flatMap((hunk): PatchRow[] => [
        { kind: 'hunk', file, header: hunk.header },
        ...(split ? pairs(file, hunk.lines) : hunk.lines.map((line): PatchRow => ({ kind: 'line', file, line }))),
      ]),
    ];
  });
}

/** Removed lines beside the added ones that follow them. */
function pairs(file: PatchFile, lines: PatchLine[]): PatchRow[] {
  const rows: PatchRow[] = [];
  let [removed, added]: [PatchLine[], PatchLine[]] = [[], []];
  const close = () => {
    for (let index = 0; index < Math.max(removed.length, added.length); index++)
      rows.push({ kind: 'pair', file, base: removed[index] ?? null, result: added[index] ?? null });
    [removed, added] = [[], []];
  };
  for (const line of lines) {
    if (line.kind === 'removed') {
      if (added.length > 0) close();
      removed.push(line);
    } else if (line.kind === 'added') added.push(line);
    else {
      close();
      rows.push({ kind: 'pair', file, base: line, result: line });
    }
  }
  close();
  return rows;
}

/** The lines of a row that can be picked. */
export function linesOf(row: PatchRow): PatchLine[] {
  if (row.kind === 'line') return [row.line];
  if (row.kind === 'pair') return [row.base, row.result].filter((line) => line !== null);
  return [];
}

export function textOf(line: PatchLine): string {
  return line.spans.map(([text]) => text).join('');
}
