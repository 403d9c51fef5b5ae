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
  const sources = new Map<string, string[]>();
  const rows: TrialInterference[] = [];
  for (const { folder, record } of study.trials) {
    const one = caseOf(lab, record.case);
    const skills = skillsOf(lab, record.arm, record.case);
    if (one.requirement === undefined || skills.length === 0) continue;
    const known = sources.get(record.case) ?? [
      one.taskBytes.toString('utf8'),
      ...(await textsBelow((await baseOf(lab, record.case, record.baseCommit)).folder)),
    ];
    sources.set(record.case, known);
    const found = findInterference({
      patch: await readFile(join(folder, 'patch.diff'), 'utf8'),
      skills: skills.map(({ body }) => body),
      sources: known,
      files: one.requirement.files ?? null,
    });
    if (found.length > 0) rows.push({ trial: record.id, skills: skills.map(({ name }) => name), found });
  }
  return rows;
}

async function textsBelow(folder: string): Promise<string[]> {
  const texts: string[] = [];
  for (const { path } of await listTree(folder)) {
    const bytes = await readFile(join(folder, path)).catch(() => Buffer.alloc(0)); // a link that leads nowhere
    if (bytes.length <= mostBytes && isUtf8(bytes)) texts.push(`${path}\n${bytes.toString('utf8')}`);
  }
  return texts;
}
