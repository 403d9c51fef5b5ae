import { describe, expect, it } from 'vitest';
import { type AttestationInput, attest } from '../src/attestation.js';
import type { CallRecord } from '../src/call-record.js';
import { piCatalogue } from '../src/catalogue.js';
import { deliveryOf, offeredSkills, promptPrefix } from '../src/delivery.js';
import { sha256 } from '../src/hash.js';
import type { ModelRequest } from '../src/model-call.js';

const skill = {
  name: 'one-line',
  description: 'Words a change as one line that a user of the program understands.',
  body: '\n# One line\n\nName what a user can do now that could not be done before.\n',
};
const prefix = promptPrefix([skill]);
const task = 'Announce: exports are faster.\n';
const entry = `<skill>\n<name>one-line</name>\n<description>${skill.description}</description>\n<location>/skills/one-line/SKILL.md</location></skill>`;

function attested(
  text: string,
  { system = 'You are an agent.', ...parts }: { system?: string } & Partial<AttestationInput> = {},
) {
  const request: ModelRequest = {
    model: 'm-1',
    parameters: {},
    system,
    tools: [{ name: 'bash', description: '', schema: {} }],
    turns: [{ role: 'user', text, toolCalls: [], toolResultFor: null }],
    stream: true,
  };
  return attest({
    calls: [{ record: { seq: 1, kind: 'model-call', model: 'm-1' } as CallRecord, request }],
    task,
    prefix,
    inPrompt: [skill],
    frozenModel: 'm-1',
    own: [],
    others: [],
    skillTools: [],
    catalogue: piCatalogue,
    ...parts,
  });
}

describe('an arm with deliver: prompt', () => {
  it('holds the body in the prompt, no catalogue entry, and the bytes of the same task', () => {
    expect(attested(prefix + task)).toMatchObject({
      problems: [],
      delivery: 'exact',
      deliveredTask: sha256(task),
      bodies: [{ skill: 'one-line', call: 1 }],
      inPrompt: ['one-line'],
      listed: [],
    });
  });

  it('has a short body as well: no passage of it is looked for', () => {
    const short = { ...skill, body: 'Be brief.\n' };
    const text = promptPrefix([short]);
    expect(attested(text + task, { inPrompt: [short], prefix: text })).toMatchObject({
      problems: [],
      bodies: [{ skill: 'one-line', call: 1 }],
    });
  });

  it('is invalid without the text, with another text, or with the text behind the task', () => {
    const missing = 'the text of one-line is not in front of the task';
    for (const text of [task, `${prefix.replace('One line', 'Two lines')}${task}`, `${task}${prefix}`])
      expect(attested(text).problems, text).toContain(missing);
  });

  it('is invalid where the skill is listed too', () => {
    expect(attested(prefix + task, { system: entry }).problems).toEqual([
      'one-line is in the prompt and listed as well, in request 1',
      'one-line, no skill of this arm, is listed in request 1',
    ]);
  });

  it('is invalid where the words behind the text are not the task', () => {
    expect(attested(`${prefix}${task}And be quick.\n`)).toMatchObject({
      delivery: 'different',
      problems: ['the task was delivered with other words than task.txt'],
    });
  });

  it('allows its text in no other arm', () => {
    const { problems } = attested(prefix + task, { prefix: '', inPrompt: [], others: [skill] });
    expect(problems).toEqual([
      'one-line reached the arm without it, in request 1',
      'the task was delivered with other words than task.txt',
    ]);
  });

  it('offers the agent nothing to load', () => {
    const lab = {
      experiment: { arms: { A: { skills: [] }, B: { skills: ['one-line'] }, C: { skills: ['one-line'], deliver: 'prompt' } } },
      cases: new Map([['case', {}]]),
      skills: new Map([['one-line', skill]]),
    } as never as Parameters<typeof deliveryOf>[0];
    expect(['A', 'B', 'C'].map((arm) => offeredSkills(lab, arm, 'case'))).toEqual([[], ['one-line'], []]);
    expect(['A', 'B', 'C'].map((arm) => deliveryOf(lab, arm, 'case').inPrompt)).toEqual([[], [], [skill]]);
  });
});
