import { describe, expect, test } from 'vitest';
import { adviseTests, coverageOf } from '../src/test-advice.js';
import { readWrittenTests, type WrittenTest } from '../src/written-test.js';

const python = (text: string) => readWrittenTests('test_a.py', text) as WrittenTest[];
const javascript = (text: string, file = 'a.test.js') => readWrittenTests(file, text) as WrittenTest[];
const rules = (tests: WrittenTest[]) => tests.map((one) => [one.title, ...adviseTests([one]).map(({ rule }) => rule)].join(' '));

describe('weak tests in Python', () => {
  test.for<[what: string, rule: string, text: string]>([
    ['runs the code and compares', '', 'from shop import price\ndef test_a():\n    assert price(1) == 2\n'],
    ['imports it inside the test', '', 'def test_a():\n    from .shop import price\n    assert price(1) == 2\n'],
    ['asserts nothing', 'no-assertion', 'import shop\ndef test_a():\n    shop.price(1)\n'],
    ['expects an error', '', 'import pytest, shop\ndef test_a():\n    with pytest.raises(ValueError):\n        shop.price(-1)\n'],
    [
      'only reads a file, and looks for words',
      'no-execution keyword-only',
      'from pathlib import Path\ndef test_a():\n    text = Path("shop.py").read_text()\n    assert "def price" in text and "return" in text\n',
    ],
    [
      'only takes a file apart',
      'no-execution',
      'import ast\nSOURCE = open("shop.py").read()\ndef test_a():\n    assert len(ast.parse(SOURCE).body) == 2\n',
    ],
    [
      'imports the code and does not use it',
      'no-execution keyword-only',
      'import shop\nimport re\ndef test_a():\n    assert re.search(r"def \\w+", open("shop.py").read())\n',
    ],
    [
      'runs a program and looks for a word in what it prints',
      'keyword-only',
      'import subprocess\ndef run():\n    return subprocess.run(["python3", "shop.py"], capture_output=True, text=True).stdout\ndef test_a():\n    assert "total" in run()\n',
    ],
    [
      'runs a program and compares what it prints',
      '',
      'import subprocess\ndef test_a():\n    assert subprocess.check_output(["python3", "shop.py"]) == b"3\\n"\n',
    ],
    [
      'asserts in a loop over what may be empty',
      'vacuous-loop',
      'import shop\ndef test_a():\n    for one in shop.items():\n        assert one.price > 0\n',
    ],
    [
      'all() of what may be empty',
      'vacuous-loop',
      'import shop\ndef test_a():\n    assert all(one.price > 0 for one in shop.items())\n',
    ],
    [
      'a loop over something that is written there',
      '',
      'import shop\nCASES = {"a": 1, "b": 2}\ndef test_a():\n    for name, price in CASES.items():\n        assert shop.price(name) == price\n',
    ],
    [
      'a loop over an empty list',
      'vacuous-loop',
      'import shop\nCASES = []\ndef test_a():\n    for one in CASES:\n        assert shop.price(one)\n',
    ],
    [
      'a loop with an assertion beside it',
      '',
      'import shop\ndef test_a():\n    assert len(shop.items()) == 2\n    for one in shop.items():\n        assert one.price > 0\n',
    ],
    ['range of a number', '', 'import shop\ndef test_a():\n    for one in range(3):\n        assert shop.price(one) == one\n'],
    [
      'range of what may be 0',
      'vacuous-loop',
      'import shop\ndef test_a():\n    for one in range(len(shop.items())):\n        assert one\n',
    ],
    [
      'a helper of the file asserts and runs the code',
      '',
      'import shop\ndef check(one):\n    assert shop.price(one) == one\ndef test_a():\n    check(1)\n',
    ],
    [
      'a helper that asserts, called in a loop over what may be empty',
      'vacuous-loop',
      'import shop\ndef holds(one):\n    assert one.price\ndef test_a():\n    for one in shop.items():\n        holds(one)\n',
    ],
    [
      'a fixture of the file runs the code',
      '',
      'import pytest, shop\n@pytest.fixture\ndef cart():\n    return shop.Cart()\ndef test_a(cart):\n    assert cart.total == 0\n',
    ],
    ['a fixture from elsewhere may run anything', '', 'def test_a(cart):\n    assert cart.total == 0\n'],
    ['a fixture of pytest runs nothing', 'no-execution', 'def test_a(tmp_path):\n    assert tmp_path.exists()\n'],
  ])('%s: %s', ([, rule, text]) => {
    expect(rules(python(text))).toEqual([`test_a ${rule}`.trim()]);
  });

  test('methods of classes, unittest among them', () => {
    const text = `import unittest, shop
class TestPrice(unittest.TestCase):
    def test_equal(self):
        self.assertEqual(shop.price(1), 2)
    def test_words(self):
        self.assertIn("price", open("shop.py").read())
    def helper(self):
        pass
`;
    expect(rules(python(text))).toEqual(['TestPrice::test_equal', 'TestPrice::test_words no-execution keyword-only']);
  });

  test('what cannot be parsed holds no test, and stops nothing', () => {
    expect(python('def test_a(:\n  ]]')).toEqual(expect.any(Array));
    expect(python('')).toEqual([]);
  });
});

describe('weak tests in JavaScript and TypeScript', () => {
  const head =
    "import assert from 'node:assert/strict'; import { readFileSync } from 'node:fs'; import { test } from 'node:test';\n";
  const shop = `${head}import { price, items } from '../src/shop.js';\n`;
  test.for<[what: string, rule: string, text: string]>([
    ['runs the code and compares', '', `${shop}test('a', () => { assert.equal(price(1), 2); });`],
    [
      'imports it inside the test',
      '',
      `${head}test('a', async () => { const { price } = await import('../src/shop.js'); assert.ok(price(1)); });`,
    ],
    ['requires it', '', `const { price } = require('../src/shop'); test('a', () => { expect(price(1)).toBe(2); });`],
    ['asserts nothing', 'no-assertion', `${shop}test('a', () => { price(1); });`],
    [
      'only reads a file, and looks for words',
      'no-execution keyword-only',
      `${head}test('a', () => { assert.match(readFileSync('src/shop.js', 'utf8'), /function price/); });`,
    ],
    [
      'only reads a file, and looks for words by includes',
      'no-execution keyword-only',
      `import { it, expect } from 'vitest'; import fs from 'fs';
       const text = fs.readFileSync('src/shop.js', 'utf8');
       it('a', () => { expect(text.includes('price')).toBe(true); expect(text).not.toContain('eval'); });`,
    ],
    [
      'imports the code and does not use it',
      'no-execution keyword-only',
      `${shop}test('a', () => { assert.ok(readFileSync('src/shop.js', 'utf8').includes('price')); });`,
    ],
    [
      'runs a program and looks for a word in what it prints',
      'keyword-only',
      `import { execFileSync } from 'node:child_process'; import assert from 'node:assert';
       test('a', () => { assert.match(String(execFileSync('node', ['src/shop.js'])), /total/); });`,
    ],
    ['a word in what the code gives', '', `${shop}test('a', () => { assert.match(price(1), /EUR/); });`],
    [
      'asserts in a loop over what may be empty',
      'vacuous-loop',
      `${shop}test('a', () => { for (const one of items()) assert.ok(one); });`,
    ],
    [
      'forEach of what may be empty',
      'vacuous-loop',
      `${shop}test('a', () => { items().forEach((one) => { assert.ok(one); }); });`,
    ],
    ['every of what may be empty', 'vacuous-loop', `${shop}test('a', () => { assert.ok(items().every((one) => one > 0)); });`],
    [
      'a loop over something that is written there',
      '',
      `${shop}const all = [1, 2]; test('a', () => { for (const one of all) assert.ok(price(one)); });`,
    ],
    ['a loop over an empty list', 'vacuous-loop', `${shop}test('a', () => { for (const one of []) assert.ok(price(one)); });`],
    [
      'entries of an object that is written there',
      '',
      `${shop}test('a', () => { for (const [k, v] of Object.entries({ b: 1 })) assert.equal(price(k), v); });`,
    ],
    ['a counted loop', '', `${shop}test('a', () => { for (let i = 0; i < 3; i++) assert.equal(price(i), i); });`],
    [
      'a loop with an assertion beside it',
      '',
      `${shop}test('a', () => { assert.equal(items().length, 2); for (const one of items()) assert.ok(one); });`,
    ],
    [
      'a helper of the file asserts and runs the code',
      '',
      `${shop}const check = (one) => assert.equal(price(one), one); test('a', () => check(1));`,
    ],
    [
      'a variable that a hook fills from the code',
      '',
      `import { makeShop } from '../src/shop.js'; let shop; beforeEach(() => { shop = makeShop(); }); test('a', () => { expect(shop.total).toBe(0); });`,
    ],
    [
      'a group around it',
      '',
      `${shop}describe('g', () => { const one = price(1); it('a', () => { assert.equal(one, 2); }); });`.replace(
        "it('a'",
        "it('a'",
      ),
    ],
  ])('%s: %s', ([, rule, text]) => {
    expect(rules(javascript(text)).map((line) => line.replace(/^g > /, ''))).toEqual([`a ${rule}`.trim()]);
  });

  test('TypeScript, tables, nested groups, and tests that are skipped', () => {
    const text = `import { describe, expect, test } from 'vitest';
import { price } from '../src/shop';
describe('[AC-1] prices', () => {
  test.each([[1, 2]] as const)('of %i', (one: number, two: number) => { expect(price(one)).toBe(two satisfies number); });
  test.skip('later', () => { expect(price(0)).toBe(0); });
});
`;
    const tests = javascript(text, 'a.test.ts');
    expect(tests.map(({ title, line }) => [title, line])).toEqual([
      ['[AC-1] prices > of %i', 4],
      ['[AC-1] prices > later', 5],
    ]);
    expect(adviseTests(tests)).toEqual([]);
  });

  test('calls that are no tests are none', () => {
    expect(javascript("/a/.test('b'); it; test('no body'); suite.test = 1;")).toEqual([]);
  });
});

test('a file of another language is not read', () => {
  expect(readWrittenTests('a_test.go', 'func TestA(t *testing.T) {}')).toBeNull();
});

describe('coverage', () => {
  const criteria = ['AC-1', 'AC-2', 'AC-11'].map((id) => ({ id, text: id }));
  test('every criterion is named, and every test names one or guards what was there', () => {
    const tests = python(`import shop, pytest
FAULTS = {"AC-2 late": 1}
def test_AC_1_a(): assert shop.a
@pytest.mark.parametrize("fault", FAULTS)
def test_detects(fault): assert shop.b
def test_documented():
    """Verifies AC-11."""
    assert shop.c
def test_regression_of_d(): assert shop.d
`);
    expect(coverageOf(criteria, tests)).toEqual({ untested: [], untraced: [] });
  });
  test('AC-1 is not AC-11, a word in the body names nothing, and a test without a name stands alone', () => {
    const tests = javascript(`import { a } from './a.js'; test('[ac-11] one', () => a('AC-2')); test('two', () => a());`);
    const { untested, untraced } = coverageOf(criteria, tests);
    expect(untested).toEqual(['AC-1', 'AC-2']);
    expect(untraced.map(({ title }) => title)).toEqual(['two']);
  });
  test('no test at all covers nothing', () => {
    expect(coverageOf(criteria, [])).toEqual({ untested: ['AC-1', 'AC-2', 'AC-11'], untraced: [] });
  });
});
