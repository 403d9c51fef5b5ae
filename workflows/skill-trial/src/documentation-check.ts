import { lstat, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import picomatch from 'picomatch';
import { z } from 'zod';
import { applyPatch } from './base.js';
import type { Case } from './case.js';
import { docProgram } from './doc-language.js';
import { type DocCommand, type DocText, findCommands, findGuarantees, readDoc } from './doc-text.js';
import { hashOf, listTree } from './hash.js';
import { placeKey } from './place.js';
import { prettyJson } from './record.js';
import { runInTree, type TreePlan } from './tree-run.js';
import type { CheckRecord } from './variant-checks.js';

/** One run of a program in a variant's tree as it is stored; stdout.txt, stderr.txt and notes.jsonl lie beside it. */
export const ProgramRun = z.strictObject({
  schemaVersion: z.literal(1),
  check: z.string(),
  argv: z.array(z.string()),
  sandbox: z.string(),
  exitCode: z.int().nullable(),
  signal: z.string().nullable(),
  timedOut: z.boolean(),
  startedAt: z.iso.datetime(),
  elapsedSeconds: z.number().nonnegative(),
});
export type ProgramRun = z.infer<typeof ProgramRun>;

const place = { file: z.string(), line: z.int().positive() };
const Note = z.strictObject({
  kind: z.enum(['entry', 'example']),
  ...place,
  module: z.string().nullable(),
  works: z.boolean().optional(),
  equal: z.boolean().optional(),
  expected: z.unknown().optional(),
  actual: z.unknown().optional(),
  error: z.string().optional(),
});

/** What can be told of a variant's documentation without an opinion. Every part may be empty. */
export const DocumentationCheck = z.strictObject({
  files: z.array(z.string()),
  /** Where the public entry point is named with a module; `works`: imported in the sandbox, it has that name. */
  entries: z.array(z.strictObject({ ...place, module: z.string(), works: z.boolean(), error: z.string().nullable() })),
  /** Whether any file names the entry point at all; null: the case declares none. */
  named: z.boolean().nullable(),
  examples: z.array(
    z.strictObject({
      ...place,
      /** equal: the documented value; structure: other values with the same keys and types; failed: it does not run. */
      outcome: z.enum(['equal', 'structure', 'different', 'failed']),
      expected: z.string().nullable(),
      actual: z.string().nullable(),
      error: z.string().nullable(),
    }),
  ),
  guarantees: z.array(z.strictObject({ ...place, word: z.string(), negated: z.boolean(), quote: z.string() })),
  commands: z.array(
    z.strictObject({
      ...place,
      command: z.string(),
      directory: z.string(),
      outcome: z.enum(['ok', 'failed', 'not run']),
      exitCode: z.int().nullable(),
      why: z.string().nullable(),
    }),
  ),
});
export type DocumentationCheck = z.infer<typeof DocumentationCheck>;

/** One program to run for a variant: its name, what tells it from another of that name, and how it runs. */
export interface ProgramPlan {
  name: string;
  key: string;
  run: (target: string) => Promise<void>;
}
/** How a program's run is obtained: run and recorded, or read again. */
export type ObtainProgram = (
  content: string,
  plan: ProgramPlan,
) => Promise<{ run: ProgramRun; notes: string; record: CheckRecord }>;

const largest = 1_000_000;
const mostCommands = 5;

/** The documentation of a tree: base and patch laid out on the host and only read; links and very large files are left out. */
export async function readDocs(
  tree: Pick<TreePlan, 'base' | 'patch'>,
  one: Pick<Case, 'docs'>,
  scratch: string,
): Promise<DocText[]> {
  const folder = await mkdtemp(join(scratch, 'docs-'));
  try {
    await applyPatch(tree.base, tree.patch as string, join(folder, 'workspace'));
    const isDoc = picomatch(one.docs, { dot: true });
    const files = (await listTree(join(folder, 'workspace'))).filter(
      ({ path, mode, size }) => isDoc(path) && mode !== '120000' && size <= largest,
    );
    const docs: DocText[] = [];
    for (const { path } of files) {
      const full = join(folder, 'workspace', path);
      if (/\.(md|markdown|mdx)$/i.test(path) && (await lstat(full)).isFile())
        docs.push(readDoc(path, await readFile(full, 'utf8')));
    }
    return docs;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Checks a variant's documentation; `obtain` runs or reads each program. Names the records it was read from. */
export async function checkDocumentation(
  content: string,
  one: Case,
  tree: TreePlan,
  docs: DocText[],
  obtain: ObtainProgram,
): Promise<{ documentation: DocumentationCheck; records: Record<string, CheckRecord> }> {
  const records: Record<string, CheckRecord> = {};
  const common = { base: tree.base.commit, ...placeKey(tree) };
  let notes: z.infer<typeof Note>[] = [];
  if (one.entry !== undefined) {
    const program = docProgram(one.language, docs, one.entry);
    const name = 'documentation';
    const plan: ProgramPlan = {
      name,
      key: hashOf({ ...common, files: program.files }),
      run: (target) => runProgram(tree, name, program.files, program.argv, target),
    };
    const done = await obtain(content, plan);
    records[name] = done.record;
    notes = readNotes(done.notes);
  }
  const commands: DocumentationCheck['commands'] = [];
  for (const [index, command] of docs.flatMap(findCommands).slice(0, mostCommands).entries()) {
    const { file, line, script, skip } = command;
    const at = { file, line, command: script, directory: dirname(file) };
    if (skip !== null) {
      commands.push({ ...at, outcome: 'not run', exitCode: null, why: skip });
      continue;
    }
    const plan = commandPlan(tree, command, index + 1, common);
    const { run, record } = await obtain(content, plan);
    records[plan.name] = record;
    const why = run.timedOut ? 'it did not end in time' : null;
    commands.push({ ...at, outcome: run.exitCode === 0 ? 'ok' : 'failed', exitCode: run.exitCode, why });
  }
  const entries = notes.flatMap(({ kind, file, line, module, works, error }) =>
    kind === 'entry' ? [{ file, line, module: module ?? '', works: works === true, error: error ?? null }] : [],
  );
  const documentation: DocumentationCheck = {
    files: docs.map(({ file }) => file),
    named: one.entry === undefined ? null : docs.some((doc) => mentions(doc, one.entry?.name as string)),
    entries,
    examples: notes.flatMap((note) => (note.kind === 'example' ? [exampleOf(note)] : [])),
    guarantees: docs.flatMap(findGuarantees),
    commands,
  };
  return { documentation, records };
}

function mentions({ prose, blocks }: DocText, name: string): boolean {
  return prose.some(({ text }) => text.includes(name)) || blocks.some(({ text }) => text.includes(name));
}

function commandPlan(tree: TreePlan, { file, script }: DocCommand, number: number, common: object): ProgramPlan {
  const name = `command-${number}`;
  const argv = (workspace: string) => ['/bin/sh', '-ec', `cd "$0"\n${script}`, join(workspace, dirname(file))];
  return {
    name,
    key: hashOf({ ...common, file, script }),
    run: (target) => runProgram(tree, name, [], (_reporters, workspace) => argv(workspace), target),
  };
}

async function runProgram(
  tree: TreePlan,
  name: string,
  files: [string, string][],
  argv: (reporters: string, workspace: string, out: string) => string[],
  target: string,
): Promise<void> {
  const scratch = await mkdtemp(`${target}-files-`);
  try {
    const overlay: [string, string][] = [];
    for (const [index, [path, text]] of files.entries()) {
      const file = join(scratch, String(index));
      await writeFile(file, text);
      overlay.push([file, path]);
    }
    const plan = { ...tree, overlay: [...tree.overlay, ...overlay] };
    const run = await runInTree(plan, target, ({ workspace, reporters, out }) => ({
      argv: argv(reporters, workspace, out),
      env: { PYTHONDONTWRITEBYTECODE: '1', npm_config_offline: 'true', npm_config_update_notifier: 'false' },
    }));
    await writeFile(join(target, 'notes.jsonl'), run.lines);
    const { exitCode, signal, timedOut, startedAt, elapsedSeconds } = run.outcome;
    const record: ProgramRun = {
      ...{ schemaVersion: 1, check: name, argv: run.argv, sandbox: tree.sandbox },
      ...{ exitCode, signal, timedOut, startedAt, elapsedSeconds },
    };
    await writeFile(join(target, 'program.json'), prettyJson(record));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Lines that are no notes: the code under test wrote them, and after so many whatever it may have written besides is not read. */
const mostStrange = 100;

/** Lines that are notes; none where the code under test wrote more others among them than could be an accident. */
function readNotes(text: string): z.infer<typeof Note>[] {
  const notes: z.infer<typeof Note>[] = [];
  let strange = 0;
  for (let start = 0, end = text.indexOf('\n'); end !== -1; start = end + 1, end = text.indexOf('\n', start)) {
    const note = readNote(text.slice(start, end));
    if (note !== null) notes.push(note);
    else strange += 1;
    if (strange > mostStrange) return [];
  }
  return notes;
}

function readNote(line: string): z.infer<typeof Note> | null {
  try {
    return Note.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}

function exampleOf({ file, line, equal, expected, actual, error }: z.infer<typeof Note>): DocumentationCheck['examples'][number] {
  if (error !== undefined) return { file, line, outcome: 'failed', expected: null, actual: null, error };
  const outcome = equal === true ? 'equal' : shapeOf(expected) === shapeOf(actual) ? 'structure' : ('different' as const);
  const short = (value: unknown) => (JSON.stringify(value) ?? 'undefined').slice(0, 500);
  return { file, line, outcome, expected: short(expected), actual: short(actual), error: null };
}

/** Keys and types of a value without the values: `{a:number,b:[string]}`. The items of a list count once per shape. */
export function shapeOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return `[${[...new Set(value.map(shapeOf))].sort().join('|')}]`;
  if (typeof value !== 'object') return typeof value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${key}:${shapeOf(item)}`).join(',')}}`;
}
