import { cp, mkdir, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { RecordError } from './errors.js';
import type { Lab } from './lab.js';
import { appendLedger } from './ledger.js';
import { Lock } from './lock.js';
import { noteLock } from './lock-history.js';
import { checkRecord, hasRecord, readJson, recordHash, sealRecord } from './record.js';
import { makeSchedule, trialsOfArm } from './schedule.js';
import { TrialSpec } from './spec.js';
import { TrialRecord } from './trial-record.js';

/** How many trials of the present specs have a record; 0 before the first freeze. */
export async function recordedTrials(lab: Lab): Promise<number> {
  // asked after every trial: one file names all specs, and no spec is read
  const lock = await readJson(lab.run.lock, Lock).catch(() => null);
  let count = 0;
  for (const trial of makeSchedule(lab.experiment)) {
    const spec = lock?.conditions.specs[`${trial.case}.${trial.arm}`];
    if (spec !== undefined && (await hasRecord(lab.run.trial(spec, trial.repeat)))) count += 1;
  }
  return count;
}

/**
 * Takes over records that Nx restored from its cache where this run has none: an existing record always wins. Returns the names
 * taken over; each gets a ledger line.
 */
export async function adoptReceipts(lab: Lab): Promise<string[]> {
  const adopted: string[] = [];
  await noteLock(lab, await readJson(lab.run.lock, Lock));
  for (const name of trialsOfArm(lab.experiment)) {
    const spec = await readJson(lab.run.spec(name), TrialSpec).catch((error) => {
      if (error instanceof RecordError) return null;
      throw error;
    });
    if (spec === null) continue;
    const target = lab.run.trial(spec.hash, spec.repeat);
    if ((await hasRecord(target)) || !(await hasRecord(lab.run.receipt(name)))) continue;
    const record = await readJson(join(lab.run.receipt(name), 'trial.json'), TrialRecord);
    if (record.spec !== spec.hash || record.id !== name || (await checkRecord(lab.run.receipt(name))).length > 0) continue;
    await mkdir(lab.run.scratch, { recursive: true });
    const draft = await mkdtemp(join(lab.run.scratch, 'adopt-'));
    await cp(lab.run.receipt(name), draft, { recursive: true });
    await sealRecord(draft, target);
    await appendLedger(
      lab.run.ledger,
      { kind: 'restored', trial: name, spec: spec.hash, record: await recordHash(target) },
      lab.now,
    );
    adopted.push(name);
  }
  return adopted;
}
