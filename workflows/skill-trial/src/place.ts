import { hashOf } from './hash.js';
import type { Lab } from './lab.js';
import type { Conditions } from './lock.js';
import { defaultLimits, type ResourceLimits, resourceLimitsOf } from './resource-limits.js';
import type { SandboxKind } from './sandbox-plan.js';
import type { FrozenSetUp } from './set-up.js';
import type { Spec } from './spec.js';
import type { Warm } from './warm-tree.js';

/** Where everything of one case runs: the agent's sessions and every run of its tests, in every arm. */
export interface Place {
  sandbox: SandboxKind;
  /** Identity of the container image; null: the machine's own system, read-only. */
  image: string | null;
  limits: ResourceLimits;
  /** What the case's set-up made; null: it has none. */
  warm: Warm | null;
}

/** A place without an image, declared limits or a set-up. */
export function plainPlace(sandbox: SandboxKind): Place {
  return { sandbox, image: null, limits: defaultLimits, warm: null };
}

/** What of a place tells one record from another. A plain place is its sandbox alone, as it was before there were others. */
export function placeKey({ sandbox, image, limits, warm }: Place) {
  const declared = hashOf(limits) !== hashOf(defaultLimits);
  return { sandbox, image: image ?? undefined, limits: declared ? limits : undefined, warm: warm?.content };
}

/** The outcome of a frozen set-up; null without one. */
export function warmOf(
  lab: Pick<Lab, 'run'>,
  name: string,
  setUp: Pick<FrozenSetUp, 'key' | 'content'> | null | undefined,
): Warm | null {
  return setUp == null ? null : { folder: lab.run.setUp(name, setUp.key), content: setUp.content };
}

/** The place of a case as it was frozen. */
export function frozenPlace(lab: Pick<Lab, 'run'>, conditions: Conditions, name: string): Place {
  const one = conditions.cases[name];
  const { kind, image } = one?.environment ?? conditions.sandbox;
  return {
    sandbox: kind,
    image: image ?? null,
    limits: resourceLimitsOf(conditions.settings),
    warm: warmOf(lab, name, one?.setup),
  };
}

/** The place of a trial, from its spec alone. */
export function placeOfSpec(lab: Pick<Lab, 'run'>, spec: Spec): Place {
  return {
    sandbox: spec.sandbox,
    image: spec.image ?? null,
    limits: resourceLimitsOf({ limits: spec.limits }),
    warm: warmOf(lab, spec.case, spec.setup),
  };
}
