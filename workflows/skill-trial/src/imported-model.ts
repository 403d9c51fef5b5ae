import { SettingsError } from './errors.js';
import type { Experiment } from './experiment.js';
import type { Model } from './model.js';

/** What a person tells an importer about the model; everything may be left for later. */
export interface ModelWish {
  model?: string;
  api?: Model['api'];
  baseUrl?: string;
  keyEnv?: string;
}

/** Stands where nobody has said yet which model is to be measured. */
const unset = { id: 'set-the-model', base_url: 'http://127.0.0.1:1/set-the-provider' };

/** The model block of an imported experiment: as wished, or one that {@link requireModels} refuses. Of a wish the id needs an address. */
export function importedModel(
  { model, api, baseUrl, keyEnv }: ModelWish,
  usual: Model['api'],
): Pick<Model, 'id' | 'api' | 'base_url' | 'key_env'> {
  if (model === undefined && (baseUrl !== undefined || keyEnv !== undefined)) {
    throw new SettingsError('Which model?', {
      expected: '--model, the id of one at that address',
      found: '--base-url or --key-env alone',
      next: 'add --model, or leave all three for experiment.yaml',
    });
  }
  if (model === undefined) return { ...unset, api: api ?? usual, key_env: 'MODEL_KEY' };
  if (baseUrl === undefined) {
    throw new SettingsError(`Where is the model ${model}?`, {
      expected: '--base-url, such as http://127.0.0.1:11434/v1, and --key-env where the provider wants a key',
      found: '--model alone',
      next: 'add --base-url, or leave out --model and set it in experiment.yaml',
    });
  }
  return { id: model, api: api ?? usual, base_url: baseUrl, ...(keyEnv === undefined ? {} : { key_env: keyEnv }) };
}

/** Refuses an experiment in which a model still has to be said. */
export function requireModels({ name, model, arms, judge }: Experiment): void {
  const models: [string, Model | undefined][] = [
    ['model', model],
    ...Object.entries(arms).map(([arm, one]): [string, Model | undefined] => [`arms.${arm}.model`, one.model]),
    ['judge.model', judge?.model],
  ];
  for (const [at, one] of models) {
    if (one?.id !== unset.id && one?.base_url !== unset.base_url) continue;
    throw new SettingsError(`Experiment ${name} does not say which model it measures`, {
      expected: `${at}.id, api and base_url of your provider`,
      found: `${one.id} at ${one.base_url}, as the import left them`,
      next: `edit ${at} in data/experiments/${name}/experiment.yaml (README, "With a real model")${at === 'judge.model' ? '; without a judge, take judge out' : ''}`,
    });
  }
}
