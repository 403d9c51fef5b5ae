import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Checkout } from './checkout.js';

let checkout: Checkout;
beforeAll(async () => {
  checkout = await Checkout.make();
});
afterAll(() => checkout[Symbol.asyncDispose]());

describe.each([
  ['inventory', process.execPath],
  ['inventory-py', '/usr/bin/pytest-3'],
])('nx run %s:validate', (name, program) => {
  const run = (title: string, action: () => Promise<void>) =>
    test(title, async ({ skip }) => {
      if (!existsSync(program) && process.env.CI !== 'true') skip(`${program} is not installed`);
      await action();
    });

  run('the solution passes every hidden test, and each mutant fails exactly what the matrix says', async () => {
    const { code, text } = await checkout.nx(`${name}:validate`);
    expect(code, text).toBe(0);
    expect(text).toContain('its solution passes every hidden test, and each of 9 mutants fails exactly what the matrix says');
  });

  run('a matrix that says something else is refused, naming the mutant, what it says and what is true', async () => {
    const file = `data/cases/${name}/mutants/matrix.csv`;
    const matrix = await checkout.read(file);
    await checkout.write(file, matrix.replace('m-R4,R4', 'm-R4,R1 R4'));
    const { code, text } = await checkout.nx(`${name}:validate`);
    await checkout.write(file, matrix);
    expect(code).toBe(1);
    expect(text).toMatch(/mutant m-R4 is not what the matrix says/);
    expect(text).toMatch(/expected: R1 R4 fail/);
    expect(text).toMatch(/found: {4}R4 fail/);
  });
});
