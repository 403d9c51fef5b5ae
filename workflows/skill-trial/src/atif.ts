import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { modelOf } from './arm.js';
import type { CallRecord } from './call-record.js';
import { RecordError } from './errors.js';
import type { Experiment } from './experiment.js';
import type { Lab } from './lab.js';
import type { ModelRequest, ModelResponse, Turn } from './model-call.js';
import { prettyJson, writeWhole } from './record.js';
import { readRequests } from './recorded-requests.js';
import { readBody } from './recording.js';
import { type RequestKind, requestKinds } from './request-kind.js';
import { parseTrialName } from './trial-name.js';
import { readTrial, type SavedTrial } from './trial-record.js';
import { type CallUsage, sumUsage } from './usage.js';
import { wireOf } from './wire.js';

const count = z.int().nonnegative().optional();
const extra = z.record(z.string(), z.unknown()).optional();
const Metrics = z.strictObject({
  /** All input, cached included. */
  prompt_tokens: count,
  completion_tokens: count,
  cached_tokens: count,
  cost_usd: z.number().nonnegative().optional(),
  extra,
});
const ToolCall = z.strictObject({
  tool_call_id: z.string(),
  function_name: z.string(),
  arguments: z.record(z.string(), z.unknown()),
});
const Observation = z.strictObject({
  results: z.array(z.strictObject({ source_call_id: z.string().optional(), content: z.string().optional(), extra })),
});
const common = { step_id: z.int().positive(), timestamp: z.iso.datetime().optional(), message: z.string(), extra };
const Step = z.discriminatedUnion('source', [
  z.strictObject({ ...common, source: z.literal('system'), observation: Observation.optional() }),
  z.strictObject({ ...common, source: z.literal('user') }),
  z.strictObject({
    ...common,
    source: z.literal('agent'),
    model_name: z.string().optional(),
    tool_calls: z.array(ToolCall).optional(),
    observation: Observation.optional(),
    metrics: Metrics.optional(),
  }),
]);
type Step = z.infer<typeof Step>;

/**
 * The Agent Trajectory Interchange Format, version 1.4, as far as the lab writes it (Harbor, RFC 0001). Steps count from 1 without a
 * gap, and an observation answers a call of its own step. A figure that is unknown is left out.
 */
export const AtifTrajectory = z
  .strictObject({
    schema_version: z.literal('ATIF-v1.4'),
    session_id: z.string().min(1),
    agent: z.strictObject({ name: z.string(), version: z.string(), model_name: z.string().optional(), extra }),
    steps: z.array(Step).min(1),
    notes: z.string().optional(),
    final_metrics: z
      .strictObject({
        total_prompt_tokens: count,
        total_completion_tokens: count,
        total_cached_tokens: count,
        total_cost_usd: z.number().nonnegative().optional(),
        total_steps: count,
        extra,
      })
      .optional(),
    extra,
  })
  .superRefine(({ steps }, context) => {
    for (const [index, step] of steps.entries()) {
      const issue = (message: string) => context.addIssue({ code: 'custom', path: ['steps', index], message });
      if (step.step_id !== index + 1) issue(`step_id ${index + 1}`);
      if (step.source !== 'agent') continue;
      const calls = new Set((step.tool_calls ?? []).map((call) => call.tool_call_id));
      for (const { source_call_id: id } of step.observation?.results ?? [])
        if (id !== undefined && !calls.has(id)) issue(`observations of the step's own calls, not of ${id}`);
    }
  });
export type AtifTrajectory = z.infer<typeof AtifTrajectory>;

/** One model call of a recording, read. */
export interface RecordedCall {
  record: CallRecord;
  request: ModelRequest;
  response: ModelResponse | null;
  kind: RequestKind;
}

/** Writes the trajectories of the recorded trials, or of those named. A name without a record is a RecordError. */
export async function exportTrajectories(lab: Lab, names: string[]): Promise<{ trial: string; file: string; steps: number }[]> {
  const recorded = (await readdir(lab.run.receipts).catch(() => [] as string[])).sort();
  for (const name of names) {
    parseTrialName(lab.experiment, name);
    if (recorded.includes(name)) continue;
    throw new RecordError(`Trial ${name} has no record`, {
      expected: recorded.length === 0 ? 'a trial that has run' : `one of ${recorded.join(', ')}`,
      found: name,
      next: `npx nx run ${lab.experiment.name}.${name}:trial`,
    });
  }
  const written: { trial: string; file: string; steps: number }[] = [];
  for (const trial of names.length > 0 ? names : recorded) {
    const saved = await readTrial(lab.run.receipt(trial));
    const trajectory = atifOf(saved, await recordedCalls(saved.folder), modelOf(lab.experiment, saved.record.arm));
    await writeWhole(lab.run.trajectory(trial), prettyJson(trajectory));
    written.push({ trial, file: lab.run.trajectory(trial), steps: trajectory.steps.length });
  }
  return written;
}

/** The model calls of a recording whose request can be read, with what each was for. */
export async function recordedCalls(folder: string): Promise<RecordedCall[]> {
  const task = await readFile(join(folder, 'prompt.txt'), 'utf8');
  const read = (await readRequests(folder)).flatMap(({ record, request }) => (request === null ? [] : [{ record, request }]));
  const kinds = requestKinds(
    read.map(({ request }) => request),
    task,
  );
  return Promise.all(
    read.map(async ({ record, request }, index) => ({
      record,
      request,
      response:
        record.response === null || (record.status ?? 500) >= 400 ? null : await readResponse(folder, record, record.response),
      kind: kinds[index] as RequestKind,
    })),
  );
}

async function readResponse(folder: string, record: CallRecord, hash: string): Promise<ModelResponse> {
  const body = await readBody(folder, hash);
  return wireOf(record.api).readResponse(body, '');
}

/**
 * A trial as an ATIF trajectory: the system text and the task, then one agent step for each answered call of the main loop, with its
 * tool calls, what the next request says came of them, and the provider's figures. Calls of sub-agents and for titles are listed
 * under `extra.other_calls` and count in the final figures.
 */
export function atifOf(saved: Pick<SavedTrial, 'record'>, calls: RecordedCall[], model: Experiment['model']): AtifTrajectory {
  const { record } = saved;
  const main = calls.filter((call) => call.kind === 'main');
  const steps: Step[] = [];
  const add = (
    step: Omit<Extract<Step, { source: 'agent' }>, 'step_id'> | Omit<Extract<Step, { source: 'user' | 'system' }>, 'step_id'>,
  ) => steps.push({ step_id: steps.length + 1, ...step } as Step);
  const system = main[0]?.request.system ?? '';
  if (system !== '') add({ source: 'system', message: system });
  let seen = 0;
  for (const [index, call] of main.entries()) {
    const { turns } = call.request;
    // an agent that compacts its conversation begins a new, shorter one
    const fresh = turns.length >= seen ? turns.slice(seen) : turns;
    for (const turn of fresh) if (turn.role === 'user') add({ source: 'user', message: turn.text });
    seen = turns.length;
    if (call.response === null) continue;
    const results = main.slice(index + 1).find((later) => later.response !== null)?.request.turns ?? [];
    add(agentStep(call, call.response, results));
  }
  if (steps.length === 0) add({ source: 'user', message: '' });
  const others = calls.filter((call) => call.kind !== 'main');
  const total = sumUsage(calls.flatMap(({ response }) => (response === null ? [] : [response.usage])));
  return AtifTrajectory.parse({
    schema_version: 'ATIF-v1.4',
    session_id: `${record.experiment}.${record.id}.${record.spec.slice(0, 16)}`,
    agent: {
      name: record.agent.name,
      version: record.agent.version,
      model_name: model.id,
      extra: { package: record.agent.package, scripted: record.scripted },
    },
    steps,
    notes:
      [
        ...(record.scripted ? ['SCRIPTED: a server played a written script; no model answered, and nothing was measured.'] : []),
        ...(others.length === 0 ? [] : ['final_metrics count the calls under extra.other_calls too, which are no steps.']),
      ].join(' ') || undefined,
    final_metrics: {
      total_prompt_tokens: total.inputTotal ?? undefined,
      total_completion_tokens: total.output ?? undefined,
      total_cached_tokens: total.inputCached ?? undefined,
      total_steps: steps.length,
      extra: { model_calls: calls.length },
    },
    extra: {
      case: record.case,
      arm: record.arm,
      repeat: record.repeat,
      status: record.status,
      other_calls: others.map(({ record: one, kind, response }) => ({
        call: one.seq,
        kind,
        metrics: metricsOf(response?.usage ?? null),
      })),
    },
  });
}

function agentStep({ record, request }: RecordedCall, response: ModelResponse, later: readonly Turn[]) {
  const calls = response.toolCalls.map(({ id, name, arguments: input }) => ({
    tool_call_id: id,
    function_name: name,
    arguments: isObject(input) ? input : { input },
  }));
  const results = calls.flatMap(({ tool_call_id: id }) =>
    later.flatMap((turn) =>
      turn.role === 'tool' && turn.toolResultFor === id ? [{ source_call_id: id, content: turn.text }] : [],
    ),
  );
  const metrics = metricsOf(response.usage);
  return {
    source: 'agent' as const,
    timestamp: record.at,
    model_name: response.model ?? request.model,
    message: response.text,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(results.length === 0 ? {} : { observation: { results } }),
    ...(metrics === undefined ? {} : { metrics }),
    extra: { call: record.seq },
  };
}

function metricsOf(usage: CallUsage | null): z.infer<typeof Metrics> | undefined {
  if (usage === null) return undefined;
  return {
    prompt_tokens: usage.inputTotal ?? undefined,
    completion_tokens: usage.output ?? undefined,
    cached_tokens: usage.inputCached ?? undefined,
    ...(usage.reasoning === null && usage.cacheCreation === null
      ? {}
      : { extra: { cache_creation_tokens: usage.cacheCreation, reasoning_tokens: usage.reasoning } }),
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
