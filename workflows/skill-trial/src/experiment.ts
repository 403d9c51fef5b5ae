import { readdir, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { z } from 'zod';
import { CommandSettings } from './agents/command.js';
import { controlsOf, writeOutArms } from './arm.js';
import { Slug } from './case.js';
import { DecisionRule } from './decision-rule.js';
import { readYaml, shown } from './document.js';
import { SettingsError } from './errors.js';
import { extraSettings } from './extras.js';
import { Model } from './model.js';
import { HostPort } from './network-proxy.js';
import { rootPaths } from './paths.js';
import { SandboxWish } from './sandbox-plan.js';

const ArmName = z.string().regex(/^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$/, 'letters, digits and single hyphens');
const Positive = z.number({ message: 'a positive number' }).positive('a positive number');
const Count = z.int({ message: 'a whole number from 1' }).positive('a whole number from 1');

/** A list of names, each once: a second mention would be a second run under the same name. */
const Names = z.array(Slug).refine((names) => new Set(names).size === names.length, 'each name once');

/** An arm differs from another in its skills, or in a model of its own, and in nothing else. */
const sameInEveryArm = z
  .never('nothing here: MCP servers, files and variables stand under agent, the same in every arm')
  .optional();

export const Arm = z.strictObject({
  skills: Names.default([]),
  /** The arm or arms this one is compared with; by default the first arm without skills. */
  control: z.union([ArmName, z.array(ArmName).min(1)], { message: 'the name of an arm, or a list of names' }).optional(),
  /** Skills of the form and length of that arm's, without their guidance (placebo.ts). */
  placebo: ArmName.optional(),
  /** A git revision of this repository: the skills as they were then. */
  skills_from: z
    .string()
    .regex(/^[\w][\w./~^@{}-]*$/, 'a git revision')
    .optional(),
  /** In place of the experiment's, in this arm alone. */
  model: Model.optional(),
  /** prompt: the text of its skills stands in front of the task and the agent lists none; absent: the agent lists them. */
  deliver: z.literal('prompt').optional(),
  note: z.string().optional(),
  mcp: sameInEveryArm,
  files: sameInEveryArm,
  env: sameInEveryArm,
});
export type Arm = z.infer<typeof Arm>;

/** A model that scores as one more evaluator, outside the trials and their budget; its marks never count as a person's. */
export const JudgeSettings = z.strictObject({
  /** `scripted` names one of the lab's scripted judges, which measure nothing. */
  model: Model,
  /** Answers asked for at most in each of the two passes over a variant, until one can be read. */
  tries: Count.default(3),
  /** The most that judging one variant may cost; needs model.prices. null: no cap. */
  cost_usd: Positive.nullable().default(null),
});
export type JudgeSettings = z.infer<typeof JudgeSettings>;

/** How the results of evals go out: the form that benchmark.json and grading.json are written in. */
export const EvalOutput = z.strictObject({ dialect: z.enum(['skill-creator', 'agentskills', 'pi']).default('skill-creator') });
export type EvalOutput = z.infer<typeof EvalOutput>;

/** Which skill contributed: further arms made of one, each with its named control. */
export const Ablation = z.strictObject({
  arm: ArmName,
  /** `<arm>-without-<skill>` for each of its skills, against the arm. */
  leave_one_out: z.boolean().default(false),
  /** `<arm>-only-<skill>` for each of its skills, against the arm's own control. */
  single: z.boolean().default(false),
});

/** data/experiments/<name>/experiment.yaml: the only settings of an experiment. */
export const Experiment = z.strictObject({
  schema_version: z.literal(1),
  name: Slug,
  /** Further tags of its Nx project: `npx nx run-many -t report -p tag:<tag>`. */
  tags: Names.optional(),
  title: z.string().min(1),
  question: z.string().min(1),
  cases: Names.refine((names) => names.length > 0, 'at least one case'),
  arms: z.record(ArmName, Arm).refine((arms) => Object.keys(arms).length >= 2, 'at least two arms'),
  ablation: Ablation.optional(),
  repeats: Count,
  /** alternate: A B, B A, A B …; seeded: drawn from the seed per pair; parallel: no order, and the report says so. */
  order: z.enum(['alternate', 'seeded', 'parallel']).default('alternate'),
  seed: z.int().nonnegative(),
  agent: z.strictObject({ name: Slug, command: CommandSettings.optional(), ...extraSettings }),
  model: Model,
  limits: z.strictObject({
    wall_seconds: Positive,
    model_calls: Count,
    /** The most tokens one session may use, prompts (cached or not) and answers of all its calls; null or absent: no limit. */
    tokens: Count.nullish(),
    /** The most one trial may cost; needs model.prices. null: no cap. */
    cost_usd: Positive.nullable().default(null),
    /** Of the machine, for one session and each run of tests; the defaults are in resource-limits.ts. */
    memory_mb: Count.optional(),
    cpus: Positive.optional(),
    processes: Count.optional(),
    file_mb: Count.optional(),
    disk_mb: Count.optional(),
    /** Tries at one trial when the surroundings fail; an agent's failure never earns a second. */
    attempts: Count.default(2),
  }),
  /** The agent reaches the model and nothing else; where the sandbox cannot hold it to that, the report says so. */
  network: z
    .union([z.literal('gateway-only'), z.strictObject({ allow: z.array(HostPort).min(1) })], {
      message: 'gateway-only, or allow: a list of host:port',
    })
    .default('gateway-only'),
  /** required: bubblewrap or a container; auto: the strongest there is; none: a private HOME only; or a kind by its name. */
  sandbox: SandboxWish.default('required'),
  /** A container image to run in, with sh, socat, git and Node in it; pulled before. Absent: the machine's own system, read-only. */
  sandbox_image: z.string().min(1).optional(),
  stability_runs: Count.default(5),
  decision: DecisionRule,
  /** Another experiment's sheets to read as well (same variants, same content hash). */
  sheets_from: Names.default([]),
  judge: JudgeSettings.optional(),
  /** For experiments whose cases are evals: what grades and exports them. */
  evals: EvalOutput.optional(),
});
export type Experiment = z.infer<typeof Experiment>;

/** An experiment read and checked; `name` is a folder below data/experiments. */
export async function readExperiment(root: string, name: string): Promise<Experiment> {
  const paths = rootPaths(root);
  const file = paths.settings(name);
  if ((await stat(file).catch(() => null)) === null) {
    const known = await listExperiments(root);
    throw new SettingsError(`Experiment "${name}" not found`, {
      expected: known.length === 0 ? 'a folder below data/experiments with an experiment.yaml' : `one of ${known.join(', ')}`,
      found: name,
      next: `create ${shown(file)}, or choose another name`,
    });
  }
  return checkExperiment(writeOutArms(await readYaml(file, Experiment), shown(file)), file);
}

/** The rules that a schema cannot say: the name is the folder's, one source of the model, controls exist. */
export function checkExperiment(experiment: Experiment, file: string): Experiment {
  const fail = (what: string, expected: string, found: string, next: string): never => {
    throw new SettingsError(`${shown(file)}: ${what}`, { expected, found, next });
  };
  if (experiment.name !== basename(dirname(file))) {
    fail('name differs from its folder', basename(dirname(file)), experiment.name, 'rename the folder or the experiment');
  }
  const { name: agent, command } = experiment.agent;
  if ((agent === 'command') !== (command !== undefined)) {
    fail(
      'agent.command',
      'agent.name: command and agent.command, both or neither',
      command === undefined ? 'the name alone' : `agent.name: ${agent}`,
      'see CONTRIBUTING.md, "An agent without an adapter"',
    );
  }
  const sources = [
    { at: '', model: experiment.model, cap: experiment.limits.cost_usd, capAt: 'limits.cost_usd' },
    ...Object.entries(experiment.arms).flatMap(([arm, { model }]) =>
      model === undefined ? [] : [{ at: `arms.${arm}.`, model, cap: experiment.limits.cost_usd, capAt: 'limits.cost_usd' }],
    ),
    ...(experiment.judge === undefined
      ? []
      : [{ at: 'judge.', model: experiment.judge.model, cap: experiment.judge.cost_usd, capAt: 'judge.cost_usd' }]),
  ];
  for (const { at, model, cap, capAt } of sources) {
    const { scripted, base_url, key_env, prices } = model;
    if ((scripted === undefined) === (base_url === undefined)) {
      fail(
        `${at}model has no single source`,
        'either scripted or base_url',
        scripted === undefined ? 'neither' : 'both',
        'keep one of the two',
      );
    }
    if (scripted !== undefined && key_env !== undefined)
      fail(`${at}model.key_env`, 'no key for a scripted model', key_env, 'remove key_env');
    if (cap !== null && prices === undefined) {
      fail(
        capAt,
        `${at}model.prices, without which no cost is known`,
        'a cap without prices',
        'add the prices or remove the cap',
      );
    }
  }
  for (const [name, arm] of Object.entries(experiment.arms)) {
    const wrong = controlsOf(arm).find((control) => control === name || experiment.arms[control] === undefined);
    if (wrong !== undefined) {
      fail(
        `arms.${name}.control`,
        `another arm: ${Object.keys(experiment.arms).join(', ')}`,
        wrong,
        'name an arm of this experiment',
      );
    }
  }
  for (const [name, { deliver, skills }] of Object.entries(experiment.arms)) {
    if (deliver !== undefined && skills.length === 0)
      fail(`arms.${name}.deliver`, 'skills to deliver', 'an arm without skills', 'give the arm skills, or remove deliver');
  }
  const names = contrasts(experiment).map(({ arm, control }) => `${arm}-${control}`);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    fail(
      'arms',
      'contrasts (arm, hyphen, control) with a name each',
      `two that are called ${twice}`,
      'rename an arm, or name each control once',
    );
  }
  if (names.length === 0) {
    fail(
      'arms',
      'at least one arm with skills and one to compare it with',
      JSON.stringify(experiment.arms),
      'give an arm skills, or name its control',
    );
  }
  return experiment;
}

/** Which arm is compared with which: every arm that names a control, else every arm with skills against the first without. */
export function contrasts(experiment: Pick<Experiment, 'arms'>): { arm: string; control: string }[] {
  const names = Object.keys(experiment.arms);
  const bare = names.find((name) => experiment.arms[name]?.skills.length === 0);
  return names.flatMap((arm) => {
    const { control, skills } = experiment.arms[arm] as Arm;
    const against = control !== undefined ? controlsOf({ control }) : skills.length > 0 && bare !== undefined ? [bare] : [];
    return against.flatMap((one) => (one === arm ? [] : [{ arm, control: one }]));
  });
}

/** Names of the experiments below data/experiments, sorted. */
export async function listExperiments(root: string): Promise<string[]> {
  const entries = await readdir(rootPaths(root).experiments, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}
