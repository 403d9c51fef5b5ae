import { describe, expect, test } from 'vitest';
import { SettingsError } from '../src/errors.js';
import type { Experiment } from '../src/experiment.js';
import { importedModel, requireModels } from '../src/imported-model.js';

const local = { model: 'qwen3', baseUrl: 'http://127.0.0.1:11434/v1' };
const experiment = (model: object, judge?: object) =>
  ({
    name: 'tea',
    model,
    arms: { A: { skills: [] }, B: { skills: ['tea'] } },
    ...(judge && { judge: { model: judge } }),
  }) as unknown as Experiment;

describe('the model of an imported experiment', () => {
  test('is the one that was wished, with no key where none was named', () => {
    expect(importedModel(local, 'openai-completions')).toEqual({
      id: 'qwen3',
      api: 'openai-completions',
      base_url: local.baseUrl,
    });
    expect(importedModel({ ...local, api: 'anthropic-messages', keyEnv: 'TEA_KEY' }, 'openai-completions')).toEqual({
      id: 'qwen3',
      api: 'anthropic-messages',
      base_url: local.baseUrl,
      key_env: 'TEA_KEY',
    });
  });

  test('needs an address, and an address a model', () => {
    expect(() => importedModel({ model: 'qwen3' }, 'openai-completions')).toThrow(SettingsError);
    expect(() => importedModel({ baseUrl: local.baseUrl }, 'openai-completions')).toThrow(/Which model/);
  });

  test('left open is refused before anything runs, with the place to set it; the judge alone as well', () => {
    const open = importedModel({}, 'openai-completions');
    const said = importedModel(local, 'openai-completions');
    expect(() => requireModels(experiment(open))).toThrow(/does not say which model it measures/);
    expect(() => requireModels(experiment(said, open))).toThrow(SettingsError);
    expect(() => requireModels(experiment(said, said))).not.toThrow();
    expect(() => requireModels(experiment({ ...open, id: 'qwen3' }))).toThrow(SettingsError);
  });
});
