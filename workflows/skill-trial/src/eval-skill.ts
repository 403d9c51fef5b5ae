import { uniqueId } from './eval-reading.js';
import { evalFileName } from './eval-source.js';
import type { Imported, Loss } from './loss-report.js';
import { slugOf } from './slug.js';
import { folderOf, join, textOf } from './source-path.js';
import type { SourceTree } from './source-tree.js';

/** What an importer of evals knows of the skills that it has taken over. */
export interface ImportedSkills {
  /** Name → the folder that it came from. */
  folders: Map<string, string>;
  /** What belongs to evals: paths, and folders that end in a slash. A skill comes without them: they tell what is asserted. */
  evals: Set<string>;
  /** The evals that each skill has already, as text → their file. */
  sets: Map<string, string>;
}

/** The folder of a skill: the nearest one above the file; else one of that name anywhere, nearest first. Null: none. */
export function findSkill(name: string | null, file: string, all: string[]): string | null {
  const folders = all.filter((path) => path === 'SKILL.md' || path.endsWith('/SKILL.md')).map(folderOf);
  const above = folders.filter((folder) => folder === '' || file.startsWith(`${folder}/`)).sort((a, b) => b.length - a.length)[0];
  const isNamed = (folder: string) => name !== null && sameName(folder.split('/').at(-1) ?? '', name);
  if (above !== undefined && (name === null || folders.length === 1 || isNamed(above))) return above;
  return (name === null ? undefined : skillsNamed(name, all)[0]) ?? above ?? null;
}

/** The folders of skills of that name, the shortest path first. */
export function skillsNamed(name: string, all: string[]): string[] {
  const folders = all.filter((path) => path.endsWith('/SKILL.md')).map(folderOf);
  return folders.filter((folder) => sameName(folder.split('/').at(-1) ?? '', name)).sort((a, b) => a.length - b.length);
}

/** By their slugs, or as they are written where a script has no slug. */
function sameName(one: string, other: string): boolean {
  return one.normalize('NFKC') === other.normalize('NFKC') || (slugOf(one) !== '' && slugOf(one) === slugOf(other));
}

/** Takes a skill over and returns its name here; null where another skill has that name already. `wanted`: what its evals call it. */
export async function addSkill(
  folder: string,
  wanted: string | null,
  tree: SourceTree,
  all: string[],
  made: Imported,
  skills: ImportedSkills,
  lose: (status: Loss['status'], what: string) => void,
): Promise<string | null> {
  const text = textOf(await tree.read(join(folder, 'SKILL.md'))) ?? '';
  const [, written = ''] = /^name:[ \t]*['"]?(.*?)['"]?[ \t]*\r?$/m.exec(text) ?? [];
  const known = [...skills.folders].find(([, from]) => from === folder)?.[0];
  if (known !== undefined) return known;
  const here = folder === '' ? (tree.skill ?? '') : (folder.split('/').at(-1) ?? '');
  const name = slugOf(written) || slugOf(here) || slugOf(wanted ?? '') || uniqueId('skill', [...skills.folders.keys()]);
  const files: Imported['files'] = { 'SKILL.md': name === written ? text : text.replace(/^name:.*$/m, `name: ${name}`) };
  const left: string[] = [];
  const prefix = folder === '' ? '' : `${folder}/`;
  for (const path of all) {
    const below = path.slice(prefix.length);
    if (!path.startsWith(prefix) || below === 'SKILL.md' || isOfEvals(path, below, skills)) continue;
    if (folder === '' && tree.skill === undefined && !belongs(below, text)) left.push(below);
    else files[below] = (await tree.read(path)) as Buffer;
  }
  const other = skills.folders.get(name);
  if (other !== undefined) {
    if (isSame(files, name, made)) return name;
    lose('missing', `another skill called ${name} comes from ${other || 'the root'}: this one and its evals are not imported`);
    return null;
  }
  skills.folders.set(name, folder);
  for (const [path, content] of Object.entries(files)) made.files[`skills-src/${name}/${path}`] = content;
  if (written === '') lose('warned', `${join(folder, 'SKILL.md')} has no name: add one, an agent finds no skill without`);
  else if (name !== written) lose('mapped', `the skill "${written}" is called ${name} here`);
  if (left.length > 0) {
    const some = left.length > 3 ? ' …' : '';
    lose(
      'dropped',
      `${left.slice(0, 3).join(', ')}${some} of the repository: SKILL.md names none of them, so the skill comes without`,
    );
  }
  return name;
}

function isOfEvals(path: string, below: string, { evals }: ImportedSkills): boolean {
  if (/^evals?\//.test(below) || evalFileName.test(path.split('/').at(-1) as string) || evals.has(path)) return true;
  return [...evals].some((one) => one.endsWith('/') && path.startsWith(one));
}

/** Whether a file of a repository whose root is a skill belongs to the skill: it lies in a folder that skills have, or SKILL.md names it. */
function belongs(below: string, text: string): boolean {
  if (/^(scripts|references|assets|templates|examples)\//.test(below)) return true;
  return text.includes(below.includes('/') ? `${below.split('/')[0]}/` : below);
}

/** Whether a skill was taken over with these very files. */
function isSame(files: Imported['files'], name: string, made: Imported): boolean {
  const prefix = `skills-src/${name}/`;
  const there = Object.keys(made.files).filter((path) => path.startsWith(prefix));
  const same = (path: string) => Buffer.from(files[path] ?? '').equals(Buffer.from(made.files[`${prefix}${path}`] ?? ''));
  return there.length === Object.keys(files).length && there.every((path) => same(path.slice(prefix.length)));
}
