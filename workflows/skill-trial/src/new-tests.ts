import picomatch from 'picomatch';

export interface ChangedFile {
  path: string;
  kind: 'added' | 'modified' | 'deleted';
}

/** The files a git patch touches, from its own headers. Renames do not occur: the capture switches their detection off. */
export function changedFiles(patch: string): ChangedFile[] {
  return patchedFiles(patch).sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** As changedFiles, in the order of the patch. */
export function patchedFiles(patch: string): ChangedFile[] {
  const files: ChangedFile[] = [];
  // split at line feeds alone: to a RegExp's ^ a lone carriage return inside a changed line is the start of a line, too
  for (const block of `\n${patch}`.split('\ndiff --git ').slice(1)) {
    const head = block.slice(0, block.search(/\n(@@|GIT binary patch|Binary files)/) >>> 0);
    const path = pathOf(block);
    if (path === null) continue;
    files.push({
      path,
      kind: head.includes('\nnew file mode') ? 'added' : head.includes('\ndeleted file mode') ? 'deleted' : 'modified',
    });
  }
  return files;
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
      const letter = String.fromCodePoint(text.codePointAt(at) as number);
      bytes.push(...Buffer.from(letter));
      at += letter.length - 1;
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

/**
 * Whether a folder's name says that it holds tests or what they need. The name decides and not the place: where tests lie beside the
 * code they test, copying all that changed around them would carry the repair to the clean base.
 */
function isTestFolder(name: string): boolean {
  return /(^|[-_.])(tests?|specs?|fixtures?|mocks?|snapshots?|testdata|e2e)($|[-_.])/i.test(name);
}

/** Which of a variant's changed files are tests, by the globs of case.yaml; deleted files are none. */
export function newTests(changed: ChangedFile[], tests: { include: string[] }): NewTests {
  const present = changed.filter((file) => file.kind !== 'deleted').map((file) => file.path);
  const isTest = picomatch(tests.include, { dot: true });
  const files = present.filter((path) => isTest(path));
  const copied = present.filter((path) => isTest(path) || path.split('/').slice(0, -1).some(isTestFolder));
  return { files, copied };
}
