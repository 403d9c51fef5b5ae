import type { Lab } from './lab.js';
import { namesOf, skillsOf } from './lab.js';
import type { Skill } from './skill.js';

/** How an arm gets its skills: listed in the agent's catalogue, or as text in front of the task (`deliver: prompt`). */
export interface Delivery {
  /** Skills that the agent lists and may load. */
  offered: Skill[];
  /** Skills whose text stands in front of the task; the agent lists none of them. */
  inPrompt: Skill[];
}

/** The delivery of an arm on a case. An arm has one way only: `offered` or `inPrompt` is empty. */
export function deliveryOf(lab: Pick<Lab, 'cases' | 'experiment' | 'skills'>, arm: string, name: string): Delivery {
  const skills = skillsOf(lab, arm, name);
  return lab.experiment.arms[arm]?.deliver === 'prompt' ? { offered: [], inPrompt: skills } : { offered: skills, inPrompt: [] };
}

/** Names of the skills that an arm's agent is offered on a case: those that it can load. */
export function offeredSkills(lab: Pick<Lab, 'cases' | 'experiment'>, arm: string, name: string): string[] {
  return lab.experiment.arms[arm]?.deliver === 'prompt' ? [] : namesOf(lab, arm, name);
}

/** What stands in front of the task: the text of each skill, without its frontmatter and the files beside it. '' for none. */
export function promptPrefix(skills: readonly Pick<Skill, 'name' | 'body'>[]): string {
  return skills.map(({ name, body }) => `<skill name="${name}">\n${body.trim()}\n</skill>\n\n`).join('');
}
