import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parseDocument } from 'yaml';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Done {
  code: number;
  /** stdout and stderr as they came. */
  text: string;
}

/** A copy of this checkout's files in a temporary folder, with the same installed packages: tests change it as a user would. */
export class Checkout {
  private constructor(readonly root: string) {}

  static async make(): Promise<Checkout> {
    const folder = await mkdtemp(join(tmpdir(), 'skill-trial-checkout-'));
    const listed = await promisify(execFile)(
      'git',
      ['-C', root, 'ls-files', '--cached', '--others', '--exclude-standard', '-z'],
      { maxBuffer: 1 << 26 },
    );
    for (const path of listed.stdout.split('\0').filter((one) => one !== '' && !one.startsWith('reports/'))) {
      await cp(join(root, path), join(folder, path)).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error; // deleted and not yet committed
      });
    }
    for (const built of [
      'workflows/dist',
      'workflows/skill-trial/dist',
      'workflows/skill-trial/packed',
      'workflows/graph/dist',
      'workflows/desk/dist',
    ])
      await cp(join(root, built), join(folder, built), { recursive: true });
    await mkdir(join(folder, 'node_modules'));
    for (const name of await readdir(join(root, 'node_modules'))) {
      if (!name.startsWith('.') && !name.startsWith('skill-trial'))
        await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name));
    }
    // relative: a copy's links lead to the copy
    await symlink('../workflows/skill-trial', join(folder, 'node_modules/skill-trial'));
    await symlink('../workflows/graph', join(folder, 'node_modules/skill-trial-graph'));
    await symlink('../workflows/desk', join(folder, 'node_modules/skill-trial-desk'));
    // packages of which the desk has a version of its own
    const own = join(root, 'workflows/desk/node_modules');
    if (existsSync(own)) await symlink(own, join(folder, 'workflows/desk/node_modules'));
    await symlink(join(root, 'node_modules', '.bin'), join(folder, 'node_modules', '.bin'));
    // agents that npm run add-agent installed; their adapters resolve links
    if (existsSync(join(root, '.agents'))) await symlink(join(root, '.agents'), join(folder, '.agents'));
    // the cells' conversions follow from their content and the packages alone: checkouts of one test run share them
    await mkdir(join(root, '.cache/cells'), { recursive: true });
    await mkdir(join(folder, '.cache'));
    await symlink(join(root, '.cache/cells'), join(folder, '.cache/cells'));
    return new Checkout(folder);
  }

  /**
   * A copy of a checkout with all that was made in it: records, reports, Nx's cache. Names that share a file (a record and its receipt)
   * share one in the copy. Null where there is no such checkout.
   */
  static async copy(from: string): Promise<Checkout | null> {
    if (!existsSync(from)) return null;
    const folder = await mkdtemp(join(tmpdir(), 'skill-trial-checkout-'));
    await promisify(execFile)('cp', ['-a', `${from}/.`, folder]);
    return new Checkout(folder);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
  }

  path(...parts: string[]): string {
    return join(this.root, ...parts);
  }

  read(...parts: string[]): Promise<string> {
    return readFile(this.path(...parts), 'utf8');
  }

  async json<T = Record<string, unknown>>(...parts: string[]): Promise<T> {
    return JSON.parse(await this.read(...parts)) as T;
  }

  write(path: string, text: string): Promise<void> {
    return writeFile(this.path(path), text);
  }

  /** Changes settings of an experiment: `edit` maps a dotted path to its new value; undefined removes the key. Comments stay. */
  async configure(experiment: string, edit: Record<string, unknown>): Promise<void> {
    const file = join('data/experiments', experiment, 'experiment.yaml');
    const document = parseDocument(await this.read(file));
    for (const [path, value] of Object.entries(edit)) {
      if (value === undefined) document.deleteIn(path.split('.'));
      else document.setIn(path.split('.'), value);
    }
    await this.write(file, document.toString());
  }

  /** `npx nx run <target>` as a user types it. */
  nx(target: string, env: Record<string, string> = {}): Promise<Done> {
    return this.node(['node_modules/nx/dist/bin/nx.js', 'run', target, '--outputStyle=stream-without-prefixes'], env);
  }

  /** `npx nx run-many -t <targets> -p <project>`. */
  nxMany(project: string, targets: string[], env: Record<string, string> = {}): Promise<Done> {
    return this.node(
      ['node_modules/nx/dist/bin/nx.js', 'run-many', '-t', ...targets, '-p', project, '--outputStyle=stream-without-prefixes'],
      env,
    );
  }

  /** `npm start -- …` without npm's own start-up. */
  start(words: string[] = [], env: Record<string, string> = {}): Promise<Done> {
    return this.node(['workflows/dist/start.js', ...words], env);
  }

  node(argv: string[], env: Record<string, string> = {}): Promise<Done> {
    return new Promise((resolve, reject) => {
      const child = spawn(process.execPath, argv, {
        cwd: this.root,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          PATH: process.env.PATH ?? '',
          HOME: this.root,
          CI: process.env.CI ?? '',
          NX_DAEMON: 'false',
          NX_TUI: 'false',
          NX_ISOLATE_PLUGINS: 'false',
          NO_COLOR: '1',
          ...env,
        },
      });
      let text = '';
      child.stdout.on('data', (chunk) => (text += chunk));
      child.stderr.on('data', (chunk) => (text += chunk));
      child.once('error', reject);
      child.once('close', (code) => resolve({ code: code ?? 1, text }));
    });
  }
}

/** Events of an experiment's ledger, in order. */
export async function ledgerEvents(
  checkout: Checkout,
  experiment: string,
): Promise<{ kind: string; trial?: string; attempt?: number; outcome?: string; reason?: string }[]> {
  const text = await checkout.read('data/runs', experiment, 'ledger.jsonl').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line).event);
}

/** The trials that ran, in the order in which they began. */
export async function startedTrials(checkout: Checkout, experiment: string): Promise<string[]> {
  return (await ledgerEvents(checkout, experiment)).flatMap((event) => (event.kind === 'started' ? [event.trial as string] : []));
}
