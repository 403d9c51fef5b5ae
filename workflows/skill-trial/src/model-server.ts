import type { Prices } from './budget.js';
import { scriptsFolder } from './case.js';
import { PrerequisiteError } from './errors.js';
import type { Experiment } from './experiment.js';
import { loadScript } from './script.js';
import { startScriptedModel } from './scripted-model.js';
import type { SessionPlan } from './session.js';

const shortestKey = 12;

/** The prices of a model as costs are worked out with; null where it has none. */
export function pricesOf({ prices }: Pick<Experiment['model'], 'prices'>): Prices | null {
  if (prices === undefined) return null;
  return { input: prices.input, cached: prices.cached, cacheWrite: prices.cache_write, output: prices.output };
}

/** What one session may use, as the gateway holds it. */
export function budgetOf({
  limits,
  model,
}: {
  limits: Pick<Experiment['limits'], 'model_calls' | 'tokens' | 'cost_usd'>;
  model: Pick<Experiment['model'], 'prices'>;
}) {
  const prices = pricesOf(model);
  return {
    modelCalls: limits.model_calls,
    tokens: limits.tokens ?? null,
    costUsd: limits.cost_usd === null || prices === null ? null : { limit: limits.cost_usd, prices },
  };
}

/** A model server that a session may use. */
export interface RunningModel {
  baseUrl: string;
  key: string | null;
  close: () => Promise<void>;
}

/** The model behind the gateway: a scripted one started for this session, or the provider with its key. */
export async function openModel(plan: Pick<SessionPlan, 'experiment' | 'case' | 'repeat' | 'seed'>): Promise<RunningModel> {
  const { model } = plan.experiment;
  if (model.scripted !== undefined) {
    const script = await loadScript(scriptsFolder(plan.case), model.scripted);
    const server = await startScriptedModel({ script, repeat: plan.repeat, seed: plan.seed });
    return { baseUrl: server.baseUrl, key: null, close: () => server.close() };
  }
  return openProvider(model);
}

/** A provider with its key. Throws a PrerequisiteError where the key is missing, or too short to be redacted. */
export function openProvider(model: Experiment['model']): { baseUrl: string; key: string | null; close: () => Promise<void> } {
  const key = model.key_env === undefined ? null : process.env[model.key_env];
  if (key === undefined || key === '') {
    throw new PrerequisiteError('No key for the model', {
      expected: `the environment variable ${model.key_env}`,
      found: key === undefined ? 'not set' : 'empty',
      next: `export ${model.key_env}=…, or remove model.key_env for a server that wants no key`,
    });
  }
  if (key !== null && key.length < shortestKey) {
    throw new PrerequisiteError('The key is too short to be kept out of the records', {
      expected: `at least ${shortestKey} characters: every place where the key occurs is redacted, and a short one occurs in ordinary text`,
      found: `${key.length} characters in ${model.key_env}`,
      next: 'remove model.key_env for a server that takes any key',
    });
  }
  return { baseUrl: model.base_url as string, key, close: async () => undefined };
}
