import { describe, expect, test } from 'vitest';
import { agents } from '../src/agent.js';
import type { Case } from '../src/case.js';
import { SettingsError } from '../src/errors.js';
import type { Experiment } from '../src/experiment.js';
import type { Lab } from '../src/lab.js';
import type { Skill } from '../src/skill.js';
import { validateLab } from '../src/validation.js';
import { failure } from './fixture.js';

/** A lab as far as the first check goes: one case with that prompt, and arms that give nothing, or a skill in front of the prompt. */
function lab(agent: string, prompt: string, inPrompt?: string): Lab {
  const one = { name: 'big', taskBytes: Buffer.from(prompt) } as Case;
  const skill = { name: 'tea', body: inPrompt } as Skill;
  return {
    agent: agents.find(({ name }) => name === agent),
    cases: new Map([['big', one]]),
    experiment: {
      arms: { A: { skills: [] }, B: inPrompt === undefined ? { skills: [] } : { skills: ['tea'], deliver: 'prompt' } },
    } as unknown as Experiment,
    skills: new Map([['tea', skill]]),
  } as Lab;
}
/** The error of the check of prompts, or null where another check comes first to complain of so small a lab. */
const refused = async (...parts: Parameters<typeof lab>) =>
  validateLab(lab(...parts)).then(
    () => null,
    (error: unknown) => (error instanceof SettingsError && error.message.includes('too long') ? error : null),
  );

describe('a prompt that an agent does not take is refused before any run', () => {
  test.each([
    ['codex', 1_048_576],
    ['claude-code', 2_500_000],
    ['gemini-cli', 4_000_000],
  ])('%s takes %i characters, and not one more', async (agent, most) => {
    expect(await refused(agent, 'x'.repeat(most))).toBeNull();
    const error = await failure(SettingsError, () => validateLab(lab(agent, 'x'.repeat(most + 1))));
    expect(error.message).toContain(`The prompt of case big is too long for ${agent}`);
    expect(error.message).toContain(`at most ${most.toLocaleString('en')} characters`);
    expect(error.next).toMatch(/put the long part into a file .* choose another agent: pi, opencode$/);
  });

  test('characters are code points, not the halves that a text is stored in', async () => {
    expect(await refused('codex', '🍵'.repeat(1_048_576))).toBeNull();
    expect(await refused('codex', '🍵'.repeat(1_048_577))).not.toBeNull();
  });

  test('the text of a skill that stands in front counts too, and the arm is named', async () => {
    const error = await refused('codex', 'x'.repeat(1_048_570), 'Write about tea.');
    expect(error?.message).toContain('in arm B');
  });

  test('pi and opencode take 5 MiB', async () => {
    for (const agent of ['pi', 'opencode']) expect(await refused(agent, 'x'.repeat(5 << 20))).toBeNull();
  });
});
