import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PrerequisiteError, SettingsError } from './errors.js';
import type { Experiment } from './experiment.js';
import { openGit } from './git.js';
import { readSkill, type Skill, type SkillFile, skillOf } from './skill.js';

/** The commit that a revision names; null where this checkout does not have it, or is no git checkout. */
export async function commitOf(root: string, revision: string): Promise<string | null> {
  const found = await openGit(root)
    .raw(['rev-parse', '--verify', '--quiet', `${revision}^{commit}`])
    .catch(() => '');
  return found.trim() || null;
}

/**
 * A skill as the repository around `root` had it at a revision, from git's objects and not from the disk. Where the revision is not to
 * be had (a shallow clone) the copy that freeze left in `frozen` is read: the lock says whether it is the same. `frozen` is null where
 * no freeze took the skill from that very revision. `root` null: no repository is asked, as the one around an unpacked bundle is
 * somebody else's, and may know a revision of that name.
 */
export async function readSkillAt(
  root: string | null,
  folder: string,
  name: string,
  revision: string,
  frozen: string | null,
): Promise<Skill> {
  const commit = root === null ? null : await commitOf(root, revision);
  if (root === null || commit === null) {
    if (frozen !== null && (await stat(join(frozen, 'SKILL.md')).catch(() => null)) !== null) return readSkill(frozen);
    if (root !== null) throw unknownRevision(root, revision, `skill ${name}`);
    throw new PrerequisiteError(`Skill ${name} of ${revision} is not in the bundle`, {
      expected: 'the copy that freeze left in data/runs/<experiment>/skills',
      found: 'none that the lock took from that revision',
      next: 'bundle again where the experiment was run',
    });
  }
  const git = openGit(root);
  // ./ : below root, wherever the repository's own top is
  const listed = await git.raw(['ls-tree', '-r', '-z', '--full-tree', `${commit}:./${folder}`]).catch(() => '');
  const files: SkillFile[] = [];
  for (const line of listed.split('\0').filter((one) => one !== '')) {
    const [, mode, kind, blob, path] = /^(\d+) (\w+) ([0-9a-f]+)\t([\s\S]+)$/.exec(line) ?? [];
    if (kind !== 'blob' || !isMode(mode)) continue;
    files.push({ path: path as string, mode, content: await git.showBuffer([blob as string]) });
  }
  if (!files.some(({ path }) => path === 'SKILL.md')) {
    throw new SettingsError(`Skill ${name} was not there at ${revision}`, {
      expected: `${folder}/SKILL.md in commit ${commit.slice(0, 12)}`,
      found: files.length === 0 ? 'no such folder' : files.map(({ path }) => path).join(', '),
      next: 'name a later revision, or take the skill out of the arm',
    });
  }
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return skillOf(name, files, `${revision}:${folder}/SKILL.md`);
}

/** Every revision that an arm names must be in git to be frozen: a copy of an earlier freeze proves nothing anew. */
export async function requireRevisions(root: string, arms: Experiment['arms']): Promise<void> {
  for (const [arm, { skills_from: revision }] of Object.entries(arms))
    if (revision !== undefined && (await commitOf(root, revision)) === null)
      throw unknownRevision(root, revision, `the skills of arm ${arm}`);
}

function unknownRevision(root: string, revision: string, what: string): PrerequisiteError {
  return new PrerequisiteError(`No revision ${revision} to take ${what} from`, {
    expected: 'a commit, tag or branch of this repository',
    found: `git does not know it in ${root}`,
    next: 'fetch it (a shallow clone lacks old commits: git fetch --unshallow), or correct skills_from',
  });
}

function isMode(mode: string | undefined): mode is SkillFile['mode'] {
  return mode === '100644' || mode === '100755' || mode === '120000';
}
