import { describe, expect, test } from 'vitest';
import { changedParameters, generationParameters, thinkingTrouble } from '../src/generation-parameters.js';
import type { WireApi } from '../src/wire.js';

describe('the level of thinking that a request asks for', () => {
  test.each<[WireApi, object, string]>([
    ['openai-completions', {}, 'off'],
    ['openai-completions', { reasoning_effort: 'none' }, 'off'],
    ['openai-completions', { reasoning_effort: 'high' }, 'high'],
    ['openai-completions', { reasoning: { effort: 'low' } }, 'low'],
    ['openai-responses', { reasoning: null }, 'off'],
    ['openai-responses', { reasoning: { effort: 'none' } }, 'off'],
    ['openai-responses', { reasoning: { effort: 'minimal', summary: 'auto' } }, 'minimal'],
    ['anthropic-messages', {}, 'off'],
    ['anthropic-messages', { thinking: { type: 'disabled' } }, 'off'],
    ['anthropic-messages', { thinking: { type: 'enabled', budget_tokens: 1024 } }, 'on'],
    ['anthropic-messages', { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } }, 'high'],
    ['google-generative-ai', {}, 'off'],
    ['google-generative-ai', { generationConfig: { thinkingConfig: { thinkingBudget: 0 } } }, 'off'],
    ['google-generative-ai', { generationConfig: { thinkingConfig: { thinkingBudget: -1 } } }, 'on'],
    ['google-generative-ai', { generationConfig: { thinkingConfig: { thinkingLevel: 'HIGH' } } }, 'high'],
  ])('%s %j: %s', (api, parameters, found) => {
    const request = { parameters: parameters as Record<string, unknown> };
    const trouble = (thinking: 'off' | 'high') => thinkingTrouble(api, request, { thinking });
    expect(thinkingTrouble(api, request, {})).toBeNull();
    expect(trouble('off')).toBe(found === 'off' ? null : `thinking off is frozen, the request asks for ${found}`);
    expect(trouble('high')).toBe(
      found === 'high' || found === 'on' ? null : `thinking high is frozen, the request asks for ${found}`,
    );
  });
});

test('what names a session or a user is no generation parameter', () => {
  const parameters = { temperature: 0, metadata: { user_id: 'x' }, prompt_cache_key: 'y', reasoning: { effort: 'low' } };
  expect(generationParameters({ parameters })).toEqual({ temperature: 0, reasoning: { effort: 'low' } });
});

test('changes are named with both values; the order of keys is none', () => {
  expect(changedParameters({ a: { x: 1, y: 2 } }, { a: { y: 2, x: 1 } })).toEqual([]);
  expect(changedParameters({ a: 1, b: null }, { b: 2, c: [1] })).toEqual([
    'a: 1, then not sent',
    'b: null, then 2',
    'c: not sent, then [1]',
  ]);
  expect(changedParameters({}, {})).toEqual([]);
});
