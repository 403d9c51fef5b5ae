import parseDiff from 'parse-diff';
import picomatch from 'picomatch';
import { z } from 'zod';
import { patchedFiles } from './new-tests.js';

/**
 * How a skill can get in the way of a task, as the benchmark's paper describes it.
 * anchoring: a name out of the skill that neither the repository nor the task has. template bleed: lines of the skill's own examples.
 * unrequested file: a file outside those the requirement names. Hints to look at, and no verdicts: a name may be the right one.
 */
export const Interference = z.strictObject({
  kind: z.enum(['anchoring', 'template bleed', 'unrequested file']),
  /** The name, the line or the path. */
  what: z.string(),
  file: z.string(),
});
export type Interference = z.infer<typeof Interference>;

export interface InterferenceInput {
  patch: string;
  /** SKILL.md of the skills that the run was given. */
  skills: string[];
  /** Every text of the repository before the run, and the task: where a name may come from. */
  sources: string[];
  /** Globs of the files that the requirement names; null: it names none. */
  files: string[] | null;
}

/** Shortest line of an example that stands in a patch by more than chance, in characters. */
const longLine = 25;

/** What a patch shows of its skills, in the order of its files; each finding once a file. */
export function findInterference({ patch, skills, sources, files }: InterferenceInput): Interference[] {
  const known = new Set(sources.flatMap(namesIn));
  const knownLines = new Set(sources.flatMap(linesOf));
  const examples = skills.flatMap(codeOf);
  const foreign = new Set(examples.flatMap(namesIn).filter((name) => !known.has(name)));
  const template = new Set(examples.flatMap(linesOf).filter((line) => line.length >= longLine && !knownLines.has(line)));
  const requested = files === null ? () => true : picomatch(files, { dot: true });
  // one part each, in the same order; the paths are read by the lab, as git quotes unusual ones
  const paths = patchedFiles(patch).map((changed) => changed.path);
  return parseDiff(patch).flatMap((part, index): Interference[] => {
    const file = paths[index] ?? part.to ?? '';
    const added = part.chunks.flatMap((chunk) =>
      chunk.changes.filter((change) => change.type === 'add').map((change) => change.content.slice(1)),
    );
    const names = new Set(added.flatMap(namesIn).filter((name) => foreign.has(name)));
    const lines = new Set(added.flatMap(linesOf).filter((line) => template.has(line)));
    return [
      ...(requested(file) ? [] : [{ kind: 'unrequested file' as const, what: file, file }]),
      ...[...names].map((what) => ({ kind: 'anchoring' as const, what, file })),
      ...[...lines].map((what) => ({ kind: 'template bleed' as const, what, file })),
    ];
  });
}

/** The code of a Markdown text: fenced blocks and spans. Its prose holds words that anybody uses. */
function codeOf(markdown: string): string[] {
  const blocks = [...markdown.matchAll(/^(`{3,}|~{3,})[^\n]*\n([\s\S]*?)^\1/gm)].map((match) => match[2] as string);
  const prose = markdown.replace(/^(`{3,}|~{3,})[^\n]*\n[\s\S]*?^\1/gm, '');
  return [...blocks, ...[...prose.matchAll(/`([^`\n]+)`/g)].map((match) => match[1] as string)];
}

/** Names that nobody writes by chance: with a digit, a capital inside, an underscore, a hyphen or a dot; four characters or more. */
function namesIn(text: string): string[] {
  return (text.match(/[A-Za-z_][\w.-]*\w/g) ?? []).filter((name) => name.length >= 4 && /[a-z][A-Z]|[_.-]|\d/.test(name));
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
