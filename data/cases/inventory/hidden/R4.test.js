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

/** What the language itself says when code trips over a missing element; an error written on purpose reads differently. */
const ACCIDENT = /^Cannot (read|set|destructure|convert)|is not (a function|iterable|defined)|^Spread syntax|^Reduce of empty|undefined/;

test('R4: an empty order follows a contract chosen on purpose', async () => {
  const inventory = inventoryWith({ A: 10 });

  const outcome = await attempt(inventory, { id: 'H-4', items: [] });

  if (isRefusal(outcome)) {
    const { error } = outcome;
    const accidental = error instanceof TypeError && ACCIDENT.test(error.message);
    assert.ok(!accidental, `an accident, not a contract: ${error?.message}`);
  } else {
    assert.equal(outcome.value?.order_id, 'H-4');
    assert.deepEqual(outcome.value.reserved, []);
  }
  assert.deepEqual(inventory.calls, [], 'there is nothing to ask the inventory for');
});
