import picomatch from 'picomatch';
import type { CaseSettings } from './case.js';

export interface ChangedFile {
  path: string;
  kind: 'added' | 'modified' | 'deleted';
}

/** The files a git patch touches, from its own headers. Renames do not occur: the capture switches their detection off. */
export function changedFiles(patch: string): ChangedFile[] {
  const files: ChangedFile[] = [];
  for (const block of patch.split(/^diff --git /m).slice(1)) {
    const head = block.slice(0, block.search(/^(@@|GIT binary patch|Binary files)/m) >>> 0);
    const path = pathOf(block);
    if (path === null) continue;
    files.push({
      path,
      kind: /^new file mode/m.test(head) ? 'added' : /^deleted file mode/m.test(head) ? 'deleted' : 'modified',
    });
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The path of one block. Both names of its first line are equal, since there are no renames; git quotes unusual ones as C does. */
function pathOf(block: string): string | null {
  const line = block.slice(0, block.indexOf('\n'));
  if (line.startsWith('"')) {
    const quoted = /^"a\/((?:[^"\\]|\\.)*)"/.exec(line)?.[1];
    return quoted === undefined ? null : unquote(quoted);
  }
  const half = line.slice(2, 2 + (line.length - 5) / 2);
  return line === `a/${half} b/${half}` ? half : null;
}

function unquote(text: string): string {
  const bytes: number[] = [];
  const named: Record<string, number> = { n: 10, t: 9, r: 13, '"': 34, '\\': 92, a: 7, b: 8, f: 12, v: 11 };
  for (let at = 0; at < text.length; at++) {
    if (text[at] !== '\\') {
      bytes.push(...Buffer.from(text[at] as string));
    } else if (/^[0-7]{3}/.test(text.slice(at + 1))) {
      bytes.push(Number.parseInt(text.slice(at + 1, at + 4), 8));
      at += 3;
    } else {
      bytes.push(named[text[at + 1] as string] ?? 63);
      at += 1;
    }
  }
  return Buffer.from(bytes).toString('utf8');
}

export interface NewTests {
  /** New or changed test files: what the negative control runs. */
  files: string[];
  /** They, and what lies changed beside them (fixtures, helpers): what is copied to the clean base. */
  copied: string[];
}

/** Which of a variant's changed files are tests, by the globs of case.yaml; deleted files are none. */
export function newTests(changed: ChangedFile[], tests: CaseSettings['tests']): NewTests {
  const present = changed.filter((file) => file.kind !== 'deleted').map((file) => file.path);
  const isTest = picomatch(tests.include, { dot: true });
  const folders = tests.include.map((glob) => picomatch.scan(glob).base).filter((base) => base !== '' && base !== '.');
  const files = present.filter((path) => isTest(path));
  const copied = present.filter((path) => isTest(path) || folders.some((folder) => path.startsWith(`${folder}/`)));
  return { files, copied };
}
