import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { listTree } from './hash.js';
import { findInterference, Interference } from './interference.js';
import { baseOf, caseOf, skillsOf } from './lab.js';
import type { Study } from './study.js';

export const TrialInterference = z.strictObject({ trial: z.string(), skills: z.array(z.string()), found: z.array(Interference) });
export type TrialInterference = z.infer<typeof TrialInterference>;

/** Larger files hold data, and few names. */
const mostBytes = 1_000_000;

/** What the patches of a study's runs with skills show of their skills, for the cases that say what they require; runs without a hint are left out. */
export async function interferenceOf(study: Study): Promise<TrialInterference[]> {
  const { lab } = study;
  if (study.scores?.scoring.state !== 'unblinded') return [];
  const rows = new Map<string, TrialInterference>();
  // case by case: the texts of one repository are held at a time
  for (const name of new Set(study.trials.map(({ record }) => record.case))) {
    const one = caseOf(lab, name);
    let sources: string[] | null = null;
    for (const { folder, record } of study.trials) {
      const skills = record.case === name ? skillsOf(lab, record.arm, name) : [];
      if (one.requirement === undefined || skills.length === 0) continue;
      sources ??= [one.taskBytes.toString('utf8'), ...(await textsBelow((await baseOf(lab, name, record.baseCommit)).folder))];
      const found = findInterference({
        patch: await readFile(join(folder, 'patch.diff'), 'utf8'),
        skills: skills.map(({ body }) => body),
        sources,
        files: one.requirement.files ?? null,
      });
      if (found.length > 0) rows.set(record.id, { trial: record.id, skills: skills.map((skill) => skill.name), found });
    }
  }
  return study.trials.flatMap(({ record }) => rows.get(record.id) ?? []);
}

async function textsBelow(folder: string): Promise<string[]> {
  const texts: string[] = [];
  for (const { path } of await listTree(folder)) {
    const bytes = await readFile(join(folder, path)).catch(() => Buffer.alloc(0)); // a link that leads nowhere
    if (bytes.length <= mostBytes && isUtf8(bytes)) texts.push(`${path}\n${bytes.toString('utf8')}`);
  }
  return texts;
}
