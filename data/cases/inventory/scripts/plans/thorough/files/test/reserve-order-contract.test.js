import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';

import { createFakeInventory, reserveOrder } from '../src/index.js';

describe('contract of reserveOrder', () => {
  /** @type {ReturnType<typeof createFakeInventory>} */
  let inventory;

  beforeEach(() => {
    inventory = createFakeInventory({ 'TEA-1': 10, 'CUP-4': 6, 'POT-2': 1 });
  });

  const levels = () => ['TEA-1', 'CUP-4', 'POT-2'].map((sku) => inventory.level(sku));
  const reserve = (...items) => reserveOrder(inventory, { id: 'A-130', items });

  it('reserves several lines', () => {
    const confirmation = reserve({ sku: 'TEA-1', quantity: 2 }, { sku: 'CUP-4', quantity: 3 });

    assert.deepEqual(confirmation, { order_id: 'A-130', reserved: ['TEA-1', 'CUP-4'] });
    assert.deepEqual(levels(), [8, 3, 1]);
  });

  it('takes the units of every line when a SKU is repeated', () => {
    const confirmation = reserve(
      { sku: 'TEA-1', quantity: 2 },
      { sku: 'CUP-4', quantity: 1 },
      { sku: 'TEA-1', quantity: 3 },
    );

    assert.deepEqual(confirmation.reserved, ['TEA-1', 'CUP-4']);
    assert.deepEqual(levels(), [5, 5, 1]);
  });

  it('releases both lines of a repeated SKU when the second is too much', () => {
    assert.throws(() => reserve({ sku: 'CUP-4', quantity: 1 }, { sku: 'TEA-1', quantity: 6 }, { sku: 'TEA-1', quantity: 5 }), {
      code: 'OUT_OF_STOCK',
    });
    assert.deepEqual(levels(), [10, 6, 1]);
  });

  for (const quantity of [0, -1, 0.5, NaN, Infinity, '1', null, undefined]) {
    it(`refuses ${typeof quantity} ${quantity} as a quantity without calling the inventory`, () => {
      assert.throws(() => reserve({ sku: 'TEA-1', quantity: 1 }, { sku: 'CUP-4', quantity }), { code: 'INVALID_QUANTITY' });
      assert.deepEqual(inventory.calls, []);
    });
  }

  it('confirms an empty order without calling the inventory', () => {
    let confirmation;
    assert.doesNotThrow(() => (confirmation = reserve()));
    assert.deepEqual(confirmation, { order_id: 'A-130', reserved: [] });
    assert.deepEqual(inventory.calls, []);
  });

  it('throws and releases the earlier lines when a later one is short', () => {
    assert.throws(() => reserve({ sku: 'TEA-1', quantity: 4 }, { sku: 'CUP-4', quantity: 2 }, { sku: 'POT-2', quantity: 2 }), {
      code: 'OUT_OF_STOCK',
      sku: 'POT-2',
    });

    assert.deepEqual(levels(), [10, 6, 1]);
    assert.deepEqual(
      inventory.calls.map(({ method, sku }) => `${method} ${sku}`),
      ['reserve TEA-1', 'reserve CUP-4', 'reserve POT-2', 'release CUP-4', 'release TEA-1'],
    );
  });

  it('releases the earlier lines when the inventory breaks down', () => {
    const { reserve: working } = inventory;
    inventory.reserve = (sku, quantity) => {
      if (sku === 'CUP-4') throw new Error('no connection');
      working(sku, quantity);
    };

    assert.throws(() => reserve({ sku: 'TEA-1', quantity: 4 }, { sku: 'CUP-4', quantity: 2 }), { message: 'no connection' });
    assert.deepEqual(levels(), [10, 6, 1]);
  });

  it('reports what could not be released and releases the rest', () => {
    const { release: working } = inventory;
    inventory.release = (sku, quantity) => {
      if (sku === 'CUP-4') throw new Error('release refused');
      working(sku, quantity);
    };

    assert.throws(
      () => reserve({ sku: 'TEA-1', quantity: 4 }, { sku: 'CUP-4', quantity: 2 }, { sku: 'POT-2', quantity: 2 }),
      { code: 'ROLLBACK_INCOMPLETE', stillReserved: [{ sku: 'CUP-4', quantity: 2 }] },
    );
    assert.deepEqual(levels(), [10, 4, 1]);
  });
});
