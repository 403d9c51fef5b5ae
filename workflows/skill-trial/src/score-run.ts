import { agreementRows } from './agreement-row.js';
import { layOutBlind } from './blinding.js';
import { RecordError } from './errors.js';
import type { Lab } from './lab.js';
import { appendLedger, readLedger } from './ledger.js';
import { guessMeasure, noteUnblinding } from './mapping.js';
import { prettyJson, writeWhole } from './record.js';
import { noteChecks } from './saved-check.js';
import { type Scores, scoreVariants } from './score.js';
import { noteDeskLock, readDeskLock } from './scoring-lock.js';
import { scoringState, sheetsOf } from './scoring-state.js';
import { readStudy, type Study, variantsOf } from './study.js';
import { isUnblinded, readUnblinding } from './unblinding.js';

/** The scores as the sheets and the checks give them, and what is no longer as the desk locked it; pure but for reading. */
export async function gatherScores(study: Study): Promise<{ scores: Scores; changes: string[] }> {
  const variants = variantsOf(study);
  const sheets = await sheetsOf(study.lab);
  const keyed = variants.map(({ content, case: one }) => ({ content, case: one.name }));
  const { scoring, changes } = await scoringState(study.lab, keyed, sheets);
  const own = sheets.filter((sheet) => keyed.some((one) => one.content === sheet.content && one.case === sheet.case));
  const scores: Scores = {
    ...scoreVariants(variants, sheets, study.control?.variants ?? []),
    scoring,
    // before the lock nobody sees how the others marked
    agreement: scoring.state === 'open' ? [] : agreementRows(own, study.lab.experiment.seed),
    guess: scoring.state === 'unblinded' && scoring.by === 'desk' ? await guessMeasure(study) : null,
  };
  return { scores, changes };
}

/**
 * The score step: lays out the blinded variants, reads the sheets, writes scores.json, and puts the hashes of checks and sheets into
 * the ledger, where they are new. Where a desk was used, its lock and its unblinding are put there too; where none was, opening the
 * blinding is recorded when every variant is scored. A RecordError where a locked sheet or journal was changed: then nothing is written.
 */
export async function score(lab: Lab): Promise<Scores> {
  const study = await readStudy(lab);
  await layOutBlind(lab, study.lock, study.trials);
  const { scores, changes } = await gatherScores(study);
  if (changes.length > 0)
    throw new RecordError('Scoring is not as it was locked', {
      expected: 'sheets and journals with the hashes of desk/lock.json',
      found: changes.join('; '),
      next: 'restore the files from a copy',
    });
  await writeWhole(lab.run.scores, prettyJson(scores));
  if (study.control !== null && study.stability !== null && study.discovery !== null) {
    await noteChecks(lab, study.control, study.stability, study.discovery, study.behaviour, study.verdicts);
  }
  const sheets = Object.fromEntries(
    scores.variants.flatMap((variant) => variant.sheets.map((sheet) => [sheet.file, sheet.sha256])),
  );
  const lock = await readDeskLock(lab.root, lab.experiment.name);
  if (lock !== null) await noteDeskLock(lab, lock);
  const ledger = await readLedger(lab.run.ledger);
  const last = ledger.findLast((line) => line.event.kind === 'scored')?.event;
  if (last?.kind !== 'scored' || JSON.stringify(last.sheets) !== JSON.stringify(sheets)) {
    await appendLedger(lab.run.ledger, { kind: 'scored', sheets }, lab.now);
    if (
      scores.scoring.by === 'sheets' &&
      scores.variants.every(({ status }) => status === 'scored' || status === 'not-applicable')
    )
      await appendLedger(lab.run.ledger, { kind: 'unblinded', lock: study.lock.id }, lab.now);
  }
  const unblinding = await readUnblinding(lab.root, lab.experiment.name);
  if (isUnblinded(lock, unblinding)) await noteUnblinding(study, unblinding?.openDisputes.length ?? 0);
  return scores;
}
