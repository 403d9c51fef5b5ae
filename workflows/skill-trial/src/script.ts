import { join } from 'node:path';
import { z } from 'zod';
import { readText, readYaml, shown } from './document.js';
import { SettingsError } from './errors.js';
import { hashOf, sha256 } from './hash.js';

const name = z.string().regex(/^[a-z0-9-]+$/, 'lower-case letters, digits and hyphens');
const path = z
  .string()
  .min(1)
  .refine((text) => !text.startsWith('/') && !text.split('/').includes('..'), 'a path below the workspace');

/** When a rule applies: all that is written must hold; nothing written always holds. */
export const Condition = z.strictObject({
  /** The text of each of these skills is in the context; an empty list: of none at all. */
  loaded: z.array(name).optional(),
  /** Each of these stands in what the model was told: tells a skill from another of its name (a placebo). */
  told: z.array(z.string().min(1)).optional(),
  /** The repeat index, from 1. */
  repeat: z.int().positive().optional(),
  /** The probability, drawn from the seed, the repeat and the rule's place: the same for the whole of a trial. */
  chance: z.number().min(0).max(1).optional(),
});
export type Condition = z.infer<typeof Condition>;

/** How the model fails instead of answering: from its n-th call of a conversation on, retries of that call included. */
export const Fault = z.strictObject({
  when: Condition.optional(),
  at_call: z.int().positive(),
  kind: z.enum(['hang', 'status', 'malformed', 'disconnect']),
  /** For `status`: the HTTP status; 500 where absent. */
  status: z.int().min(400).max(599).optional(),
});
export type Fault = z.infer<typeof Fault>;

/** `<scripts>/<name>.yaml`: which plan the scripted model follows. */
export const ScriptFile = z.strictObject({
  schema_version: z.literal(1),
  title: z.string().min(1),
  /** Whether it reads every skill that it is offered before it begins. */
  load_skills: z.enum(['all', 'none']),
  /** The first rule that applies; the last one must always apply. */
  choose: z
    .array(z.strictObject({ when: Condition.optional(), plan: name }))
    .min(1)
    .refine((rules) => rules.at(-1)?.when === undefined, 'a last rule without "when", for all that the others leave'),
  fault: Fault.nullable(),
});
export type ScriptFile = z.infer<typeof ScriptFile>;

/** `<scripts>/plans/<plan>/plan.yaml`: what the model does, turn by turn, and the file with its final answer. */
export const PlanFile = z.strictObject({
  schema_version: z.literal(1),
  title: z.string().min(1),
  turns: z
    .array(
      z
        .strictObject({
          say: z.string().optional(),
          read: z.array(path).min(1).optional(),
          /** Paths; the content is the plan's `files/<path>`. */
          write: z.array(path).min(1).optional(),
          /** Shell commands. */
          run: z.array(z.string().min(1)).min(1).optional(),
          /** Questions for sub-agents; short ones, which the scripted model answers at once. */
          delegate: z.array(z.string().min(1)).min(1).optional(),
        })
        .refine(
          (turn) => (turn.read ?? turn.write ?? turn.run ?? turn.delegate) !== undefined,
          'something to read, write, run or delegate (a turn without ends the run)',
        ),
    )
    .default([]),
  response: path,
  /** Files with the answers to the prompts after the first, in order; without one the final answer is given again. */
  follow_ups: z.array(path).min(1).optional(),
});
export type PlanFile = z.infer<typeof PlanFile>;

/** One thing that a plan's turn does. */
export type Action =
  | { do: 'read'; path: string }
  | { do: 'write'; path: string; content: string }
  | { do: 'run'; command: string }
  | { do: 'delegate'; prompt: string };

/** One turn of the model: a text and what it does, all of one kind. */
export interface PlanTurn {
  say: string;
  actions: Action[];
}

export interface Plan {
  title: string;
  turns: PlanTurn[];
  response: string;
  /** Answers to the prompts after the first; absent: none is written. */
  followUps?: string[];
}

/** A script with all that it needs from the disk. */
export interface Script extends Omit<ScriptFile, 'schema_version'> {
  name: string;
  plans: Record<string, Plan>;
  /** Hash of everything above: what a lock names. */
  sha256: string;
}

/**
 * The script `<dir>/<name>.yaml` with its plans. A SettingsError names file, field, what was expected and what was found; for a
 * plan or file that is not there, what names it.
 */
export async function loadScript(dir: string, name: string): Promise<Script> {
  const { schema_version: _, ...file } = await readYaml(join(dir, `${name}.yaml`), ScriptFile);
  const names = [...new Set(file.choose.map((rule) => rule.plan))];
  const plans = Object.fromEntries(
    await Promise.all(names.map(async (plan) => [plan, await loadPlan(join(dir, 'plans', plan))] as const)),
  );
  const script = { name, ...file, plans };
  return { ...script, sha256: hashOf(script) };
}

async function loadPlan(folder: string): Promise<Plan> {
  const file = await readYaml(join(folder, 'plan.yaml'), PlanFile);
  const turns: PlanTurn[] = [];
  for (const { say = '', read = [], write = [], run = [], delegate = [] } of file.turns) {
    const writes = write.map(async (path) => ({
      do: 'write' as const,
      path,
      content: await readText(join(folder, 'files', path), `plan ${shown(folder)}`),
    }));
    const kinds: Action[][] = [
      read.map((path) => ({ do: 'read', path })),
      await Promise.all(writes),
      run.map((command) => ({ do: 'run', command })),
      delegate.map((prompt) => ({ do: 'delegate', prompt })),
    ];
    // Agents carry out the calls of one turn side by side: a test run beside the write that it is to test would race it.
    const used = kinds.filter((kind) => kind.length > 0);
    for (const [index, actions] of used.entries()) turns.push({ say: index === 0 ? say : '', actions });
  }
  const answers: string[] = [];
  for (const path of [file.response, ...(file.follow_ups ?? [])]) {
    const answer = (await readText(join(folder, path), `plan ${shown(folder)}`)).trimEnd();
    if (answer === '') {
      throw new SettingsError(`${shown(join(folder, path))} is empty`, {
        expected: 'the final answer',
        found: 'no text',
        next: 'write the answer',
      });
    }
    answers.push(answer);
  }
  const [response = '', ...followUps] = answers;
  return { title: file.title, turns, response, ...(followUps.length === 0 ? {} : { followUps }) };
}

/** What a script's rules look at. */
export interface Situation {
  /** Names of the skills whose text is in the context. */
  loaded: readonly string[];
  /** Everything that the model was told, but for its own words. */
  told: string;
  /** From 1. */
  repeat: number;
  seed: string | number;
}

/** Whether a condition holds. `rule` names the rule, so that each draws its own chance. */
export function holds(condition: Condition | undefined, rule: string, { loaded, told, repeat, seed }: Situation): boolean {
  if (condition === undefined) return true;
  if (condition.loaded?.length === 0 && loaded.length > 0) return false;
  if (condition.loaded?.some((skill) => !loaded.includes(skill))) return false;
  if (condition.told?.some((text) => !told.includes(text))) return false;
  if (condition.repeat !== undefined && condition.repeat !== repeat) return false;
  return condition.chance === undefined || draw(`${seed}/${repeat}/${rule}`) < condition.chance;
}

/** The plan that the first applicable rule names. */
export function choosePlan(script: Script, situation: Situation): Plan {
  const at = script.choose.findIndex((rule, index) => holds(rule.when, `choose/${index}`, situation));
  const plan = script.plans[script.choose[at]?.plan ?? ''];
  if (plan === undefined)
    throw new TypeError(
      `script "${script.name}" has no rule for ${JSON.stringify({ ...situation, told: situation.told.length })}`,
    );
  return plan;
}

/** A number from 0 up to, not including, 1 that a text determines. */
function draw(text: string): number {
  return Number.parseInt(sha256(text).slice(0, 13), 16) / 16 ** 13;
}
