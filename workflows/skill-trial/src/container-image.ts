import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { containerEngine, type Engine } from './container.js';
import { shown } from './document.js';
import { PrerequisiteError } from './errors.js';
import { hashTree } from './hash.js';

const run = promisify(execFile);
/** Pulling or building may install a whole system. */
const limits = { timeout: 1_800_000, maxBuffer: 1 << 26 };

/** The identity (sha256:…) of a local image; null: it is not here. */
export async function imageId(name: string): Promise<string | null> {
  const engine = await containerEngine();
  return 'trouble' in engine ? null : idOf(engine, name);
}

async function idOf({ call }: Engine, name: string): Promise<string | null> {
  const [program, ...flags] = call as [string, ...string[]];
  return run(program, [...flags, 'image', 'inspect', '--format', '{{.Id}}', name]).then(
    ({ stdout }) => stdout.trim(),
    () => null,
  );
}

/** The identity of an image, which is pulled where it is not here. */
export async function obtainImage(name: string): Promise<string> {
  const engine = await requireEngine();
  const there = await idOf(engine, name);
  if (there !== null) return there;
  await make(
    engine,
    ['pull', '--quiet', name],
    `The image ${name} cannot be pulled`,
    'correct environment.image, or pull it by hand',
  );
  return (await idOf(engine, name)) as string;
}

/** The name that the image of a case's Dockerfile has on this machine: of all that lies in the Dockerfile's folder. */
export async function builtName(owner: string, dockerfile: string): Promise<string> {
  return `localhost/skill-trial-case-${owner}:${(await hashTree(dirname(dockerfile))).slice(0, 16)}`;
}

/** Builds an image from a Dockerfile in its own folder, and returns its identity. Equal folders are built once. */
export async function buildImage(owner: string, dockerfile: string): Promise<string> {
  const engine = await requireEngine();
  const context = dirname(dockerfile);
  const tag = await builtName(owner, dockerfile);
  const there = await idOf(engine, tag);
  if (there !== null) return there;
  // a higher limit of the lab's own than the engine may set would keep it from starting
  const own = engine.program === 'podman' ? ['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=1024:1024'] : [];
  await make(
    engine,
    ['build', ...own, '--tag', tag, '--file', dockerfile, context],
    `The image of case ${owner} cannot be built`,
    `mend ${shown(dockerfile)}`,
  );
  return (await idOf(engine, tag)) as string;
}

async function make({ call, program: engine }: Engine, words: string[], what: string, next: string): Promise<void> {
  const [program, ...flags] = call as [string, ...string[]];
  await run(program, [...flags, ...words], limits).catch((error: { stderr?: string; message: string }) => {
    const said = (error.stderr ?? '').trim().split('\n').slice(-3).join(' | ');
    throw new PrerequisiteError(what, {
      expected: `${engine} ${words.join(' ')} to end with exit status 0`,
      found: said.slice(-400) || (error.message.split('\n')[0] as string),
      next,
    });
  });
}

async function requireEngine(): Promise<Engine> {
  const engine = await containerEngine();
  if ('trouble' in engine) {
    throw new PrerequisiteError('A case needs a container, and no container engine works here', {
      expected: 'podman or docker',
      found: engine.trouble,
      next: 'install podman, or take environment out of case.yaml',
    });
  }
  return engine;
}

/** The Dockerfile of a case, by its full path. */
export function dockerfileOf(one: {
  folder: string;
  environment?: { dockerfile?: string | undefined } | undefined;
}): string | null {
  const path = one.environment?.dockerfile;
  return path === undefined ? null : join(one.folder, path);
}
