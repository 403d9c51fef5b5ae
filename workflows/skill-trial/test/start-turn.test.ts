import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { takeStartTurn } from '../src/start-turn.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'start-turn-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('as many start at once as there are places, and the next one when a turn ends', async () => {
  const events: string[] = [];
  const first = await takeStartTurn(folder, 2);
  const second = await takeStartTurn(folder, 2);
  const third = takeStartTurn(folder, 2).then((end) => {
    events.push('third started');
    return end;
  });
  await new Promise((resolve) => setImmediate(resolve));
  events.push('first ended');
  await first();
  await (await third)();
  await second();
  expect(events).toEqual(['first ended', 'third started']);
});

test("a turn that is ended twice takes no other's place", async () => {
  const first = await takeStartTurn(folder, 1);
  await first();
  const second = await takeStartTurn(folder, 1);
  await first();
  expect(await readdir(folder)).toEqual(['place-1']);
  await second();
  expect(await readdir(folder)).toEqual([]);
});

test('a process that is killed loses its turn', async () => {
  const built = fileURLToPath(new URL('../dist/start-turn.js', import.meta.url));
  const program = `import(${JSON.stringify(built)}).then(async ({ takeStartTurn }) => { await takeStartTurn(${JSON.stringify(folder)}, 1); console.log('taken'); setInterval(() => {}, 1e6); })`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
  const end = await takeStartTurn(folder, 1);
  await end();
});
