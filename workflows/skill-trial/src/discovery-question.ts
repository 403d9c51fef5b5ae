import { hashOf } from './hash.js';
import { caseOf, type Lab, namesOf } from './lab.js';

/** The read-only question both modes get. */
export const diagnosticPrompt =
  'Which available skills apply to a task that involves review, tests and documentation? Name them. Do not change any file.\n';
/** A task that no method skill is for: an agent that loads them all here would load them everywhere. */
export const probePrompt = 'What is 17 plus 25? Answer with the number alone.\n';

export interface Asked {
  case: string;
  arm: string;
}

/**
 * Which arms of which cases are asked together, by one question to the first of them. An eval is asked of its set of skills and its
 * place alone: its files are nowhere that an agent takes skills from, and every trial's own requests are judged again. A place tells by
 * what it is (`placeKey`: the image's identity, the content of what the set-up made), not by how case.yaml names it. Before it is frozen
 * that is not known: then each case with a place of its own counts for itself, and the questions are as many as they can be. Other cases
 * are asked each.
 */
export function questionsOf(
  lab: Pick<Lab, 'cases' | 'experiment'>,
  placeOf: (name: string) => unknown = (name) => {
    const { environment, setup } = caseOf(lab, name);
    return environment === undefined && setup === undefined ? null : name;
  },
): [Asked, ...Asked[]][] {
  const groups = new Map<string, [Asked, ...Asked[]]>();
  for (const [name, one] of lab.cases) {
    for (const [arm, { note: _note, control: _control, ...settings }] of Object.entries(lab.experiment.arms)) {
      const treatment = hashOf({
        ...settings,
        skills: namesOf(lab, arm, name),
        place: placeOf(name),
      });
      const key = one.eval === undefined ? `${name}.${arm}` : treatment;
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [{ case: name, arm }]);
      else group.push({ case: name, arm });
    }
  }
  return [...groups.values()];
}
