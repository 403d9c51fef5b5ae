import { z } from 'zod';

const RelativePath = z
  .string()
  .min(1)
  .refine((path) => !path.startsWith('/') && !path.split('/').includes('..'), 'a path below the workspace');
const Texts = z.array(z.string().min(1)).min(1);

/** A check that a program makes of a run, in place of a judge. */
export const EvalCheck = z.discriminatedUnion('type', [
  /** A file of the final tree; `*` and `**` as in a glob. */
  z.strictObject({ type: z.literal('file'), path: RelativePath, expect: z.enum(['exists', 'absent']).default('exists') }),
  /** The text of a file of the final tree. */
  z.strictObject({
    type: z.literal('file-text'),
    path: RelativePath,
    contains: Texts.optional(),
    lacks: Texts.optional(),
    matches: z.string().min(1).optional(),
  }),
  /** The final answer: contains all, any or none of the texts. Case counts unless `ignore_case`. */
  z.strictObject({
    type: z.literal('output-text'),
    values: Texts,
    of: z.enum(['all', 'any', 'none']).default('all'),
    ignore_case: z.boolean().default(false),
  }),
  /** The final answer against a regular expression (JavaScript, flags i m s u). */
  z.strictObject({
    type: z.literal('output-pattern'),
    pattern: z.string().min(1),
    flags: z
      .string()
      .regex(/^[imsu]*$/)
      .default('m'),
    expect: z.enum(['match', 'no-match']).default('match'),
  }),
  /** A value in JSON: of a file, or of the answer (whole, or its first fenced block). Path as `a.b[0]`. */
  z.strictObject({ type: z.literal('json'), file: RelativePath.optional(), path: z.string(), equals: z.unknown().optional() }),
  /** A command in the final tree, in the sandbox, without network. `files`: a folder of the case laid over the tree first. */
  z.strictObject({
    type: z.literal('command'),
    command: z.string().min(1),
    exit: z.int().default(0),
    /** It prints JSON with a `score`, which passes from here on; its exit status counts for nothing then. */
    min_score: z.number().optional(),
    timeout_seconds: z.number().positive().default(120),
    files: RelativePath.optional(),
  }),
  z.strictObject({ type: z.literal('tool'), tool: z.string().min(1), expect: z.enum(['used', 'not-used']).default('used') }),
  z.strictObject({
    type: z.literal('activation'),
    skill: z.string().min(1),
    expect: z.enum(['loaded', 'not-loaded']).default('loaded'),
  }),
  /** The agent came to its end: exit status 0 and a final answer. */
  z.strictObject({ type: z.literal('completed') }),
]);
export type EvalCheck = z.infer<typeof EvalCheck>;

export const AssertionKind = z.enum(['quality', 'format', 'behavior', 'pattern']);
export type AssertionKind = z.infer<typeof AssertionKind>;

/** One thing that an eval asserts of the output. Without a check a judge decides. */
export const Assertion = z.strictObject({
  id: z.string().min(1),
  text: z.string().min(1),
  kind: AssertionKind.default('quality'),
  check: EvalCheck.optional(),
  weight: z.number().positive().optional(),
});
export type Assertion = z.infer<typeof Assertion>;

/** `eval` of a case.yaml: an eval of a skill. Its prompt is the case's task, its files are the case's repo. */
export const EvalSettings = z.strictObject({
  /** Where it came from, so that results go back under the same ids. */
  source: z
    .strictObject({
      dialect: z.string(),
      file: z.string(),
      id: z.union([z.string(), z.number()]).nullable(),
      name: z.string().nullable(),
    })
    .optional(),
  /** The skill under test; the other skills of the case are what it depends on. */
  skill: z.string().min(1),
  /** Prompts after the first, each given when the agent has answered the one before. */
  follow_ups: z.array(z.string().min(1)).default([]),
  assertions: z
    .array(Assertion)
    .refine((all) => new Set(all.map(({ id }) => id)).size === all.length, 'each id once')
    .default([]),
  /** Whether the prompt should make the agent load the skill; absent: not asked. */
  should_trigger: z.boolean().optional(),
  /** What the author expects, for people. It is no criterion and nothing is scored by it. */
  expected_output: z.string().optional(),
  /** Keys of the source that mean nothing here, kept for the way back. */
  extra: z.record(z.string(), z.unknown()).optional(),
});
export type EvalSettings = z.infer<typeof EvalSettings>;

/** A file that an eval asks for, as its author named it; or one whose text stands in the eval itself. */
export interface EvalFile {
  named: string;
  /** Where it goes in the workspace. */
  to: string;
  text?: string;
}

/** One eval as an importer reads it. `skill` null: the one that the file speaks of. */
export interface Eval {
  skill: string | null;
  id: string | number | null;
  name: string | null;
  turns: string[];
  files: EvalFile[];
  assertions: Assertion[];
  shouldTrigger: boolean | null;
  expectedOutput: string | null;
  extra: Record<string, unknown>;
}

/** One file (or folder) of evals. `skill` null: the source does not say, and the place of the file does. */
export interface EvalSet {
  dialect: string;
  file: string;
  skill: string | null;
  deps: string[];
  evals: Eval[];
  extra: Record<string, unknown>;
}
