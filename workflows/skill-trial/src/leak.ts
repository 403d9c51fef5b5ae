import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Case } from './case.js';
import { listTree } from './hash.js';
import type { Skill } from './skill.js';

export interface Leak {
  skill: string;
  word: string;
  file: string;
  line: number;
}

/**
 * Case-specific words of a reference sheet that occur in a skill: such a skill hands the answer over. Whole words, any case. The
 * words are the case's own list, so that general risk words (boundary, repetition, compensation) do not trip it.
 */
export async function findLeaks(one: Pick<Case, 'leak_words'>, skills: Iterable<Skill>): Promise<Leak[]> {
  const leaks: Leak[] = [];
  for (const skill of skills) {
    for (const file of await listTree(skill.folder)) {
      const lines = (await readFile(join(skill.folder, file.path), 'utf8')).split('\n');
      for (const [index, text] of lines.entries()) {
        const words = new Set(text.toLowerCase().match(/[\p{L}\p{N}_-]+/gu) ?? []);
        for (const word of one.leak_words) {
          if (words.has(word.toLowerCase())) leaks.push({ skill: skill.name, word, file: file.path, line: index + 1 });
        }
      }
    }
  }
  return leaks;
}
