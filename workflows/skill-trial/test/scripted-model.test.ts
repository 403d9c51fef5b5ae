import { execFile, spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../src/clock.js';
import { SettingsError } from '../src/errors.js';
import { openGateway } from '../src/gateway.js';
import type { ModelRequest, Turn } from '../src/model-call.js';
import { choosePlan, loadScript, type Plan, type Script } from '../src/script.js';
import { startScriptedModel } from '../src/scripted-model.js';
import { nextTurn, scriptedUsage } from '../src/scripted-turn.js';
import { peakContext } from '../src/usage.js';
import { type WireApi, wireOf, wires } from '../src/wire.js';

const root = resolve(import.meta.dirname, '../../..');
const TASK = `Please review the function that adds two numbers, repair what you can confirm, add tests and say what you verified. ${'It matters. '.repeat(4)}`;
const QUESTION = 'Which agent skills are available to you in this session? List their names only.';

const plan = (response: string): Plan => ({
  title: response,
  turns: [
    { say: 'I look first.', actions: [{ do: 'read', path: 'src/add.js' }] },
    { say: '', actions: [{ do: 'write', path: 'src/add.js', content: 'export const add = (a, b) => a + b;\n' }] },
    { say: '', actions: [{ do: 'run', command: 'node --test' }] },
  ],
  response,
});
const script = (more: Partial<Script> = {}): Script => ({
  ...{ name: 's', title: 'S', load_skills: 'all', fault: null, sha256: '0'.repeat(64) },
  choose: [{ when: { loaded: ['careful-work'] }, plan: 'with' }, { plan: 'without' }],
  plans: { with: plan('with skills'), without: plan('without skills') },
  ...more,
});
const at = { repeat: 1, seed: 7 };

const tools = (...names: string[]) => names.map((name) => ({ name, description: '', schema: {} }));
const piTools = tools('read', 'bash', 'edit', 'write');
const catalogue =
  '<available_skills>\n  <skill>\n    <name>careful-work</name>\n    <description>Use for &lt;all&gt; work.</description>\n    <location>/s/careful-work/SKILL.md</location>\n  </skill>\n</available_skills>';
const skillText = '---\nname: careful-work\ndescription: Use for all work.\n---\n\nWork with care.';
const user = (text: string): Turn => ({ role: 'user', text, toolCalls: [], toolResultFor: null });
const assistant = (...toolCalls: Turn['toolCalls']): Turn => ({ role: 'assistant', text: '', toolCalls, toolResultFor: null });
const result = (text: string, id = 'c'): Turn => ({ role: 'tool', text, toolCalls: [], toolResultFor: id });
const request = (turns: Turn[], more: Partial<ModelRequest> = {}): ModelRequest => ({
  ...{ model: 'm', parameters: {}, system: 'Work.', tools: piTools, turns, stream: true },
  ...more,
});
const next = (turns: Turn[], more: Partial<ModelRequest> = {}, options: Partial<Script> = {}) =>
  nextTurn(request(turns, more), script(options), at);

describe('the course of a conversation', () => {
  test('with skills offered, it reads each SKILL.md first', () => {
    expect(next([user(TASK)], { system: catalogue })).toMatchObject({
      toolUses: [{ name: 'read', arguments: { path: '/s/careful-work/SKILL.md' } }],
    });
  });

  test('the plan follows from the skills whose text is in the context', () => {
    const after = [user(TASK), assistant(), result(skillText)];
    expect(next(after, { system: catalogue })).toMatchObject({ text: 'I look first.', toolUses: [{ name: 'read' }] });
    const end = [...after, assistant(), result('x'), assistant(), result('x'), assistant(), result('x')];
    expect(next(end, { system: catalogue })).toEqual({ fault: null, text: 'with skills', toolUses: [] });
    const unread = end.map((turn) => (turn.text === skillText ? result('ENOENT') : turn));
    expect(next(unread, { system: catalogue })).toMatchObject({ text: 'without skills' });
  });

  test('without skills offered, or where the script loads none, it begins the plan at once', () => {
    expect(next([user(TASK)])).toMatchObject({ text: 'I look first.' });
    expect(next([user(TASK)], { system: catalogue }, { load_skills: 'none' })).toMatchObject({ text: 'I look first.' });
    const end = [user(TASK), assistant(), assistant(), assistant()];
    expect(next(end)).toMatchObject({ text: 'without skills', toolUses: [] });
  });

  test('the question for the skills is answered with the catalogue, by no tool', () => {
    expect(next([user(QUESTION)], { system: catalogue })).toEqual({
      fault: null,
      text: 'These skills are available:\n- careful-work',
      toolUses: [],
    });
    expect(next([user(QUESTION)])).toMatchObject({ text: 'No skills are available.' });
    expect(nextTurn(request([user(QUESTION)]), script(), { ...at, diagnosticAnswer: 'All of them.' })).toMatchObject({
      text: 'All of them.',
    });
  });

  test('a short prompt, or a request without tools, is no task: it loads nothing', () => {
    expect(next([user('What is 6 times 7?')], { system: catalogue })).toEqual({ fault: null, text: '42', toolUses: [] });
    expect(next([user(TASK)], { tools: [], system: catalogue })).toMatchObject({ text: '42', toolUses: [] });
  });

  test('tools of no known agent are refused by name', () => {
    expect(() => next([user(TASK)], { tools: tools('fly') })).toThrow('fly');
  });

  test('a fault comes at its call and under its condition only', () => {
    const fault = { when: { loaded: ['careful-work'] }, at_call: 2, kind: 'hang' as const };
    expect(next([user(TASK)], { system: catalogue }, { fault }).fault).toBeNull();
    expect(next([user(TASK), assistant(), result(skillText)], { system: catalogue }, { fault }).fault).toEqual(fault);
    expect(next([user(TASK), assistant(), result('x')], {}, { fault }).fault).toBeNull();
  });
});

describe('dialects of tools', () => {
  const env = '<env>\nWorking directory: /workspace\n</env>';
  const listed =
    '<system-reminder>\nThe following skills are available for use with the Skill tool:\n\n- careful-work: Use for all work.\n</system-reminder>';

  test('Claude Code: skills by name, files by absolute path', () => {
    const claude = { tools: tools('Bash', 'Read', 'Write', 'Skill'), system: env };
    const prompt = user(`${listed}\n${TASK}`);
    expect(next([prompt], claude)).toMatchObject({ toolUses: [{ name: 'Skill', arguments: { skill: 'careful-work' } }] });
    const call = assistant({ id: 'c', name: 'Skill', arguments: { skill: 'careful-work' } });
    // The skill's text comes as a turn of the user's, and may itself ask which skills there are.
    const after = [
      prompt,
      call,
      result('Launching skill: careful-work'),
      user('Base directory …\nSay which agent skills you used.'),
    ];
    expect(next(after, claude)).toMatchObject({
      toolUses: [{ name: 'Read', arguments: { file_path: '/workspace/src/add.js' } }],
    });
    const failed = [
      prompt,
      call,
      result('<tool_use_error>Unknown skill</tool_use_error>'),
      assistant(),
      assistant(),
      assistant(),
    ];
    expect(next(failed, claude)).toMatchObject({ text: 'without skills' });
    expect(next([user(`${listed}\n${QUESTION}`)], claude)).toMatchObject({ text: 'These skills are available:\n- careful-work' });
  });

  test('Codex: everything through its shell', () => {
    const codex = {
      tools: tools('exec_command', 'write_stdin'),
      system:
        '### Skill roots\n- `r0` = `/s`\n### Available skills\n- careful-work: Use for all work. (file: r0/careful-work/SKILL.md)\n',
    };
    expect(next([user('<environment_context>/w</environment_context>'), user(TASK)], codex)).toMatchObject({
      toolUses: [{ name: 'exec_command', arguments: { cmd: "cat '/s/careful-work/SKILL.md'" } }],
    });
    const write = next([user(TASK), assistant(), result(`Output:\n${skillText}`), assistant()], codex);
    expect(write).toMatchObject({
      toolUses: [{ arguments: { cmd: "mkdir -p 'src' && printf '%s' 'export const add = (a, b) => a + b;\n' > 'src/add.js'" } }],
    });
  });

  test('skill text is found behind line numbers too', () => {
    const numbered = skillText.split('\n').map((line, index) => `${index + 1}\t${line}`);
    const end = [user(TASK), assistant(), result(numbered.join('\n')), assistant(), assistant(), assistant()];
    expect(next(end, { system: catalogue })).toMatchObject({ text: 'with skills' });
  });
});

describe('choice of a plan', () => {
  const choose = [{ when: { loaded: [], repeat: 2 }, plan: 'a' }, { when: { chance: 0.5 }, plan: 'b' }, { plan: 'c' }];
  const plans = { a: plan('a'), b: plan('b'), c: plan('c') };
  const of = (loaded: string[], repeat: number, seed: number) =>
    choosePlan(script({ choose, plans }), { loaded, told: '', repeat, seed }).title;

  test('an empty list of skills means none, a repeat means that one', () => {
    expect(of([], 2, 1)).toBe('a');
    expect(of(['x'], 2, 1)).not.toBe('a');
  });

  test('chance is drawn from seed and repeat: the same every time, and near its share', () => {
    const drawn = Array.from({ length: 400 }, (_, seed) => of(['x'], 1, seed));
    expect(drawn).toEqual(Array.from({ length: 400 }, (_, seed) => of(['x'], 1, seed)));
    const share = drawn.filter((title) => title === 'b').length / 400;
    expect(share).toBeGreaterThan(0.4);
    expect(share).toBeLessThan(0.6);
  });
});

test('usage follows from the request: the last call’s prompt is the cached part of this one', () => {
  const first = request([user(TASK)]);
  const second = request([user(TASK), assistant(), result('x'.repeat(100))]);
  const before = scriptedUsage(first, 'abcd');
  expect(before).toMatchObject({ inputCached: 0, output: 1, reasoning: null });
  expect(scriptedUsage(second, 'abcd').inputCached).toBe(before.inputTotal);
  expect(scriptedUsage(second, 'abcd')).toEqual(scriptedUsage(second, 'abcd'));
});

let dir: string;
let disposals: (() => Promise<unknown>)[];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'scripted-'));
  disposals = [() => rm(dir, { recursive: true, force: true })];
});
afterEach(async () => {
  for (const dispose of disposals.reverse()) await dispose();
});

async function put(path: string, text: string) {
  await mkdir(dirname(join(dir, path)), { recursive: true });
  await writeFile(join(dir, path), text);
}

describe('scripts on disk', () => {
  beforeEach(async () => {
    await put('s.yaml', 'schema_version: 1\ntitle: S\nload_skills: all\nchoose:\n  - plan: p\nfault: null\n');
    await put(
      'plans/p/plan.yaml',
      'schema_version: 1\ntitle: P\nturns:\n  - {say: Hm, run: [npm test], write: [a/b.txt], read: [x, y]}\nresponse: response.md\n',
    );
    await put('plans/p/files/a/b.txt', 'B\n');
    await put('plans/p/response.md', 'Done.\n');
  });

  test('a turn of several kinds becomes one turn a kind: read, write, run', async () => {
    const { plans, sha256 } = await loadScript(dir, 's');
    expect(plans.p).toEqual({
      title: 'P',
      turns: [
        {
          say: 'Hm',
          actions: [
            { do: 'read', path: 'x' },
            { do: 'read', path: 'y' },
          ],
        },
        { say: '', actions: [{ do: 'write', path: 'a/b.txt', content: 'B\n' }] },
        { say: '', actions: [{ do: 'run', command: 'npm test' }] },
      ],
      response: 'Done.',
    });
    await put('plans/p/files/a/b.txt', 'C\n');
    expect((await loadScript(dir, 's')).sha256).not.toBe(sha256);
  });

  test.each([
    ['an unknown key', 's.yaml', 'schema_version: 1\ntitle: S\nload_skils: all\nchoose: [{plan: p}]\nfault: null\n', /load_skil/],
    [
      'no last resort',
      's.yaml',
      'schema_version: 1\ntitle: S\nload_skills: all\nchoose: [{plan: p, when: {repeat: 1}}]\nfault: null\n',
      /choose[\s\S]*without "when"/,
    ],
    [
      'a plan that is not there',
      's.yaml',
      'schema_version: 1\ntitle: S\nload_skills: all\nchoose: [{plan: q}]\nfault: null\n',
      /q[\s\S]*no such file/,
    ],
    [
      'a path out of the workspace',
      'plans/p/plan.yaml',
      'schema_version: 1\ntitle: P\nturns: [{read: [../x]}]\nresponse: response.md\n',
      /read\.0[\s\S]*below the workspace/,
    ],
    [
      'a file that is not there',
      'plans/p/plan.yaml',
      'schema_version: 1\ntitle: P\nturns: [{write: [z]}]\nresponse: response.md\n',
      /files\/z[\s\S]*no such file/,
    ],
    ['an empty answer', 'plans/p/response.md', '\n', /is empty/],
  ])('%s is an error that names it', async (_, path, text, message) => {
    await put(path, text);
    const error = await loadScript(dir, 's').catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(SettingsError);
    expect((error as Error).message).toMatch(message);
  });

  test('the bundled scripts of the inventory case load', async () => {
    for (const name of ['b-better', 'b-worse', 'equal', 'never-activates', 'times-out']) {
      expect((await loadScript(join(root, 'data/cases/inventory/scripts'), name)).name).toBe(name);
    }
  });
});

async function start(more: Partial<Script> = {}) {
  const model = await startScriptedModel({ script: script(more), ...at });
  disposals.push(() => model.close());
  return model;
}

/** The smallest task in each dialect. */
const bodies: Record<WireApi, object> = {
  'openai-completions': {
    messages: [{ role: 'user', content: TASK }],
    tools: [{ type: 'function', function: { name: 'read' } }],
  },
  'anthropic-messages': { messages: [{ role: 'user', content: TASK }], tools: [{ name: 'read', input_schema: {} }] },
  'openai-responses': { input: TASK, tools: [{ type: 'function', name: 'read' }] },
  'google-generative-ai': {
    contents: [{ role: 'user', parts: [{ text: TASK }] }],
    tools: [{ functionDeclarations: [{ name: 'read' }] }],
  },
};
const paths: Record<WireApi, (stream: boolean) => string> = {
  'openai-completions': () => '/v1/chat/completions',
  'anthropic-messages': () => '/v1/messages',
  'openai-responses': () => '/v1/responses',
  'google-generative-ai': (stream) => `/v1beta/models/m:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
};

describe.each(wires.map((wire) => [wire.api, wire] as const))('the server in %s', (api, wire) => {
  const ask = (baseUrl: string, stream: boolean, signal?: AbortSignal) =>
    fetch(baseUrl + paths[api](stream), {
      method: 'POST',
      body: JSON.stringify({ model: 'm', ...bodies[api], stream }),
      ...(signal ? { signal } : {}),
    });

  test.each([true, false])('answers a task (stream: %s)', async (stream) => {
    const model = await start();
    const answer = await ask(model.baseUrl, stream);
    const read = wire.readResponse(new Uint8Array(await answer.arrayBuffer()), answer.headers.get('content-type') ?? '');
    expect(read).toMatchObject({
      model: 'm',
      text: 'I look first.',
      toolCalls: [{ name: 'read', arguments: { path: 'src/add.js' } }],
      complete: true,
    });
    expect(read.usage?.inputCached).toBe(0);
    expect(model.requests()).toBe(1);
  });

  test('a status fault answers that status with an error of the dialect', async () => {
    const model = await start({ fault: { at_call: 1, kind: 'status', status: 529 } });
    const answer = await ask(model.baseUrl, true);
    expect(answer.status).toBe(529);
    expect(wire.readResponse(new Uint8Array(await answer.arrayBuffer()), 'application/json').error).toContain('scripted fault');
  });

  test.each([true, false])('a malformed answer cannot be read (stream: %s)', async (stream) => {
    const model = await start({ fault: { at_call: 1, kind: 'malformed' } });
    const answer = await ask(model.baseUrl, stream);
    const read = wire.readResponse(new Uint8Array(await answer.arrayBuffer()), answer.headers.get('content-type') ?? '');
    expect(read.complete).toBe(false);
    expect(read.error).toContain('unreadable');
  });

  test.each([true, false])('a disconnect breaks the answer off (stream: %s)', async (stream) => {
    const model = await start({ fault: { at_call: 1, kind: 'disconnect' } });
    const answer = await ask(model.baseUrl, stream);
    expect(answer.status).toBe(200);
    await expect(answer.arrayBuffer()).rejects.toThrow();
  });

  test('a hang ends when the server is closed, not before', async () => {
    const model = await start({ fault: { at_call: 1, kind: 'hang' } });
    let settled = false;
    const answer = ask(model.baseUrl, true).then(
      () => 'answered',
      () => 'dropped',
    );
    answer.finally(() => {
      settled = true;
    });
    // A second request answered on its own shows that the first had its turn.
    await (await fetch(`${model.baseUrl}/v1/models`)).text();
    expect(settled).toBe(false);
    await model.close();
    expect(await answer).toBe('dropped');
  });

  test('a request that it cannot read is a 400 of the dialect', async () => {
    const model = await start();
    const answer = await fetch(model.baseUrl + paths[api](true), { method: 'POST', body: '{}' });
    expect(answer.status).toBe(400);
  });
});

test('the server lists models, counts tokens and refuses other paths', async () => {
  const model = await start();
  expect(await (await fetch(`${model.baseUrl}/v1/models`)).json()).toMatchObject({ object: 'list' });
  const count = await fetch(`${model.baseUrl}/v1/messages/count_tokens`, {
    method: 'POST',
    body: JSON.stringify({ model: 'm', ...bodies['anthropic-messages'] }),
  });
  expect(((await count.json()) as { input_tokens: number }).input_tokens).toBeGreaterThan(0);
  const google = await fetch(`${model.baseUrl}/v1beta/models/m:countTokens`, {
    method: 'POST',
    body: JSON.stringify(bodies['google-generative-ai']),
  });
  expect(((await google.json()) as { totalTokens: number }).totalTokens).toBeGreaterThan(0);
  expect((await fetch(`${model.baseUrl}/v1/files`)).status).toBe(404);
  expect(model.requests()).toBe(0);
});

describe('the real pi, through the gateway', () => {
  const cli = join(root, 'node_modules/@mariozechner/pi-coding-agent/dist/cli.js');

  async function runPi(api: WireApi, gatewayUrl: string, workspace: string, prompt: string, skills: string[]) {
    const home = join(dir, 'home');
    await mkdir(home, { recursive: true });
    const cost = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
    const providers = { lab: { baseUrl: gatewayUrl, apiKey: 'dummy', api, models: [{ id: 'scripted-1', cost }] } };
    await writeFile(join(home, 'models.json'), JSON.stringify({ providers }));
    const off = ['--no-context-files', '--no-extensions', '--no-prompt-templates', '--no-themes', '--no-skills'];
    const on = skills.flatMap((skill) => ['--skill', join(root, 'skills-src', skill)]);
    const child = spawn(
      process.execPath,
      [cli, '-p', '--mode', 'json', '--no-session', '--provider', 'lab', '--model', 'scripted-1', ...off, ...on],
      {
        cwd: workspace,
        env: { PATH: process.env.PATH, HOME: home, TMPDIR: dir, PI_CODING_AGENT_DIR: home, PI_OFFLINE: '1', PI_TELEMETRY: '0' },
        stdio: ['pipe', 'pipe', 'inherit'],
      },
    );
    disposals.push(async () => child.kill('SIGKILL'));
    child.stdin.end(prompt);
    let output = '';
    for await (const chunk of child.stdout) output += chunk;
    const events = output
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
    return events
      .filter((event) => event.type === 'message_end' && event.message.role === 'assistant')
      .map((event) => event.message);
  }

  test.each(
    wires.flatMap(
      ({ api }) =>
        [
          [api, 'A', [], 'quick'],
          [api, 'B', ['behavior-test-design', 'contract-doc-sync', 'evidence-code-review'], 'thorough'],
        ] as const,
    ),
  )(
    '%s, mode %s: the plan is carried out, every call is recorded, and its figures are the agent’s own',
    async (api, _mode, skills, planName) => {
      const data = join(root, 'data/cases/inventory');
      const script = await loadScript(join(data, 'scripts'), 'b-better');
      const workspace = join(dir, 'workspace');
      await cp(join(data, 'repo'), workspace, { recursive: true });
      await promisify(execFile)('git', ['init', '-q', workspace]);
      const model = await startScriptedModel({ script, repeat: 1, seed: 1 });
      disposals.push(() => model.close());
      const record = join(dir, 'record');
      const gateway = await openGateway({
        upstream: { baseUrl: model.baseUrl, api, key: 'sk-real-key' },
        ...{
          listen: { host: '127.0.0.1', port: 0 },
          dir: record,
          budget: { modelCalls: 50 },
          frozen: { model: 'scripted-1' },
          clock: systemClock,
        },
      });
      disposals.push(() => gateway.close());
      const messages = await runPi(api, gateway.url ?? '', workspace, await readFile(join(data, 'task.txt'), 'utf8'), [
        ...skills,
      ]);
      await gateway.close();

      const chosen = script.plans[planName] as Plan;
      expect(messages.at(-1).content.findLast((part: { type: string }) => part.type === 'text').text).toBe(chosen.response);
      for (const action of chosen.turns.flatMap((turn) => turn.actions)) {
        if (action.do === 'write') expect(await readFile(join(workspace, action.path), 'utf8')).toBe(action.content);
      }
      const calls = gateway.calls();
      expect(calls).toHaveLength(chosen.turns.length + 1 + (skills.length > 0 ? 1 : 0));
      expect(calls.map((call) => [call.error, call.complete, call.api])).toEqual(calls.map(() => [null, true, api]));
      const own = messages.map(({ usage }) => [usage.input, usage.cacheRead, usage.output]);
      expect(calls.map(({ usage }) => [usage?.inputUncached, usage?.inputCached, usage?.output])).toEqual(own);
      expect(peakContext(calls.map((call) => call.usage))).toBeGreaterThan(1000);
      expect(gateway.url?.endsWith(wireOf(api).basePath)).toBe(true);
    },
    60_000,
  );
});
