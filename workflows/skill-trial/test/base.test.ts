import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { applyPatch, type Base, captureChange, hashRepository, makeBase, makeWorkspace } from '../src/base.js';
import type { Case } from '../src/case.js';
import { FrozenError, SettingsError } from '../src/errors.js';
import { hashTree, listTree } from '../src/hash.js';
import { changedFiles } from '../src/new-tests.js';
import { failure, tempFolder, writeFiles } from './fixture.js';

afterEach(() => vi.unstubAllEnvs());

const latin1 = Buffer.from([0x67, 0x72, 0xf6, 0xdf, 0x65, 0x0a]); // größe in ISO 8859-1
const files: Record<string, string | Buffer> = {
  'README.md': 'A service.\n',
  'src/index.js': 'export const one = 1;\n',
  'src/old.js': 'old\n',
  'run.sh': '#!/bin/sh\n',
  'data/latin1.txt': latin1,
  'data/blob.bin': Buffer.from([0, 1, 2, 3, 255]),
  'crlf.txt': 'a\r\nb\r\n',
  '.gitignore': 'ignored/\n*.log\n',
  'ignored/tracked.txt': 'in the base although its folder is ignored\n',
};

const caseIn = (folder: string, repo: Partial<Case['repo']>) => ({ name: 'tiny', folder, repo }) as Case;
async function newBase(more: Record<string, string | Buffer> = {}): Promise<Base> {
  const folder = await tempFolder();
  await writeFiles(join(folder, 'repo'), { ...files, ...more });
  await chmod(join(folder, 'repo/run.sh'), 0o755);
  return makeBase(caseIn(folder, { path: 'repo' }), join(folder, 'bases'));
}

/** One base for all round trips: none of them may change it. */
let shared: { folder: string; base: Promise<Base> } | undefined;
async function sharedBase(): Promise<Base> {
  if (shared === undefined) {
    const folder = await mkdtemp(join(tmpdir(), 'skill-trial-base-'));
    await writeFiles(join(folder, 'repo'), files);
    await chmod(join(folder, 'repo/run.sh'), 0o755);
    shared = { folder, base: makeBase(caseIn(folder, { path: 'repo' }), join(folder, 'bases')) };
  }
  return shared.base;
}
afterAll(() => rm(shared?.folder ?? '/nonexistent', { recursive: true, force: true }));

const git = (folder: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', '-c', 'safe.directory=*', ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();

describe('the base commit', () => {
  test('its SHA is the same in another folder, under another umask, git environment and user settings', async () => {
    const first = await newBase();
    const home = await tempFolder({
      '.gitconfig':
        '[user]\nname = Someone\nemail = someone@example.org\n[core]\nautocrlf = true\n[commit]\ngpgsign = true\n[init]\ndefaultBranch = other\ntemplateDir = /nonexistent\n',
    });
    for (const [name, value] of Object.entries({
      HOME: home,
      GIT_AUTHOR_NAME: 'Someone',
      GIT_AUTHOR_DATE: '2001-01-01T00:00:00Z',
      GIT_COMMITTER_EMAIL: 'someone@example.org',
      GIT_DIR: join(home, 'elsewhere'),
      GIT_INDEX_FILE: join(home, 'index'),
      GIT_WORK_TREE: home,
      TZ: 'Asia/Tokyo',
      LANG: 'de_DE.UTF-8',
    }))
      vi.stubEnv(name, value);
    const umask = process.umask(0o077);
    try {
      const second = await newBase();
      expect(second.commit).toBe(first.commit);
      expect(second.tree).toBe(first.tree);
      expect(second.content).toBe(first.content);
    } finally {
      process.umask(umask);
    }
  });

  test.each<[string, Record<string, string>]>([
    ['a byte', { 'README.md': 'A service!\n' }],
    ['a file more', { 'src/new.js': '' }],
    ['a line end', { 'crlf.txt': 'a\nb\n' }],
  ])('another tree gives another SHA: %s', async (_what, more) => {
    expect((await newBase(more)).commit).not.toBe((await newBase()).commit);
  });

  test('it is one commit of the whole folder: no remote, no reflog, no other history, no hook', async () => {
    const base = await newBase();
    expect(git(base.folder, 'rev-list', '--all', '--count')).toBe('1');
    expect(git(base.folder, 'rev-list', '--objects', '--all').split('\n').length).toBe(
      git(base.folder, 'cat-file', '--batch-all-objects', '--batch-check').split('\n').length,
    );
    expect(git(base.folder, 'remote')).toBe('');
    expect(git(base.folder, 'reflog', '--all')).toBe('');
    expect(existsSync(join(base.folder, '.git/hooks'))).toBe(false);
    expect(git(base.folder, 'ls-files').split('\n').sort()).toEqual(Object.keys(files).sort());
    expect(git(base.folder, 'status', '--porcelain')).toBe('');
  });

  test('it is made once and found again', async () => {
    const folder = await tempFolder();
    await writeFiles(join(folder, 'repo'), files);
    const make = () => makeBase(caseIn(folder, { path: 'repo' }), join(folder, 'bases'));
    const [one, two] = await Promise.all([make(), make()]);
    expect(two).toEqual(one);
    expect(await make()).toEqual(one);
    expect(await readdir(join(folder, 'bases'))).toEqual([one.commit]);
  });

  test('attributes in the tree change no byte of it', async () => {
    const base = await newBase({ '.gitattributes': '* text=auto eol=crlf\n*.js ident\n' });
    expect(git(base.folder, 'cat-file', 'blob', 'HEAD:crlf.txt')).toBe('a\r\nb');
    const folder = join(await tempFolder(), 'workspace');
    await makeWorkspace(base, folder);
    expect(await readFile(join(folder, 'crlf.txt'), 'utf8')).toBe('a\r\nb\r\n');
  });
});

describe('a workspace', () => {
  test('is a copy of the base: same files, clean, at its commit, without a way back', async () => {
    const base = await newBase();
    const folder = join(await tempFolder(), 'workspace');
    await makeWorkspace(base, folder);
    expect(await listTree(folder)).toEqual(await listTree(base.folder));
    expect(git(folder, 'rev-parse', 'HEAD')).toBe(base.commit);
    expect(existsSync(join(folder, '.git/objects/info/alternates'))).toBe(false);
  });

  test('a base that was changed is refused, with the file', async () => {
    const base = await newBase();
    await writeFile(join(base.folder, 'README.md'), 'changed\n');
    const folder = join(await tempFolder(), 'workspace');
    const error = await failure(FrozenError, () => makeWorkspace(base, folder));
    expect(error.found).toContain('README.md');
  });
});

/** Lets `change` work on a fresh workspace, captures it, applies the patch elsewhere, and returns both sides. */
async function roundTrip(change: (folder: string) => Promise<unknown> | unknown) {
  const base = await sharedBase();
  const scratch = await tempFolder();
  const [folder, target, again] = ['workspace', 'target', 'again'].map((name) => join(scratch, name)) as [string, string, string];
  await Promise.all([makeWorkspace(base, folder), mkdir(target)]);
  const before = await hashTree(base.folder);
  await change(folder);
  await captureChange(folder, base, target);
  await applyPatch(base, join(target, 'patch.diff'), again);
  const patch = await readFile(join(target, 'patch.diff'));
  expect(await hashTree(base.folder), 'the base is left as it was').toBe(before);
  expect(git(base.folder, 'status', '--porcelain')).toBe('');
  expect((await readdir(scratch)).sort(), 'nothing is left of the capture').toEqual(['again', 'target', 'workspace']);
  return {
    base,
    patch,
    folder,
    target,
    scratch,
    changed: changedFiles(patch.toString()).map((file) => `${file.kind} ${file.path}`),
    here: await listTree(folder),
    there: await listTree(again),
  };
}

describe('the capture sees what an agent changed, and the patch gives the same tree', () => {
  test.each<[string, string[], (folder: string) => Promise<unknown>]>([
    ['nothing', [], async () => undefined],
    ['a new file', ['added src/new.js'], (folder) => writeFile(join(folder, 'src/new.js'), 'new\n')],
    ['a new file without a last line break', ['added x'], (folder) => writeFile(join(folder, 'x'), 'x')],
    ['an empty new file', ['added empty'], (folder) => writeFile(join(folder, 'empty'), '')],
    ['a modified file', ['modified README.md'], (folder) => writeFile(join(folder, 'README.md'), 'Another.\n')],
    ['a deleted file', ['deleted src/old.js'], (folder) => unlink(join(folder, 'src/old.js'))],
    [
      'a renamed file',
      ['deleted src/old.js', 'added src/renamed.js'],
      (folder) => rename(join(folder, 'src/old.js'), join(folder, 'src/renamed.js')),
    ],
    [
      'a binary file',
      ['modified data/blob.bin'],
      (folder) => writeFile(join(folder, 'data/blob.bin'), Buffer.from([0, 9, 0, 255, 10, 13])),
    ],
    [
      'text that is no UTF-8',
      ['modified data/latin1.txt'],
      (folder) => writeFile(join(folder, 'data/latin1.txt'), Buffer.concat([latin1, latin1])),
    ],
    ['line ends', ['modified crlf.txt'], (folder) => writeFile(join(folder, 'crlf.txt'), 'a\nb\r\nc\r')],
    ['the executable bit, set', ['modified src/index.js'], (folder) => chmod(join(folder, 'src/index.js'), 0o755)],
    ['the executable bit, taken', ['modified run.sh'], (folder) => chmod(join(folder, 'run.sh'), 0o644)],
    ['a file name beyond ASCII', ['added größe-日本-😀.txt'], (folder) => writeFile(join(folder, 'größe-日本-😀.txt'), 'x\n')],
    [
      'a file name with quotes, spaces and a line break',
      ['added a "b"\n c.txt'],
      (folder) => writeFile(join(folder, 'a "b"\n c.txt'), 'x\n'),
    ],
    ['a link', ['added link'], (folder) => symlink('README.md', join(folder, 'link'))],
    [
      'a folder replaced by a link',
      ['added src', 'deleted src/index.js', 'deleted src/old.js'],
      async (folder) => {
        await rm(join(folder, 'src'), { recursive: true });
        await symlink('data', join(folder, 'src'));
      },
    ],
    [
      'a folder replaced by a file',
      ['added src', 'deleted src/index.js', 'deleted src/old.js'],
      async (folder) => {
        await rm(join(folder, 'src'), { recursive: true });
        await writeFile(join(folder, 'src'), 'file\n');
      },
    ],
    [
      'a file of the base below an ignored folder',
      ['modified ignored/tracked.txt'],
      (folder) => writeFile(join(folder, 'ignored/tracked.txt'), 'x\n'),
    ],
  ])('%s', async (_what, expected, change) => {
    const { changed, here, there } = await roundTrip(change);
    expect(changed).toEqual(expected);
    expect(there).toEqual(here);
  });

  test('nothing changed is an empty patch', async () => {
    expect((await roundTrip(() => undefined)).patch).toHaveLength(0);
  });

  test('ignored files are left out of the patch', async () => {
    const { changed } = await roundTrip((folder) => writeFiles(folder, { 'debug.log': 'x', 'ignored/new.txt': 'x' }));
    expect(changed).toEqual([]);
  });

  test('status and stat name the files', async () => {
    const { target } = await roundTrip((folder) => writeFiles(folder, { 'README.md': 'x\n', 'größe.txt': 'x\n' }));
    const [status, stat] = await Promise.all(['status.txt', 'stat.txt'].map((name) => readFile(join(target, name), 'utf8')));
    expect(status).toContain('README.md');
    expect(status).toContain('größe.txt');
    expect(stat).toContain('2 files changed');
  });
});

describe('whatever the agent did to git', () => {
  const change = (folder: string) => writeFile(join(folder, 'README.md'), 'Another.\n');
  test.each<[string, (folder: string) => Promise<unknown>]>([
    [
      'it committed',
      async (folder) => {
        await change(folder);
        git(folder, 'add', '--all');
        git(folder, 'commit', '--quiet', '--message', 'mine');
      },
    ],
    [
      'it staged',
      async (folder) => {
        await change(folder);
        git(folder, 'add', '--all');
      },
    ],
    [
      'it staged, and took the file out of the index',
      async (folder) => {
        await change(folder);
        git(folder, 'rm', '--quiet', '--cached', 'README.md');
      },
    ],
    [
      'it hid the change from git',
      async (folder) => {
        git(folder, 'update-index', '--assume-unchanged', 'README.md');
        await change(folder);
      },
    ],
    [
      'it rewrote history',
      async (folder) => {
        await change(folder);
        git(folder, 'checkout', '--quiet', '--orphan', 'new');
        git(folder, 'commit', '--quiet', '--all', '--message', 'mine');
        git(folder, 'branch', '--quiet', '-D', 'main');
        git(folder, 'gc', '--quiet', '--prune=now');
      },
    ],
    [
      'it deleted .git',
      async (folder) => {
        await change(folder);
        await rm(join(folder, '.git'), { recursive: true });
      },
    ],
    [
      'it made .git a file',
      async (folder) => {
        await change(folder);
        await rm(join(folder, '.git'), { recursive: true });
        await writeFile(join(folder, '.git'), 'gitdir: /nonexistent\n');
      },
    ],
    [
      'it left a lock',
      async (folder) => {
        await change(folder);
        await writeFile(join(folder, '.git/index.lock'), '');
      },
    ],
    [
      'it excluded the file',
      async (folder) => {
        await change(folder);
        await writeFile(join(folder, '.git/info/exclude'), 'README.md\n');
      },
    ],
  ])('the change is captured: %s', async (_what, act) => {
    expect((await roundTrip(act)).changed).toEqual(['modified README.md']);
  });

  test.each<[string, (trap: string) => Record<string, string>]>([
    ['core.fsmonitor', (program) => ({ 'core.fsmonitor': program })],
    ['an external diff', (program) => ({ 'diff.external': program })],
    ['a text conversion', (program) => ({ 'diff.odd.textconv': program })],
    ['a filter', (program) => ({ 'filter.odd.clean': program, 'filter.odd.smudge': program, 'filter.odd.required': 'true' })],
    ['hooks', (program) => ({ 'core.hooksPath': join(program, '..') })],
  ])('a program that it put into .git/config does not run: %s', async (_what, settings) => {
    const trap = await tempFolder();
    const program = join(trap, 'trap.sh');
    await writeFile(program, `#!/bin/sh\ntouch ${trap}/it-ran\ncat\n`, { mode: 0o755 });
    await symlink('trap.sh', join(trap, 'post-index-change'));
    const { changed } = await roundTrip(async (folder) => {
      await writeFiles(folder, { 'sub/x.txt': 'x\n' });
      git(join(folder, 'sub'), 'init', '--quiet', '--template=');
      await change(folder);
      for (const repository of [folder, join(folder, 'sub')]) {
        await writeFiles(repository, { '.git/info/attributes': '* filter=odd diff=odd\n' });
        for (const [name, value] of Object.entries(settings(program))) git(repository, 'config', name, value);
      }
    });
    expect(await readdir(trap)).not.toContain('it-ran');
    expect(changed).toEqual(['modified README.md', 'added sub/x.txt']);
  });

  test('such a program would run if git were asked in the workspace', async () => {
    const trap = await tempFolder();
    const folder = join(await tempFolder(), 'workspace');
    await makeWorkspace(await sharedBase(), folder);
    await writeFile(join(trap, 'trap.sh'), `#!/bin/sh\ntouch ${trap}/it-ran\n`, { mode: 0o755 });
    git(folder, 'config', 'core.fsmonitor', join(trap, 'trap.sh'));
    git(folder, 'status');
    expect(await readdir(trap)).toContain('it-ran');
  });

  test('a repository inside, with commits or without, is captured as its files', async () => {
    const { changed, here, there } = await roundTrip(async (folder) => {
      await writeFiles(folder, { 'vendor/a.js': 'a\n', 'empty/b.js': 'b\n' });
      for (const sub of ['vendor', 'empty']) git(join(folder, sub), 'init', '--quiet', '--template=');
      git(join(folder, 'vendor'), 'add', '--all');
      git(join(folder, 'vendor'), 'commit', '--quiet', '--message', 'vendored');
    });
    expect(changed).toEqual(['added empty/b.js', 'added vendor/a.js']);
    expect(there).toEqual(here);
  });

  test.each<[string, string]>([
    ['an encoding that its files do not have', '*.md text working-tree-encoding=UTF-16\n'],
    ['line ends', '* text eol=crlf\n'],
    ['an ident', '* ident\n'],
    ['no diff', '* -diff\n'],
    ['a filter', '* filter=lfs diff=lfs merge=lfs -text\n'],
  ])('a .gitattributes of its own changes no captured byte: %s', async (_what, attributes) => {
    const { here, there, changed } = await roundTrip((folder) =>
      writeFiles(folder, { '.gitattributes': attributes, 'README.md': 'odd $Id$\r\nline\n' }),
    );
    expect(changed).toEqual(['added .gitattributes', 'modified README.md']);
    expect(there).toEqual(here);
  });

  test('names that look like .git to other systems, pipes and unreadable files do not make the capture fail', async () => {
    const { changed } = await roundTrip(async (folder) => {
      await writeFiles(folder, { 'git~1/x': 'x\n', 'sub/.GIT/config': 'x\n', 'secret.txt': 'x\n' });
      await chmod(join(folder, 'secret.txt'), 0);
      execFileSync('mkfifo', [join(folder, 'pipe')]);
      await rm(join(folder, 'run.sh'));
      execFileSync('mkfifo', [join(folder, 'run.sh')]);
    });
    expect(changed).toEqual(['added git~1/x', 'deleted run.sh', 'added secret.txt']);
  });
});

describe('a repository with a commit as the base', () => {
  async function origin() {
    const folder = await tempFolder();
    await writeFiles(join(folder, 'origin'), { 'a.txt': 'one\n', 'sub/b.txt': 'b\n' });
    const at = join(folder, 'origin');
    git(at, 'init', '--quiet', '--template=', '--initial-branch=main');
    git(at, 'add', '--all');
    git(at, 'commit', '--quiet', '--message', 'first');
    const first = git(at, 'rev-parse', 'HEAD');
    await writeFile(join(at, 'a.txt'), 'two\n');
    git(at, 'commit', '--quiet', '--all', '--message', 'second');
    return { folder, at, first, make: (repo: Partial<Case['repo']>) => makeBase(caseIn(folder, repo), join(folder, 'bases')) };
  }

  test('that commit alone is taken, and its SHA kept as the origin', async () => {
    const { make, first } = await origin();
    const base = await make({ git: 'origin', commit: first });
    expect(base.origin).toBe(first);
    expect(await readFile(join(base.folder, 'a.txt'), 'utf8')).toBe('one\n');
    expect(git(base.folder, 'rev-list', '--all', '--count')).toBe('1');
    expect(() => git(base.folder, 'cat-file', '-e', first)).toThrow();
    expect(git(base.folder, 'remote')).toBe('');
  });

  test.each<[string, (at: Awaited<ReturnType<typeof origin>>) => Promise<Partial<Case['repo']>>, RegExp]>([
    ['a missing repository', async ({ first }) => ({ git: 'nowhere', commit: first }), /nothing at .*nowhere/],
    ['an unknown commit', async () => ({ git: 'origin', commit: 'f'.repeat(40) }), /./],
    ['a commit that is an option', async () => ({ git: 'origin', commit: '--all' }), /./],
    [
      'a folder that is no repository',
      async ({ folder, first }) => {
        await mkdir(join(folder, 'plain'));
        return { git: 'plain', commit: first };
      },
      /./,
    ],
    [
      'a dirty repository',
      async ({ at, first }) => {
        await writeFile(join(at, 'a.txt'), 'three\n');
        return { git: 'origin', commit: first };
      },
      /1 uncommitted file/,
    ],
    [
      'a repository with a new file',
      async ({ at, first }) => {
        await writeFile(join(at, 'new.txt'), 'new\n');
        return { git: 'origin', commit: first };
      },
      /1 uncommitted file/,
    ],
  ])('%s is one SettingsError that names case and commit, and leaves nothing behind', async (_what, prepare, found) => {
    const it = await origin();
    const repo = await prepare(it);
    const error = await failure(SettingsError, () => it.make(repo));
    expect(error.message).toContain('case tiny: the repository cannot be used');
    expect(error.expected).toContain(repo.commit as string);
    expect(error.found).toMatch(found);
    expect(await readdir(join(it.folder, 'bases'))).toEqual([]);
  });

  test.each(['repo/.git/HEAD', 'repo/deep/sub/.git/HEAD'])('a folder of the case with %s inside is refused', async (path) => {
    const folder = await tempFolder({ 'repo/a.txt': 'a', [path]: 'ref: refs/heads/main\n' });
    const error = await failure(SettingsError, () => makeBase(caseIn(folder, { path: 'repo' }), join(folder, 'bases')));
    expect(error.message).toContain('is a repository of its own');
    expect(error.found).toContain('.git');
  });
});

describe('a link that leads an agent to skills', () => {
  test('is taken out of the base, and the hash of the repository agrees', async () => {
    const folder = await tempFolder({
      'repo/README.md': 'A service.\n',
      'repo/config/assistant/skills/stray/SKILL.md': 'text\n',
      'repo/config/assistant/commands/x.md': 'text\n',
      'repo/config/plain/notes.md': 'text\n',
    });
    const repo = join(folder, 'repo');
    await symlink('config/assistant', join(repo, '.claude'));
    await symlink('config/plain', join(repo, '.agents'));
    await symlink('nowhere', join(repo, '.codex'));
    const base = await makeBase(caseIn(folder, { path: 'repo' }), join(folder, 'bases'));
    expect(base.removed).toEqual(['.claude']);
    expect((await readdir(base.folder)).sort()).toEqual(['.agents', '.codex', '.git', 'README.md', 'config']);
    expect(await hashRepository(repo)).toBe(base.content);
  });
});
