import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Base, makeBase } from '../src/base.js';
import { type Case, readCase } from '../src/case.js';
import { readExample } from '../src/doc-language.js';
import { findCommands, findGuarantees, readDoc } from '../src/doc-text.js';
import { checkDocumentation, type ObtainProgram, ProgramRun, shapeOf } from '../src/documentation-check.js';
import { plainPlace } from '../src/place.js';
import { readJson } from '../src/record.js';
import { findSandbox } from '../src/sandbox.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));

describe('reading a documentation', () => {
  test('over-strong words are found in prose, with the line, and those in a sentence that denies are marked', () => {
    const doc = readDoc(
      'README.md',
      '# A\n\nThe operation is always\natomic. It is not\na transaction.\n\n```js\nnever();\n```\n',
    );
    expect(findGuarantees(doc).map(({ line, word, negated }) => [line, word, negated])).toEqual([
      [3, 'always', false],
      [4, 'atomic', false],
      [5, 'transactional', true],
    ]);
  });
  test('commands are those of shell blocks; output of a console, a network and a server are left out', () => {
    const text =
      '```sh\nnpm test\n```\n\n```console\n$ npm test\nok 1\n```\n\n```bash\nnpm install\n```\n\n```sh\nnpm run dev\n```\n\n```js\nnpm\n```\n';
    expect(findCommands(readDoc('docs/a.md', text)).map(({ line, script, skip }) => [line, script, skip])).toEqual([
      [2, 'npm test', null],
      [6, 'npm test', null],
      [11, 'npm install', 'it needs a network'],
      [15, 'npm run dev', 'it may not end'],
    ]);
  });
  test.each([
    ['f();\n// { a: 1 }', 1],
    ['const x = f(); // => [1, 2]', 1],
    ['console.log(f()); // returns { a: -1 }', 1],
    ['f();\n// see below', 0],
    ['f();\n// { a: process.exit() }', 0],
    ['f();\n// {a: 1} and more', 0],
    ['not javascript at all (', null],
  ])('an example states what it returns: %j', (text, examples) => {
    expect(readExample({ text, line: 1 })?.examples ?? null).toBe(examples);
  });
  test('a shape keeps keys and types alone', () => {
    expect(shapeOf({ b: [1, 2], a: null })).toBe(shapeOf({ a: undefined, b: [3] }));
    expect(shapeOf({ a: 1 })).not.toBe(shapeOf({ a: '1' }));
    expect(shapeOf([])).not.toBe(shapeOf({}));
  });
});

test('notes that the code under test drowned in lines of its own are none; a few lines that are none spoil no others', async () => {
  const entry = { kind: 'entry', file: 'README.md', line: 1, module: 'shop', works: true };
  const entries = async (strange: number) => {
    const notes = `${JSON.stringify(entry)}\n${'1\n'.repeat(strange)}${JSON.stringify(entry)}\n`;
    const obtain = async () => ({ notes, run: {}, record: { path: 'behaviour/x', sha256: 'a' } }) as never;
    const one = { language: 'node', entry: { name: 'total', module: 'shop' } } as unknown as Case;
    const tree = { base: { commit: 'c' }, ...plainPlace('private-home') } as never;
    return (await checkDocumentation('c', one, tree, [readDoc('README.md', 'total')], obtain)).documentation.entries.length;
  };
  expect([await entries(0), await entries(100), await entries(100_000)]).toEqual([2, 2, 0]);
});

describe.each([
  [
    'inventory',
    '/usr/bin/env',
    (result: string) =>
      `\`\`\`js\nimport { reserveOrder, createFakeInventory } from './src/index.js';\nreserveOrder(createFakeInventory({ A: 1 }), { id: 'x', items: [{ sku: 'A', quantity: 1 }] });\n// ${result}\n\`\`\`\n`,
  ],
  [
    'inventory-py',
    '/usr/bin/python3',
    (result: string) =>
      `\`\`\`python\nfrom training_service.fake_inventory import FakeInventory\nfrom training_service.order import Order, OrderItem\nfrom training_service.reserve_order import reserve_order\nreserve_order(FakeInventory({"A": 1}), Order("x", [OrderItem("A", 1)]))\n# ${result}\n\`\`\`\n`,
  ],
])('trying out the documentation of %s', (name, _program, example) => {
  let one: Case;
  let base: Base;
  let scratch: string;
  let sandbox: Awaited<ReturnType<typeof findSandbox>>['kind'];
  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'skill-trial-docs-'));
    one = await readCase(join(root, 'data/cases', name));
    base = await makeBase(one, join(scratch, 'bases'));
    sandbox = (await findSandbox('auto')).kind;
  });
  afterAll(() => rm(scratch, { recursive: true, force: true }));

  const obtain: ObtainProgram = async (_content, plan) => {
    const target = join(scratch, 'runs', `${plan.name}-${plan.key.slice(0, 8)}`);
    await mkdir(target, { recursive: true });
    await plan.run(target);
    return {
      run: await readJson(join(target, 'program.json'), ProgramRun),
      notes: await readFile(join(target, 'notes.jsonl'), 'utf8'),
      record: { path: plan.name, sha256: '0'.repeat(64) },
    };
  };
  const check = async (text: string) => {
    const patch = join(scratch, 'patch.diff');
    await writeFile(patch, '');
    const tree = { case: one, base, patch, overlay: [], ...plainPlace(sandbox), timeoutMs: 60_000 };
    return (await checkDocumentation('c', one, tree, [readDoc('README.md', text)], obtain)).documentation;
  };

  test('a true example, another value, another structure, and one that does not run', async () => {
    const outcome = async (result: string) => (await check(example(result))).examples.map((row) => row.outcome);
    expect(await outcome(`{ "order_id": "x", "reserved": ["A"] }`)).toEqual(['equal']);
    expect(await outcome(`{ "order_id": "y", "reserved": ["B"] }`)).toEqual(['structure']);
    expect(await outcome(`{ "id": "x", "lines": 1 }`)).toEqual(['different']);
    const broken = await check(example('{ "a": 1 }').replaceAll('FakeInventory', 'MissingInventory'));
    expect(broken.examples.map((row) => row.outcome)).toEqual(['failed']);
  });
  test('the entry point is imported from where the documentation says, and a command runs in the folder of its file', async () => {
    const found = await check(`${example('{ "a": 1 }')}\n\`\`\`sh\ntest -f README.md\n\`\`\`\n\n\`\`\`sh\nexit 3\n\`\`\`\n`);
    expect(found.entries.map((row) => row.works)).toEqual([true]);
    expect(found.commands.map(({ outcome, exitCode }) => [outcome, exitCode])).toEqual([
      ['ok', 0],
      ['failed', 3],
    ]);
    const wrong = await check(
      example('1').replace('src/index.js', 'src/gone.js').replace('training_service.reserve_order ', 'training_service.gone '),
    );
    expect(wrong.entries.map((row) => row.works)).toEqual([false]);
    expect((await check('Nothing.\n')).named).toBe(false);
  });
});
