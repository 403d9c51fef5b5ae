import { describe, expect, test } from 'vitest';
import { type AttestationInput, attest } from '../src/attestation.js';
import type { CallRecord } from '../src/call-record.js';
import { claudeCodeCatalogue, codexCatalogue, piCatalogue } from '../src/catalogue.js';
import { sha256 } from '../src/hash.js';
import type { ModelRequest, Turn } from '../src/model-call.js';
import { requestKinds } from '../src/request-kind.js';

const fix = {
  name: 'fix',
  description: 'Mends a defect together with the test that shows it.',
  body: '# Fix\n\n- Begin with a test that fails for the reason that was reported, and only then mend.\n- Short.\n',
};
const doc = { name: 'doc-sync', description: 'Holds a text against the code it speaks of.', body: '' };
const task = 'Please fix the service.\n';
const turn = (role: Turn['role'], text: string): Turn => ({
  role,
  text,
  toolCalls: [],
  toolResultFor: role === 'tool' ? 'call-1' : null,
});
const tool = (name: string, description = '') => ({ name, description, schema: {} });
const catalogue = `<skills>\n<skill><name>fix</name><description>${fix.description}</description></skill>\n<skill><name>doc-sync</name><description>${doc.description}</description></skill></skills>`;

function request(parts: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: 'm-1',
    parameters: { temperature: 0 },
    system: 'You are an agent.',
    tools: [tool('bash')],
    turns: [turn('user', task)],
    stream: true,
    ...parts,
  };
}
const judge = (
  requests: (ModelRequest | null)[],
  {
    skills = [fix, doc],
    intended = [],
    ...parts
  }: Partial<AttestationInput> & { skills?: (typeof fix)[]; intended?: string[] } = {},
) =>
  attest({
    calls: requests.map((one, index) => ({
      record: { seq: index + 1, kind: 'model-call', model: one?.model ?? 'm-1' } as CallRecord,
      request: one,
    })),
    task,
    frozenModel: 'm-1',
    own: skills.filter(({ name }) => intended.includes(name)),
    others: skills.filter(({ name }) => !intended.includes(name)),
    skillTools: ['skill'],
    catalogue: piCatalogue,
    ...parts,
  });
const inB = (requests: ModelRequest[]) => judge(requests, { intended: ['fix', 'doc-sync'] });

describe('two skills of one name', () => {
  const placebo = { name: 'fix', description: 'The calm river rests below the pale hill at dusk.', body: '' };
  const older = { ...fix, body: `${fix.body}- An older line that has been taken out since, for it helped nobody.\n` };
  const listing = (of: typeof fix) =>
    request({ system: `<skills><skill><name>fix</name><description>${of.description}</description></skill></skills>` });

  test('the arm that has one may not see the other, though both are called the same', () => {
    expect(judge([listing(placebo)], { own: [placebo], others: [fix] })).toMatchObject({ listed: ['fix'], problems: [] });
    expect(judge([listing(fix)], { own: [placebo], others: [fix] }).problems).toEqual([
      'fix is not listed in request 1',
      'fix reached the arm without it, in request 1',
    ]);
  });

  test('what both say is no sign of the other; a line of the other alone is', () => {
    const read = (of: typeof fix) => [{ ...listing(fix), turns: [turn('user', task), turn('tool', of.body)] }];
    expect(judge(read(fix), { own: [fix], others: [older] }).problems).toEqual([]);
    expect(judge(read(older), { own: [fix], others: [older] }).problems).toEqual([
      'fix reached the arm without it, in request 1',
    ]);
  });
});

describe('text that moved between SKILL.md and a file beside it from one version to the next', () => {
  const line = '- Ask who calls it, and read each caller before a single line of it is changed.\n';
  const file = (path: string, text: string) => ({ path, mode: '100644' as const, content: Buffer.from(text) });
  const short = { ...fix, files: [file('SKILL.md', fix.body), file('references/callers.md', line)] };
  const long = { ...fix, body: fix.body + line, files: [file('SKILL.md', fix.body + line)] };
  const read = request({
    system: `<skills><skill><name>fix</name><description>${fix.description}</description></skill></skills>`,
    turns: [turn('user', task), turn('tool', fix.body), turn('tool', line)],
  });

  test('is known to both: neither makes the other’s trial invalid', () => {
    expect(judge([read], { own: [short], others: [long] }).problems).toEqual([]);
    expect(judge([read], { own: [long], others: [short] }).problems).toEqual([]);
  });

  test('is a leak in an arm that has neither', () => {
    expect(judge([read], { own: [], others: [long] }).problems).toContain('fix reached the arm without it, in request 1');
  });
});

describe('the arm without skills', () => {
  test('a skill called "fix" does not trip over the ordinary word', () => {
    expect(judge([request({ system: 'Fix what you find. A fix needs a test.' })])).toMatchObject({
      problems: [],
      listed: [],
      bodies: [],
    });
  });

  test.each<[string, Partial<ModelRequest>]>([
    ['its catalogue entry in the system text', { system: catalogue }],
    ['its catalogue entry in a tool description', { tools: [tool('skill', catalogue)] }],
    ['its description in the system text', { system: `Hint: ${fix.description}` }],
    ['its description in a tool schema', { tools: [{ name: 'x', description: '', schema: { description: fix.description } }] }],
    ['its description in other white space and case', { system: fix.description.toUpperCase().replace(' ', '\n  ') }],
    ['its description in a user turn', { turns: [turn('user', task), turn('user', fix.description)] }],
    ['its description in a tool result', { turns: [turn('user', task), turn('tool', `SKILL: ${fix.description}`)] }],
    ['a passage of its body in a tool result', { turns: [turn('user', task), turn('tool', fix.body)] }],
    ['a passage of its body in a user turn', { turns: [turn('user', task), turn('user', fix.body)] }],
    ['a passage of its body in the system text', { system: fix.body.replaceAll('\n', ' ') }],
  ])('%s makes the trial invalid', (_what, parts) => {
    expect(judge([request(), request(parts)]).problems).toContain('fix reached the arm without it, in request 2');
  });

  test.each<[string, string]>([
    ['the description', fix.description],
    ['a passage of the body', fix.body],
    ['a catalogue entry', catalogue],
  ])("%s in the model's own words does not", (_what, text) => {
    expect(judge([request({ turns: [turn('user', task), turn('assistant', text)] })])).toMatchObject({
      problems: [],
      bodies: [],
    });
  });

  test('a leak in a request without tools is found too', () => {
    expect(judge([request(), request({ tools: [], system: fix.description })]).problems).toHaveLength(1);
  });

  test('short lines of a body stand in other texts too and prove nothing', () => {
    expect(judge([request({ system: 'Short.' })]).problems).toEqual([]);
  });
});

describe('the arm with skills', () => {
  test('listed in every main request: valid', () => {
    expect(inB([request({ system: catalogue }), request({ system: catalogue })])).toMatchObject({
      problems: [],
      listed: ['fix', 'doc-sync'],
      mainRequests: 2,
    });
  });

  test('missing in one main request is a problem that names it', () => {
    const result = inB([request({ system: catalogue }), request()]);
    expect(result.problems).toEqual(['fix is not listed in request 2', 'doc-sync is not listed in request 2']);
    expect(result.listed).toEqual([]);
  });

  test('missing in a request without tools (a title, a summary) is none', () => {
    expect(inB([request({ system: catalogue }), request({ tools: [] })]).problems).toEqual([]);
  });

  test('entities and line breaks of an XML catalogue are evened out', () => {
    const quoted = { ...fix, description: 'Says "why" & <when>,\nthen mends.' };
    const system = '<name>fix</name><description>Says &quot;why&quot; &amp; &lt;when&gt;, then   mends.</description>';
    expect(judge([request({ system })], { skills: [quoted], intended: ['fix'] }).listed).toEqual(['fix']);
  });

  test('a list in a user turn of its own counts, one in a tool result does not', () => {
    expect(inB([request({ turns: [turn('user', task), turn('user', catalogue)] })]).problems).toEqual([]);
    expect(inB([request({ turns: [turn('user', task), turn('tool', catalogue)] })]).problems).toHaveLength(2);
  });

  test('a description without the name as a word of its own is no entry', () => {
    const system = `<skill>prefix-fix2 ${fix.description}</skill>`;
    expect(judge([request({ system })], { skills: [fix], intended: ['fix'] }).problems).toEqual([
      'fix is not listed in request 1',
    ]);
  });

  test('the first request that holds a body is named', () => {
    const first = request({ system: catalogue });
    const second = request({ system: catalogue, turns: [turn('user', task), turn('tool', fix.body)] });
    expect(inB([first, second, second]).bodies).toEqual([{ skill: 'fix', call: 2 }]);
  });

  test('one skill of two: the other must not be there', () => {
    const result = judge([request({ system: catalogue })], { intended: ['fix'] });
    expect(result.problems).toEqual(['doc-sync reached the arm without it, in request 1']);
  });
});

describe('skills that no one expected', () => {
  const foreign = { name: 'decoy', location: '/x/decoy/SKILL.md' };
  const listings: [string, AttestationInput['catalogue'], Partial<ModelRequest>][] = [
    [
      'pi',
      piCatalogue,
      { system: '<skill>\n<name>decoy</name>\n<description>x</description>\n<location>/x/decoy/SKILL.md</location>\n</skill>' },
    ],
    [
      'Claude Code, in the system text',
      claudeCodeCatalogue,
      { system: 'The following skills are available for use with the Skill tool:\n\n- decoy: x\n\n# Environment\n' },
    ],
    [
      'Claude Code, by name alone in a reminder',
      claudeCodeCatalogue,
      {
        turns: [
          turn('user', task),
          turn('user', '<system-reminder>\nThe following skills are available:\n- decoy\n</system-reminder>'),
        ],
      },
    ],
    [
      'Codex',
      codexCatalogue,
      { system: '### Skill roots\n- `r0` = `/x`\n### Available skills\n- decoy: x (file: r0/decoy/SKILL.md)\n' },
    ],
  ];

  test.each(listings)('%s lists one: the problem names it and the first request', (_agent, catalogue, parts) => {
    expect(catalogue(request(parts)).map((entry) => entry.name)).toEqual([foreign.name]);
    const { problems } = judge([request(), request(parts), request(parts)], { catalogue });
    expect(problems).toEqual(['decoy, no skill of this arm, is listed in request 2']);
  });

  test.each(listings)('%s lists one that the arm has: none', (_agent, catalogue, parts) => {
    const { problems } = judge([request(parts)], { catalogue, own: [{ ...foreign, description: 'x', body: '' }], others: [] });
    expect(problems.filter((text) => text.includes('no skill of this arm'))).toEqual([]);
  });

  test('one of the experiment that the arm has not, with another description, is found by its name', () => {
    const system = '<skill><name>fix</name><description>y</description><location>/x/fix/SKILL.md</location></skill>';
    expect(judge([request({ system })]).problems).toEqual(['fix, no skill of this arm, is listed in request 1']);
  });

  test('a nested skill of Claude Code carries its folder', () => {
    const text = 'The following skills are now available:\n- pkg/api:decoy: x\n- decoy: y: z\n';
    expect(claudeCodeCatalogue(request({ system: text })).map((entry) => entry.name)).toEqual(['pkg/api:decoy', 'decoy']);
  });
});

describe('forbidden marks', () => {
  const forbidden = [
    { name: 'canary-1', texts: ['Harbour-Light 1', 'other'] },
    { name: 'canary-2', texts: ['never'] },
  ];

  test.each<[string, Partial<ModelRequest>]>([
    ['system text', { system: 'a harbour-light\n 1 b' }],
    ['a tool schema', { tools: [{ name: 'x', description: '', schema: { title: 'harbour-light 1' } }] }],
    ['a user turn', { turns: [turn('user', task), turn('user', 'HARBOUR-LIGHT 1')] }],
    ['a tool result', { turns: [turn('user', task), turn('tool', 'harbour-light 1')] }],
  ])('in %s is a problem that names it', (_where, parts) => {
    const { problems, forbidden: seen } = judge([request(), request(parts)], { forbidden });
    expect(problems).toEqual(['canary-1 reached the model, in request 2']);
    expect(seen).toEqual([
      { name: 'canary-1', call: 2 },
      { name: 'canary-2', call: null },
    ]);
  });

  test("in the model's own words is none", () => {
    expect(
      judge([request({ turns: [turn('user', task), turn('assistant', 'harbour-light 1')] })], { forbidden }).problems,
    ).toEqual([]);
  });
});

describe('the other conditions', () => {
  test('no request at all proves nothing', () => {
    expect(judge([])).toMatchObject({
      problems: [expect.stringContaining('no request reached the model')],
      delivery: 'none',
      deliveredTask: null,
      tools: null,
    });
  });

  test('a request that cannot be read is a problem', () => {
    expect(judge([request(), null]).problems).toContain('1 requests cannot be read');
  });

  test('another model is a problem that names both', () => {
    expect(judge([request(), request({ model: 'm-2' })]).problems).toEqual(['model m-2 was asked for, m-1 is frozen']);
  });

  test('parameters that change within the trial are a problem', () => {
    expect(judge([request(), request({ parameters: { temperature: 1 } })]).problems).toEqual([
      'the generation parameters changed within the trial, in request 2 (temperature: 0, then 1)',
    ]);
  });

  test('a main request below the frozen level of thinking is a problem; a title request is none', () => {
    const calls = (parameters: Record<string, unknown>[]) =>
      parameters.map((one, index) => ({
        record: { seq: index + 1, kind: 'model-call', model: 'm-1', api: 'openai-completions' } as CallRecord,
        request: request({ parameters: one, tools: index === 0 ? [] : [tool('bash')] }),
      }));
    const frozen = { frozenParameters: { thinking: 'high' as const } };
    expect(judge([], { calls: calls([{}, { reasoning_effort: 'high' }]), ...frozen }).problems).toEqual([]);
    expect(judge([], { calls: calls([{}, { reasoning_effort: 'low' }]), ...frozen }).problems).toEqual([
      'thinking high is frozen, the request asks for low, in request 2',
    ]);
  });

  test('the order of parameters is no change', () => {
    const [one, two] = [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ];
    expect(judge([request({ parameters: one }), request({ parameters: two })]).problems).toEqual([]);
  });

  test.each<[string, string, number]>([
    ['exact', task, 0],
    ['trimmed', task.trim(), 0],
    ['different', `${task}Use what you know.\n`, 1],
    ['different', task.replace('fix', 'Fix'), 1],
  ])('the task is delivered %s', (delivery, text, problems) => {
    const result = judge([request({ turns: [turn('user', text)] })]);
    expect(result).toMatchObject({ delivery, deliveredTask: sha256(text) });
    expect(result.problems).toHaveLength(problems);
  });

  test("the skill mechanism's own tool is no difference between the arms", () => {
    const [without, having] = [request(), request({ tools: [tool('bash'), tool('skill', catalogue)], system: catalogue })];
    expect(inB([having]).tools).toBe(judge([without]).tools);
    expect(judge([request({ tools: [tool('bash'), tool('web')] })]).tools).not.toBe(judge([without]).tools);
  });

  test('side requests count for nothing', () => {
    const result = attest({
      calls: [
        { record: { seq: 1, kind: 'side-request', model: null } as CallRecord, request: null },
        { record: { seq: 2, kind: 'model-call', model: 'm-1' } as CallRecord, request: request() },
      ],
      task,
      frozenModel: 'm-1',
      own: [],
      others: [fix],
      skillTools: [],
      catalogue: piCatalogue,
    });
    expect(result.problems).toEqual([]);
  });
});

describe('what a request is for', () => {
  const loop = request();
  const title = request({ tools: [], system: 'You write titles.', turns: [turn('user', task)] });
  const sub = request({ system: 'You are a searcher.', turns: [turn('user', 'What is in the folder?')] });
  const compacted = request({ turns: [turn('user', 'A summary of what was done.')] });
  const firstDay = request({ system: 'Today is the 1st.' });
  const nextDay = request({ system: 'Today is the 2nd.' });
  const reminded = request({ turns: [turn('user', `<system-reminder>\nBe brief.\n</system-reminder>\n${task}`)] });

  test.each<[string, ModelRequest[], string[]]>([
    ['nothing', [], []],
    ['a title first, then the loop', [title, loop, loop], ['side', 'main', 'main']],
    ['a sub-agent between', [loop, sub, loop], ['main', 'sub-agent', 'main']],
    ['a sub-agent seen before the loop', [sub, loop], ['sub-agent', 'main']],
    ['a loop whose conversation was compacted', [loop, compacted], ['main', 'main']],
    ['a date that changed in the system text', [firstDay, nextDay], ['main', 'main']],
    ['the task with a reminder around it', [reminded, loop], ['main', 'main']],
    ['the same task under another role: in doubt the loop', [loop, request({ system: 'You are a helper.' })], ['main', 'main']],
    ['a task that no request delivers', [compacted, sub], ['main', 'sub-agent']],
  ])('%s', (_what, requests, kinds) => {
    expect(requestKinds(requests, task)).toEqual(kinds);
    if (requests.length > 0) expect(judge(requests).requests).toEqual(kinds.map((kind, index) => ({ call: index + 1, kind })));
  });

  test('the loop must list the skills, a sub-agent need not', () => {
    const listing = request({ system: catalogue });
    expect(inB([listing, { ...sub, system: 'You are a searcher.' }, title])).toMatchObject({ problems: [], mainRequests: 1 });
    expect(inB([listing, sub, request({ system: `${catalogue} Later.`.replace(doc.description, '') })]).problems).toEqual([
      'doc-sync is not listed in request 3',
    ]);
  });

  test.each<[string, ModelRequest]>([
    ['a sub-agent', { ...sub, system: `You are a searcher. ${catalogue}` }],
    ['a side request', { ...title, system: catalogue }],
  ])('in the arm without skills %s must list none', (_who, one) => {
    expect(judge([loop, one]).problems).toContain('fix reached the arm without it, in request 2');
  });

  test('a sub-agent must not list a skill that the arm does not have', () => {
    const foreign = '<skill><name>stray</name><description>d</description><location>/s/stray/SKILL.md</location></skill>';
    const { problems } = inB([request({ system: catalogue }), { ...sub, system: `You are a searcher. ${foreign}` }]);
    expect(problems).toEqual(['stray, no skill of this arm, is listed in request 2']);
  });
});
