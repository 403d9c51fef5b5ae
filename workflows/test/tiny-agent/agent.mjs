// A whole coding agent in one file, for the tests of `agent.command`: node agent.mjs --model M --url URL [--skills FOLDER], prompt on
// standard input. It speaks chat completions, has three tools, and prints the lab's own events.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const option = (name) => (process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : null);
const say = (event) => console.log(JSON.stringify({ at: new Date().toISOString(), ...event }));

const folder = option('--skills');
const skills = (folder === null ? [] : readdirSync(folder)).map((name) => {
  const location = join(folder, name, 'SKILL.md');
  const description = /^description: *(.*)$/m.exec(readFileSync(location, 'utf8'))?.[1] ?? '';
  return `<skill><name>${name}</name><description>${description}</description><location>${location}</location></skill>`;
});
const system = ['You are a small agent.', ...(skills.length === 0 ? [] : ['Read a skill before you follow it.', ...skills])].join(
  '\n',
);

const tools = {
  read: { properties: { path: { type: 'string' } }, run: ({ path }) => readFileSync(path, 'utf8') },
  write: {
    properties: { path: { type: 'string' }, content: { type: 'string' } },
    run({ path, content }) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
      return 'written';
    },
  },
  bash: {
    properties: { command: { type: 'string' } },
    run: ({ command }) => execFileSync('bash', ['-c', command], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }),
  },
};
const offered = Object.entries(tools).map(([name, { properties }]) => ({
  type: 'function',
  function: { name, description: `The tool ${name}`, parameters: { type: 'object', properties } },
}));

const messages = [
  { role: 'system', content: system },
  { role: 'user', content: readFileSync(0, 'utf8') },
];
for (;;) {
  const answer = await fetch(`${option('--url')}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${process.env.AGENT_KEY}` },
    body: JSON.stringify({ model: option('--model'), messages, tools: offered }),
  });
  const body = await answer.json();
  if (!answer.ok) {
    say({ type: 'error', message: body.error?.message ?? `status ${answer.status}` });
    process.exit(1);
  }
  const { message } = body.choices[0];
  const { prompt_tokens: all, completion_tokens: output, prompt_tokens_details: details } = body.usage;
  const cached = details.cached_tokens;
  say({ type: 'model', model: body.model, input_uncached: all - cached, input_cached: cached, cache_creation: 0, output });
  messages.push(message);
  if (!message.tool_calls) {
    say({ type: 'answer', text: message.content });
    break;
  }
  for (const call of message.tool_calls) {
    const input = JSON.parse(call.function.arguments);
    let result = '';
    let failed = false;
    try {
      result = tools[call.function.name].run(input);
    } catch (error) {
      failed = true;
      result = `${error.message}\n${error.stdout ?? ''}`;
    }
    say({ type: 'tool', name: call.function.name, arguments: input, failed, result });
    messages.push({ role: 'tool', tool_call_id: call.id, content: result });
  }
}
