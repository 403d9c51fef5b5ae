import { z } from 'zod';
import type { CallRecord } from './call-record.js';
import type { CatalogueReader } from './catalogue.js';
import { Held } from './containment.js';
import { changedParameters, type FrozenParameters, generationParameters, thinkingTrouble } from './generation-parameters.js';
import { hashOf, sha256 } from './hash.js';
import { type ModelRequest, withoutAddedBlocks } from './model-call.js';
import { type RequestKind, requestKinds } from './request-kind.js';
import { everythingIn, occurrences, plain, type SkillText, toldBy } from './skill-occurrence.js';

const Sha = z.string().regex(/^[0-9a-f]{64}$/);

/** What the recorded requests of one trial prove about the treatment. `problems` empty: the trial is valid. */
export const Attestation = z.strictObject({
  schemaVersion: z.literal(1),
  mainRequests: z.int().nonnegative(),
  /** What each request that can be read was for; absent in records made before requests were told apart. */
  requests: z.array(z.strictObject({ call: z.int().positive(), kind: z.enum(['main', 'sub-agent', 'side']) })).optional(),
  /** Skills of the experiment that every main request lists, by name. */
  listed: z.array(z.string()),
  /** SHA-256 of the task as the first user turn delivered it. */
  deliveredTask: Sha.nullable(),
  /** How the delivered text relates to task.txt; `trimmed`: white space at its ends is missing. */
  delivery: z.enum(['exact', 'trimmed', 'different', 'none']),
  /** Hash of the tools offered, without the skill mechanism's own. */
  tools: Sha.nullable(),
  /** Hash of the generation parameters. */
  parameters: Sha.nullable(),
  models: z.array(z.string()),
  /** Skills whose body was in a request, in anything but the model's own words, with the first such call. */
  bodies: z.array(z.strictObject({ skill: z.string(), call: z.int().positive() })),
  /** Texts that were looked for and that no request may hold, by name (the canary), with the first request that did; null: none did. */
  forbidden: z.array(z.strictObject({ name: z.string(), call: z.int().positive().nullable() })),
  /** Skills whose text stood in front of the task, as declared (deliver: prompt); absent in every other arm. */
  inPrompt: z.array(z.string()).optional(),
  /** What held the agent and what it ran into; absent where the session was recorded before this was. */
  held: Held.optional(),
  problems: z.array(z.string()),
});
export type Attestation = z.infer<typeof Attestation>;

export interface AttestationInput {
  calls: { record: CallRecord; request: ModelRequest | null }[];
  task: string;
  frozenModel: string;
  frozenParameters?: FrozenParameters;
  /** The skills of this trial's arm on its case. */
  own: SkillText[];
  /** Skills whose text is declared to stand in front of the task, and that text; absent: none. */
  inPrompt?: SkillText[];
  prefix?: string;
  /** Those of the experiment that this trial must not see; one may be called like an own one (a placebo, an older version). */
  others: SkillText[];
  /** Tools that belong to the agent's skill mechanism. */
  skillTools: string[];
  /** How the agent lists skills: whatever else it lists is a problem, known or not. */
  catalogue: CatalogueReader;
  /** What held the agent, read from the session's own records. */
  held?: Held | null;
  /** Marks that no request may hold in anything but the model's own words. */
  forbidden?: { name: string; texts: string[] }[];
}

/**
 * Judges the requests alone. In an arm without a skill no request may hold the skill's catalogue entry, its description or a
 * distinctive passage of its body, in anything but the model's own words. In an arm with it, every main request must list it. No
 * request of any kind may list a skill that the arm does not have, of the experiment or not, or hold a forbidden mark.
 */
export function attest(input: AttestationInput): Attestation {
  const problems: string[] = [];
  const { prefix = '', inPrompt = [] } = input;
  const told = inPrompt.map(({ name }) => name);
  const prompt = prefix + input.task;
  const answered = input.calls.filter(({ record }) => record.kind === 'model-call');
  const requests = answered.flatMap(({ record, request }) => (request === null ? [] : [{ seq: record.seq, request }]));
  if (requests.length < answered.length) problems.push(`${answered.length - requests.length} requests cannot be read`);
  const kinds = requestKinds(
    requests.map(({ request }) => request),
    prompt,
  );
  const main = requests.filter((_, index) => kinds[index] === 'main');
  if (main.length === 0) problems.push('no request reached the model: nothing is proven of this trial');
  const whole = deliveredTask(main[0]?.request, prompt);
  const declared = whole?.trimStart().startsWith(prefix) ?? false;
  const delivered = declared ? (whole as string).slice((whole as string).indexOf(prefix) + prefix.length) : whole;
  if (whole !== null && !declared) problems.push(`the text of ${told.join(', ')} is not in front of the task`);
  const listed: string[] = [];
  const bodies: Attestation['bodies'] = [];
  // what an own skill says as well, in whichever of its files, is no sign of another
  const ownText = plain([...input.own, ...inPrompt].map(everythingIn).join('\n'));
  const roles: [SkillText, 'own' | 'told' | 'other'][] = [
    ...input.own.map((one): [SkillText, 'own'] => [one, 'own']),
    ...inPrompt.map((one): [SkillText, 'told'] => [one, 'told']),
    ...input.others.map((one): [SkillText, 'other'] => [one, 'other']),
  ];
  for (const [skill, role] of roles) {
    const known = role === 'other' ? ownText : '';
    const seen = requests.map(({ seq, request }) => ({ seq, found: occurrences(withoutPrefix(request, prefix), skill, known) }));
    const first = role === 'told' && delivered !== null && declared ? main[0]?.seq : undefined;
    if (first !== undefined) bodies.push({ skill: skill.name, call: first });
    const inBody = seen.find(({ found }) => found.body);
    if (first === undefined && inBody !== undefined) bodies.push({ skill: skill.name, call: inBody.seq });
    const mainSeqs = new Set(main.map(({ seq }) => seq));
    if (main.length > 0 && seen.every(({ seq, found }) => !mainSeqs.has(seq) || found.listed)) listed.push(skill.name);
    if (role === 'own') {
      const without = seen.find(({ seq, found }) => mainSeqs.has(seq) && !found.listed);
      if (without !== undefined) problems.push(`${skill.name} is not listed in request ${without.seq}`);
    } else if (role === 'told') {
      const entry = seen.find(({ found }) => found.listed);
      if (entry !== undefined) problems.push(`${skill.name} is in the prompt and listed as well, in request ${entry.seq}`);
    } else {
      const leak = seen.find(({ found }) => found.listed || found.described || found.body);
      if (leak !== undefined) problems.push(`${skill.name} reached the arm without it, in request ${leak.seq}`);
    }
  }
  for (const { seq, name } of foreignSkills(input, requests))
    problems.push(`${name}, no skill of this arm, is listed in request ${seq}`);
  const forbidden = (input.forbidden ?? []).map(({ name, texts }) => {
    const marks = texts.map(plain);
    const seen = requests.find(({ request }) => marks.some((mark) => toldBy(request).includes(mark)));
    return { name, call: seen?.seq ?? null };
  });
  for (const { name, call } of forbidden) if (call !== null) problems.push(`${name} reached the model, in request ${call}`);
  const models = [...new Set(answered.map(({ record }) => record.model ?? 'unnamed'))].sort();
  for (const model of models)
    if (model !== input.frozenModel) problems.push(`model ${model} was asked for, ${input.frozenModel} is frozen`);
  const parameters = main.map(({ seq, request }) => ({ seq, values: generationParameters(request) }));
  const reference = parameters[0]?.values ?? {};
  const changed = parameters.find(({ values }) => changedParameters(reference, values).length > 0);
  if (changed !== undefined)
    problems.push(
      `the generation parameters changed within the trial, in request ${changed.seq} (${changedParameters(reference, changed.values).join('; ')})`,
    );
  for (const { record, request } of input.calls) {
    if (request === null || request.tools.length === 0) continue;
    const trouble = thinkingTrouble(record.api, request, input.frozenParameters ?? {});
    if (trouble === null) continue;
    problems.push(`${trouble}, in request ${record.seq}`);
    break;
  }
  const delivery =
    delivered === null
      ? 'none'
      : delivered === input.task
        ? 'exact'
        : delivered.trim() === input.task.trim()
          ? 'trimmed'
          : 'different';
  if (delivery === 'different') problems.push('the task was delivered with other words than task.txt');
  const tools = main[0]?.request.tools.filter((tool) => !input.skillTools.includes(tool.name)) ?? null;
  return {
    schemaVersion: 1,
    mainRequests: main.length,
    requests: requests.map(({ seq }, index) => ({ call: seq, kind: kinds[index] as RequestKind })),
    listed,
    deliveredTask: delivered === null ? null : sha256(delivered),
    delivery,
    tools: tools === null ? null : hashOf(tools),
    parameters: parameters[0] === undefined ? null : hashOf(parameters[0].values),
    models,
    bodies,
    forbidden,
    ...(inPrompt.length === 0 ? {} : { inPrompt: declared ? told : [] }),
    ...(input.held === undefined || input.held === null ? {} : { held: input.held }),
    problems,
  };
}

/**
 * The task as a main request delivers it: the user turn that is the task once the blocks an agent adds around it (reminders, the
 * environment) are set apart, else the first user turn as it is; null without one.
 */
function deliveredTask(request: ModelRequest | undefined, task: string): string | null {
  const turns = (request?.turns ?? []).filter((turn) => turn.role === 'user').map((turn) => turn.text);
  const bare = turns.map(withoutAddedBlocks);
  return bare.find((text) => text.trim() === task.trim()) ?? turns[0] ?? null;
}

/** Skills that the requests list and the arm does not have, each with the first request that lists it. */
function foreignSkills({ catalogue, own }: AttestationInput, requests: { seq: number; request: ModelRequest }[]) {
  const intended = own.map(({ name }) => name);
  const first = new Map<string, number>();
  for (const { seq, request } of requests)
    for (const { name } of catalogue(request)) if (!intended.includes(name) && !first.has(name)) first.set(name, seq);
  return [...first].map(([name, seq]) => ({ name, seq }));
}

/** A request without the text that is declared to stand in front of the task. */
function withoutPrefix(request: ModelRequest, prefix: string): ModelRequest {
  if (prefix === '') return request;
  const turns = request.turns.map((turn) =>
    turn.role === 'user' ? { ...turn, text: turn.text.replace(prefix, () => '') } : turn,
  );
  return { ...request, turns };
}
