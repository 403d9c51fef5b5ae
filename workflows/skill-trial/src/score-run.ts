import { layOutBlind } from './blinding.js';
import { noteChecks } from './control.js';
import type { Lab } from './lab.js';
import { appendLedger, readLedger } from './ledger.js';
import { runPaths } from './paths.js';
import { prettyJson, writeWhole } from './record.js';
import { type Scores, scoreVariants } from './score.js';
import { readSheets, type SavedSheet } from './sheet.js';
import { readStudy, type Study, variantsOf } from './study.js';

/** Every sheet that an experiment reads: its own folder, then those it borrows. */
export async function sheetsOf(lab: Lab): Promise<SavedSheet[]> {
  const folders = [lab.experiment.name, ...lab.experiment.sheets_from].map((name) => runPaths(lab.root, name).sheets);
  return (await Promise.all(folders.map((folder) => readSheets(lab.root, folder, lab.cases)))).flat();
}

/** The scores as the sheets and the checks give them; pure but for reading. */
export async function gatherScores(study: Study): Promise<Scores> {
  return scoreVariants(variantsOf(study), await sheetsOf(study.lab), study.control?.variants ?? []);
}

/**
 * The score step: lays out the blinded variants, reads the sheets, writes scores.json, and puts the hashes of checks and sheets into
 * the ledger, where they are new. Opening the blinding is recorded when every variant is scored.
 */
export async function score(lab: Lab): Promise<Scores> {
  const study = await readStudy(lab);
  await layOutBlind(lab, study.lock, study.trials);
  const scores = await gatherScores(study);
  await writeWhole(lab.run.scores, prettyJson(scores));
  if (study.control !== null && study.stability !== null && study.discovery !== null) {
    await noteChecks(lab, study.control, study.stability, study.discovery);
  }
  const sheets = Object.fromEntries(
    scores.variants.flatMap((variant) => variant.sheets.map((sheet) => [sheet.file, sheet.sha256])),
  );
  const ledger = await readLedger(lab.run.ledger);
  const last = ledger.findLast((line) => line.event.kind === 'scored')?.event;
  if (last?.kind !== 'scored' || JSON.stringify(last.sheets) !== JSON.stringify(sheets)) {
    await appendLedger(lab.run.ledger, { kind: 'scored', sheets }, lab.now);
    if (scores.variants.every((variant) => variant.status === 'scored'))
      await appendLedger(lab.run.ledger, { kind: 'unblinded', lock: study.lock.id }, lab.now);
  }
  return scores;
}
