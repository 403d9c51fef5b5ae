/**
 * A project whose tests end in every way that jest and vitest know; both run it as it stands. fixtures/jest-30.json is what jest made of it:
 * these files in a folder, `npx jest@30.5.2 --ci --json --outputFile=jest-30.json` there, the folder's path replaced by /workspace.
 */
export const runnerProject: Record<string, string> = {
  'package.json': '{ "name": "basket", "private": true, "jest": { "testEnvironment": "node" } }\n',
  'basket.test.js': `const total = (prices) => prices.reduce((sum, one) => sum + one, 0);
describe('basket', () => {
  describe('total', () => {
    test('adds', () => expect(total([1, 2])).toBe(3));
    test('rounds', () => expect(total([1.2])).toBe(1));
    test('crashes', () => expect(total(null)).toBe(0));
  });
  test.each([1, 2, 3])('holds %i', (amount) => expect(total([amount])).toBeLessThan(3));
  test('same name', () => {});
  test('same name', () => expect(1).toBe(2));
});
test.skip('not now', () => {});
test.todo('some day');
(test.failing ?? test.fails)('known to fail', () => expect(1).toBe(2));
test('never settles', () => new Promise(() => {}), 100);
describe.skip('left out', () => {
  test('inner', () => {});
});
`,
  'hooks.test.js': `describe('with a broken set-up', () => {
  beforeAll(() => {
    throw new Error('no data base');
  });
  test('one', () => {});
  test.skip('two', () => {});
});
`,
  'file-hook.test.js': `beforeAll(() => {
  throw new Error('no data base');
});
test('one', () => {});
`,
  'clean-up.test.js': `afterAll(() => {
  throw new Error('still open');
});
test('one', () => {});
`,
  'unloadable.test.js': `require('./no-such-module.js');
test('never seen', () => {});
`,
  'syntax.test.js': "test('never seen', () => {;\n",
  'body.test.js': `describe('broken body', () => {
  test('never seen', () => {});
  throw new Error('body');
});
`,
  'empty.test.js': '\n',
};
