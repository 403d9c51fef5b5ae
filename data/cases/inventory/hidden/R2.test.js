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

/** True for an exception, and for a result that calls itself a failure and names nothing as reserved. */
function isRefusal({ value, error }) {
  if (error !== undefined) return true;
  const failed = value?.error != null || value?.ok === false || value?.success === false;
  return failed && !(value.reserved?.length > 0);
}

for (const quantity of [0, -1, 1.5, '2', NaN, null, undefined]) {
  const shown = typeof quantity === 'string' ? `the string '${quantity}'` : String(quantity);

  test(`R2: the quantity ${shown} is refused and takes nothing`, async () => {
    const inventory = inventoryWith({ A: 10 });

    const outcome = await attempt(inventory, { id: 'H-2', items: [{ sku: 'A', quantity }] });

    assert.ok(isRefusal(outcome), `accepted, level is now ${inventory.level('A')}`);
    assert.equal(inventory.level('A'), 10);
  });
}

test('R2: a bad quantity on a later line is refused too', async () => {
  const inventory = inventoryWith({ A: 10, B: 10 });
  const items = [
    { sku: 'A', quantity: 1 },
    { sku: 'B', quantity: -3 },
  ];

  const outcome = await attempt(inventory, { id: 'H-2', items });

  assert.ok(isRefusal(outcome), `accepted, level is now ${inventory.level('B')}`);
  assert.equal(inventory.level('B'), 10);
});

test('R2: one unit is a valid quantity', async () => {
  const inventory = inventoryWith({ A: 10 });

  const { error } = await attempt(inventory, { id: 'H-2', items: [{ sku: 'A', quantity: 1 }] });

  assert.equal(error, undefined);
  assert.equal(inventory.level('A'), 9);
});
