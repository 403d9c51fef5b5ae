import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { modelOf } from './arm.js';
import { hashRepository } from './base.js';
import { scriptsFolder } from './case.js';
import { caseHashes } from './case-hash.js';
import { FrozenError } from './errors.js';
import { canonicalJson, hashOf, hashTree, sha256 } from './hash.js';
import { baseOf, caseOf, type Lab, skillsOf } from './lab.js';
import { Lock } from './lock.js';
import { readJson } from './record.js';
import { makeSchedule } from './schedule.js';
import { loadScript } from './script.js';
import { specHash, TrialSpec } from './spec.js';

/** Everything a lock froze, held against what is on the disk now; each difference names its file or setting. [] when all is as locked. */
export async function checkFrozenInputs(lab: Lab, lock: Lock): Promise<string[]> {
  const differences: string[] = [];
  const differs = (what: string, frozen: unknown, now: unknown) => {
    if (canonicalJson(frozen ?? null) !== canonicalJson(now ?? null)) differences.push(`${what} has changed since the lock`);
  };
  const { conditions } = lock;
  if (hashOf(conditions) !== lock.id) differences.push('lock.json was altered: its conditions do not give its id');
  const copy = await readJson(join(lab.run.locks, `${lock.id}.json`), Lock).catch(() => null);
  differs('lock.json', copy, lock);
  differs(`data/experiments/${lab.experiment.name}/experiment.yaml`, conditions.settings, lab.experiment);
  for (const [name, one] of lab.cases) {
    const frozen = conditions.cases[name];
    const now: Record<string, string | null> = await caseHashes(one);
    for (const [key, hash] of Object.entries(now)) differs(`data/cases/${name}: ${key}`, frozen?.hashes[key], hash);
    const script = lab.experiment.model.scripted;
    if (script !== undefined) differs(`data/cases/${name}: script ${script}`, frozen?.script, await scriptNow(lab, name, script));
    if (one.repo.path !== undefined)
      differs(`data/cases/${name}/${one.repo.path}`, frozen?.base.content, await hashRepository(join(one.folder, one.repo.path)));
    const base = lab.run.base(frozen?.base.commit ?? 'none');
    if ((await stat(base).catch(() => null)) !== null)
      differs(`data/runs/${lab.experiment.name}/bases/${frozen?.base.commit}`, frozen?.base.content, await hashTree(base));
  }
  for (const [key, skill] of lab.skills)
    differs(
      key.includes('/') ? `the skill of an arm, ${key},` : `skills-src/${key}`,
      conditions.skills[key]?.sha256,
      skill.sha256,
    );
  differs('the schedule', conditions.schedule, hashOf(makeSchedule(lab.experiment)));
  const written = await readFile(lab.run.schedule, 'utf8');
  differs(
    'schedule.jsonl',
    makeSchedule(lab.experiment)
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(''),
    written,
  );
  for (const line of makeSchedule(lab.experiment)) {
    const file = `specs/${line.trial}.json`;
    const spec = await readJson(lab.run.spec(line.trial), TrialSpec).catch(() => null);
    const frozen = conditions.specs[`${line.case}.${line.arm}`];
    if (spec === null) differences.push(`${file} is missing or unreadable`);
    else if (specHash(spec.spec) !== spec.hash || spec.hash !== frozen || spec.repeat !== line.repeat)
      differences.push(`${file} was altered: its content does not give the frozen hash`);
    else {
      // what does not reach the agent is not in the spec's hash, and held against the settings themselves
      differs(file, conditions.settings.limits, spec.spec.limits);
      differs(file, modelOf(conditions.settings, line.arm), spec.spec.model);
      const { scripted } = spec.spec.model;
      if (scripted !== undefined && conditions.settings.arms[line.arm]?.model !== undefined)
        differs(`data/cases/${line.case}: script ${scripted}`, spec.spec.script, await scriptNow(lab, line.case, scripted));
      differs('arms.deliver', lab.experiment.arms[line.arm]?.deliver, spec.spec.deliver);
      differs('files or servers under agent', spec.spec.agent.extras, lab.extras.sha256);
    }
  }
  return differences;
}

async function scriptNow(lab: Lab, name: string, script: string): Promise<string> {
  return (await loadScript(scriptsFolder(caseOf(lab, name)), script)).sha256;
}

/** The files that the spec froze, as they are now; a changed one is named. */
export async function requireFrozen(lab: Lab, { spec }: TrialSpec): Promise<void> {
  const changed: string[] = [];
  if (sha256(caseOf(lab, spec.case).taskBytes) !== spec.task) changed.push(`the task of case ${spec.case}`);
  const present = skillsOf(lab, spec.arm, spec.case);
  for (const skill of spec.skills)
    if (present.find(({ name }) => name === skill.name)?.sha256 !== skill.sha256) changed.push(`skill ${skill.name}`);
  if (lab.experiment.arms[spec.arm]?.deliver !== spec.deliver) changed.push(`deliver of arm ${spec.arm}`);
  await baseOf(lab, spec.case, spec.baseCommit);
  if ((await hashTree(lab.run.base(spec.baseCommit)).catch(() => 'missing')) !== spec.baseContent)
    changed.push(`the base of case ${spec.case}`);
  const program = await lab.agent.find(lab.root);
  if (program.version !== spec.agent.version || program.package !== spec.agent.package)
    changed.push(`the agent (${program.package} ${program.version})`);
  if ((lab.extras.sha256 ?? undefined) !== spec.agent.extras) changed.push('the files and servers of the experiment');
  if (changed.length === 0) return;
  throw new FrozenError(`Changed since the lock: ${changed.join(', ')}`, {
    expected: 'what lock.json froze',
    found: 'something else on the disk',
    next: `freeze again: npx nx run ${lab.experiment.name}:freeze`,
  });
}
