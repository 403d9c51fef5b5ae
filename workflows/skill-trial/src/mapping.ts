import { blindPairs, readSecret } from './blinding.js';
import { listEvaluators } from './desk.js';
import { RecordError, SettingsError } from './errors.js';
import { contrasts } from './experiment.js';
import { type GuessMeasure, measureGuesses } from './guess.js';
import { hashOf } from './hash.js';
import { readJournal } from './journal.js';
import type { Lab } from './lab.js';
import { appendLedger, readLedger } from './ledger.js';
import { foldMarks } from './mark.js';
import { prettyJson, writeWhole } from './record.js';
import { noteDeskLock, readDeskLock } from './scoring-lock.js';
import { scoringState, sheetsOf } from './scoring-state.js';
import { readStudy, type Study, variantsOf } from './study.js';
import { isUnblinded, readUnblinding, type Unblinding } from './unblinding.js';

/** A pair with its mapping opened: which trial each side was, and which side is the arm's (the other is its control's). */
export interface OpenPair {
  pair: string;
  case: string;
  repeat: number;
  x: string;
  y: string;
  arm: 'x' | 'y';
}

/**
 * Opens the mapping: only after the desk's lock, over sheets that are as they were locked, and once every dispute is settled or
 * `leaveOpen` says that the rest stays open. Records it in desk/unblinded.json and in the ledger, then gives the mapping. Called
 * again it only gives the mapping.
 */
export async function unblind(lab: Lab, options: { leaveOpen?: boolean } = {}): Promise<OpenPair[]> {
  const study = await readStudy(lab);
  const name = lab.experiment.name;
  const lock = await readDeskLock(lab.root, name);
  const variants = variantsOf(study).map(({ content, case: one }) => ({ content, case: one.name }));
  const { scoring, changes } = await scoringState(lab, variants, await sheetsOf(lab));
  if (changes.length > 0)
    throw new RecordError('Scoring is not as it was locked', {
      expected: 'sheets and journals with the hashes of desk/lock.json',
      found: changes.join('; '),
      next: 'restore the files from a copy',
    });
  if (lock === null || scoring.state === 'open')
    throw new SettingsError('Scoring is not locked', {
      expected: 'a lock that holds every variant',
      found: lock === null ? 'no lock' : 'variants without a sheet, or a desk that is not locked',
      next: `npx nx run ${name}:lock`,
    });
  const open = scoring.disputes.filter(({ settled }) => settled === null);
  const already = isUnblinded(lock, await readUnblinding(lab.root, name));
  if (!already && open.length > 0 && options.leaveOpen !== true)
    throw new SettingsError('Disputes are open', {
      expected: 'every dispute settled, or left open on purpose',
      found: open.map(({ content, part, id }) => `${content?.slice(0, 12) ?? 'the case'} ${part} ${id}`).join('; '),
      next: `adjudicate them, or npx nx run ${name}:unblind --leave-open`,
    });
  await noteDeskLock(lab, lock);
  if (!already) {
    const unblinding: Unblinding = {
      schemaVersion: 1,
      at: lab.now().toISOString(),
      deskLock: hashOf(lock),
      openDisputes: open.map(({ case: one, content, part, id }) => ({ case: one, content, part, id })),
    };
    await writeWhole(lab.run.unblinded, prettyJson(unblinding));
  }
  await noteUnblinding(study, open.length);
  return openPairs(study);
}

/** Puts the unblinding into the ledger of this run, once for each lock of the desk. */
export async function noteUnblinding({ lab, lock }: Pick<Study, 'lab' | 'lock'>, openDisputes: number): Promise<void> {
  const ledger = await readLedger(lab.run.ledger);
  const from = ledger.findLastIndex((line) => line.event.kind === 'scoring-locked');
  const noted = ledger.slice(from + 1).some((line) => line.event.kind === 'unblinded' && line.event.lock === lock.id);
  if (!noted) await appendLedger(lab.run.ledger, { kind: 'unblinded', lock: lock.id, openDisputes }, lab.now);
}

/** The mapping itself, from the lock's secret. For nobody who still scores. */
export async function openPairs({ lab, lock, trials }: Pick<Study, 'lab' | 'lock' | 'trials'>): Promise<OpenPair[]> {
  const records = new Map(trials.map(({ record }) => [record.id, record]));
  const controls = new Map(contrasts(lab.experiment).map(({ arm, control }) => [arm, control]));
  return blindPairs(await readSecret(lab, lock), lab.experiment, [...records.values()]).map((pair) => {
    const [x, y] = [records.get(pair.x)?.arm ?? '', records.get(pair.y)?.arm ?? ''];
    return { ...pair, arm: controls.get(x) === y ? 'x' : 'y' };
  });
}

/** How well the evaluators of this experiment's desk told the arms apart; null without guesses. Only once the mapping is open. */
export async function guessMeasure(study: Pick<Study, 'lab' | 'lock' | 'trials'>): Promise<GuessMeasure | null> {
  const { lab } = study;
  const evaluators = await Promise.all(
    (await listEvaluators(lab)).map(async (name) => {
      const lines = await readJournal(lab.run.journal(name));
      return { name, guesses: foldMarks(lines.map(({ event }) => event)).guesses };
    }),
  );
  if (evaluators.length === 0) return null;
  const contents = new Map(study.trials.map(({ record }) => [record.id, record.content]));
  // of two equal sides neither can be told
  const pairs = (await openPairs(study)).filter(({ x, y }) => contents.get(x) !== contents.get(y));
  return measureGuesses(new Map(pairs.map(({ pair, arm }) => [pair, arm])), evaluators);
}
