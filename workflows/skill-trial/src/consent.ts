import { PrerequisiteError } from './errors.js';
import type { Experiment } from './experiment.js';

/** A real model costs money: without a yes from a person (or a script) nothing is sent to it. */
export function requireConsent(lab: { experiment: Experiment }, consent: boolean): void {
  const { model, limits, name } = lab.experiment;
  if (model.scripted !== undefined || consent) return;
  throw new PrerequisiteError(`Calls to ${model.id} may cost money`, {
    expected: `a yes (${limits.cost_usd === null ? 'no cap is set: limits.cost_usd' : `at most ${limits.cost_usd} USD a trial`})`,
    found: 'none',
    next: `npm start -- ${name} --yes, or SKILL_TRIAL_YES=1 for a single target`,
  });
}
