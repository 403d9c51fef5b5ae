import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { watchDisk } from '../src/disk-watch.js';
import { tempFolder } from './fixture.js';

test('a flood that is printed is seen while a walk through the folders is still under way', async () => {
  const folder = await tempFolder();
  const out = join(folder, 'out');
  let walked = () => {};
  const walk = new Promise<{ bytes: number; largest: number }>((resolve) => {
    walked = () => resolve({ bytes: 0, largest: 0 });
  });
  const watched = { folders: [folder], folderBytes: 1000, outputs: [out], outputBytes: 10 };
  let close = async () => ({ bytes: 0, largest: 0 });
  const full = new Promise<string>((resolve) => {
    ({ close } = watchDisk(watched, resolve, () => walk));
  });
  await writeFile(out, 'more than ten bytes');
  expect(await full).toBe('output');
  walked();
  expect(await close()).toEqual({ bytes: 0, largest: 0 });
});

test('too much is told once, by the last look too', async () => {
  const folder = await tempFolder({ big: 'x'.repeat(100_000) });
  const told: string[] = [];
  const watched = { folders: [folder], folderBytes: 1000, outputs: [join(folder, 'big')], outputBytes: 10 };
  const { close } = watchDisk(watched, (what) => told.push(what));
  expect((await close()).largest).toBe(100_000);
  expect(told).toHaveLength(1);
});
