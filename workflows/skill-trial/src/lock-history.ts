import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hashOf } from './hash.js';
import type { Lab } from './lab.js';
import { appendLedger, type LedgerLine, readLedger } from './ledger.js';
import type { Lock } from './lock.js';
import { prettyJson, writeWhole } from './record.js';

/**
 * Keeps a lock for good: a copy beside its predecessors, its secret, and a ledger line unless the last lock line is this one. A lock
 * that a cache restored has none of the three yet.
 */
export async function noteLock(lab: Pick<Lab, 'run' | 'now'>, lock: Lock): Promise<void> {
  const copy = join(lab.run.locks, `${lock.id}.json`);
  if ((await stat(copy).catch(() => null)) === null) {
    await writeWhole(copy, prettyJson(lock));
    await writeWhole(lab.run.oldSecret(lock.id), await readFile(lab.run.secret));
  }
  const last = (await readLedger(lab.run.ledger)).findLast((line) => line.event.kind === 'lock')?.event;
  if (last?.kind === 'lock' && last.lock === lock.id) return;
  await appendLedger(lab.run.ledger, { kind: 'lock', lock: lock.id, conditions: hashOf(lock.conditions) }, lab.now);
}

/** Locks in the order in which they were put in force (see `Study.locks`); those without a ledger line come first. */
export function lockHistory(locks: Lock[], ledger: LedgerLine[], present: Lock): Lock[] {
  const noted = ledger.flatMap(({ event, at }) => (event.kind === 'lock' ? [{ id: event.lock, at }] : []));
  const history = locks.filter(({ id }) => id !== present.id && !noted.some((one) => one.id === id));
  for (const { id, at } of noted) {
    const lock = locks.find((one) => one.id === id);
    if (lock !== undefined) history.push(history.some((one) => one.id === id) ? { ...lock, frozenAt: at } : lock);
  }
  return history.at(-1)?.id === present.id ? history : [...history, present];
}
