import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { createFakeInventory, formatConfirmation, reserveOrder } from '../src/index.js';

describe('reserveOrder', () => {
  it('takes the units of a line and confirms it', () => {
    const inventory = createFakeInventory({ 'TEA-1': 10 });

    const confirmation = reserveOrder(inventory, {
      id: 'A-100',
      items: [{ sku: 'TEA-1', quantity: 4 }],
    });

    assert.deepEqual(confirmation, { order_id: 'A-100', reserved: ['TEA-1'] });
    assert.equal(inventory.level('TEA-1'), 6);
  });

  it('refuses an order that asks for more than there is', () => {
    const inventory = createFakeInventory({ 'TEA-1': 3 });
    const order = { id: 'A-101', items: [{ sku: 'TEA-1', quantity: 4 }] };

    assert.throws(() => reserveOrder(inventory, order), { code: 'OUT_OF_STOCK', sku: 'TEA-1' });
    assert.equal(inventory.level('TEA-1'), 3);
  });

  it('reserves an order with several items', () => {
    const inventory = createFakeInventory({ 'TEA-1': 10, 'CUP-4': 6, 'POT-2': 2 });

    const confirmation = reserveOrder(inventory, {
      id: 'A-102',
      items: [
        { sku: 'TEA-1', quantity: 3 },
        { sku: 'CUP-4', quantity: 2 },
        { sku: 'POT-2', quantity: 1 },
      ],
    });

    assert.deepEqual(confirmation, { order_id: 'A-102', reserved: ['TEA-1', 'CUP-4', 'POT-2'] });
    assert.equal(inventory.level('CUP-4'), 4);
  });

  it('refuses a quantity that is not positive', () => {
    const inventory = createFakeInventory({ 'TEA-1': 3 });

    for (const quantity of [0, -1]) {
      const order = { id: 'A-103', items: [{ sku: 'TEA-1', quantity }] };
      assert.throws(() => reserveOrder(inventory, order), { name: 'RangeError' });
    }
    assert.equal(inventory.level('TEA-1'), 3);
  });
});

describe('createFakeInventory', () => {
  it('does not know a SKU it was not given', () => {
    const inventory = createFakeInventory({ 'TEA-1': 3 });

    assert.throws(() => inventory.reserve('CUP-4', 1), { name: 'OutOfStockError' });
  });

  it('gives released units back and remembers the calls', () => {
    const inventory = createFakeInventory({ 'TEA-1': 3 });

    inventory.reserve('TEA-1', 2);
    inventory.release('TEA-1', 2);

    assert.equal(inventory.level('TEA-1'), 3);
    assert.deepEqual(
      inventory.calls.map((call) => call.method),
      ['reserve', 'release'],
    );
  });
});

describe('formatConfirmation', () => {
  it('lists the reserved SKUs', () => {
    assert.equal(
      formatConfirmation({ order_id: 'A-100', reserved: ['TEA-1', 'CUP-4'] }),
      'Order A-100: reserved TEA-1, CUP-4',
    );
  });

  it('says when nothing was reserved', () => {
    assert.equal(formatConfirmation({ order_id: 'A-100', reserved: [] }), 'Order A-100: nothing reserved');
  });
});
