import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Environment } from './environment.js';
import type { Imported, Loss } from './loss-report.js';

const Words = z.union([z.string(), z.array(z.string())]);

/** The environment of a skill as the benchmark's configuration has it; keys that are not read are named as dropped. */
export const BenchEnvironment = z.looseObject({
  base_image: z.string().nullish(),
  dockerfile: z.string().nullish(),
  env_vars: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).nullish(),
  setup_commands: Words.nullish(),
  pre_process: Words.nullish(),
  limits: z.looseObject({}).nullish(),
});
export type BenchEnvironment = z.infer<typeof BenchEnvironment>;

/** What an environment becomes: parts of case.yaml, files below the case's folder, limits of the experiment. */
export interface ImportedEnvironment {
  settings: { environment?: Environment; setup?: { command: string } };
  files: Imported['files'];
  limits: { cpus?: number; memory_mb?: number };
}

const read = ['base_image', 'dockerfile', 'env_vars', 'setup_commands', 'pre_process', 'limits'];
/** Installs into the system, which is read-only in a trial and in a set-up: part of the image. */
const ofSystem = /^\s*(?:sudo\s+)?(?:apt|apt-get|apk|yum|dnf)\s/;

/**
 * Maps a benchmark environment: base image, variables and system packages into a Dockerfile, other commands into the set-up. `from` is
 * the benchmark's checkout.
 */
export async function importEnvironment(
  found: BenchEnvironment | undefined,
  from: string,
  lose: (status: Loss['status'], what: string) => void,
): Promise<ImportedEnvironment> {
  const made: ImportedEnvironment = { settings: {}, files: {}, limits: {} };
  if (found === undefined) return made;
  const others = Object.keys(found).filter((key) => !read.includes(key));
  if (others.length > 0) lose('dropped', `environment: ${others.join(', ')}`);
  const commands = [found.setup_commands ?? [], found.pre_process ?? []].flat();
  const system = commands.filter((command) => ofSystem.test(command)).map((command) => command.trim().replace(/^sudo\s+/, ''));
  const own = commands.filter((command) => !ofSystem.test(command));
  const dockerfile = await dockerfileText(found, system, from, lose);
  if (dockerfile !== null) {
    made.settings.environment = { dockerfile: 'container/Dockerfile' };
    made.files['container/Dockerfile'] = dockerfile;
  } else if (system.length > 0) {
    lose('dropped', `environment: ${system.join('; ')} (packages of the system, and no image to put them into)`);
  }
  if (own.length > 0) {
    made.settings.setup = { command: own.join('\n') };
    lose(
      'mapped',
      'environment: setup_commands are the set-up, without a network: name the hosts that it needs under setup.network.allow in case.yaml',
    );
  }
  made.limits = limitsOf(found.limits ?? {}, lose);
  return made;
}

async function dockerfileText(
  { base_image, dockerfile, env_vars }: BenchEnvironment,
  system: string[],
  from: string,
  lose: (status: Loss['status'], what: string) => void,
): Promise<string | null> {
  const variables = Object.entries(env_vars ?? {}).map(([name, value]) => `ENV ${name}=${envValue(String(value))}`);
  const own = dockerfile == null ? null : await readFile(join(from, dockerfile), 'utf8').catch(() => null);
  if (own !== null) {
    lose('mapped', `environment: ${dockerfile} is the case's Dockerfile; sh, socat, git and Node have to be in it`);
    for (const line of contextLines(own))
      lose(
        'missing',
        `environment: ${dockerfile}: ${line}: the files are not copied; put them into container/, or freeze cannot build`,
      );
    return [own.trimEnd(), ...system.map((command) => `RUN ${command}`), ...variables, ''].join('\n');
  }
  if (dockerfile != null) lose('missing', `environment: no ${dockerfile} in the checkout`);
  if (base_image == null) {
    if (variables.length > 0) lose('dropped', 'environment: env_vars (there is no image to set them in)');
    return null;
  }
  lose('mapped', `environment: ${base_image} with Node, git and socat added (as for Debian) is the case's Dockerfile`);
  return [
    "# Made from the benchmark's environment. Node, git and socat are what the agent and the lab need.",
    'FROM node:22-slim AS node',
    `FROM ${base_image}`,
    'COPY --from=node /usr/local/bin/node /usr/local/bin/node',
    'RUN apt-get update && apt-get install -y --no-install-recommends git socat && rm -rf /var/lib/apt/lists/*',
    ...system.map((command) => `RUN ${command}`),
    '# The system is read-only in a trial: what pip installs goes into HOME, which the set-up hands on.',
    'ENV PIP_USER=1 PIP_BREAK_SYSTEM_PACKAGES=1',
    ...variables,
    '',
  ].join('\n');
}

/** A value in double quotes as a Dockerfile reads it: nothing in it is a variable. It knows no line break; one is written as \n. */
function envValue(value: string): string {
  return `"${value.replace(/[\\"$]/g, '\\$&').replaceAll('\n', '\\n')}"`;
}

/** COPY and ADD instructions that take files of the build context: none `--from` another stage, of an address or of a here-document. */
export function contextLines(dockerfile: string): string[] {
  return dockerfile
    .replace(/^[ \t]*#.*\n/gm, '')
    .replace(/\\[ \t]*\n\s*/g, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /^(?:COPY|ADD)\s/i.test(line))
    .filter((line) => {
      const words = line.split(/\s+/).slice(1);
      if (words.some((word) => word.startsWith('--from='))) return false;
      const sources = words.filter((word) => !word.startsWith('--')).slice(0, -1);
      return !sources.every((word) => /^(?:(?:https?|git|ssh):\/\/|git@|<<)/i.test(word.replace(/^[["',]+/, '')));
    });
}

/** Processors and memory; `4g`, `512m` and plain MB are understood. */
function limitsOf(found: Record<string, unknown>, lose: (status: Loss['status'], what: string) => void) {
  const limits: ImportedEnvironment['limits'] = {};
  for (const [key, value] of Object.entries(found)) {
    if (/^cpus?$/.test(key) && Number(value) > 0) limits.cpus = Number(value);
    else if (/^mem(?:ory)?(?:_mb|_limit)?$/.test(key) && megabytes(value) !== null) limits.memory_mb = megabytes(value) as number;
    else lose('dropped', `environment: limits.${key}`);
  }
  return limits;
}

function megabytes(value: unknown): number | null {
  const match = /^(\d+(?:\.\d+)?)\s*([gm]?)i?b?$/i.exec(String(value));
  if (match === null) return null;
  const amount = Math.round(Number(match[1]) * (match[2]?.toLowerCase() === 'g' ? 1024 : 1));
  return amount > 0 ? amount : null;
}
