import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { applyPatch } from './base.js';
import type { Behaviour } from './behaviour.js';
import { type Discovery, discoveryPath } from './discovery.js';
import { hashOf } from './hash.js';
import { baseOf, type Lab } from './lab.js';
import { appendLedger, readLedger } from './ledger.js';
import { placeKey } from './place.js';
import { hasRecord, readJson, recordHash, sealRecord } from './record.js';
import { runTestCheck, TestCheck, type TestCheckPlan } from './test-check.js';
import { testReader } from './test-framework.js';
import type { SavedTrial } from './trial-record.js';
import type { Control, DoneCheck, Stability } from './variant-checks.js';
import type { Verdicts } from './verdict-run.js';

/** Which target of the graph a check belongs to: Nx replaces a target's outputs as a whole. */
export type CheckFolder = 'checks' | 'stability' | 'behaviour';
/** How a check is obtained: run and recorded, or (by verify) read again from what was recorded. */
export type Obtain = (content: string, plan: TestCheckPlan, folder: CheckFolder, copies?: Copies) => Promise<DoneCheck>;
/** Files of a variant's tree that are to be laid over the clean base. */
interface Copies {
  trial: SavedTrial;
  paths: string[];
}

/**
 * Where the record of a check lies: its conditions are part of the name, so that another sandbox, command or reader of reports never
 * takes an old one.
 */
export function checkFolder(
  lab: Lab,
  content: string,
  plan: TestCheckPlan,
  folder: CheckFolder,
  reader: number = testReader,
): string {
  const { suite, tests } = plan.case;
  const conditions = hashOf({
    base: plan.base.commit,
    suite,
    framework: tests.framework,
    ...placeKey(plan),
    files: plan.files,
    overlay: plan.overlayKey,
    // the first had no number
    ...(reader === 1 ? {} : { reader }),
  });
  return lab.run.check(folder, content, join(plan.name, conditions.slice(0, 16)));
}

/** Runs a check, or reads the record that is there: it is written once, and its hash goes into the ledger. */
export function recordedBy(lab: Lab): Obtain {
  return async (content, plan, folder, copies) => {
    const target = checkFolder(lab, content, plan, folder);
    if (!(await hasRecord(target))) {
      await mkdir(lab.run.scratch, { recursive: true });
      const draft = await mkdtemp(join(lab.run.scratch, 'check-'));
      try {
        if (copies === undefined) await runTestCheck(plan, draft);
        else await withCopies(lab, copies, (overlay) => runTestCheck({ ...plan, overlay: [...plan.overlay, ...overlay] }, draft));
        await sealRecord(draft, target);
      } finally {
        await rm(draft, { recursive: true, force: true });
      }
    }
    return readCheck(lab, target);
  };
}

/** A check's record where the present reader of reports put it, or else an earlier one; a RecordError where neither did. */
export async function findCheck(lab: Lab, content: string, plan: TestCheckPlan, folder: CheckFolder): Promise<DoneCheck> {
  for (let reader = testReader; reader > 0; reader--) {
    const earlier = checkFolder(lab, content, plan, folder, reader);
    if (await hasRecord(earlier)) return readCheck(lab, earlier);
  }
  return readCheck(lab, checkFolder(lab, content, plan, folder));
}

/** A check's record as it was saved. */
export async function readCheck(lab: Lab, folder: string): Promise<DoneCheck> {
  return {
    check: await readJson(join(folder, 'check.json'), TestCheck),
    record: { path: relative(lab.run.run, folder), sha256: await recordHash(folder) },
  };
}

/** Puts into the ledger every check and discovery record that it does not know yet, one line each. */
export async function noteChecks(
  lab: Lab,
  control: Control,
  stability: Stability,
  discovery: Discovery,
  behaviour: Behaviour | null,
  verdicts: Verdicts | null,
): Promise<void> {
  const known = new Set(
    (await readLedger(lab.run.ledger)).flatMap((line) =>
      line.event.kind === 'check' ? [`${line.event.check} ${line.event.record}`] : [],
    ),
  );
  const found = [
    ...control.variants,
    ...stability.variants,
    ...(behaviour?.variants ?? []),
    ...(verdicts?.variants ?? []),
  ].flatMap(({ content, records }) => Object.values(records).map(({ path, sha256 }) => ({ content, path, sha256 })));
  const asked = discovery.arms.flatMap(({ spec, records }) =>
    Object.entries(records).map(([kind, sha256]) => ({ content: spec, path: discoveryPath(spec, kind), sha256 })),
  );
  for (const { content, path, sha256 } of [...found, ...asked]) {
    if (known.has(`${path} ${sha256}`)) continue;
    known.add(`${path} ${sha256}`);
    await appendLedger(lab.run.ledger, { kind: 'check', content, check: path, record: sha256 }, lab.now);
  }
}

/** The variant's test files, laid out for copying to a clean base. */
async function withCopies<T>(
  lab: Lab,
  { trial, paths }: Copies,
  action: (overlay: [string, string][]) => Promise<T>,
): Promise<T> {
  await mkdir(lab.run.scratch, { recursive: true });
  const tree = await mkdtemp(join(lab.run.scratch, 'variant-'));
  try {
    const base = await baseOf(lab, trial.record.case, trial.record.baseCommit);
    await applyPatch(base, join(trial.folder, 'patch.diff'), join(tree, 'workspace'));
    return await action(paths.map((path) => [join(tree, 'workspace', path), path]));
  } finally {
    await rm(tree, { recursive: true, force: true });
  }
}
