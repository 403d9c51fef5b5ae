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
    name: 'the second of two lines is short',
    levels: { A: 10, B: 0 },
    items: [
      { sku: 'A', quantity: 4 },
      { sku: 'B', quantity: 1 },
    ],
  },
  {
    name: 'the third of three lines is short',
    levels: { A: 10, B: 7, C: 2 },
    items: [
      { sku: 'A', quantity: 4 },
      { sku: 'B', quantity: 5 },
      { sku: 'C', quantity: 3 },
    ],
  },
  {
    name: 'the inventory breaks down on the second line',
    levels: { A: 10, B: 5 },
    broken: 'B',
    items: [
      { sku: 'A', quantity: 4 },
      { sku: 'B', quantity: 1 },
    ],
  },
];

for (const { name, levels, broken, items } of CASES) {
  test(`R1: no units stay taken when ${name}`, async () => {
    const inventory = inventoryWith(levels, broken);

    await attempt(inventory, { id: 'H-1', items });

    assert.deepEqual(inventory.levels(), levels);
  });
}
