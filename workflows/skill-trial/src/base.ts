import { constants } from 'node:fs';
import { chmod, cp, lstat, mkdir, mkdtemp, readdir, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import type { Case } from './case.js';
import { shown } from './document.js';
import { FrozenError, SettingsError } from './errors.js';
import { openGit } from './git.js';
import { hashTree } from './hash.js';

/** Author and committer date of every base commit, so that its SHA is the same on every machine. */
const baseDate = '2026-01-01T00:00:00Z';

/**
 * Every file is bytes to git, whatever a .gitattributes in the tree says: no line endings turned, nothing encoded anew. An agent's
 * .gitattributes could otherwise change what is captured, or make the capture fail.
 */
const plainAttributes = '* -text -ident -filter -working-tree-encoding\n';

export interface Base {
  /** The one commit of the workspace repository. */
  commit: string;
  /** git's hash of its tree. */
  tree: string;
  /** The commit of the origin repository; null where the base is a folder of the case. */
  origin: string | null;
  /** The lab's own hash of names, modes and contents. */
  content: string;
  /** Folders of skills that the repository had and the base has not. */
  removed: string[];
  folder: string;
}

/**
 * The base of a case as a repository of one commit below `bases`: no remotes, no reflog, no other history, fixed author and
 * dates. Made once per content and reused. A workspace is a copy of it, never a linked worktree: worktrees share an object
 * store, in which one arm can read the other's commits.
 */
export async function makeBase(one: Case, bases: string): Promise<Base> {
  await mkdir(bases, { recursive: true });
  const draft = await mkdtemp(join(bases, '.draft-'));
  try {
    const origin = one.repo.path === undefined ? await exportCommit(one, draft) : await copyFolder(one, draft);
    const removed = await removeSkillFolders(draft);
    const content = await hashTree(draft);
    const git = openGit(draft, baseDate);
    await git.raw(['init', '--quiet', '--template=', '--initial-branch=main']);
    await mkdir(join(draft, '.git', 'info'));
    await writeFile(join(draft, '.git', 'info', 'attributes'), plainAttributes);
    await git.raw(['add', '--all', '--force']);
    await git.raw(['commit', '--quiet', '--no-verify', '--message', 'Base']);
    await rm(join(draft, '.git', 'logs'), { recursive: true, force: true });
    const commit = (await git.revparse(['HEAD'])).trim();
    const tree = (await git.revparse(['HEAD^{tree}'])).trim();
    const folder = join(bases, commit);
    if ((await stat(folder).catch(() => null)) === null) {
      await rename(draft, folder).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error; // another process was faster with the same base
      });
    }
    return { commit, tree, origin, content, removed, folder };
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/**
 * A folder that an agent takes skills from by itself. They leave the base, in every arm and before its one commit: some agents have no
 * switch for them, and a commit would keep them readable.
 */
const skillFolder = /(?:^|\/)\.(?:agents|claude|codex|gemini|opencode|pi)\/skills?(?=\/|$)/;

/** A link of that name may lead to a folder with skills that itself has another name. */
const agentFolder = /^\.(?:agents|claude|codex|gemini|opencode|pi)$/;

/** The hash of a repository's folder as its base has it: without the folders of skills. */
export async function hashRepository(folder: string): Promise<string> {
  const removed = await skillFolders(folder);
  return hashTree(folder, (path) => !removed.some((one) => path === one || path.startsWith(`${one}/`)));
}

/** Folders of skills below a folder, and links by which an agent would come to some, sorted. */
async function skillFolders(folder: string): Promise<string[]> {
  // with types: a link to a folder is then not entered
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries) {
    const path = relative(folder, join(entry.parentPath, entry.name));
    const isLink = entry.isSymbolicLink() && agentFolder.test(entry.name);
    if (skillFolder.test(path) ? !skillFolder.test(dirname(path)) : isLink && (await holdsSkills(join(folder, path))))
      found.push(path);
  }
  return found.sort();
}

async function holdsSkills(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => [] as string[]);
  return names.includes('skills') || names.includes('skill');
}

async function removeSkillFolders(folder: string): Promise<string[]> {
  const removed = await skillFolders(folder);
  for (const path of removed) {
    await rm(join(folder, path), { recursive: true, force: true });
    await rmdir(dirname(join(folder, path))).catch(() => undefined); // git keeps no empty folder
  }
  return removed;
}

async function copyFolder(one: Case, draft: string): Promise<null> {
  const source = join(one.folder, one.repo.path as string);
  const inside = (await readdir(source, { recursive: true })).find((path) => basename(path) === '.git');
  if (inside !== undefined) {
    throw new SettingsError(`${shown(dirname(join(source, inside)))} is a repository of its own`, {
      expected: 'a plain folder as repo.path',
      found: `${shown(join(source, inside))}`,
      next: 'name it as repo.git with a commit, or remove the .git',
    });
  }
  await cp(source, draft, { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE });
  return null;
}

async function exportCommit(one: Case, draft: string): Promise<string> {
  const { git: url, commit } = one.repo as { git: string; commit: string };
  const isLocal = !/^[a-z+]+:\/\/|^[^/]+@[^/]+:/.test(url);
  const source = isLocal && !isAbsolute(url) ? join(one.folder, url) : url;
  const fail = (found: string, next: string): never => {
    throw new SettingsError(`case ${one.name}: the repository cannot be used`, {
      expected: `commit ${commit} of ${url}, clean`,
      found,
      next,
    });
  };
  if (isLocal) {
    if ((await stat(source).catch(() => null)) === null) fail(`nothing at ${shown(source)}`, 'correct repo.git');
    const status = await openGit(source)
      .status()
      .catch(() => null);
    if (status !== null && !status.isClean())
      fail(`${status.files.length} uncommitted files`, 'commit or stash them: only commits are frozen');
  }
  const clone = `${draft}.clone`;
  try {
    await openGit(dirname(draft)).clone(source, clone, ['--no-checkout', '--quiet']);
    const git = openGit(clone);
    const sha = (await git.revparse(['--verify', `${commit}^{commit}`])).trim();
    await git.raw(['--work-tree', draft, 'checkout', '--quiet', sha, '--', '.']);
    return sha;
  } catch (error) {
    return fail(String((error as Error).message).split('\n')[0] ?? 'git failed', 'correct repo.git and repo.commit');
  } finally {
    await rm(clone, { recursive: true, force: true });
  }
}

/** A fresh workspace: a copy of the base, checked to be clean and at the base commit. */
export async function makeWorkspace(base: Pick<Base, 'folder' | 'commit'>, folder: string): Promise<void> {
  await cp(base.folder, folder, { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE });
  const git = openGit(folder);
  const lines = (await git.raw(['status', '--porcelain=v2', '--branch', '--ignored'])).trim().split('\n');
  const head = lines.find((line) => line.startsWith('# branch.oid '))?.slice('# branch.oid '.length) ?? 'unknown';
  const changed = lines.filter((line) => !line.startsWith('# '));
  if (head === base.commit && changed.length === 0) return;
  throw new FrozenError(`The workspace is not the base`, {
    expected: `commit ${base.commit}, nothing changed`,
    found: head === base.commit ? changed.slice(0, 5).join('; ') : `commit ${head}`,
    next: 'remove data/runs/<experiment>/bases and freeze again',
  });
}

/**
 * Writes what an agent changed since the base commit, whatever it committed or staged meanwhile: `patch.diff` (`git diff --binary`,
 * new files included, empty when nothing changed), `stat.txt` and `status.txt` into `target`. The agent may have rewritten the
 * workspace's .git, whose settings can name programs to run: only the base's own repository is used, with an index of its own. What
 * git could not add is put right before (see makeCapturable): an agent must not be able to make the capture fail. Files that the
 * tree's .gitignore names are left out, unless they were in the base; so is all that the case's set-up made (`made`), whatever an
 * agent's .gitignore says of it.
 */
export async function captureChange(
  folder: string,
  base: Pick<Base, 'commit' | 'folder'>,
  target: string,
  made: string[] = [],
): Promise<void> {
  const scratch = await mkdtemp(`${folder}.capture-`);
  const repository = join(base.folder, '.git');
  const git = openGit(folder, undefined, {
    GIT_DIR: repository,
    GIT_WORK_TREE: folder,
    GIT_INDEX_FILE: join(scratch, 'index'),
    GIT_OBJECT_DIRECTORY: join(scratch, 'objects'),
    GIT_ALTERNATE_OBJECT_DIRECTORIES: join(repository, 'objects'),
  });
  try {
    await mkdir(join(scratch, 'objects'));
    await makeCapturable(Buffer.from(folder), true);
    const what = ['--', '.', ...made.map((path) => `:(exclude,top,literal)${path}`)];
    await git.raw(['read-tree', base.commit]);
    await writeFile(join(target, 'status.txt'), await git.raw(['status', '--porcelain', '--untracked-files=all', ...what]));
    await git.raw(['add', '--all', ...what]);
    const cached = ['--cached', '--no-color', '--no-ext-diff', '--no-textconv', '--no-renames'];
    // --output keeps bytes that are no UTF-8 as they are; the index stands now, and reading it twice at once does no harm
    await Promise.all([
      git.raw(['diff', '--binary', '--full-index', ...cached, `--output=${join(target, 'patch.diff')}`, base.commit]),
      git.raw(['diff', '--stat=200', ...cached, `--output=${join(target, 'stat.txt')}`, base.commit]),
    ]);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/**
 * Makes all of a tree something that git can add as files: repositories inside it lose their .git (git would record a bare commit id,
 * or refuse), sockets and pipes are removed, and what the owner may not read is made readable. Names are bytes, not text.
 */
async function makeCapturable(folder: Buffer, top: boolean): Promise<void> {
  const { mode } = await lstat(folder);
  if ((mode & 0o700) !== 0o700) await chmod(folder, mode | 0o700);
  for (const name of await readdir(folder, { encoding: 'buffer' })) {
    const path = Buffer.concat([folder, Buffer.from('/'), name]);
    const found = await lstat(path);
    if (/^\.git$/i.test(name.toString('latin1'))) {
      if (!top || name.toString('latin1') !== '.git') await rm(path, { recursive: true, force: true });
    } else if (found.isDirectory()) await makeCapturable(path, false);
    else if (found.isFile()) {
      if ((found.mode & 0o400) === 0) await chmod(path, found.mode | 0o400);
    } else if (!found.isSymbolicLink()) await rm(path, { force: true });
  }
}

/** A fresh copy of the base with a patch applied. An empty patch is the base itself. */
export async function applyPatch(base: Pick<Base, 'folder' | 'commit'>, patchFile: string, folder: string): Promise<void> {
  await makeWorkspace(base, folder);
  if ((await stat(patchFile)).size > 0) await openGit(folder).raw(['apply', '--binary', '--whitespace=nowarn', patchFile]);
}
