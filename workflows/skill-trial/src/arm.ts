import { isDeepStrictEqual } from 'node:util';
import { SettingsError } from './errors.js';
import type { Arm, Experiment } from './experiment.js';
import type { Model } from './model.js';

/**
 * The experiment with every arm written out: a placebo arm has the names of the skills, the delivery and the model of the arm that it imitates, and an ablation's arms stand
 * beside those written by hand, `<arm>-without-<skill>` against the arm and `<arm>-only-<skill>` against the arm's own control.
 */
export function writeOutArms(experiment: Experiment, file: string): Experiment {
  const fail = (what: string, expected: string, found: string, next: string): never => {
    throw new SettingsError(`${file}: ${what}`, { expected, found, next });
  };
  const arms: Record<string, Arm> = {};
  for (const [name, written] of Object.entries(experiment.arms)) {
    let arm = written;
    const imitated = arm.placebo === undefined ? undefined : experiment.arms[arm.placebo];
    if (arm.placebo !== undefined) {
      const others = Object.entries(experiment.arms).filter(([, one]) => one.skills.length > 0 && one.placebo === undefined);
      if (imitated === undefined || imitated.skills.length === 0)
        fail(
          `arms.${name}.placebo`,
          `an arm with skills: ${others.map(([one]) => one).join(', ')}`,
          arm.placebo,
          'name that arm',
        );
      if (arm.skills.length > 0)
        fail(
          `arms.${name}.skills`,
          'none: a placebo arm has those of the arm it imitates',
          arm.skills.join(', '),
          'remove skills',
        );
      if (arm.skills_from !== undefined)
        fail(
          `arms.${name}.skills_from`,
          'one source of skills',
          'placebo and skills_from',
          'set skills_from in the arm it imitates',
        );
      // only the guidance may differ: how it is delivered and to which model are the imitated arm's
      const shared = { deliver: imitated?.deliver, model: imitated?.model };
      for (const key of ['deliver', 'model'] as const)
        if (arm[key] !== undefined && !isDeepStrictEqual(arm[key], shared[key]))
          fail(
            `arms.${name}.${key}`,
            `that of arm ${arm.placebo}, which a placebo arm has without naming it`,
            JSON.stringify(arm[key]),
            `remove ${key}, or set it in arm ${arm.placebo}`,
          );
      arm = {
        ...arm,
        skills: imitated?.skills ?? [],
        ...(shared.deliver === undefined ? {} : { deliver: shared.deliver }),
        ...(shared.model === undefined ? {} : { model: shared.model }),
      };
    }
    if (arm.skills_from !== undefined && arm.skills.length === 0)
      fail(`arms.${name}.skills_from`, 'an arm with skills', 'none', 'name the skills, or remove skills_from');
    if (arm.model !== undefined && arm.control === undefined)
      fail(
        `arms.${name}.control`,
        'a named control for an arm with a model of its own: against any other arm two things would differ',
        'none',
        'name the control: the same skills and the other model, or the same model and other skills',
      );
    arms[name] = arm;
  }
  for (const [name, arm] of Object.entries(ablationArms(experiment, fail))) {
    if (arms[name] !== undefined) fail('ablation', `no arm that is called ${name}`, 'one written by hand', 'rename that arm');
    arms[name] = arm;
  }
  return { ...experiment, arms };
}

function ablationArms(
  { ablation, arms }: Experiment,
  fail: (what: string, expected: string, found: string, next: string) => never,
): Record<string, Arm> {
  if (ablation === undefined) return {};
  const { arm: name, leave_one_out, single } = ablation;
  const whole = arms[name];
  if (whole === undefined || whole.placebo !== undefined || whole.skills.length < 2)
    return fail('ablation.arm', 'an arm with two skills or more', name, 'name the arm that is taken apart');
  if (!leave_one_out && !single)
    fail('ablation', 'leave_one_out: true, single: true, or both', 'neither', 'set one, or remove ablation');
  const { skills, control, note: _note, ...rest } = whole;
  const against = control ?? Object.keys(arms).find((one) => arms[one]?.skills.length === 0 && arms[one]?.placebo === undefined);
  const without = skills.map((skill): [string, Arm] => [
    `${name}-without-${skill}`,
    { ...rest, skills: skills.filter((one) => one !== skill), control: name, note: `leave-one-out: ${name} without ${skill}` },
  ]);
  const only = skills.map((skill): [string, Arm] => [
    `${name}-only-${skill}`,
    { ...rest, skills: [skill], ...(against === undefined ? {} : { control: against }), note: `single skill: ${skill} alone` },
  ]);
  return Object.fromEntries([...(leave_one_out ? without : []), ...(single ? only : [])]);
}

/** Whether an arm of the written-out experiment stands in no file: its `ablation` made it. */
export function isMadeByAblation({ ablation, arms }: Pick<Experiment, 'ablation' | 'arms'>, arm: string): boolean {
  if (ablation === undefined) return false;
  const whole = arms[ablation.arm]?.skills ?? [];
  return whole.some((skill) => [`${ablation.arm}-without-${skill}`, `${ablation.arm}-only-${skill}`].includes(arm));
}

/** The model of an arm: its own, or the experiment's. */
export function modelOf({ model, arms }: Pick<Experiment, 'model' | 'arms'>, arm: string): Model {
  return arms[arm]?.model ?? model;
}

/** The experiment as one arm's sessions have it: with the arm's model. */
export function ofArm<E extends Pick<Experiment, 'model' | 'arms'>>(experiment: E, arm: string): E {
  return { ...experiment, model: modelOf(experiment, arm) };
}

/** Every model that some arm uses, each once, with the first of its arms. */
export function modelsOf(experiment: Pick<Experiment, 'model' | 'arms'>): { arm: string; model: Model }[] {
  const models = new Map<string, { arm: string; model: Model }>();
  for (const arm of Object.keys(experiment.arms)) {
    const model = modelOf(experiment, arm);
    const key = JSON.stringify(model);
    if (!models.has(key)) models.set(key, { arm, model });
  }
  return [...models.values()];
}

/** The scripts that play a model, each once; [] where every arm has a real one. One SCRIPTED arm makes every contrast with it one. */
export function scriptsOf(experiment: Pick<Experiment, 'model' | 'arms'>): string[] {
  return [...new Set(modelsOf(experiment).flatMap(({ model }) => (model.scripted === undefined ? [] : [model.scripted])))];
}

/** What an arm is, in one line: its skills and whatever else sets it apart. */
export function armWords({
  deliver,
  skills,
  placebo,
  skills_from,
  model,
}: Pick<Arm, 'skills' | 'placebo' | 'skills_from' | 'model' | 'deliver'>): string {
  return [
    skills.length === 0 ? 'no skills' : skills.join(', '),
    ...(placebo === undefined ? [] : [`a PLACEBO of ${placebo}: form and length without the guidance`]),
    ...(skills_from === undefined ? [] : [`as of ${skills_from}`]),
    ...(deliver === 'prompt' ? ['text in front of the task, not listed'] : []),
    ...(model === undefined ? [] : [`model ${model.id}${model.scripted === undefined ? '' : ' (SCRIPTED)'}`]),
  ].join('; ');
}

/** The controls that an arm names. */
export function controlsOf({ control }: Pick<Arm, 'control'>): string[] {
  return control === undefined ? [] : [control].flat();
}
