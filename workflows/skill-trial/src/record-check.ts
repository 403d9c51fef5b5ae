import { join } from 'node:path';
import { discoveryPath } from './discovery.js';
import { type LedgerLine, readLedger } from './ledger.js';
import { checkRecord, recordHash } from './record.js';
import type { Study } from './study.js';

/** Every record's bytes against its manifest, and the manifest against what names it: the ledger, the lock or a file of the run. */
export async function checkRecords({
  lab,
  lock,
  ledger,
  trials,
  control,
  stability,
  behaviour,
  verdicts,
  judgement,
  grading,
  discovery,
}: Study): Promise<string[]> {
  const failures: string[] = [];
  const whole = async (folder: string, name: string) => {
    failures.push(
      ...(await checkRecord(folder).catch((error: Error) => [`manifest.json: ${error.message.split('\n')[0]}`])).map(
        (difference) => `${name}/${difference}`,
      ),
    );
    return recordHash(folder).catch(() => null);
  };
  for (const { folder, record } of trials) {
    const name = `trials/${record.spec.slice(0, 16)}/${record.repeat}`;
    const hash = await whole(folder, name);
    if (hash !== ledgerHash(ledger, record.id, record.spec))
      failures.push(`${name}: the ledger holds another record of ${record.id}`);
  }
  for (const [path, { trial, record }] of recordedByLedger(ledger)) {
    const hash = await recordHash(join(lab.run.run, path)).catch(() => null);
    if (hash === null) failures.push(`${path}: the ledger holds a record of ${trial}, and it is not there`);
    else if (hash !== record) failures.push(`${path}: the ledger holds another record of ${trial}`);
  }
  const noted = new Set(ledger.flatMap(({ event }) => (event.kind === 'check' ? [`${event.check} ${event.record}`] : [])));
  const checked = [
    ...(control?.variants ?? []),
    ...(stability?.variants ?? []),
    ...(behaviour?.variants ?? []),
    ...(verdicts?.variants ?? []),
  ];
  for (const variant of checked) {
    for (const { path, sha256: stated } of Object.values(variant.records)) {
      const hash = await whole(join(lab.run.run, path), path);
      if (hash !== stated || !noted.has(`${path} ${hash}`)) failures.push(`${path}: the ledger holds another record`);
    }
  }
  const judged = judgement === null ? [] : await readLedger(lab.run.judgeLedger);
  for (const { content, record } of judgement?.variants ?? []) {
    const hash = await whole(join(lab.run.run, record.path), record.path);
    const known = judged.some(({ event }) => event.kind === 'judged' && event.content === content && event.record === hash);
    if (hash !== record.sha256 || !known) failures.push(`${record.path}: the judge's ledger holds another record`);
  }
  // equal outputs share their grades
  const graded = new Map((grading?.trials ?? []).flatMap(({ records }) => records.map(({ path, sha256 }) => [path, sha256])));
  for (const [path, stated] of graded) {
    if ((await whole(join(lab.run.run, path), path)) !== stated) failures.push(`${path}: grading.json holds another record`);
  }
  for (const [name, { setup }] of Object.entries(lock.conditions.cases)) {
    if (setup === undefined) continue;
    const hash = await whole(join(lab.run.run, setup.path), setup.path);
    if (hash !== setup.sha256) failures.push(`${setup.path}: the lock holds another set-up of case ${name}`);
  }
  for (const row of discovery?.arms ?? []) {
    for (const [kind, stated] of Object.entries(row.records)) {
      const hash = await whole(join(lab.run.discoveryRecord(row.spec), kind), discoveryPath(row.spec, kind));
      if (hash !== stated || !noted.has(`${discoveryPath(row.spec, kind)} ${hash}`))
        failures.push(`discovery.json: another record of arm ${row.arm}, ${kind}`);
    }
  }
  return failures;
}

/** Every trial record that the ledger knows, earlier locks' too, by its folder below the run's; the first line for a folder counts. */
function recordedByLedger(ledger: LedgerLine[]): Map<string, { trial: string; record: string }> {
  const known = new Map<string, { trial: string; record: string }>();
  for (const { event } of ledger) {
    if (event.kind !== 'restored' && (event.kind !== 'ended' || event.record === null)) continue;
    const path = `trials/${event.spec.slice(0, 16)}/${event.trial.split('.').at(-1)}`;
    if (!known.has(path)) known.set(path, { trial: event.trial, record: event.record as string });
  }
  return known;
}

/** The record hash that the ledger gave this trial first: the first valid attempt counts. */
function ledgerHash(ledger: LedgerLine[], trial: string, spec: string): string | null {
  for (const { event } of ledger) {
    if (event.kind === 'ended' && event.outcome === 'recorded' && event.trial === trial && event.spec === spec)
      return event.record;
    if (event.kind === 'restored' && event.trial === trial && event.spec === spec) return event.record;
  }
  return null;
}
