import { parsePatch, type StructuredPatch } from 'diff';
import type { PatchFile, PatchLine, PatchView } from './desk-view.js';
import { colourLines, languageOf } from './syntax.js';
import { count, visibleLine } from './text-pages.js';

/** A patch beyond this is read page by page as text: no one judges it line by line. */
const mostBytes = 4 * 1024 * 1024;

/**
 * A patch as files, hunks and lines with their numbers and colours. Where it cannot be read as one (cut, malformed, too large) there
 * are no files and a notice says why; the text itself can always be read page by page.
 */
export function patchView(bytes: Buffer): PatchView {
  const notices: string[] = [];
  const text = bytes.toString('utf8');
  const view = (files: PatchFile[]): PatchView => ({ files, bytes: bytes.length, notices });
  if (bytes.length > mostBytes) {
    notices.push(
      `The patch has ${count(bytes.length)} bytes, too many for the line-by-line view. Read it as text, page by page.`,
    );
    return view([]);
  }
  if (text.trim() === '') return view([]);
  if (text.includes('\uFFFD')) notices.push('Some bytes of the patch are not valid UTF-8 and are shown as \uFFFD.');
  let parsed: StructuredPatch[];
  try {
    parsed = parsePatch(withoutBinary(text));
  } catch {
    notices.push('The patch could not be read as one: a hunk does not hold what its header says. Read it as text.');
    return view([]);
  }
  const files = parsed.filter((file) => file.oldFileName !== undefined || file.newFileName !== undefined).map(fileView);
  if (files.length === 0) notices.push('The patch could not be read as one. Read it as text.');
  return view(files);
}

/** Takes the encoded bytes of binary files out: they are no lines. The file itself stays, and its remark says so. */
function withoutBinary(text: string): string {
  return text.replace(/^GIT binary patch\n(?:(?!diff --git ).*\n?)*/gm, '');
}

function fileView(file: StructuredPatch): PatchFile {
  const name = (path: string | undefined) => (path === undefined || path === '/dev/null' ? null : path.replace(/^[ab]\//, ''));
  const [before, after] = [name(file.oldFileName), name(file.newFileName)];
  const change =
    file.isCreate || before === null
      ? 'added'
      : file.isDelete || after === null
        ? 'removed'
        : before === after
          ? 'changed'
          : 'moved';
  const path = after ?? before ?? '';
  const language = languageOf(path);
  const hunks = file.hunks.map((hunk) => hunkView(hunk, language));
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const modes = file.oldMode !== undefined && file.newMode !== undefined && file.oldMode !== file.newMode;
  return {
    path: visibleLine(path),
    from: change === 'moved' && before !== null ? visibleLine(before) : null,
    change,
    remark:
      hunks.length > 0
        ? null
        : modes
          ? `Only the mode changed: ${file.oldMode} to ${file.newMode}.`
          : change === 'moved'
            ? 'Moved without a change.'
            : 'A binary or an empty file: there are no lines to show.',
    added: lines.filter((line) => line.kind === 'added').length,
    removed: lines.filter((line) => line.kind === 'removed').length,
    hunks,
  };
}

function hunkView(hunk: StructuredPatch['hunks'][number], language: string | null): PatchFile['hunks'][number] {
  const texts = hunk.lines.filter((line) => !line.startsWith('\\'));
  // each state is coloured as a whole: a string or comment may go over several lines
  const base = colourLines(
    texts.filter((line) => line[0] !== '+').map((line) => line.slice(1)),
    language,
  );
  const result = colourLines(
    texts.filter((line) => line[0] !== '-').map((line) => line.slice(1)),
    language,
  );
  let [b, r] = [0, 0];
  const lines = texts.map((line): PatchLine => {
    if (line[0] === '-') return { kind: 'removed', base: hunk.oldStart + b, result: null, spans: base[b++] ?? [] };
    if (line[0] === '+') return { kind: 'added', base: null, result: hunk.newStart + r, spans: result[r++] ?? [] };
    const row: PatchLine = { kind: 'same', base: hunk.oldStart + b, result: hunk.newStart + r, spans: result[r] ?? [] };
    b += 1;
    r += 1;
    return row;
  });
  return { header: `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`, lines };
}
