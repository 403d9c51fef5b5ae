import { z } from 'zod';
import { check } from './document.js';
import { SettingsError } from './errors.js';
import type { Experiment } from './experiment.js';

/** A trial's name: `<case>.<arm>.<repeat>`. */
export function trialName(trial: { case: string; arm: string; repeat: number }): string {
  return `${trial.case}.${trial.arm}.${trial.repeat}`;
}

/** A trial's name taken apart; a SettingsError when it is none of the experiment's. */
export function parseTrialName(experiment: Experiment, name: string): { case: string; arm: string; repeat: number } {
  const [one, arm, repeat] = name.split('.');
  const last = experiment.repeats;
  const trial = check(
    { case: one, arm, repeat: Number(repeat) },
    z.strictObject({
      case: z.enum(experiment.cases),
      arm: z.enum(Object.keys(experiment.arms)),
      repeat: z.int(`a repeat from 1 to ${last}`).min(1, `a repeat from 1 to ${last}`).max(last, `a repeat from 1 to ${last}`),
    }),
    `trial ${name}`,
  );
  if (trialName(trial) !== name) {
    throw new SettingsError(`trial ${name} is not known`, {
      expected: '<case>.<arm>.<repeat>',
      found: name,
      next: `did you mean ${trialName(trial)}?`,
    });
  }
  return trial;
}
