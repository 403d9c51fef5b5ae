import assert from 'node:assert/strict';
import { test } from 'node:test';

import { reserveOrder } from '../src/index.js';

/**
 * An inventory of the examiner's own, so that edits to the fake in the tree under test change nothing here.
 *
 * @param {Record<string, number>} levels
 * @param {string} [broken] a SKU whose reservation fails for another reason than stock
 */
function inventoryWith(levels, broken) {
  const free = new Map(Object.entries(levels));
  const calls = [];
  return {
    calls,
    level: (sku) => free.get(sku) ?? 0,
    levels: () => Object.fromEntries(free),
    reserve(sku, quantity) {
      calls.push({ method: 'reserve', sku, quantity });
      if (sku === broken) throw Object.assign(new Error('connection lost'), { code: 'ECONNRESET' });
      const available = free.get(sku) ?? 0;
      if (!free.has(sku) || available < quantity) {
        throw Object.assign(new Error(`${sku} is short`), { name: 'OutOfStockError', code: 'OUT_OF_STOCK', sku });
      }
      free.set(sku, available - quantity);
    },
    release(sku, quantity) {
      calls.push({ method: 'release', sku, quantity });
      free.set(sku, (free.get(sku) ?? 0) + quantity);
    },
  };
}

/** Runs the function and keeps what came of it: a value or an error. */
async function attempt(inventory, order) {
  try {
    return { value: await reserveOrder(inventory, order) };
  } catch (error) {
    return { error };
  }
}

const CASES = [
  {
    name: 'two lines in a row',
    items: [
      { sku: 'A', quantity: 2 },
      { sku: 'A', quantity: 3 },
    ],
    expected: { A: 5, B: 10 },
  },
  {
    name: 'two lines with another one between them',
    items: [
      { sku: 'A', quantity: 4 },
      { sku: 'B', quantity: 1 },
      { sku: 'A', quantity: 2 },
    ],
    expected: { A: 4, B: 9 },
  },
  {
    name: 'two equal lines',
    items: [
      { sku: 'A', quantity: 3 },
      { sku: 'A', quantity: 3 },
    ],
    expected: { A: 4, B: 10 },
  },
];

for (const { name, items, expected } of CASES) {
  test(`R3: a repeated SKU is reserved for the sum of its lines: ${name}`, async () => {
    const inventory = inventoryWith({ A: 10, B: 10 });

    const { value, error } = await attempt(inventory, { id: 'H-3', items });

    assert.equal(error, undefined, 'a SKU may occur on more than one line');
    assert.deepEqual(inventory.levels(), expected);
    assert.deepEqual(new Set(value?.reserved), new Set(items.map((item) => item.sku)));
  });
}
