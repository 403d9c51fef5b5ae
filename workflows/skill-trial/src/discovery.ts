import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { ofArm } from './arm.js';
import { Attestation } from './attestation.js';
import { captureChange } from './base.js';
import { requireConsent } from './consent.js';
import { deliveryOf, offeredSkills } from './delivery.js';
import { type Asked, diagnosticPrompt, probePrompt, questionsOf } from './discovery-question.js';
import { shown } from './document.js';
import { FrozenError, InfrastructureError } from './errors.js';
import { contrasts } from './experiment.js';
import { baseOf, caseOf, type Lab, skillNames } from './lab.js';
import { Lock } from './lock.js';
import { frozenPlace, placeKey, placeOfSpec } from './place.js';
import { hasRecord, prettyJson, readJson, recordHash, sealRecord, writeWhole } from './record.js';
import { runSession } from './session.js';
import { TrialSpec } from './spec.js';
import { surroundingsTrouble } from './surroundings.js';
import { Trajectory } from './trajectory.js';
import { trialName } from './trial-name.js';
import { inTurn } from './turn.js';
import { madeBy } from './warm-tree.js';

const Sha = z.string().regex(/^[0-9a-f]{64}$/);

/** What one arm saw, from its recorded requests, and what it answered. */
export const ArmDiscovery = z.strictObject({
  case: z.string(),
  arm: z.string(),
  /** Under which the arm was asked: its own spec, or that of the first eval with the same skills. */
  spec: Sha,
  intended: z.array(z.string()),
  /** Read from the model requests: this is the listing. */
  listed: z.array(z.string()),
  /** Names that the answer to the diagnostic question contains. */
  named: z.array(z.string()),
  answer: z.string(),
  /** The question was read-only, and nothing was changed. */
  unchanged: z.boolean(),
  problems: z.array(z.string()),
  /** Skills loaded on the unrelated probe; null where the arm has none. */
  probeLoaded: z.array(z.string()).nullable(),
  /** Manifest hash of each record. */
  records: z.record(z.string(), Sha),
});
export type ArmDiscovery = z.infer<typeof ArmDiscovery>;

export const Discovery = z.strictObject({
  schemaVersion: z.literal(1),
  /** How the listing is obtained for this agent. */
  listing: z.string(),
  arms: z.array(ArmDiscovery),
  checklist: z.array(z.strictObject({ case: z.string(), item: z.string(), holds: z.boolean() })),
});
export type Discovery = z.infer<typeof Discovery>;

/**
 * Asks each arm what it sees, and stops when a contrast's two arms see the same skills: then the treatment was not applied, and no
 * trial should run. Records are kept by spec: unchanged conditions are not asked twice.
 */
export async function discover(lab: Lab, options: { consent: boolean; workers?: number }): Promise<Discovery> {
  const { conditions } = await readJson(lab.run.lock, Lock);
  const questions = questionsOf(lab, (name) => placeKey(frozenPlace(lab, conditions, name)));
  const answers = await inTurn(questions, ([first]) => discoverArm(lab, first, options.consent), options.workers ?? 1);
  const found = new Map(
    questions.flatMap((group, index) =>
      group.map((asked) => [`${asked.case}.${asked.arm}`, { ...(answers[index] as ArmDiscovery), ...asked }]),
    ),
  );
  const arms = [...lab.cases.keys()].flatMap((one) =>
    Object.keys(lab.experiment.arms).map((arm) => found.get(`${one}.${arm}`) as ArmDiscovery),
  );
  const discovery: Discovery = {
    schemaVersion: 1,
    listing: `${lab.agent.title} prints no list of skills for a script to read: the listing is what its recorded model requests offer`,
    arms,
    checklist: checklistOf(lab, arms),
  };
  await writeWhole(lab.run.discoveryIndex, prettyJson(discovery));
  for (const { arm, control } of contrasts(lab.experiment)) {
    for (const name of lab.experiment.cases) {
      const seen = (which: string) => arms.find((row) => row.case === name && row.arm === which)?.listed ?? [];
      const wanted = (which: string) => offeredSkills(lab, which, name);
      const same = seen(arm).join() === seen(control).join();
      if (!same || wanted(arm).join() === wanted(control).join()) continue;
      throw new FrozenError(`Arms ${arm} and ${control} see the same skills on case ${name}`, {
        expected: `${arm}: ${wanted(arm).join(', ') || 'none'}; ${control}: ${wanted(control).join(', ') || 'none'}`,
        found: `both: ${seen(arm).join(', ') || 'none'}`,
        next: `read ${shown(lab.run.discoveryIndex)}: the treatment is not applied, mend the skills or the adapter`,
      });
    }
  }
  for (const row of arms) {
    const trouble = [
      ...row.problems,
      ...row.intended.filter((skill) => !row.listed.includes(skill)).map((skill) => `${skill} is not listed`),
    ];
    if (trouble.length === 0) continue;
    throw new FrozenError(`Arm ${row.arm} does not see what it should on case ${row.case}`, {
      expected: `${row.intended.join(', ') || 'no skill'}, and nothing else`,
      found: trouble.join('; '),
      next: `read ${shown(lab.run.discoveryIndex)}: every trial would be invalid; mend the skills or the adapter`,
    });
  }
  return discovery;
}

/**
 * What a person would tick off before the first run, by case. A skill that no arm offers to load (its text stands in front of the task) is
 * in no catalogue, and is left out; where no arm offers any, that is what is said, and that none is listed is what has to hold.
 */
export function checklistOf(lab: Pick<Lab, 'cases' | 'experiment' | 'skills'>, arms: ArmDiscovery[]): Discovery['checklist'] {
  return lab.experiment.cases.flatMap((name) => {
    const rows = arms.filter((row) => row.case === name);
    const lists = (row: ArmDiscovery, skill: string) => row.listed.includes(skill);
    const disabled = {
      item: 'all skills are disabled in the arms without them',
      holds: rows.every((row) => row.problems.every((text) => !text.includes('reached the arm'))),
    };
    const offered = skillNames(lab).filter((skill) => rows.some((row) => row.intended.includes(skill)));
    const items =
      offered.length === 0
        ? [
            { item: 'no arm offers a skill to load, and none is listed', holds: rows.every((row) => row.listed.length === 0) },
            disabled,
          ]
        : [
            ...offered.map((skill) => ({
              item: `${skill} is listed`,
              holds: rows.every((row) => !row.intended.includes(skill) || lists(row, skill)),
            })),
            {
              item: 'each description is visible to the agent',
              holds: rows.every((row) => row.intended.every((skill) => lists(row, skill))),
            },
            disabled,
            {
              item: 'all skills are available in the arms with them',
              holds: rows.every((row) => row.intended.every((skill) => row.named.includes(skill))),
            },
          ];
    return items.map((row) => ({ case: name, ...row }));
  });
}

async function discoverArm(lab: Lab, { case: name, arm }: Asked, consent: boolean): Promise<ArmDiscovery> {
  const spec = await readJson(lab.run.spec(trialName({ case: name, arm, repeat: 1 })), TrialSpec);
  const intended = offeredSkills(lab, arm, name);
  const diagnostic = await ask(lab, spec, 'diagnostic', diagnosticPrompt, consent);
  const probe = intended.length === 0 ? null : await ask(lab, spec, 'probe', probePrompt, consent);
  const { response } = diagnostic.trajectory;
  return {
    case: name,
    arm,
    spec: spec.hash,
    intended,
    listed: diagnostic.attestation.listed,
    named: skillNames(lab).filter((skill) => new RegExp(`(^|[^a-z0-9-])${skill}([^a-z0-9-]|$)`).test(response)),
    answer: response,
    unchanged: diagnostic.unchanged,
    problems: diagnostic.attestation.problems,
    probeLoaded:
      probe === null
        ? null
        : [
            ...new Set([
              ...probe.trajectory.loaded.map((load) => load.skill),
              ...probe.attestation.bodies.map((body) => body.skill),
            ]),
          ].sort(),
    records: { diagnostic: diagnostic.hash, ...(probe === null ? {} : { probe: probe.hash }) },
  };
}

/** A discovery record's path below the run's folder. */
export function discoveryPath(spec: string, kind: string): string {
  return `discovery/${spec.slice(0, 16)}/${kind}`;
}

/** One question to one arm, recorded once per spec. */
async function ask(lab: Lab, spec: TrialSpec, kind: 'diagnostic' | 'probe', prompt: string, consent: boolean) {
  const target = join(lab.run.discoveryRecord(spec.hash), kind);
  if (!(await hasRecord(target))) {
    requireConsent({ experiment: ofArm(lab.experiment, spec.spec.arm) }, consent);
    await mkdir(lab.run.scratch, { recursive: true });
    const draft = await mkdtemp(join(lab.run.scratch, 'discover-'));
    try {
      const base = await baseOf(lab, spec.spec.case, spec.spec.baseCommit);
      const place = placeOfSpec(lab, spec.spec);
      const session = await runSession(
        {
          experiment: ofArm(lab.experiment, spec.spec.arm),
          case: caseOf(lab, spec.spec.case),
          agent: lab.agent,
          extras: lab.extras,
          program: await lab.agent.find(lab.root),
          base,
          ...place,
          prompt: Buffer.from(prompt),
          skills: deliveryOf(lab, spec.spec.arm, spec.spec.case).offered,
          allSkills: [...lab.skills.values()],
          repeat: 1,
          seed: spec.spec.seed,
        },
        draft,
        async (workspace) => captureChange(workspace, base, draft, await madeBy(place.warm)),
      );
      const trouble = surroundingsTrouble(session, spec.spec.limits.wall_seconds);
      if (trouble !== null) {
        throw new InfrastructureError(`Arm ${spec.spec.arm} could not be asked which skills it sees`, {
          expected: 'an agent that starts and a model that answers',
          found: `${trouble}; ${lastLine(await readFile(join(draft, 'stderr.txt'), 'utf8'))}`,
          next: 'mend the cause and run again: nothing was recorded',
        });
      }
      await writeFile(join(draft, 'response.md'), session.trajectory.response);
      await sealRecord(draft, target);
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  }
  return readDiscoveryRecord(target);
}

function lastLine(text: string): string {
  const said = text.trim();
  return said.slice(said.lastIndexOf('\n') + 1).slice(0, 200) || 'it printed no error';
}

/** One discovery record read back. */
export async function readDiscoveryRecord(folder: string) {
  return {
    trajectory: await readJson(join(folder, 'trajectory.json'), Trajectory),
    attestation: await readJson(join(folder, 'attestation.json'), Attestation),
    answer: await readFile(join(folder, 'response.md'), 'utf8'),
    unchanged: (await stat(join(folder, 'patch.diff'))).size === 0,
    hash: await recordHash(folder),
  };
}
