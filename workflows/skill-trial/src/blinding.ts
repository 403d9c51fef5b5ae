import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { contrasts } from './experiment.js';
import { hmac, sha256 } from './hash.js';
import type { Lab } from './lab.js';
import type { Lock } from './lock.js';
import { prettyJson, readJson, writeWhole } from './record.js';
import type { Skill } from './skill.js';
import type { SavedTrial } from './trial-record.js';

/** What was taken out of a text before a scorer saw it. */
export const Redaction = z.strictObject({ file: z.string(), what: z.string(), count: z.int().positive() });
export type Redaction = z.infer<typeof Redaction>;

/** The mapping that the secret settles: opened only after scoring. */
export interface BlindPair {
  pair: string;
  case: string;
  repeat: number;
  x: string;
  y: string;
}

/** The lock's secret; a RecordError when it is missing or is not the one the lock committed to. */
export async function readSecret(lab: Pick<Lab, 'run'>, lock: Pick<Lock, 'id' | 'blindCommitment'>): Promise<string> {
  const secret = (await readFile(lab.run.secret, 'utf8').catch(() => '')).trim();
  if (sha256(secret) === lock.blindCommitment) return secret;
  return readJson(lab.run.secret, z.never()); // names the file as missing or altered
}

/** A trial's name for scorers: tells nothing without the secret. */
export function blindName(secret: string, trial: string): string {
  return `v-${hmac(secret, `variant/${trial}`).slice(0, 10)}`;
}

/** Each pair of a contrast as variant-x and variant-y, in an order drawn from the secret, sorted by its blinded name. */
export function blindPairs(
  secret: string,
  experiment: Lab['experiment'],
  trials: { id: string; case: string; arm: string; repeat: number }[],
): BlindPair[] {
  const pairs = contrasts(experiment).flatMap(({ arm, control }) =>
    trials
      .filter((trial) => trial.arm === arm)
      .flatMap((b) => {
        const a = trials.find((trial) => trial.arm === control && trial.case === b.case && trial.repeat === b.repeat);
        if (a === undefined) return [];
        const digest = hmac(secret, `pair/${a.id}/${b.id}`);
        const [x, y] = Number.parseInt(digest.slice(0, 2), 16) % 2 === 0 ? [a.id, b.id] : [b.id, a.id];
        return [{ pair: `pair-${digest.slice(2, 12)}`, case: b.case, repeat: b.repeat, x, y }];
      }),
  );
  return pairs.sort((p, q) => (p.pair < q.pair ? -1 : 1));
}

/**
 * Lays out what a scorer may see, below data/runs/<name>/blind: per pair variant-x and variant-y with response and patch, redacted,
 * and the content hash that keys the sheet. No time, no order, no arm, no tool trace.
 */
export async function layOutBlind(lab: Lab, lock: Lock, trials: SavedTrial[]): Promise<Redaction[]> {
  const secret = await readSecret(lab, lock);
  const pairs = blindPairs(
    secret,
    lab.experiment,
    trials.map((trial) => trial.record),
  );
  const byName = new Map(trials.map((trial) => [trial.record.id, trial]));
  const redactions: Redaction[] = [];
  await rm(lab.run.blind, { recursive: true, force: true });
  for (const pair of pairs) {
    for (const side of ['x', 'y'] as const) {
      const trial = byName.get(pair[side]) as SavedTrial;
      const folder = join(lab.run.blind, pair.pair, `variant-${side}`);
      for (const file of ['response.md', 'patch.diff']) {
        const { text, found } = redact(await readFile(join(trial.folder, file), 'utf8'), lab.skills.values());
        await writeWhole(join(folder, file), text);
        redactions.push(...found.map((row) => ({ file: `${pair.pair}/variant-${side}/${file}`, ...row })));
      }
      await writeWhole(
        join(folder, 'variant.json'),
        prettyJson({
          schemaVersion: 1,
          variant: blindName(secret, trial.record.id),
          case: pair.case,
          content: trial.record.content,
        }),
      );
    }
  }
  await writeWhole(join(lab.run.blind, 'redactions.json'), prettyJson(redactions));
  return redactions;
}

/** A skill's name as a text may hold it, whole words only. */
function nameIn(name: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}])${name.replace(/-/g, '[-_ ]')}(?![\\p{L}\\p{N}])`, 'giu');
}

/** The skills whose name a text does not hold. A word that the task itself says (`pdf`) tells no arm, and a judge needs it. */
export function unnamedIn<S extends Pick<Skill, 'name'>>(text: string, skills: Iterable<S>): S[] {
  return [...skills].filter(({ name }) => !nameIn(name).test(text));
}

/** Takes out what names the mode: paths to skills, SKILL.md, skill names and the word itself, whole words only. Each kind is counted. */
export function redact(
  text: string,
  skills: Iterable<Pick<Skill, 'name'>>,
): { text: string; found: { what: string; count: number }[] } {
  const found: { what: string; count: number }[] = [];
  const marks: [string, RegExp][] = [
    ['path to a skill', /(?:~|[\w.-]+)?(?:\/[\w.-]+)*\/skills(?![\w-])(?:\/[\w./-]*)?/g],
    ['SKILL.md', /\bSKILL\.md\b/gi],
    // the longest first: a name may be part of another
    ...[...skills]
      .map(({ name }) => name)
      .sort((a, b) => b.length - a.length)
      .map((name): [string, RegExp] => [`skill name ${sha256(name).slice(0, 8)}`, nameIn(name)]),
    ['the word skill', /(?<![\p{L}\p{N}])skills?(?![\p{L}\p{N}])/giu],
  ];
  let result = text;
  for (const [what, pattern] of marks) {
    const count = (result.match(pattern) ?? []).length;
    if (count === 0) continue;
    found.push({ what, count });
    result = result.replace(pattern, '[redacted]');
  }
  return { text: result, found };
}
