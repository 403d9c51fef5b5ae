import { chmod, mkdir, readdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { parseYaml, readText, shown } from './document.js';
import { SettingsError } from './errors.js';
import { hashListing, listTree, sha256, type TreeFile } from './hash.js';

/** Frontmatter of a SKILL.md by the agentskills.io rules: these keys and no others. */
export const SkillFrontmatter = z.strictObject({
  name: z
    .string()
    .max(64, 'at most 64 characters')
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'lower-case letters, digits and single hyphens'),
  description: z.string().regex(/\S/, 'what the skill does and when to use it').max(1024, 'at most 1024 characters'),
  license: z.string().optional(),
  compatibility: z.string().min(1, 'some text').max(500, 'at most 500 characters').optional(),
  metadata: z.record(z.string(), z.string()).optional(),
  'allowed-tools': z.union([z.string(), z.array(z.string())]).optional(),
});

/** A file of a skill with its bytes; those of a symbolic link are its target. */
export interface SkillFile extends Pick<TreeFile, 'path' | 'mode'> {
  content: Buffer;
}

/** A SKILL.md in two parts: the YAML between the lines `---`, and what stands below. */
export const frontmatter = /^---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n([\s\S]*))?$/;

export interface Skill {
  name: string;
  description: string;
  version: string | null;
  owner: string | null;
  /** The text after the frontmatter. */
  body: string;
  /** Everything in its folder, sorted by path. */
  files: SkillFile[];
  /** Hash of all files: `hashTree` of the folder that they make. */
  sha256: string;
  /** Advice that is no error: a long body, a list where a string is usual. */
  warnings: string[];
}

/** The skill of a folder, read and checked. Errors name the file, the key, what was expected and what was found. */
export async function readSkill(folder: string): Promise<Skill> {
  await readText(join(folder, 'SKILL.md'), `skill ${basename(folder)}`);
  const files: SkillFile[] = [];
  for (const { path, mode } of await listTree(folder)) {
    const file = join(folder, path);
    files.push({ path, mode, content: mode === '120000' ? Buffer.from(await readlink(file)) : await readFile(file) });
  }
  return skillOf(basename(folder), files, join(folder, 'SKILL.md'));
}

/** A skill of the given files, checked; `file` names its SKILL.md in errors. */
export function skillOf(name: string, files: SkillFile[], file: string): Skill {
  const text = (files.find(({ path }) => path === 'SKILL.md')?.content.toString('utf8') ?? '').replace(/^\uFEFF/, '');
  const match = frontmatter.exec(text);
  if (match === null) {
    throw new SettingsError(`${shown(file)} has no frontmatter`, {
      expected: 'a first line "---", YAML with name and description, and a line "---"',
      found: JSON.stringify(text.split(/\r?\n/)[0] ?? ''),
      next: 'add the frontmatter',
    });
  }
  const head = parseYaml(match[1] ?? '', SkillFrontmatter, shown(file), 1);
  if (head.name !== name) {
    throw new SettingsError(`${shown(file)}: name differs from its folder`, {
      expected: name,
      found: head.name,
      next: 'rename the folder or the skill',
    });
  }
  const body = match[2] ?? '';
  const warnings = [
    ...(body.split('\n').length > 500 ? [`body of ${body.split('\n').length} lines (advice: under 500)`] : []),
    ...(Array.isArray(head['allowed-tools']) ? ['allowed-tools is a list (usual: one string with spaces)'] : []),
  ];
  return {
    name: head.name,
    description: head.description,
    version: head.metadata?.version ?? null,
    owner: head.metadata?.owner ?? null,
    body,
    files,
    sha256: hashListing(files.map(({ path, mode, content }) => ({ path, mode, sha256: sha256(content) }))),
    warnings,
  };
}

/** Writes the files of a skill into a new folder. */
export async function writeSkill({ files }: Pick<Skill, 'files'>, folder: string): Promise<void> {
  for (const { path, mode, content } of files) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    if (mode === '120000') await symlink(content.toString('utf8'), file);
    else {
      await writeFile(file, content);
      await chmod(file, mode === '100755' ? 0o755 : 0o644);
    }
  }
}

/** Every skill below a folder, sorted by name. */
export async function readSkills(folder: string): Promise<Skill[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return Promise.all(
    entries
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name)
      .sort()
      .map((name) => readSkill(join(folder, name))),
  );
}
