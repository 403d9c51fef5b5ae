import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { modelOf, modelsOf } from './arm.js';
import { type Base, makeBase } from './base.js';
import { type Case, scriptsFolder } from './case.js';
import { caseHashes } from './case-hash.js';
import { offeredSkills } from './delivery.js';
import { SettingsError } from './errors.js';
import { hashOf, sha256 } from './hash.js';
import { caseOf, type Lab, skillsOf } from './lab.js';
import { type Conditions, Lock } from './lock.js';
import { noteLock } from './lock-history.js';
import { preparePlace } from './prepared-place.js';
import { prettyJson, readJson, writeWhole } from './record.js';
import { measureReference } from './reference.js';
import { resourceLimitsOf } from './resource-limits.js';
import { findSandbox, type SandboxFound } from './sandbox.js';
import { makeSchedule } from './schedule.js';
import { loadScript } from './script.js';
import { writeSkill } from './skill.js';
import { requireRevisions } from './skill-revision.js';
import { type Spec, specHash, type TrialSpec } from './spec.js';
import { startingSuite } from './starting-suite.js';
import { trialName } from './trial-name.js';
import { validateLab } from './validation.js';
import { version } from './version.js';

const run = promisify(execFile);

/**
 * Freezes an experiment: checks everything, makes each base commit, runs the starting suites, and writes lock.json, schedule.jsonl
 * and one spec per trial. Conditions equal to those of the present lock keep it, byte for byte; others make a new one beside the old.
 */
export async function freeze(lab: Lab, onStep?: (text: string) => void): Promise<{ lock: Lock; isNew: boolean }> {
  await requireRevisions(lab.root, lab.experiment.arms);
  await validateLab(lab, onStep);
  const sandbox = await findSandbox(lab.experiment.sandbox, lab.experiment.sandbox_image);
  const bases = new Map<string, Base>();
  for (const [name, one] of lab.cases) bases.set(name, await makeBase(one, lab.run.bases));
  const { conditions, specs } = await gather(lab, sandbox, bases, onStep);
  const id = hashOf(conditions);
  const kept = await readJson(join(lab.run.locks, `${id}.json`), Lock).catch(() => null);
  const lock = kept ?? (await seal(lab, id, conditions));
  if (kept !== null) await writeWhole(lab.run.secret, await readFile(lab.run.oldSecret(id)));
  await writeWhole(lab.run.lock, prettyJson(lock));
  await writeWhole(
    lab.run.schedule,
    makeSchedule(lab.experiment)
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(''),
  );
  await rm(lab.run.specs, { recursive: true, force: true });
  for (const [name, spec] of specs) await writeWhole(lab.run.spec(name), prettyJson(spec));
  await keepOwnSkills(lab);
  await noteLock(lab, lock);
  return { lock, isNew: kept === null };
}

/** What an arm gives that is not in skills-src, as files: to be read, and for a checkout that lacks the revision. */
async function keepOwnSkills(lab: Lab): Promise<void> {
  await rm(lab.run.frozenSkills, { recursive: true, force: true });
  for (const [key, skill] of lab.skills) if (key.includes('/')) await writeSkill(skill, lab.run.frozenSkill(key));
}

/** Placeholders for where things are inside: what an adapter does with them is part of the spec, where they are is not. */
const anyView = {
  workspace: '/workspace',
  home: '/home',
  tmp: '/tmp',
  skills: '/skills',
  modules: '/modules',
  gatewayPort: 1,
  path: '/bin',
};

async function gather(lab: Lab, sandbox: SandboxFound, bases: Map<string, Base>, onStep?: (text: string) => void) {
  const { experiment, agent, extras } = lab;
  for (const { arm, model } of modelsOf(experiment)) {
    if (agent.apis.includes(model.api)) continue;
    throw new SettingsError(`Agent ${agent.name} does not speak ${model.api}`, {
      expected: `one of ${agent.apis.join(', ')}`,
      found: model.api,
      next: experiment.arms[arm]?.model === undefined ? 'correct model.api' : `correct arms.${arm}.model.api`,
    });
  }
  const program = await agent.find(lab.root);
  const cases: Conditions['cases'] = {};
  for (const [name, one] of lab.cases) {
    const base = bases.get(name) as Base;
    const { place, environment, setUp } = await preparePlace(lab, one, base, sandbox, onStep);
    const reference = await measureReference(lab, one, base, place);
    cases[name] = {
      base: { commit: base.commit, tree: base.tree, origin: base.origin, content: base.content, removed: base.removed },
      hashes: await caseHashes(one),
      ...(await startingSuite(lab, one, base, place)),
      script: await scriptHash(one, experiment.model.scripted),
      ...(reference === null ? {} : { reference }),
      ...(environment === null ? {} : { environment: { ...environment, limits: place.limits } }),
      ...(setUp === null ? {} : { setup: setUp }),
    };
  }
  const common = {
    schemaVersion: 1 as const,
    experiment: experiment.name,
    agent: { name: agent.name, package: program.package, version: program.version },
    limits: experiment.limits,
    network: experiment.network,
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
    seed: experiment.seed,
  };
  const specs = new Map<string, TrialSpec>();
  const specHashes: Record<string, string> = {};
  for (const [name, one] of Object.entries(cases)) {
    for (const arm of Object.keys(experiment.arms)) {
      const skills = skillsOf(lab, arm, name);
      const model = modelOf(experiment, arm);
      const start = agent.launch({
        program,
        modules: '/modules',
        view: anyView,
        model,
        mcp: extras.mcp,
        skills: offeredSkills(lab, arm, name),
        followUps: caseOf(lab, name).eval?.follow_ups ?? [],
      });
      requireFreeVariables(extras.env, start.env);
      const launch = hashOf(start);
      const { kind, image } = one.environment ?? sandbox;
      const spec: Spec = {
        ...common,
        sandbox: kind,
        ...(image == null ? {} : { image }),
        ...(one.setup === undefined ? {} : { setup: { key: one.setup.key, content: one.setup.content } }),
        agent: { ...common.agent, launch, ...(extras.sha256 === null ? {} : { extras: extras.sha256 }) },
        model,
        case: name,
        arm,
        task: one.hashes.task as string,
        baseCommit: one.base.commit,
        baseContent: one.base.content,
        skills: skills.map(({ name: skill, sha256: hash }) => ({ name: skill, sha256: hash })),
        ...(experiment.arms[arm]?.deliver === undefined ? {} : { deliver: experiment.arms[arm].deliver }),
        script: await scriptHash(caseOf(lab, name), model.scripted),
      };
      const hash = specHash(spec);
      specHashes[`${name}.${arm}`] = hash;
      for (let repeat = 1; repeat <= experiment.repeats; repeat++)
        specs.set(trialName({ case: name, arm, repeat }), { schemaVersion: 1, hash, repeat, spec });
    }
  }
  const conditions: Conditions = {
    settings: experiment,
    cases,
    skills: Object.fromEntries(
      [...lab.skills].map(([name, { sha256: hash, version: v, owner }]) => [name, { sha256: hash, version: v, owner }]),
    ),
    agent: { ...common.agent, mechanism: agent.mechanism },
    sandbox: { ...sandbox, limits: resourceLimitsOf(experiment) },
    node: common.node,
    platform: common.platform,
    specs: specHashes,
    schedule: hashOf(makeSchedule(experiment)),
  };
  return { conditions, specs };
}

/** Variables that the lab or the adapter sets itself: an experiment's own would be lost, or would undo a switch. */
function requireFreeVariables(declared: Record<string, string>, set: Record<string, string>): void {
  const taken = ['PATH', 'HOME', 'TMPDIR', 'LANG', ...Object.keys(set)].filter((name) => name in declared);
  if (taken.length === 0) return;
  throw new SettingsError(`agent.env: ${taken.join(', ')} cannot be set`, {
    expected: 'variables that neither the lab nor the adapter sets',
    found: taken.join(', '),
    next: 'remove them from agent.env',
  });
}

/** Hash of the scripted model's script and the plans it uses: the scripted counterpart of a model version. */
async function scriptHash(one: Case, script: string | undefined): Promise<string | null> {
  return script === undefined ? null : (await loadScript(scriptsFolder(one), script)).sha256;
}

async function seal(lab: Lab, id: string, conditions: Conditions): Promise<Lock> {
  const secret = randomBytes(32).toString('hex');
  await writeWhole(lab.run.secret, `${secret}\n`);
  const git = (...args: string[]) =>
    run('git', ['-C', lab.root, ...args]).then(
      ({ stdout }) => stdout.trim(),
      () => null,
    );
  const status = await git('status', '--porcelain');
  const root = JSON.parse(await readFile(join(lab.root, 'package.json'), 'utf8')) as { dependencies?: Record<string, string> };
  return {
    schemaVersion: 1,
    id,
    frozenAt: lab.now().toISOString(),
    conditions,
    blindCommitment: sha256(secret),
    provenance: {
      lab: version,
      checkout: await git('rev-parse', 'HEAD'),
      dirty: status === null ? null : status !== '',
      os: `${os.type()} ${os.release()}`,
      cpus: os.cpus().length,
      packages: root.dependencies ?? {},
    },
  };
}
