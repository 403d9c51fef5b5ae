import { appendFile, stat } from 'node:fs/promises';
import * as whole from 'skill-trial';
import * as runner from 'skill-trial/run';
import { expect, test } from 'vitest';
import { Checkout } from './checkout.js';

test('each entry is packed with the same classes', () => {
  expect(runner.LabError).toBe(whole.LabError);
  expect(import.meta.resolve('skill-trial')).toContain('/packed/');
});

test('what is packed is what was compiled; a package that nobody declared ends the build', async () => {
  await using checkout = await Checkout.make();
  const pack = () => checkout.node(['workflows/pack.mjs']);
  const [compiled, packed] = ['dist', 'packed'].map((folder) => checkout.path('workflows/skill-trial', folder, 'settings.js'));
  const made = async () => (await stat(packed as string)).mtimeMs;
  const first = await made();
  expect(await pack()).toEqual({ code: 0, text: '' });
  expect(await made()).toBe(first);

  await appendFile(compiled as string, "\nexport const settingsOfTheTest = 'here';\n");
  expect(await pack()).toEqual({ code: 0, text: '' });
  expect(await checkout.read('workflows/skill-trial/packed/settings.js')).toContain('settingsOfTheTest');

  await appendFile(compiled as string, "\nexport * from 'nobody-declared-this';\n");
  const refused = await pack();
  expect(refused.code).toBe(1);
  expect(refused.text).toContain('the packed library loads what it does not declare: nobody-declared-this');
  // and is not taken for packed the next time
  expect((await pack()).code).toBe(1);
});
