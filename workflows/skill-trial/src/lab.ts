import { stat } from 'node:fs/promises';
import { relative } from 'node:path';
import { type Agent, agentOf } from './agent.js';
import { isMadeByAblation } from './arm.js';
import { type Base, makeBase } from './base.js';
import { type Case, readCase } from './case.js';
import { SettingsError } from './errors.js';
import { type Experiment, readExperiment } from './experiment.js';
import { type Extras, readExtras } from './extras.js';
import { requireModels } from './imported-model.js';
import { Lock } from './lock.js';
import { type RootPaths, type RunPaths, rootPaths, runPaths } from './paths.js';
import { placeboOf } from './placebo.js';
import { readJson } from './record.js';
import { readSkill, type Skill } from './skill.js';
import { readSkillAt } from './skill-revision.js';

/** An experiment with everything its settings name, read and checked. */
export interface Lab {
  root: string;
  paths: RootPaths;
  run: RunPaths;
  experiment: Experiment;
  cases: Map<string, Case>;
  /** By key: those of skills-src by their name, an arm's own (a placebo, an older version) as `<arm>/<name>`. */
  skills: Map<string, Skill>;
  agent: Agent;
  /** What the experiment gives the agent beside the task, in every arm. */
  extras: Extras;
  now: () => Date;
}

/**
 * Reads an experiment, its cases and its skills. The first thing that is wrong is one SettingsError. `revisions` says where the skills
 * of an older revision come from: git, or (an unpacked bundle, whatever repository it lies in) the copies that the lock's freeze left.
 */
export async function openLab(
  root: string,
  name: string,
  now: () => Date = () => new Date(),
  revisions: 'git' | 'frozen' = 'git',
): Promise<Lab> {
  const experiment = await readExperiment(root, name);
  const paths = rootPaths(root);
  const cases = new Map<string, Case>();
  for (const one of experiment.cases) cases.set(one, await readCase(paths.case(one)));
  const run = runPaths(root, name);
  requireModels(experiment);
  const skills = await readArmSkills(experiment, paths, run, revisions);
  requirePairs(experiment, cases);
  const agent = agentOf(experiment, paths.experiment(name));
  requireEvals(experiment, cases, agent);
  const extras = await readExtras(paths.experiment(name), {
    mcp: experiment.agent.mcp,
    files: experiment.agent.files,
    env: experiment.agent.env,
  });
  return { root, paths, run, experiment, cases, skills, agent, extras, now };
}

/** The case of that name; every name in a schedule or spec is one of the experiment's. */
export function caseOf(lab: Pick<Lab, 'cases'>, name: string): Case {
  const one = lab.cases.get(name);
  if (one === undefined) throw new TypeError(`no case "${name}" in this experiment`);
  return one;
}

/** The skills that every arm gives, by key. */
async function readArmSkills(
  experiment: Experiment,
  paths: RootPaths,
  run: RunPaths,
  revisions: 'git' | 'frozen',
): Promise<Map<string, Skill>> {
  const skills = new Map<string, Skill>();
  const frozen = await frozenRevisions(experiment, run);
  const read = async (arm: string, name: string): Promise<Skill> => {
    const key = skillKey(experiment, arm, name);
    const known = skills.get(key);
    if (known !== undefined) return known;
    const { placebo, skills_from: revision } = experiment.arms[arm] as Experiment['arms'][string];
    const found =
      placebo !== undefined
        ? placeboOf(await read(placebo, name))
        : revision !== undefined
          ? await readSkillAt(
              revisions === 'git' ? paths.root : null,
              relative(paths.root, paths.skill(name)),
              name,
              revision,
              frozen[arm] === revision ? run.frozenSkill(key) : null,
            )
          : await readSkill(paths.skill(name));
    skills.set(key, found);
    return found;
  };
  for (const [arm, { skills: names }] of Object.entries(experiment.arms)) for (const name of names) await read(arm, name);
  return skills;
}

/** The revision that each arm's kept copies were taken from, as the present lock says; {} where nothing is to be read from one. */
async function frozenRevisions(experiment: Experiment, run: RunPaths): Promise<Record<string, string | undefined>> {
  if (Object.values(experiment.arms).every((arm) => arm.skills_from === undefined)) return {};
  const lock = await readJson(run.lock, Lock).catch(() => null);
  const arms = Object.entries(lock?.conditions.settings.arms ?? {});
  return Object.fromEntries(arms.map(([arm, { skills_from }]) => [arm, skills_from]));
}

/** Where a skill of an arm stands in `lab.skills` and in the lock. */
function skillKey(experiment: Pick<Experiment, 'arms'>, arm: string, name: string): string {
  const { placebo, skills_from } = experiment.arms[arm] ?? {};
  return placebo === undefined && skills_from === undefined ? name : `${arm}/${name}`;
}

/** The skills of an arm on a case: the arm's own, but for those the case is not paired with. */
export function skillsOf(lab: Pick<Lab, 'cases' | 'experiment' | 'skills'>, arm: string, name: string): Skill[] {
  return namesOf(lab, arm, name).map((skill) => lab.skills.get(skillKey(lab.experiment, arm, skill)) as Skill);
}

/** Their names. */
export function namesOf(lab: Pick<Lab, 'cases' | 'experiment'>, arm: string, name: string): string[] {
  const paired = caseOf(lab, name).skills;
  return (lab.experiment.arms[arm]?.skills ?? []).filter((skill) => paired?.includes(skill) ?? true);
}

/** Every name that some arm's skill has, each once: a placebo and an older version are called what they stand for. */
export function skillNames(lab: Pick<Lab, 'skills'>): string[] {
  return [...new Set([...lab.skills.values()].map(({ name }) => name))];
}

/** Evals say how their results go out, and ask for no turns that the agent cannot be given. */
function requireEvals(experiment: Experiment, cases: Map<string, Case>, agent: Agent): void {
  for (const [name, one] of cases) {
    if (one.eval === undefined) continue;
    if (experiment.evals === undefined) {
      throw new SettingsError(`Case ${name} is an eval, and experiment ${experiment.name} does not say how evals go out`, {
        expected: 'evals: {dialect: skill-creator, agentskills or pi} in experiment.yaml',
        found: 'no evals',
        next: 'add evals',
      });
    }
    for (const prompt of one.eval.follow_ups) {
      const problem =
        agent.followUpProblem === undefined ? `${agent.name} is given one prompt only` : agent.followUpProblem(prompt);
      if (problem === null) continue;
      throw new SettingsError(`Case ${name} has a follow-up that cannot be given`, {
        expected: 'prompts that the agent can be given one after the other',
        found: `${problem}: ${JSON.stringify(prompt.slice(0, 60))}`,
        next: 'change eval.follow_ups, or the agent',
      });
    }
  }
}

/** An arm with skills that has none on some case would be compared with itself there. */
function requirePairs(experiment: Experiment, cases: Map<string, Case>): void {
  for (const name of cases.keys()) {
    for (const [arm, { skills }] of Object.entries(experiment.arms)) {
      if (skills.length === 0 || namesOf({ experiment, cases }, arm, name).length > 0) continue;
      throw new SettingsError(`Arm ${arm} has no skill on case ${name}`, {
        expected: `one of ${caseOf({ cases }, name).skills?.join(', ')} (skills in the case's case.yaml)`,
        found: skills.join(', '),
        next: isMadeByAblation(experiment, arm)
          ? `arm ${arm} comes from ablation: write the arms of those cases by hand in place of ablation, or take the case out`
          : `add the skill to arms.${arm}.skills, or take the case out`,
      });
    }
  }
}

/** The base of a case, made anew where its folder is gone (a run restored from a cache has none). */
export async function baseOf(lab: Lab, name: string, commit: string): Promise<Pick<Base, 'folder' | 'commit'>> {
  const folder = lab.run.base(commit);
  if ((await stat(folder).catch(() => null)) === null) await makeBase(caseOf(lab, name), lab.run.bases);
  return { folder, commit };
}
