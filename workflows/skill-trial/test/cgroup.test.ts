import { expect, test } from 'vitest';
import { type CgroupSupport, onceFound } from '../src/cgroup.js';

test('a trial of the groups that found none is made again, and one that found some is kept', async () => {
  const memory: CgroupSupport = { memory: { version: 2, parent: '/sys/fs/cgroup' } };
  const answers: CgroupSupport[] = [{}, memory, {}];
  const find = onceFound(async () => answers.shift() as CgroupSupport);
  expect(await find()).toEqual({});
  expect(await Promise.all([find(), find()])).toEqual([memory, memory]);
  expect(await find()).toEqual(memory);
  expect(answers).toEqual([{}]);
});
