import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { takeStartTurn } from '../src/start-turn.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'start-turn-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('as many start at once as there are places, and the next one when a turn ends', async () => {
  const events: string[] = [];
  const first = await takeStartTurn({ folder, places: 2 });
  const second = await takeStartTurn({ folder, places: 2 });
  const third = takeStartTurn({ folder, places: 2 }).then((end) => {
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
  const first = await takeStartTurn({ folder, places: 1 });
  await first();
  const second = await takeStartTurn({ folder, places: 1 });
  await first();
  expect(await readdir(folder)).toEqual(['place-1']);
  await second();
  expect(await readdir(folder)).toEqual([]);
});

test('who gets no turn in time starts without one, and leaves the places as they are', async () => {
  const first = await takeStartTurn({ folder, places: 1 });
  const held = await readlink(join(folder, 'place-1'));
  const without = await takeStartTurn({ folder, places: 1, waitMs: 0 });
  await without();
  expect(await readlink(join(folder, 'place-1'))).toBe(held);
  await first();
});

test('a folder that cannot be made stops no start', async () => {
  await writeFile(join(folder, 'file'), '');
  await (await takeStartTurn({ folder: join(folder, 'file'), places: 1 }))();
});

/** A place held by a process, as the process itself would write it. */
async function hold(pid: number): Promise<void> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
  await symlink(`${pid}.${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}.x`, join(folder, 'place-1'));
}

// the token of a lock holds when its process started, which only Linux tells in /proc
test.runIf(process.platform === 'linux')('a process that is killed loses its turn', async () => {
  const child = spawn('sleep', ['1000']);
  await once(child, 'spawn');
  await hold(child.pid as number);
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
  await (await takeStartTurn({ folder, places: 1, waitMs: Number.POSITIVE_INFINITY }))();
});

test.runIf(process.platform === 'linux')('so does one that is killed and that its parent never asks about', async () => {
  const parent: ChildProcess = spawn('/bin/sh', ['-c', 'sleep 1000 & echo $!; exec sleep 1000']);
  try {
    const [line] = (await once(parent.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
    const pid = Number(String(line));
    await hold(pid);
    process.kill(pid, 'SIGKILL');
    await vi.waitUntil(async () => (await readFile(`/proc/${pid}/stat`, 'latin1')).includes(') Z '), { timeout: 60_000 });
    await (await takeStartTurn({ folder, places: 1, waitMs: Number.POSITIVE_INFINITY }))();
  } finally {
    parent.kill('SIGKILL');
  }
});
