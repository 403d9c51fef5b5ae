import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { parseYaml, readText, shown } from './document.js';
import { SettingsError } from './errors.js';
import { hashTree } from './hash.js';

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

export interface Skill {
  name: string;
  description: string;
  version: string | null;
  owner: string | null;
  folder: string;
  /** The text after the frontmatter. */
  body: string;
  /** Hash of every file of the skill's folder. */
  sha256: string;
  /** Advice that is no error: a long body, a list where a string is usual. */
  warnings: string[];
}

/** A skill read and checked. Errors name the file, the key, what was expected and what was found. */
export async function readSkill(folder: string): Promise<Skill> {
  const file = join(folder, 'SKILL.md');
  const text = await readText(file, `skill ${basename(folder)}`);
  const match = /^---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n([\s\S]*))?$/.exec(text);
  if (match === null) {
    throw new SettingsError(`${shown(file)} has no frontmatter`, {
      expected: 'a first line "---", YAML with name and description, and a line "---"',
      found: JSON.stringify(text.split(/\r?\n/)[0] ?? ''),
      next: 'add the frontmatter',
    });
  }
  const head = parseYaml(match[1] ?? '', SkillFrontmatter, shown(file), 1);
  if (head.name !== basename(folder)) {
    throw new SettingsError(`${shown(file)}: name differs from its folder`, {
      expected: basename(folder),
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
    folder,
    body,
    sha256: await hashTree(folder),
    warnings,
  };
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
