import type { Case } from './case.js';
import type { Skill } from './skill.js';

export interface Leak {
  skill: string;
  word: string;
  file: string;
  line: number;
}

/**
 * Case-specific words of a reference sheet that occur in a skill or in the names of its files: such a skill hands the answer over.
 * Whole words, any case; line 0 is the file's name. The words are the case's own list, so that general risk words (boundary, repetition, compensation) do not trip it.
 */
export async function findLeaks(one: Pick<Case, 'leak_words'>, skills: Iterable<Pick<Skill, 'name' | 'files'>>): Promise<Leak[]> {
  const leaks: Leak[] = [];
  for (const skill of skills) {
    for (const file of skill.files) {
      const text = `${file.path}\n${file.content.toString('utf8')}`;
      for (const word of one.leak_words) {
        for (const { index } of text.matchAll(asWholeWord(word)))
          leaks.push({ skill: skill.name, word, file: file.path, line: text.slice(0, index).split('\n').length - 1 });
      }
    }
  }
  return leaks;
}

/** A word or phrase between anything but letters, digits and underscores; its spaces may be any white space. */
function asWholeWord(word: string): RegExp {
  const escaped = word
    .trim()
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replace(/\s+/g, '\\s+');
  return new RegExp(`(?<![\\p{L}\\p{N}_])${escaped}(?![\\p{L}\\p{N}_])`, 'giu');
}
