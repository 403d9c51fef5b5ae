import { z } from 'zod';
import { Slug } from './case.js';

export const Api = z.enum(['openai-completions', 'anthropic-messages', 'openai-responses', 'google-generative-ai']);

/** Prices in USD per million tokens; without them no cost is known and no cost cap can hold. */
export const Prices = z.strictObject({
  input: z.number().nonnegative(),
  cached: z.number().nonnegative(),
  cache_write: z.number().nonnegative(),
  output: z.number().nonnegative(),
});

export const Model = z.strictObject({
  id: z.string().min(1),
  api: Api,
  /** The name of a script in the case's scripts folder: a SCRIPTED model, which measures nothing. */
  scripted: Slug.optional(),
  /** A provider or local server; /v1 included for the OpenAI-style APIs, /v1beta for Google's. */
  base_url: z.url().optional(),
  /** The environment variable that holds the key; leave out for a server that wants none. */
  key_env: z
    .string()
    .regex(/^[A-Z_][A-Z0-9_]*$/, 'the name of an environment variable')
    .optional(),
  parameters: z.strictObject({ thinking: z.enum(['off', 'minimal', 'low', 'medium', 'high', 'xhigh']).optional() }).default({}),
  prices: Prices.optional(),
});
export type Model = z.infer<typeof Model>;
