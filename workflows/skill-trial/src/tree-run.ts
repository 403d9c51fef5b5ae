import { isUtf8 } from 'node:buffer';
import { constants } from 'node:fs';
import { cp, lstat, mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { applyPatch, type Base } from './base.js';
import type { Case } from './case.js';
import { systemClock } from './clock.js';
import { ownFolder, runContained } from './contained-run.js';
import type { LimitHit } from './containment.js';
import { listTree } from './hash.js';
import { type NetworkProxy, openNetworkProxy } from './network-proxy.js';
import { keptOutOfReach } from './paths.js';
import type { Place } from './place.js';
import type { ProcessOutcome } from './process.js';
import { isolates, listenFor, proxyVariables, type SandboxPlan, sandboxView } from './sandbox-plan.js';
import { layWarm } from './warm-tree.js';

/** A tree to run something in: base, a variant's patch, and files laid over both. */
export interface TreePlan extends Place {
  case: Pick<Case, 'folder'>;
  base: Pick<Base, 'folder' | 'commit'>;
  /** The variant's patch; null: the clean base. */
  patch: string | null;
  /** Files to lay over the tree: [host file, path in the workspace]. */
  overlay: [string, string][];
  /** What the files laid over the tree call its folder; replaced in them where it is another. */
  workspaceName?: string;
  timeoutMs: number;
}

/** What a set-up needs and no run of tests has. */
export interface TreeExtras {
  /** Hosts that may be reached, as host:port. */
  allow: string[];
  /** Sees the folders before they are removed. */
  capture: (folders: { workspace: string; home: string }, outcome: ProcessOutcome) => Promise<void>;
}

export interface TreeRun {
  outcome: ProcessOutcome;
  argv: string[];
  /** Where the tree lay, as the program saw it. */
  workspace: string;
  /** What the program wrote to `out`; '' where it wrote nothing, or what is no report. */
  lines: string;
  /** The limits that it ran into. */
  hits: LimitHit[];
}

export const checkPrefix = 'skill-trial-check-';
/** The largest report that is read, and what is kept of anything printed: a test that floods its output must not fill the records. */
const [reportBytes, keptBytes] = [64 * 2 ** 20, 4 * 2 ** 20];
const reportersFolder = join(dirname(fileURLToPath(import.meta.url)), '..', 'reporters');

/**
 * Runs a program in a variant's tree and its case's place, without any network; stdout.txt and stderr.txt go into `target`. The code
 * that runs is the agent's: it is held as tightly as the agent was. A failing run is an outcome; only a missing program throws.
 */
export async function runInTree(
  plan: TreePlan,
  target: string,
  program: (where: { workspace: string; reporters: string; out: string; tmp: string }) => {
    argv: string[];
    env: Record<string, string>;
  },
  extras?: TreeExtras,
): Promise<TreeRun> {
  const scratch = await mkdtemp(join(tmpdir(), checkPrefix));
  let proxy: NetworkProxy | null = null;
  try {
    const [workspace, home, tmp] = [join(scratch, 'workspace'), join(scratch, 'home'), join(scratch, 'tmp')];
    await Promise.all([mkdir(home), mkdir(tmp), mkdir(target, { recursive: true })]);
    const patch = join(scratch, 'patch.diff');
    await (plan.patch === null ? writeFile(patch, '') : cp(plan.patch, patch));
    await applyPatch(plan.base, patch, workspace);
    await layWarm(plan.warm, workspace, home);
    for (const [from, to] of plan.overlay) await layOver(from, workspace, to);
    await ownFolder(scratch);
    if (extras !== undefined) {
      const listen = listenFor(plan.sandbox, join(scratch, 'proxy.sock'));
      proxy = await openNetworkProxy({ allow: extras.allow, listen, dir: target, clock: systemClock });
    }
    const reporters = isolates(plan.sandbox) ? '/lab/reporters' : reportersFolder;
    const sandbox: SandboxPlan = {
      kind: plan.sandbox,
      workspace,
      home,
      tmp,
      skills: null,
      readOnly: [[reportersFolder, reporters]],
      hide: keptOutOfReach(plan.case.folder),
      gateway: null,
      proxy: proxy?.way ?? null,
      limits: plan.limits,
      image: plan.image,
    };
    const view = sandboxView(sandbox, '');
    if (plan.workspaceName !== undefined && plan.workspaceName !== view.workspace)
      await renameWorkspace(plan.overlay, workspace, plan.workspaceName, view.workspace);
    const out = `${view.tmp}/tests.jsonl`;
    const { argv, env: own } = program({ workspace: view.workspace, reporters, out, tmp: view.tmp });
    const env = {
      PATH: view.path,
      HOME: view.home,
      TMPDIR: view.tmp,
      LANG: 'C.UTF-8',
      CI: 'true',
      ...proxyVariables(sandbox),
      ...own,
    };
    const [stdoutFile, stderrFile] = [join(target, 'stdout.txt'), join(target, 'stderr.txt')];
    const { outcome, hits } = await runContained({
      sandbox,
      argv,
      env,
      scratch,
      process: {
        stdinFile: null,
        stdoutFile,
        stderrFile,
        timeoutMs: plan.timeoutMs,
      },
    });
    await extras?.capture({ workspace, home }, outcome);
    await Promise.all([stdoutFile, stderrFile].map(keepEnds));
    return { outcome, argv, workspace: view.workspace, lines: await readReport(join(tmp, 'tests.jsonl')), hits };
  } finally {
    await proxy?.close();
    await rm(scratch, { recursive: true, force: true });
  }
}

/** The text of a report; '' for what is none: the tests may have put a link to a file of the machine, or a pipe, in its place. */
async function readReport(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => null);
  if (file === null) return '';
  try {
    const found = await file.stat();
    return found.isFile() && found.size <= reportBytes ? await file.readFile('utf8') : '';
  } finally {
    await file.close();
  }
}

/** Cuts the middle out of a printed text that is too long to be kept. */
async function keepEnds(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    const { size } = await file.stat();
    if (size <= 2 * keptBytes) return;
    const end = Buffer.alloc(keptBytes);
    await file.read(end, 0, keptBytes, size - keptBytes);
    const note = Buffer.from(`\n[${size - 2 * keptBytes} bytes are left out here]\n`);
    await file.write(Buffer.concat([note, end]), 0, note.length + keptBytes, keptBytes);
    await file.truncate(2 * keptBytes + note.length);
  } finally {
    await file.close();
  }
}

/** Gives the laid-over files the folder's true name: a test suite may hold it in full. */
async function renameWorkspace(overlay: [string, string][], workspace: string, named: string, real: string): Promise<void> {
  for (const [from, to] of overlay) {
    const below = (await lstat(from)).isDirectory() ? (await listTree(from)).map((file) => file.path) : [''];
    for (const path of below) {
      const file = join(workspace, to, path);
      const bytes = await readFile(file);
      if (isUtf8(bytes) && bytes.includes(named)) await writeFile(file, bytes.toString('utf8').replaceAll(named, real));
    }
  }
}

/** Lays a file or folder over the tree. A link of the variant's that stands in the way is removed: through it one would write elsewhere. */
async function layOver(from: string, workspace: string, to: string): Promise<void> {
  const parts = to.split('/').filter((part) => part !== '.' && part !== '');
  for (let depth = 1; depth <= parts.length; depth++) {
    const path = join(workspace, ...parts.slice(0, depth));
    const found = await lstat(path).catch(() => null);
    if (found?.isSymbolicLink()) await rm(path);
  }
  await cp(from, join(workspace, ...parts), { recursive: true });
}
