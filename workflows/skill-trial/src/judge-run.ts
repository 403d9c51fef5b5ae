import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { stringify } from 'yaml';
import { z } from 'zod';
import { redact } from './blinding.js';
import type { CallRecord } from './call-record.js';
import { type Case, Slug } from './case.js';
import { systemClock } from './clock.js';
import { differentVariants } from './control.js';
import { SettingsError } from './errors.js';
import type { JudgeSettings } from './experiment.js';
import { openGateway } from './gateway.js';
import { hashOf } from './hash.js';
import { type Artifact, combinePasses, JudgeMark, type JudgeRow, judgePrompt, judgeRows, readAnswer } from './judge.js';
import { caseOf, type Lab } from './lab.js';
import { appendLedger } from './ledger.js';
import { budgetOf, openProvider } from './model-server.js';
import { hasRecord, prettyJson, readJson, recordHash, sealRecord, writeWhole } from './record.js';
import { readBody, readCalls } from './recording.js';
import { playJudge } from './scripted-judge.js';
import { startScriptedModel } from './scripted-model.js';
import type { SavedTrial } from './trial-record.js';
import { wireOf } from './wire.js';

/** What a judge was asked on one variant: session.json of its record; the bodies lie beside it, as the gateway recorded them. */
const JudgeSession = z.strictObject({
  schemaVersion: z.literal(1),
  content: z.string(),
  case: Slug,
  /** One line for each answer, in the order asked: its pass (2: the rows in reverse) and the call it is in. */
  asked: z.array(z.strictObject({ pass: z.int().min(1).max(2), seq: z.int().positive() })),
});

/** A judge's sheet of one variant. It is no evaluator's: no score is made from it. */
export const JudgeSheet = z.strictObject({
  kind: z.literal('judge'),
  scorer: z.string(),
  scripted: z.boolean(),
  content: z.string().regex(/^[0-9a-f]{64}$/),
  case: Slug,
  marks: z.array(JudgeMark),
  /** Answers asked for; what they used, null where the provider did not say. Counted in no trial. */
  calls: z.int().nonnegative(),
  inputTokens: z.int().nonnegative().nullable(),
  outputTokens: z.int().nonnegative().nullable(),
  record: z.strictObject({ path: z.string(), sha256: z.string() }),
});
export type JudgeSheet = z.infer<typeof JudgeSheet>;

/** judge.json */
export const Judgement = z.strictObject({
  schemaVersion: z.literal(1),
  judge: z.string(),
  scripted: z.boolean(),
  variants: z.array(JudgeSheet),
});
export type Judgement = z.infer<typeof Judgement>;

/** The scorer's name that a judge's sheets carry: `judge-<model>`. */
export function judgeName({ model }: Pick<JudgeSettings, 'model'>): string {
  const slug = model.id
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return `judge-${slug || 'model'}`;
}

/**
 * Lets the judge score every different variant, in a session of its own through the recording gateway: own budget, own record, own
 * ledger. It sees the redacted response and patch. Writes judge.json and a sheet for each variant.
 */
export async function runJudge(
  lab: Lab,
  trials: SavedTrial[],
  onStep: (text: string) => void = () => undefined,
): Promise<Judgement> {
  const { judge } = lab.experiment;
  if (judge === undefined) {
    throw new SettingsError(`Experiment ${lab.experiment.name} has no judge`, {
      expected: 'judge: {model: {id, api, base_url or scripted}} in experiment.yaml',
      found: 'no judge',
      next: 'add it; a judge scores beside people, never in their place',
    });
  }
  const judgement = await gatherJudge(lab, judge, trials, async (one, content, artifact, target) => {
    if (await hasRecord(target)) return;
    onStep(`${judgeName(judge)}${judge.model.scripted === undefined ? '' : ' (SCRIPTED)'} reads variant ${content.slice(0, 12)}`);
    await mkdir(lab.run.scratch, { recursive: true });
    const draft = await mkdtemp(join(lab.run.scratch, 'judge-'));
    try {
      await askJudge(judge, judgeRows(one), { content, case: one.name }, artifact, draft);
      const record = await sealRecord(draft, target);
      const usage = usageOf(await readCalls(target));
      await appendLedger(lab.run.judgeLedger, { kind: 'judged', content, judge: judgeName(judge), record, ...usage }, lab.now);
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  });
  for (const sheet of judgement.variants)
    await writeWhole(lab.run.judgeSheet(`${sheet.content.slice(0, 12)}.${sheet.scorer}.yaml`), stringify(sheet));
  await writeWhole(lab.run.judgeIndex, prettyJson(judgement));
  return judgement;
}

/** judge.json from the records alone, worked out again from the raw bodies; `ensure` may make a record that is missing. */
export async function gatherJudge(
  lab: Lab,
  judge: JudgeSettings,
  trials: SavedTrial[],
  ensure: (one: Case, content: string, artifact: Artifact, target: string) => Promise<void> = async () => undefined,
): Promise<Judgement> {
  const [scorer, scripted] = [judgeName(judge), judge.model.scripted !== undefined];
  const variants: JudgeSheet[] = [];
  for (const trial of differentVariants(trials)) {
    const { content } = trial.record;
    const one = caseOf(lab, trial.record.case);
    const read = async (file: string) => redact(await readFile(join(trial.folder, file), 'utf8'), lab.skills.values()).text;
    const artifact = { response: await read('response.md'), patch: await read('patch.diff') };
    const rows = judgeRows(one);
    const { key_env: _key, prices: _prices, ...model } = judge.model;
    const target = lab.run.judgeRecord(content, hashOf({ version: 1, model, tries: judge.tries, rows, artifact }));
    await ensure(one, content, artifact, target);
    const { marks, calls } = await readJudgement(target, rows, artifact);
    const record = { path: relative(lab.run.run, target), sha256: await recordHash(target) };
    variants.push({ kind: 'judge', scorer, scripted, content, case: one.name, marks, ...usageOf(calls), record });
  }
  return { schemaVersion: 1, judge: scorer, scripted, variants };
}

/** Asks about all rows at once, twice, the second time in reverse, and records what was said into `target`. */
export async function askJudge(
  judge: JudgeSettings,
  rows: JudgeRow[],
  variant: { content: string; case: string },
  artifact: Artifact,
  target: string,
): Promise<void> {
  const { model, tries, cost_usd } = judge;
  const server =
    model.scripted === undefined
      ? openProvider(model)
      : await startScriptedModel({ play: playJudge(model.scripted) }).then((started) => ({ ...started, key: null }));
  const gateway = await openGateway({
    upstream: { baseUrl: server.baseUrl, api: model.api, key: server.key },
    listen: { host: '127.0.0.1', port: 0 },
    dir: target,
    budget: budgetOf({ model, limits: { model_calls: 2 * tries, cost_usd } }),
    frozen: { model: model.id },
    clock: systemClock,
  });
  try {
    const asked: z.infer<typeof JudgeSession>['asked'] = [];
    for (const pass of [1, 2]) {
      const ordered = pass === 1 ? rows : rows.toReversed();
      for (let attempt = 1; attempt <= tries; attempt++) {
        const { system, user } = judgePrompt(ordered, artifact, newNonce(artifact));
        const { path, body } = wireOf(model.api).writeRequest({ model: model.id, system, prompt: user });
        const response = await fetch(`${gateway.url}${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        const bytes = Buffer.from(await response.arrayBuffer());
        asked.push({ pass, seq: asked.length + 1 });
        const { text } = wireOf(model.api).readResponse(bytes, response.headers.get('content-type') ?? '');
        if (typeof readAnswer(text, rows, artifact) !== 'string') break;
      }
    }
    await writeFile(join(target, 'session.json'), prettyJson({ schemaVersion: 1, ...variant, asked }));
  } finally {
    await Promise.allSettled([gateway.close(), server.close()]);
  }
}

/** A delimiter that the artifact does not hold. */
function newNonce({ response, patch }: Artifact): string {
  for (;;) {
    const nonce = randomBytes(12).toString('hex');
    if (!response.includes(nonce) && !patch.includes(nonce)) return nonce;
  }
}

/** The marks as the recorded bodies give them: the last answer of each pass, where it can be read. */
export async function readJudgement(
  folder: string,
  rows: JudgeRow[],
  artifact: Artifact,
): Promise<{ marks: JudgeMark[]; calls: CallRecord[] }> {
  const session = await readJson(join(folder, 'session.json'), JudgeSession);
  const calls = await readCalls(folder);
  const answerOf = async (pass: number): Promise<JudgeMark[] | null> => {
    const last = session.asked.findLast((one) => one.pass === pass);
    const call = calls.find((one) => one.seq === last?.seq);
    if (call?.response === null || call?.response === undefined || call.status !== 200) return null;
    const { text } = wireOf(call.api).readResponse(await readBody(folder, call.response), 'application/json');
    const answer = readAnswer(text, rows, artifact);
    return typeof answer === 'string' ? null : answer;
  };
  return { marks: combinePasses(rows, await answerOf(1), await answerOf(2)), calls };
}

export function usageOf(calls: CallRecord[]): { calls: number; inputTokens: number | null; outputTokens: number | null } {
  const sum = (pick: (call: CallRecord) => number | null) =>
    calls.reduce<number | null>((total, call) => {
      const value = pick(call);
      return total === null || value === null ? null : total + value;
    }, 0);
  return {
    calls: calls.length,
    inputTokens: sum((call) => call.usage?.inputTotal ?? null),
    outputTokens: sum((call) => call.usage?.output ?? null),
  };
}
