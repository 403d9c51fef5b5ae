import { constants } from 'node:fs';
import { cp, mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import type { Case } from './case.js';
import { shown } from './document.js';
import { FrozenError, SettingsError } from './errors.js';
import { openGit } from './git.js';
import { hashTree } from './hash.js';

/** Author and committer date of every base commit, so that its SHA is the same on every machine. */
const baseDate = '2026-01-01T00:00:00Z';

export interface Base {
  /** The one commit of the workspace repository. */
  commit: string;
  /** git's hash of its tree. */
  tree: string;
  /** The commit of the origin repository; null where the base is a folder of the case. */
  origin: string | null;
  /** The lab's own hash of names, modes and contents. */
  content: string;
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
    const content = await hashTree(draft);
    const git = openGit(draft, baseDate);
    await git.raw(['init', '--quiet', '--template=', '--initial-branch=main']);
    await git.raw(['add', '--all', '--force']);
    await git.raw(['commit', '--quiet', '--no-verify', '--message', 'Base']);
    await rm(join(draft, '.git', 'logs'), { recursive: true, force: true });
    const commit = (await git.revparse(['HEAD'])).trim();
    const tree = (await git.revparse(['HEAD^{tree}'])).trim();
    const folder = join(bases, commit);
    if ((await stat(folder).catch(() => null)) === null) await rename(draft, folder);
    return { commit, tree, origin, content, folder };
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function copyFolder(one: Case, draft: string): Promise<null> {
  const source = join(one.folder, one.repo.path as string);
  if ((await stat(join(source, '.git')).catch(() => null)) !== null) {
    throw new SettingsError(`${shown(source)} is a repository of its own`, {
      expected: 'a plain folder as repo.path',
      found: 'a .git inside',
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
  const [head, status] = [(await git.revparse(['HEAD'])).trim(), await git.raw(['status', '--porcelain', '--ignored'])];
  if (head === base.commit && status.trim() === '') return;
  throw new FrozenError(`The workspace is not the base`, {
    expected: `commit ${base.commit}, nothing changed`,
    found: head === base.commit ? status.trim().split('\n').slice(0, 5).join('; ') : `commit ${head}`,
    next: 'remove data/runs/<experiment>/bases and freeze again',
  });
}

/**
 * Writes what an agent changed since the base commit, whatever it committed or staged meanwhile: `patch.diff` (`git diff --binary`,
 * new files included, empty when nothing changed), `stat.txt` and `status.txt` into `target`. The agent may have rewritten the
 * workspace's .git, whose settings can name programs to run: only the base's own repository is used, with an index of its own.
 */
export async function captureChange(folder: string, base: Pick<Base, 'commit' | 'folder'>, target: string): Promise<void> {
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
    await git.raw(['read-tree', base.commit]);
    await writeFile(join(target, 'status.txt'), await git.raw(['status', '--porcelain', '--untracked-files=all']));
    await git.raw(['add', '--all', '.']);
    const cached = ['--cached', '--no-color', '--no-ext-diff', '--no-textconv', '--no-renames'];
    // --output keeps bytes that are no UTF-8 as they are
    await git.raw(['diff', '--binary', '--full-index', ...cached, `--output=${join(target, 'patch.diff')}`, base.commit]);
    await git.raw(['diff', '--stat=200', ...cached, `--output=${join(target, 'stat.txt')}`, base.commit]);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** A fresh copy of the base with a patch applied. An empty patch is the base itself. */
export async function applyPatch(base: Pick<Base, 'folder' | 'commit'>, patchFile: string, folder: string): Promise<void> {
  await makeWorkspace(base, folder);
  if ((await stat(patchFile)).size > 0) await openGit(folder).raw(['apply', '--binary', '--whitespace=nowarn', patchFile]);
}
