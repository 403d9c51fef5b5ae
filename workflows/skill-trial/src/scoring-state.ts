import { z } from 'zod';
import { adjudicationChanges, readAdjudications } from './adjudication.js';
import { listEvaluators } from './desk.js';
import { Dispute, disputesOf } from './dispute.js';
import type { Lab } from './lab.js';
import { runPaths } from './paths.js';
import { deskLockChanges, readDeskLock } from './scoring-lock.js';
import { readSheets, type SavedSheet } from './sheet.js';
import { isUnblinded, readUnblinding } from './unblinding.js';
import { nothingDelivered } from './variant-content.js';

/** Every sheet that an experiment reads: its own folder, then those it borrows. */
export async function sheetsOf(lab: Lab): Promise<SavedSheet[]> {
  const folders = [lab.experiment.name, ...lab.experiment.sheets_from].map((name) => runPaths(lab.root, name).sheets);
  return (await Promise.all(folders.map((folder) => readSheets(lab.root, folder, lab.cases)))).flat();
}

/** How far scoring is, and so what may be shown. */
export const ScoringState = z.strictObject({
  /** open: marks may still change; locked: they may not, and the mapping is sealed; unblinded: the mapping may be shown. */
  state: z.enum(['open', 'locked', 'unblinded']),
  /** desk: a desk's journals and lock decide; sheets: there is no desk, and sheets for every variant count as locked. */
  by: z.enum(['desk', 'sheets']),
  evaluators: z.array(z.string()),
  lockedAt: z.string().nullable(),
  /** Cells on which scorers differ, settled ones too; [] while scoring is open. */
  disputes: z.array(Dispute),
});
export type ScoringState = z.infer<typeof ScoringState>;

/**
 * The state of scoring, from the files that are committed alone. A desk is there when an experiment (or one whose sheets are
 * borrowed) has a journal or a lock; then it has to be locked and unblinded. Without a desk, scoring is over when every variant that
 * delivered something has a sheet. `changes` names what is no longer as it was locked.
 */
export async function scoringState(
  lab: Lab,
  variants: { case: string; content: string }[],
  sheets: SavedSheet[],
): Promise<{ scoring: ScoringState; changes: string[] }> {
  const complete = variants.every(
    ({ case: name, content }) =>
      content === nothingDelivered ||
      lab.cases.get(name)?.rubrics === undefined || // nothing for a person to score
      sheets.some((sheet) => sheet.content === content && sheet.case === name),
  );
  const desks = await Promise.all(
    [lab.experiment.name, ...lab.experiment.sheets_from].map(async (name) => ({
      name,
      journals: await listEvaluators({ run: runPaths(lab.root, name) }),
      lock: await readDeskLock(lab.root, name),
      unblinding: await readUnblinding(lab.root, name),
      adjudications: await readAdjudications(lab.root, name),
    })),
  );
  const present = desks.filter(({ journals, lock }) => journals.length > 0 || lock !== null);
  const changes: string[] = [];
  for (const { name, lock, adjudications } of present) {
    if (lock === null) continue;
    changes.push(...(await deskLockChanges(lab.root, name, lock, sheets)));
    changes.push(...adjudicationChanges(lab, name, lock, sheets, adjudications));
  }
  const open = !complete || present.some(({ lock }) => lock === null);
  const sealed = present.some(({ lock, unblinding }) => !isUnblinded(lock, unblinding));
  const rounds = present.flatMap(({ lock }) => lock?.rounds ?? []);
  const own = sheets.filter((sheet) => variants.some((one) => one.case === sheet.case && one.content === sheet.content));
  return {
    scoring: {
      state: open ? 'open' : sealed ? 'locked' : 'unblinded',
      by: present.length > 0 ? 'desk' : 'sheets',
      evaluators: [
        ...new Set([...present.flatMap(({ journals }) => journals), ...rounds.flatMap((one) => one.evaluators)]),
      ].sort(),
      lockedAt:
        rounds
          .map(({ lockedAt }) => lockedAt)
          .sort()
          .at(-1) ?? null,
      disputes: open
        ? []
        : disputesOf(
            own,
            desks.flatMap(({ adjudications }) => adjudications),
          ),
    },
    changes,
  };
}
