import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { listNotebooks } from './analyse.js';
import { type ArchiveFile, packArchive } from './archive.js';
import { bundleComment, checkBundle, manifestName } from './bundle-check.js';
import { PrerequisiteError, RecordError } from './errors.js';
import { listTree, sha256, type TreeFile } from './hash.js';
import { listIterations } from './iteration.js';
import { caseOf, type Lab, skillNames } from './lab.js';
import { runPaths } from './paths.js';
import { prettyJson, writeWhole } from './record.js';
import { readReport } from './report-files.js';
import { crateMetadata } from './ro-crate.js';
import { hashFile, signFile } from './signature.js';
import { readStudy, type Study } from './study.js';

export const crateName = 'ro-crate-metadata.json';

export interface Bundle {
  file: string;
  /** Of the archive. */
  sha256: string;
  files: number;
  bytes: number;
  /** The signature's file; null where none was asked for. */
  signature: string | null;
  /** Forms of keys and tokens that the records hold, for a look before publishing. */
  secretWarnings: string[];
}

interface Listed extends ArchiveFile {
  sha256: string;
  size: number;
}

/**
 * Packs all that a report follows from into one archive beside it, and checks what it packed. The same files give the same bytes. A
 * PrerequisiteError before the mapping is open: the records tell the arms, and the blinding secret is among them.
 */
export async function makeBundle(lab: Lab, { sign = null }: { sign?: string | null } = {}): Promise<Bundle> {
  const study = await readStudy(lab);
  const { report } = await readReport(lab);
  mustBeOver(lab, study);
  const files = await listFiles(lab);
  for (const { path } of files) {
    if (!/[\n\r\\]/.test(path)) continue;
    throw new RecordError('A file cannot be bundled', {
      expected: 'a path without line breaks and backslashes',
      found: JSON.stringify(path),
      next: 'rename the file, freeze and run anew',
    });
  }
  const scratch = await mkdtemp(join(tmpdir(), 'skill-trial-bundle-'));
  const draft = `${lab.run.bundle}.draft`;
  try {
    const trials = study.trials.map(({ folder, record }) => ({ path: relative(lab.root, folder), record }));
    const add = async (path: string, text: string) => {
      await writeWhole(join(scratch, path), text);
      files.push({ path, from: join(scratch, path), mode: '100644', sha256: sha256(text), size: Buffer.byteLength(text) });
      files.sort((a, b) => (a.path < b.path ? -1 : 1));
    };
    await add(crateName, prettyJson(crateMetadata(report, study.ledger, trials, files)));
    const manifest = files.map((file) => `${file.sha256}  ${file.path}\n`).join('');
    await add(manifestName, manifest);
    await pipeline(packArchive(files, bundleComment(sha256(manifest))), createWriteStream(draft));
    await mustBeWhole(draft, join(scratch, 'unpacked'));
    await rename(draft, lab.run.bundle);
  } finally {
    await rm(draft, { force: true });
    await rm(scratch, { recursive: true, force: true });
  }
  const signatureFile = `${lab.run.bundle}.sig`;
  // an older signature is of another archive
  await rm(signatureFile, { force: true });
  if (sign !== null) await writeWhole(signatureFile, prettyJson(await signFile(lab.run.bundle, sign)));
  const archive = await stat(lab.run.bundle);
  return {
    file: lab.run.bundle,
    sha256: await hashFile(lab.run.bundle),
    files: files.length,
    bytes: archive.size,
    signature: sign === null ? null : signatureFile,
    secretWarnings: study.trials.flatMap(({ record }) => record.secretWarnings.map((warning) => `${record.id}: ${warning}`)),
  };
}

function mustBeOver(lab: Lab, study: Study): void {
  const state = study.scores?.scoring.state ?? 'open';
  if (state === 'unblinded') return;
  throw new PrerequisiteError('The arms are still blinded', {
    expected: 'scoring that is over, since a bundle tells which trial was which arm',
    found: `scoring is ${state}`,
    next: `score, lock and unblind first (npx nx run ${lab.experiment.name}:desk)`,
  });
}

/** Every file that belongs into the bundle, by its path below the checkout, sorted. */
async function listFiles(lab: Lab): Promise<Listed[]> {
  const { run, paths, experiment } = lab;
  const borrowed = experiment.sheets_from.map((name) => runPaths(lab.root, name));
  // a repository that was fetched is taken along, or nobody could start from it again offline
  const fetched = experiment.cases.filter((name) => caseOf(lab, name).repo.path === undefined);
  const bases = fetched.length === 0 ? [] : [run.bases];
  const wanted = [
    join(lab.root, 'nx.json'),
    paths.experiment(experiment.name),
    ...borrowed.flatMap(({ sheets, desk }) => [sheets, desk]),
    ...experiment.cases.map((name) => paths.case(name)),
    ...skillNames(lab).map((name) => paths.skill(name)),
    ...run.derivedFrom,
    ...(await listIterations(run)),
    ...bases,
    ...(await listNotebooks(paths.notebooks)),
    run.report,
  ];
  const files = new Map<string, Listed>();
  for (const place of wanted) {
    const kind = await stat(place).catch(() => null);
    if (kind === null) continue; // a step that this experiment does not need has made nothing
    const found: (TreeFile & { from: string })[] = kind.isDirectory()
      ? (await listTree(place)).map((file) => ({
          ...file,
          from: join(place, file.path),
          path: join(relative(lab.root, place), file.path),
        }))
      : [await single(place, relative(lab.root, place))];
    for (const file of found) if (!isApart(lab, file.from)) files.set(file.path, file);
  }
  return [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function single(from: string, path: string): Promise<Listed> {
  const bytes = await readFile(from);
  return { path, from, mode: '100644', sha256: sha256(bytes), size: bytes.length };
}

/** Beside a report and no part of what it follows from: the bundle itself, what verify says of it, and a PDF, which no two machines print alike. */
function isApart({ run }: Lab, file: string): boolean {
  return file.startsWith(run.bundle) || file === run.verification || file === run.reportPdf;
}

async function mustBeWhole(archive: string, folder: string): Promise<void> {
  const { failures } = await checkBundle(archive, folder);
  if (failures.length === 0) return;
  throw new RecordError('A file changed while it was bundled', {
    expected: 'nothing at work on the experiment at the same time',
    found: failures.join('; '),
    next: 'bundle again',
  });
}
