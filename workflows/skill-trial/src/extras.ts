import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { Slug } from './case.js';
import { shown } from './document.js';
import { SettingsError } from './errors.js';
import { hashOf, sha256 } from './hash.js';
import type { SandboxView } from './sandbox-plan.js';

const inside = z
  .string()
  .min(1)
  .refine((path) => !path.startsWith('/') && !path.split('/').includes('..'), 'a path below a folder, without ".."');

/** A variable that every arm gets. A key has no place in an experiment: the gateway adds it, and the agent never holds it. */
const Variables = z
  .record(z.string().regex(/^[A-Z_][A-Z0-9_]*$/, 'the name of an environment variable'), z.string())
  .superRefine((variables, context) => {
    for (const [name, value] of Object.entries(variables)) {
      const expected = secretName.test(name) ? 'no variable that is named like a key' : 'no value that looks like a key';
      if (secretName.test(name) || secretValue.test(value)) context.addIssue({ code: 'custom', path: [name], message: expected });
    }
  });
const secretName = /(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|AUTH)(?:_|$)/;
/** Prefixes of well-known kinds of keys, private keys, and long words of mixed letters and digits without any meaning. */
const secretValue =
  /\b(?:sk|pk|rk|ghp|gho|ghs|glpat|xox[abp])[-_][A-Za-z0-9_-]{12,}|\bgithub_pat_\w{20,}|\bAKIA[0-9A-Z]{12,}|\bAIza[\w-]{30,}|\beyJ[\w-]{20,}\.|-----BEGIN|^(?=.*\d)(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9+=_-]{32,}$/;

/** One MCP server on standard input and output. `{home}` and `{workspace}` stand for the folders inside. */
export const McpServer = z.strictObject({ command: z.array(z.string().min(1)).min(1), env: Variables.default({}) });
export type McpServer = z.infer<typeof McpServer>;

/** What an experiment gives its agent beside the task, in experiment.yaml under `agent`: the same in every arm. */
export const extraSettings = {
  mcp: z.record(Slug, McpServer).optional(),
  /** Files below HOME: [path below HOME]: path below the experiment's folder. */
  files: z
    .record(
      inside.refine((path) => !/(?:^|\/)skills?\//i.test(path), 'no folder of skills: those belong to arms'),
      inside,
    )
    .optional(),
  env: Variables.optional(),
};
const Settings = z.strictObject(extraSettings);

/** The extras of an experiment with the contents of the files. */
export interface Extras {
  mcp: Record<string, McpServer>;
  files: { path: string; content: Buffer; executable: boolean }[];
  env: Record<string, string>;
  /** Hash of everything above; null where the experiment declares none. */
  sha256: string | null;
}

export const noExtras: Extras = { mcp: {}, files: [], env: {}, sha256: null };

/** Reads the files of an experiment's extras; `folder` is the experiment's. A missing file is a SettingsError. */
export async function readExtras(folder: string, settings: z.infer<typeof Settings>): Promise<Extras> {
  const { mcp = {}, files: named = {}, env = {} } = settings;
  if ([mcp, named, env].every((part) => Object.keys(part).length === 0)) return noExtras;
  const files: Extras['files'] = [];
  for (const [path, source] of Object.entries(named)) {
    const file = join(folder, source);
    const found = await lstat(file).catch(() => null);
    if (!found?.isFile()) {
      throw new SettingsError(`agent.files: ${shown(file)} is not there`, {
        expected: 'a file below the folder of the experiment',
        found: found === null ? 'nothing' : 'no plain file',
        next: 'add the file, or correct agent.files in experiment.yaml',
      });
    }
    files.push({ path, content: await readFile(file), executable: (found.mode & 0o100) !== 0 });
  }
  const hashed = files.map(({ path, content, executable }) => [path, sha256(content), executable]);
  return { mcp, files, env, sha256: hashOf({ mcp, files: hashed, env }) };
}

/** The servers as an agent inside starts them. */
export function serversInside(
  mcp: Extras['mcp'],
  view: Pick<SandboxView, 'home' | 'workspace'>,
): { name: string; command: string; args: string[]; env: Record<string, string> }[] {
  const fill = (text: string) => text.replaceAll('{home}', view.home).replaceAll('{workspace}', view.workspace);
  return Object.entries(mcp).map(([name, server]) => {
    const [command = '', ...args] = server.command.map(fill);
    return { name, command, args, env: Object.fromEntries(Object.entries(server.env).map(([key, value]) => [key, fill(value)])) };
  });
}
